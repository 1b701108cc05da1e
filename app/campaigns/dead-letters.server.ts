import { z } from "zod";
import { onOneLine } from "../email/email-address.server";
import type { DeadLetter, Queue } from "../providers/queue.server";
import { parseJson } from "../shared/parse-json";
import { campaignJobSchema, type JobKey, jobKeyOf } from "./campaign-job.server";

/** A job of a campaign that the queue has given up on, and holds as a dead letter. */
export type GivenUpJob = Pick<DeadLetter, "status" | "reason">;

export interface GivenUpJobList {
  /** by recipient, the address in lower case; the last reason of each */
  jobs: Map<string, GivenUpJob>;
  /** whether all messages that the queue has given up on were looked at */
  isComplete: boolean;
}

/** Limits for a queue that has given up on very many messages. */
const MAX_DEAD_LETTERS = 20_000;
const MAX_WAIT_MS = 30_000;

/**
 * Asks the queue which jobs of a campaign it has given up on. It keeps them for some days only.
 * @param destination the job endpoint's URL; undefined if it is not known, and then all messages of the account are looked at
 * @throws AppError `unavailable`, `provider_failed` when the request to the queue fails
 */
export async function readDeadLetters(
  queue: Pick<Queue, "deadLetters">,
  campaignId: string,
  destination: string | undefined,
  limitMs = MAX_WAIT_MS,
): Promise<GivenUpJobList> {
  const jobs = new Map<string, GivenUpJob>();
  const deadline = performance.now() + limitMs;
  let letters = 0;
  for await (const page of queue.deadLetters(destination, AbortSignal.timeout(limitMs))) {
    for (const { body, status, reason } of page) {
      const key = keyIn(body);
      // The newest comes first.
      if (key?.campaignId === campaignId && !jobs.has(key.recipient))
        jobs.set(key.recipient, { status, reason });
    }
    letters += page.length;
    if (letters >= MAX_DEAD_LETTERS || performance.now() > deadline) return { jobs, isComplete: false };
  }
  return { jobs, isComplete: true };
}

const keySchema = campaignJobSchema.pick({ campaignId: true, recipient: true });
/** The queue may have given up on a job because it is invalid. */
const looseKeySchema = z.object({ campaignId: z.string(), recipient: z.object({ email: z.string() }) });

/** Undefined if the message is not a campaign job. */
function keyIn(body: string): JobKey | undefined {
  let json: unknown;
  try {
    json = parseJson(Buffer.from(body));
  } catch {
    return undefined;
  }
  const key = keySchema.safeParse(json).data;
  if (key) return jobKeyOf(key);
  const loose = looseKeySchema.safeParse(json).data;
  return loose && { campaignId: onOneLine(loose.campaignId), recipient: loose.recipient.email.toLowerCase() };
}
