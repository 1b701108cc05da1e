import { CAMPAIGN_JOB_PATH } from "../../campaigns/campaign-job.server";
import { EnvError, type EnvVariables, parseOnly } from "../../env/env.server";
import { createQueue, type Queue } from "../../providers/queue.server";
import { messageOf } from "../../shared/error-text";

/**
 * The queue that campaigns are published to.
 * @returns `destination`: the job endpoint's URL; undefined if API_BASE_URL is not set
 * @throws Error if QUEUE_TOKEN is not set, EnvError if a setting is not valid
 */
export function openQueue(variables: EnvVariables): { queue: Queue; destination: string | undefined } {
  if (!variables.QUEUE_TOKEN?.trim()) throw new Error("QUEUE_TOKEN is not set.");
  const { QUEUE_URL: url, QUEUE_TOKEN: token } = parseOnly(variables, "QUEUE_URL", "QUEUE_TOKEN");
  const destination = variables.API_BASE_URL?.trim()
    ? parseOnly(variables, "API_BASE_URL").API_BASE_URL + CAMPAIGN_JOB_PATH
    : undefined;
  return { queue: createQueue({ url, token }), destination };
}

/** Why the queue could not be asked, in a sentence. */
export const problemOf = (error: unknown) =>
  error instanceof EnvError ? `${error.issues.join("; ")}.` : messageOf(error);
