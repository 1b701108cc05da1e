import type { Published, Queue } from "../providers/queue.server";
import { messageOf } from "../shared/error-text";
import { type CampaignMessage, type LineIssue, MAX_LISTED_ISSUES } from "./campaign-file.server";
import { CAMPAIGN_JOB_PATH } from "./campaign-job.server";

/** Limits of one request to the queue. QStash accepts a megabyte on its smallest plan. */
const MAX_BATCH_MESSAGES = 100;
const MAX_BATCH_BYTES = 512 * 1024;
/** After this many batches in a row of which every message was refused, publishing stops. */
const MAX_REFUSED_BATCHES = 3;

/** Further deliveries after a failed one: the most that QStash's free plan allows. */
const DELIVERY_RETRIES = 3;

/**
 * Without this limit, a rate that the deployment cannot keep up with makes deliveries pile up until they time out. Some of those that are
 * cut off while they are being sent would be sent twice.
 */
const MAX_CONCURRENT_DELIVERIES = 50;

export interface PublishProgress {
  /** messages that the queue did not have before */
  new: number;
  /** messages that the queue had already */
  duplicate: number;
  refused: number;
}

export interface PublishOutcome extends PublishProgress {
  /** the first refused messages */
  refusals: LineIssue[];
  /** why publishing ended before the end of the file */
  stopped?: string;
  /** the line to continue from: the first one that is possibly unpublished. Only with `stopped` */
  continueFrom?: number;
}

/**
 * Publishes all messages to the queue, in batches, several at a time. Stops early if the queue refuses a whole batch, if `messages`
 * throws, or when `signal` is aborted. Batches that are being sent at that moment are completed.
 * @param settings.from the line of the first message
 * @param settings.rate maximum deliveries a second, for all campaigns of this deployment together
 */
export async function publishCampaign(
  messages: AsyncIterable<CampaignMessage>,
  settings: {
    queue: Pick<Queue, "publish">;
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
    destination: apiBaseUrl + CAMPAIGN_JOB_PATH,
    flowControlKey: `campaign-emails.${new URL(apiBaseUrl).hostname}`,
    rate,
    parallelism: MAX_CONCURRENT_DELIVERIES,
    retries: DELIVERY_RETRIES,
  };
  const outcome: PublishOutcome = { new: 0, duplicate: 0, refused: 0, refusals: [] };
  /** the first lines of batches that were read, and not (yet) accepted by the queue */
  const unpublished = new Set<number>();
  let refusedBatches = 0;
  const stop = (reason: string) => {
    outcome.stopped ??= reason;
  };

  const count = (batch: CampaignMessage[], published: Published[]) => {
    let accepted = 0;
    for (const [index, result] of published.entries()) {
      // The states of a message are members of the outcome.
      outcome[result.state]++;
      if (result.state !== "refused") accepted++;
      else if (outcome.refusals.length < MAX_LISTED_ISSUES)
        outcome.refusals.push({ line: batch[index]?.line ?? 0, message: result.message });
    }
    refusedBatches = accepted > 0 ? 0 : refusedBatches + 1;
    if (refusedBatches === MAX_REFUSED_BATCHES) stop("The queue refused all messages of several requests.");
    onProgress(outcome);
  };
  // One generator, from which all loops below take their batches.
  const batches = inBatches(messages, (error, firstLine) => {
    stop(messageOf(error));
    // Without a first line, the very first message could not be read.
    unpublished.add(firstLine ?? from);
  });
  // Several of these loops run at once. They share the generator, so each batch is published by one of them.
  const publishBatches = async () => {
    while (outcome.stopped === undefined) {
      const { value: batch } = await batches.next();
      if (batch === undefined) return;
      unpublished.add(firstLineOf(batch));
      if (signal?.aborted) stop("Publishing was interrupted.");
      if (outcome.stopped !== undefined) return;
      try {
        count(batch, await queue.publish(batch, delivery));
        unpublished.delete(firstLineOf(batch));
      } catch (error) {
        stop(messageOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, publishBatches));
  outcome.refusals.sort((a, b) => a.line - b.line);
  if (outcome.stopped === undefined) return outcome;
  // `unpublished` has the batches that were read and not accepted. The next one, if there is one, was not even read, and counts as well.
  const { value: unread } = await batches.next();
  if (unread !== undefined) unpublished.add(firstLineOf(unread));
  // It was interrupted after the last line, and nothing is left.
  if (unpublished.size === 0) return { ...outcome, stopped: undefined };
  return { ...outcome, continueFrom: Math.min(...unpublished) };
}

const firstLineOf = ([first]: readonly CampaignMessage[]) => first?.line ?? 0;

/**
 * Ends when `messages` throws; messages of an incomplete batch are then discarded.
 * @param onFailure called with the error, and the line of the first discarded message
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
      if (batch.length === MAX_BATCH_MESSAGES || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
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
