import {
  type $Command,
  S3Client,
  type S3ClientConfig,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-s3";
import type { Env } from "../env/env.server";
import type { CallContext } from "../shared/request-context.server";
import { credentialsFor } from "./cloud-credentials.server";
import { type Moment, type StoreClock, thisMoment } from "./store-clock.server";

/** The SDK's default of 50 would all be taken by 50 completions of multipart uploads, which may take a minute each. */
const MAX_CONNECTIONS = 500;

/** The network settings of a server. @param requestTimeout until a response begins, milliseconds */
export const handlerWithin = (requestTimeout: number) => ({
  connectionTimeout: 3_000,
  requestTimeout,
  throwOnRequestTimeout: true,
  httpAgent: { maxSockets: MAX_CONNECTIONS },
  httpsAgent: { maxSockets: MAX_CONNECTIONS },
});

/** A client of Amazon S3, or of a store that speaks its API at `endpoint`. */
export function createS3Client(settings: Env["objectStore"], more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    region: settings.region,
    credentials: credentialsFor(settings.credentials),
    endpoint: settings.endpoint,
    forcePathStyle: settings.forcePathStyle,
    // The SDK's default signs the checksum of an empty body into a presigned PUT.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...more,
  });
}

interface SendOptions {
  /** in metrics */
  name: string;
  /** what a policy has to grant for it, like `s3:ListBucket` */
  permission: string;
  /** the command contains a cursor that came from a caller */
  withCursor?: boolean;
  /** milliseconds for all attempts together; CLOUD_S3_TIMEOUT_SECONDS by default */
  limitMs?: number | undefined;
  context?: CallContext | undefined;
}

/**
 * Sends one command to the store, within a time limit.
 * @throws AppError `bucket_not_found`, `provider_failed`, `unavailable`, and what the store refuses (see store-failure.server.ts)
 */
export type SendToStore = <
  Input extends ServiceInputTypes & { Bucket?: string | undefined },
  Output extends ServiceOutputTypes,
>(
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  options: SendOptions,
) => Promise<Output>;

/** Passes on the `Date` of every response, also of those that become an error, with the moments of request and response. */
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
    // Next to the network, before a response becomes an error.
    { name: "watchDates", step: "deserialize", priority: "low" },
  );
}

/** Sends one unsigned request, for its status, its headers and the store's time. */
export function createSendUnsigned(client: S3Client, clock: StoreClock) {
  return async (method: string, url: URL, headers: Record<string, string>, limitMs: number) => {
    const sent = thisMoment();
    const { protocol, hostname, host, pathname: path } = url;
    const port = url.port === "" ? {} : { port: Number(url.port) };
    const request = { method, protocol, hostname, ...port, path, query: {}, headers: { host, ...headers } };
    const { response } = await client.config.requestHandler.handle(request, {
      abortSignal: AbortSignal.timeout(limitMs),
    });
    // The connection can be used again once the body has been read.
    response.body.on("error", () => {}).resume();
    clock.learn(response.headers.date, sent, thisMoment());
    return { status: Number(response.statusCode), headers: response.headers as Record<string, string> };
  };
}
