import { HeadObjectCommand, ListObjectsV2Command, PutBucketCorsCommand } from "@aws-sdk/client-s3";
import type { Env } from "../env.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { observeCall } from "../telemetry/observe.server";
import { createObjectPresigner } from "./presign-objects.server";
import { createS3Client } from "./s3-client.server";
import { StoreClock, thisMoment } from "./store-clock.server";
import { StoreDiagnoses, type StoreDiagnosis, type StoreOperation } from "./store-diagnosis.server";
import { type StoreCall, toAppError } from "./store-failure.server";

export type { StoreDiagnosis, StoreOperation } from "./store-diagnosis.server";

export interface CorsRule {
  allowedMethods: string[];
  allowedHeaders: string[];
  allowedOrigins: string[];
  exposeHeaders: string[];
  maxAgeSeconds: number;
}

export interface ObjectStore {
  /**
   * A URL that a browser can PUT one object to. What is given is part of the signature, and comes back as `headers`, to be
   * sent as they stand.
   */
  presignPut(input: {
    bucket: string;
    key: string;
    contentType: string;
    /** bytes */
    size: number | undefined;
    /** refuse to overwrite, by `If-None-Match: *` */
    ifNoneMatch: boolean;
    expiresInSeconds: number;
  }): Promise<{ url: string; headers: Record<string, string> }>;
  /** A URL that a browser can GET one object from, with the given `Content-Disposition` and `Content-Type` in the response. */
  presignGet(input: {
    bucket: string;
    key: string;
    contentDisposition: string;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<string>;
  /** The origin that a browser meets when it uses `presignPut` or `presignGet` for `bucket`. */
  originOf(bucket: string): Promise<string>;
  /**
   * The media type an object was stored with; undefined when it was stored with none.
   * @param limitMs how long the store may take, milliseconds
   * @throws AppError as `list`
   */
  contentTypeOf(
    input: { bucket: string; key: string; limitMs: number },
    request?: CallContext,
  ): Promise<string | undefined>;
  /**
   * One page of what lies under `prefix`, up to the next `/`.
   * @throws AppError `bucket_not_found`, `invalid_request` (a cursor that is not ours), `provider_failed`, `unavailable`
   */
  list(
    input: {
      bucket: string;
      prefix: string;
      cursor: string | undefined;
      pageSize: number;
      /** how long the store may take, milliseconds; CLOUD_S3_TIMEOUT_SECONDS unless told */
      limitMs?: number | undefined;
    },
    request?: CallContext,
  ): Promise<{
    prefixes: string[];
    objects: { key: string; size: number; lastModified: Date; etag: string }[];
    nextCursor: string | null;
  }>;
  /** Replaces a bucket's CORS rules. @throws AppError as `list` */
  putCorsRules(bucket: string, rules: readonly CorsRule[]): Promise<void>;
  /** Why a browser at `origin` cannot do `operation`, by asking the store; at most about 3 seconds, and remembered for 10. */
  diagnose(input: { bucket: string; origin: string; operation: StoreOperation }): Promise<StoreDiagnosis>;
}

/** How long the store may take to tell its time before the first presigned URL, milliseconds. */
const CLOCK_LIMIT = 2_000;

export function createObjectStore(settings: Env["objectStore"]): ObjectStore {
  const standardLimit = settings.timeoutSeconds * 1000;
  const client = createS3Client(settings, {
    requestHandler: { connectionTimeout: 3_000, requestTimeout: standardLimit, throwOnRequestTimeout: true },
  });

  /** Some bucket that was used last: where to ask for the time. */
  let lastBucket = "_";
  const clock = new StoreClock(async () => {
    const { origin } = await presigner.addressOf(lastBucket);
    await touch("HEAD", new URL(origin), {}, CLOCK_LIMIT);
  });
  const presigner = createObjectPresigner(client, clock);
  const diagnoses = new StoreDiagnoses({
    addressOf: presigner.addressOf,
    touch,
    tryBucket: (bucket, limitMs) =>
      send(limitMs, (options) =>
        client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), options),
      ),
  });

  client.middlewareStack.add(
    (next) => async (args) => {
      const sent = thisMoment();
      const result = await next(args);
      const { headers } = result.response as { headers?: Record<string, string> };
      clock.learn(headers?.date, sent, thisMoment());
      return result;
    },
    // Next to the wire, so that a response that becomes an error is seen as well.
    { name: "learnStoreClock", step: "deserialize", priority: "low" },
  );

  /** One unsigned request, whose response is of interest only for its status and headers. */
  async function touch(method: string, url: URL, headers: Record<string, string>, limitMs: number) {
    const sent = thisMoment();
    const { protocol, hostname, host, pathname: path } = url;
    const port = url.port === "" ? {} : { port: Number(url.port) };
    const request = { method, protocol, hostname, ...port, path, query: {}, headers: { host, ...headers } };
    const { response } = await client.config.requestHandler.handle(request, {
      abortSignal: AbortSignal.timeout(limitMs),
    });
    // The connection serves again once the body is out of the way.
    response.body.on("error", () => {}).resume();
    clock.learn(response.headers.date, sent, thisMoment());
    return { status: Number(response.statusCode), headers: response.headers as Record<string, string> };
  }

  /**
   * One call of the store, with one limit over all the SDK's attempts and the pauses between them: the SDK's own time-outs
   * are for one attempt each, and it waits between two whatever the signal says.
   */
  async function send<Output>(
    limitMs: number,
    operation: (options: { abortSignal: AbortSignal }) => Promise<Output>,
  ): Promise<Output> {
    // The SDK corrects its clock only after a first refusal; what we know already spares it that.
    client.config.systemClockOffset = clock.offsetMs;
    const abortSignal = AbortSignal.timeout(limitMs);
    const timedOut = new Promise<never>((_, reject) => {
      const error = new Error(`no response within ${limitMs} ms`);
      error.name = "TimeoutError";
      abortSignal.addEventListener("abort", () => reject(error));
    });
    return Promise.race([operation({ abortSignal }), timedOut]);
  }

  /** `send`, measured, whose failures become an AppError that says what to mend. */
  function call<Output>(
    name: string,
    what: StoreCall & { bucket: string },
    limitMs: number,
    operation: (options: { abortSignal: AbortSignal }) => Promise<Output>,
  ): Promise<Output> {
    lastBucket = what.bucket;
    return observeCall("object_store", name, () =>
      send(limitMs, operation).catch((error: unknown) => {
        throw toAppError(error, what);
      }),
    );
  }

  return {
    async presignPut({ contentType, size, ifNoneMatch, ...object }) {
      lastBucket = object.bucket;
      const headers: Record<string, string> = { "Content-Type": contentType };
      if (ifNoneMatch) headers["If-None-Match"] = "*";
      const signed = { ...headers };
      // A browser sets Content-Length itself and lets no script do it, so it is signed but not among the answer's headers.
      if (size !== undefined) signed["Content-Length"] = String(size);
      return { url: await presigner.presign("PUT", object, { headers: signed }), headers };
    },

    presignGet({ contentDisposition, contentType, ...object }) {
      lastBucket = object.bucket;
      return presigner.presign("GET", object, {
        query: { "response-content-disposition": contentDisposition, "response-content-type": contentType },
      });
    },

    async originOf(bucket) {
      return (await presigner.addressOf(bucket)).origin;
    },

    async contentTypeOf({ bucket, key, limitMs }, request) {
      const head = new HeadObjectCommand({ Bucket: bucket, Key: key });
      const what = { bucket, permission: "s3:GetObject" };
      const { ContentType } = await call("head", what, timeLeft(limitMs, request), (options) =>
        client.send(head, options),
      );
      return ContentType;
    },

    async list({ bucket, prefix, cursor, pageSize, limitMs = standardLimit }, request) {
      const page = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: "/",
        MaxKeys: pageSize,
        ContinuationToken: cursor,
      });
      const what = { bucket, permission: "s3:ListBucket", withCursor: cursor !== undefined };
      const answer = await call("list", what, timeLeft(limitMs, request), (options) =>
        client.send(page, options),
      );
      return {
        prefixes: (answer.CommonPrefixes ?? []).flatMap((common) => common.Prefix ?? []),
        objects: (answer.Contents ?? []).flatMap((object) =>
          object.Key === undefined
            ? []
            : {
                key: object.Key,
                size: object.Size ?? 0,
                lastModified: object.LastModified ?? new Date(0),
                etag: object.ETag ?? "",
              },
        ),
        nextCursor: answer.NextContinuationToken ?? null,
      };
    },

    async putCorsRules(bucket, rules) {
      const command = new PutBucketCorsCommand({
        Bucket: bucket,
        CORSConfiguration: {
          CORSRules: rules.map((rule) => ({
            AllowedMethods: rule.allowedMethods,
            AllowedHeaders: rule.allowedHeaders,
            AllowedOrigins: rule.allowedOrigins,
            ExposeHeaders: rule.exposeHeaders,
            MaxAgeSeconds: rule.maxAgeSeconds,
          })),
        },
      });
      await call("put_cors", { bucket, permission: "s3:PutBucketCORS" }, standardLimit, (options) =>
        client.send(command, options),
      );
    },

    diagnose(input) {
      return diagnoses.diagnose(input);
    },
  };
}
