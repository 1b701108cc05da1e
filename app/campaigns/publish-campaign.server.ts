import { messageOf } from "../error-text";
import type { Published, Queue } from "../providers/queue.server";
import { type CampaignMessage, type LineIssue, MAX_LISTED } from "./campaign-file.server";
import { CAMPAIGN_WEBHOOK_PATH } from "./campaign-job.server";

/** Of a request to the queue: messages, and bytes of their bodies. QStash takes a megabyte on its smallest plan. */
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 512 * 1024;
/** so many batches that are refused message by message say that no further one will be taken */
const MAX_REFUSED_BATCHES = 3;

/** Further deliveries after one that failed: the most that QStash's free plan allows. */
const DELIVERY_RETRIES = 3;

/**
 * Deliveries at a time. Without a bound, a rate beyond what the deployment can bear piles them up until each one fails, and of those that
 * break off while they are handed over, some are sent twice. With one, the pace falls to what is possible.
 */
const DELIVERIES_AT_A_TIME = 50;

export interface PublishProgress {
  /** that were not in the queue before */
  new: number;
  /** that the queue had already */
  known: number;
  refused: number;
}

export interface PublishOutcome extends PublishProgress {
  /** the first of those that were refused */
  refusals: LineIssue[];
  /** why it ended before the file did */
  stopped?: string;
  /** the first line that is not certainly published, where it ended before the file did */
  goOnFrom?: number;
}

/**
 * Puts every message on the queue, in batches, several at a time. Ends early, and says where to go on, at a refusal that the next batch
 * would meet as well, where the messages cannot be read further, and at `signal`; batches that are under way then are waited for.
 * @param from the line that the messages begin with
 * @param rate deliveries a second at most, of all campaigns of this deployment together
 */
export async function publishCampaign(
  messages: AsyncIterable<CampaignMessage>,
  settings: {
    queue: Queue;
    apiBaseUrl: string;
    rate: number;
    concurrency: number;
    from?: number;
    signal?: AbortSignal;
    onProgress?: (progress: PublishProgress) => void;
  },
): Promise<PublishOutcome> {
  const { queue, apiBaseUrl, rate, concurrency, from = 1, signal, onProgress = () => {} } = settings;
  const delivery = {
    destination: apiBaseUrl + CAMPAIGN_WEBHOOK_PATH,
    flowControlKey: `campaign-emails.${new URL(apiBaseUrl).hostname}`,
    rate,
    parallelism: DELIVERIES_AT_A_TIME,
    retries: DELIVERY_RETRIES,
  };
  const outcome: PublishOutcome = { new: 0, known: 0, refused: 0, refusals: [] };
  const underWay = new Set<number>();
  let refusedBatches = 0;
  const stop = (why: string) => {
    outcome.stopped ??= why;
  };

  const count = (batch: CampaignMessage[], published: Published[]) => {
    let accepted = 0;
    for (const [index, result] of published.entries()) {
      outcome[result.state]++;
      if (result.state !== "refused") accepted++;
      else if (outcome.refusals.length < MAX_LISTED)
        outcome.refusals.push({ line: batch[index]?.line ?? 0, message: result.message });
    }
    refusedBatches = accepted > 0 ? 0 : refusedBatches + 1;
    if (refusedBatches === MAX_REFUSED_BATCHES) stop("The queue refuses one message after the other.");
    onProgress(outcome);
  };
  /** the first line that could not be read, or was read in vain */
  let unreadFrom: number | undefined;
  const batches = inBatches(messages, (error, firstLine = from) => {
    stop(messageOf(error));
    unreadFrom = firstLine;
  });
  const work = async () => {
    while (outcome.stopped === undefined) {
      const { value: batch } = await batches.next();
      const [first] = batch ?? [];
      if (!batch || !first) return;
      underWay.add(first.line);
      if (signal?.aborted) stop("It was stopped.");
      if (outcome.stopped !== undefined) return;
      try {
        count(batch, await queue.publish(batch, delivery));
        underWay.delete(first.line);
      } catch (error) {
        stop(messageOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  outcome.refusals.sort((a, b) => a.line - b.line);
  if (outcome.stopped === undefined) return outcome;
  // What no worker has taken comes behind what they have.
  const { value: next } = await batches.next();
  const open = [...underWay, next?.[0]?.line, unreadFrom].filter((line) => line !== undefined);
  return open.length === 0 ? { ...outcome, stopped: undefined } : { ...outcome, goOnFrom: Math.min(...open) };
}

/**
 * Ends where `messages` fail: what was read for a batch that is not full is left out.
 * @param onFailure gets the first line that was left out, if one was read
 */
async function* inBatches(
  messages: AsyncIterable<CampaignMessage>,
  onFailure: (error: unknown, firstLine?: number) => void,
): AsyncGenerator<CampaignMessage[], undefined> {
  let batch: CampaignMessage[] = [];
  let bytes = 0;
  try {
    for await (const message of messages) {
      const size = Buffer.byteLength(message.body);
      if (batch.length === MAX_BATCH || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(message);
      bytes += size;
    }
  } catch (error) {
    onFailure(error, batch[0]?.line);
    return;
  }
  if (batch.length > 0) yield batch;
}
