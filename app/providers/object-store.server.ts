import { HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import type { Env } from "../env.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { observeCall } from "../telemetry/observe.server";
import { withinLimit } from "../time-limit";
import { createBucketSettings } from "./bucket-settings.server";
import { type Checksum, checksumHeaders } from "./checksums";
import { createCopyByParts } from "./copy-by-parts.server";
import { createKeyListing } from "./list-keys.server";
import { createMultipart, UPLOAD_MARK } from "./multipart.server";
import { createObjectChanges } from "./object-changes.server";
import { createObjectPresigner, type PresignedObject } from "./presign-objects.server";
import { createS3Client, handlerWithin, watchDates } from "./s3-client.server";
import { StoreClock } from "./store-clock.server";
import { StoreDiagnoses } from "./store-diagnosis.server";
import { type StoreCall, toAppError } from "./store-failure.server";
import { createTouch } from "./touch-store.server";
import { createTreeListings } from "./tree-listings.server";

/** How long the store may take to tell its time before the first presigned URL, milliseconds. */
const CLOCK_LIMIT = 2_000;
export type ObjectStore = ReturnType<typeof createObjectStore>;

export function createObjectStore(settings: Env["objectStore"]) {
  const standardLimit = settings.timeoutSeconds * 1000;
  const client = createS3Client(settings, { requestHandler: handlerWithin(standardLimit) });

  /** Some bucket that was used last: where to ask for the time. */
  let lastBucket = "_";
  const clock = new StoreClock(async () => {
    const { origin } = await presigner.addressOf(lastBucket);
    await touch("HEAD", new URL(origin), {}, CLOCK_LIMIT);
  });
  const touch = createTouch(client, clock);
  const presigner = createObjectPresigner(client, clock);
  const diagnoses = new StoreDiagnoses({
    addressOf: presigner.addressOf,
    touch,
    tryBucket: (bucket, limitMs) =>
      send(limitMs, (options) =>
        client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), options),
      ),
  });

  watchDates(client, (date, sent, received) => clock.learn(date, sent, received));

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
    const call = operation({ abortSignal: AbortSignal.timeout(limitMs) });
    const late = () => Object.assign(new Error(`no response within ${limitMs} ms`), { name: "TimeoutError" });
    return withinLimit(limitMs, call, late);
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

  const head = (
    { bucket, key }: { bucket: string; key: string },
    limitMs: number,
    request: CallContext | undefined,
  ) =>
    call("head", { bucket, permission: "s3:GetObject" }, timeLeft(limitMs, request), (options) =>
      client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), options),
    );

  return {
    ...createMultipart(client, presigner, call, standardLimit),
    ...createObjectChanges(client, call, standardLimit),
    ...createCopyByParts(client, call, standardLimit),
    ...createTreeListings(client, call, standardLimit, clock),
    ...createBucketSettings(client, call, standardLimit),
    ...createKeyListing(client, call),

    /**
     * A URL that a browser can PUT one object to. What is given is part of the signature, and comes back as `headers`, to be
     * sent as they stand.
     * @param input `size`: bytes; `ifNoneMatch`: refuse to overwrite, by `If-None-Match: *`; `checksum`: what else arrives is refused
     */
    async presignPut({
      contentType,
      size,
      ifNoneMatch,
      checksum,
      ...object
    }: PresignedObject & {
      contentType: string;
      size: number | undefined;
      ifNoneMatch: boolean;
      checksum?: Checksum | undefined;
    }) {
      lastBucket = object.bucket;
      const headers: Record<string, string> = { "Content-Type": contentType, ...checksumHeaders(checksum) };
      if (ifNoneMatch) headers["If-None-Match"] = "*";
      const signed = { ...headers };
      // A browser sets Content-Length itself and lets no script do it, so it is signed but not among the `headers`.
      if (size !== undefined) signed["Content-Length"] = String(size);
      return { url: await presigner.presign("PUT", object, { headers: signed }), headers };
    },

    /** A URL that a browser can GET one object from, with the given `Content-Disposition` and `Content-Type` in the response. */
    presignGet({
      contentDisposition,
      contentType,
      contentEncoding,
      ...object
    }: PresignedObject & {
      contentDisposition: string;
      contentType: string;
      contentEncoding?: string;
    }): Promise<string> {
      lastBucket = object.bucket;
      return presigner.presign("GET", object, {
        query: {
          "response-content-disposition": contentDisposition,
          "response-content-type": contentType,
          ...(contentEncoding && { "response-content-encoding": contentEncoding }),
        },
      });
    },

    /** The origin that a browser meets when it uses `presignPut` or `presignGet` for `bucket`. */
    async originOf(bucket: string): Promise<string> {
      return (await presigner.addressOf(bucket)).origin;
    },

    /**
     * The media type an object was stored with; undefined when it was stored with none.
     * @param input `limitMs`: how long the store may take, milliseconds
     * @throws AppError as `list`
     */
    async contentTypeOf(
      { bucket, key, limitMs }: { bucket: string; key: string; limitMs: number },
      request?: CallContext,
    ): Promise<string | undefined> {
      const { ContentType } = await head({ bucket, key }, limitMs, request);
      return ContentType;
    },

    /** The object at that key, with the mark of the upload in parts that it came from; null where there is none. @throws AppError as `list` */
    async findObject(object: { bucket: string; key: string }, request?: CallContext) {
      try {
        const {
          ContentLength: size = 0,
          ETag: etag = "",
          Metadata,
        } = await head(object, standardLimit, request);
        return { size, etag, mark: Metadata?.[UPLOAD_MARK] };
      } catch (error) {
        if (error instanceof AppError && error.code === "not_found") return null;
        throw error;
      }
    },

    /** Puts an object of no bytes where there is none. @throws AppError `name_taken`, `upload_conflict`, and those of `list` */
    async createFolder(
      { bucket, key }: { bucket: string; key: string },
      request?: CallContext,
    ): Promise<void> {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentLength: 0,
        ContentType: "application/x-directory",
        IfNoneMatch: "*",
      });
      await call(
        "create_folder",
        { bucket, permission: "s3:PutObject" },
        timeLeft(standardLimit, request),
        (options) => client.send(command, options),
      );
    },

    /**
     * One page of what lies under `prefix`, up to the next `/`.
     * @param input `limitMs`: how long the store may take, milliseconds; CLOUD_S3_TIMEOUT_SECONDS unless told
     * @throws AppError `bucket_not_found`, `invalid_request` (a cursor that is not ours), `provider_failed`, `unavailable`
     */
    async list(
      input: {
        bucket: string;
        prefix: string;
        cursor: string | undefined;
        pageSize: number;
        limitMs?: number | undefined;
      },
      request?: CallContext,
    ) {
      const { bucket, prefix, cursor, pageSize, limitMs = standardLimit } = input;
      const page = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: "/",
        MaxKeys: pageSize,
        ContinuationToken: cursor,
      });
      const what = { bucket, permission: "s3:ListBucket", withCursor: cursor !== undefined };
      const found = await call("list", what, timeLeft(limitMs, request), (options) =>
        client.send(page, options),
      );
      return {
        prefixes: (found.CommonPrefixes ?? []).flatMap((common) => common.Prefix ?? []),
        objects: (found.Contents ?? []).flatMap((object) =>
          object.Key === undefined
            ? []
            : {
                key: object.Key,
                size: object.Size ?? 0,
                lastModified: object.LastModified ?? new Date(0),
                etag: object.ETag ?? "",
              },
        ),
        nextCursor: found.NextContinuationToken ?? null,
      };
    },

    /** Why a browser at `origin` cannot do `operation`, by asking the store; at most about 3 seconds, and remembered for 10. */
    diagnose: (attempt: Parameters<StoreDiagnoses["diagnose"]>[0]) => diagnoses.diagnose(attempt),
  };
}
