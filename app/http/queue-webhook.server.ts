import type { z } from "zod";
import { AppError, type AppErrorCode } from "../app-error";
import { verifyQueueSignature } from "../campaigns/queue-signature.server";
import { endpoint } from "./api-route.server";
import { parseInput, parseJson, readBody } from "./read-json.server";
import type { Services } from "./services.server";

/** bytes; a job with as many products and events as an e-mail can hold is far below */
const MAX_JOB_BYTES = 256 * 1024;

/** No later delivery of the same job can come out otherwise. */
const hopeless: ReadonlySet<AppErrorCode> = new Set(["invalid_request", "body_too_large", "email_refused"]);

/**
 * An address that a message queue delivers jobs to. The signature is judged first, over the raw bytes, before anything is parsed;
 * what then turns out hopeless is answered so that the queue does not deliver it again. A job's media type counts for
 * nothing: the signature does not cover it. Decisions, section 8.
 * @param path of the webhook under the API's base URL
 */
export function queueWebhook<Schema extends z.ZodType>(declaration: {
  path: string;
  job: Schema;
  handle: (job: z.output<Schema>, services: Services) => Promise<unknown>;
}) {
  return endpoint({
    // What counts is who signed: the queue delivers as fast as it was told to.
    isLimited: false,
    handle: async ({ request, services }) => {
      const { env, now } = services;
      const signature =
        env.queueSigningKeys &&
        (await verifyQueueSignature(request.headers, {
          signingKeys: env.queueSigningKeys,
          url: env.apiBaseUrl + declaration.path,
          nowSeconds: now(),
        }));
      try {
        const bytes = await readBody(request, MAX_JOB_BYTES);
        signature?.checkBody(bytes);
        return await declaration.handle(parseInput(declaration.job, parseJson(bytes)), services);
      } catch (error) {
        throw error instanceof AppError && hopeless.has(error.code) ? refusedForGood(error) : error;
      }
    },
  });
}

/** 489 with this header is how QStash is told not to try again. */
function refusedForGood(error: AppError): AppError {
  return new AppError("job_refused", error.message, {
    cause: error,
    headers: { "Upstash-NonRetryable-Error": "true" },
    ...(error.issues === undefined ? {} : { issues: error.issues }),
    ...(error.logDetail === undefined ? {} : { logDetail: error.logDetail }),
  });
}
