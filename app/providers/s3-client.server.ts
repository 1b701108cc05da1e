import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { Env } from "../env.server";
import { type Moment, thisMoment } from "./store-clock.server";
import type { StoreCall } from "./store-failure.server";

/** The SDK's own 50 would all be taken by as many completions of uploads in parts, which may take a minute each. */
const MOST_CONNECTIONS = 500;

/** How a server's requests go over the network. @param requestTimeout until a response begins, milliseconds */
export const handlerWithin = (requestTimeout: number) => ({
  connectionTimeout: 3_000,
  requestTimeout,
  throwOnRequestTimeout: true,
  httpAgent: { maxSockets: MOST_CONNECTIONS },
  httpsAgent: { maxSockets: MOST_CONNECTIONS },
});

/** A client of Amazon S3, or of what speaks its API at `endpoint`; `more` is what differs for one use. */
export function createS3Client(settings: Env["objectStore"], more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    endpoint: settings.endpoint,
    forcePathStyle: settings.forcePathStyle,
    // The SDK's default signs the checksum of an empty body into a presigned PUT.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...more,
  });
}

/**
 * One call of the store: named for metrics, ended after `limitMs` with all its attempts, and its failures as an AppError that says what to
 * mend.
 */
export type CallStore = <Output>(
  name: string,
  what: StoreCall & { bucket: string },
  limitMs: number,
  operation: (options: { abortSignal: AbortSignal }) => Promise<Output>,
) => Promise<Output>;

/** Hands over the `Date` of every response to `client`, refusals too, and when it was asked and answered. */
export function watchDates(
  client: S3Client,
  learn: (date: string | undefined, sent: Moment, received: Moment) => void,
): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sent = thisMoment();
      const result = await next(args);
      const { headers } = result.response as { headers?: Record<string, string> };
      learn(headers?.date, sent, thisMoment());
      return result;
    },
    // Next to the wire, so that a response that becomes an error is seen as well.
    { name: "watchDates", step: "deserialize", priority: "low" },
  );
}
