import { z } from "zod";
import { onOneLine } from "../email/email-address.server";
import type { DeadLetter, Queue } from "../providers/queue.server";
import { parseJson } from "../shared/parse-json";
import { campaignJobSchema, type JobKey, jobKeyOf } from "./campaign-job.server";

/** How the last attempt of a job that the queue has given up on has ended. */
export type GivenUpJob = Pick<DeadLetter, "status" | "reason">;

/** Jobs of a campaign that the queue has given up on, by recipient, the address in lower case. */
export type GivenUpJobs = ReadonlyMap<string, GivenUpJob>;

/** Limits for a queue with very many dead letters. */
const MAX_DEAD_LETTERS = 20_000;
const MAX_WAIT_MS = 30_000;

/**
 * Asks the queue for the dead letters that are jobs of a campaign. It keeps them for some days only.
 * @param destination the job endpoint's URL; undefined if it is not known, and then all messages of the account are looked at
 * @returns `isComplete`: whether all dead letters were looked at
 * @throws AppError `unavailable`, `provider_failed` when the request to the queue fails
 */
export async function findGivenUpJobs(
  queue: Pick<Queue, "deadLetters">,
  campaignId: string,
  destination: string | undefined,
  limitMs = MAX_WAIT_MS,
): Promise<{ givenUp: GivenUpJobs; isComplete: boolean }> {
  const givenUp = new Map<string, GivenUpJob>();
  const deadline = performance.now() + limitMs;
  let read = 0;
  for await (const page of queue.deadLetters(destination, AbortSignal.timeout(limitMs))) {
    for (const { body, status, reason } of page) {
      const key = keyIn(body);
      // The newest comes first.
      if (key?.campaignId === campaignId && !givenUp.has(key.recipient))
        givenUp.set(key.recipient, { status, reason });
    }
    read += page.length;
    if (read >= MAX_DEAD_LETTERS || performance.now() > deadline) return { givenUp, isComplete: false };
  }
  return { givenUp, isComplete: true };
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
