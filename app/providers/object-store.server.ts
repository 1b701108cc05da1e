import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { Env } from "../env/env.server";
import { timeLeft } from "../shared/request-context.server";
import { withinLimit } from "../shared/within-limit";
import { observeCall } from "../telemetry/observe.server";
import { createBucketSettings } from "./bucket-settings.server";
import { createIntegrityChecks } from "./integrity-checks.server";
import { createListings } from "./listings.server";
import { createMultipart } from "./multipart.server";
import { createMultipartCopy } from "./multipart-copy.server";
import { createObjectChanges } from "./object-changes.server";
import { createObjectPresigner } from "./presigned-urls.server";
import {
  createS3Client,
  createSendUnsigned,
  handlerWithin,
  type SendToStore,
  watchDates,
} from "./s3-client.server";
import { StoreClock } from "./store-clock.server";
import { createStoreDiagnosis } from "./store-diagnosis.server";
import { toAppError } from "./store-failure.server";

/** How long the store may take to tell its time before the first presigned URL. */
const CLOCK_TIMEOUT_MS = 2_000;

export type ObjectStore = ReturnType<typeof createObjectStore>;

/** Amazon S3, or a store that speaks its API. */
export function createObjectStore(settings: Env["objectStore"]) {
  const standardLimitMs = settings.timeoutSeconds * 1000;
  const client = createS3Client(settings, { requestHandler: handlerWithin(standardLimitMs) });

  const clock = new StoreClock(async () => {
    const { origin } = await presigner.anyBucketUrl();
    await sendUnsigned("HEAD", new URL(origin), {}, CLOCK_TIMEOUT_MS);
  });
  const sendUnsigned = createSendUnsigned(client, clock);
  const presigner = createObjectPresigner(settings, client, clock);
  watchDates(client, (date, sent, received) => clock.learn(date, sent, received));

  /** Limits all attempts of the SDK together, and the pauses between them: its own time-outs are for one attempt each. */
  function withTimeLimit<Output>(
    limitMs: number,
    work: (options: { abortSignal: AbortSignal; requestTimeout?: number }) => Promise<Output>,
  ): Promise<Output> {
    // The SDK corrects its clock only after a refusal; this avoids the refusal.
    client.config.systemClockOffset = clock.offsetMs;
    const abortSignal = AbortSignal.timeout(limitMs);
    const options = limitMs > standardLimitMs ? { abortSignal, requestTimeout: limitMs } : { abortSignal };
    const late = () => Object.assign(new Error(`no response within ${limitMs} ms`), { name: "TimeoutError" });
    return withinLimit(limitMs, work(options), late);
  }

  const send: SendToStore = (command, options) => {
    const { name, permission, withCursor, limitMs = standardLimitMs, context } = options;
    const { Bucket: bucket } = command.input;
    return observeCall("object_store", name, () =>
      withTimeLimit(timeLeft(limitMs, context), (handler) => client.send(command, handler)).catch(
        (error: unknown) => {
          throw toAppError(error, { bucket, permission, withCursor });
        },
      ),
    );
  };

  const diagnose = createStoreDiagnosis({
    bucketUrl: presigner.bucketUrl,
    sendUnsigned,
    tryBucket: (bucket, limitMs) =>
      withTimeLimit(limitMs, (options) =>
        client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), options),
      ),
  });

  const isAmazon = settings.endpoint === undefined;
  const multipart = createMultipart(send, presigner, standardLimitMs);
  const objectChanges = createObjectChanges(send, standardLimitMs, isAmazon);

  return {
    ...createListings(send),
    ...objectChanges,
    ...createMultipartCopy(send, objectChanges, standardLimitMs),
    ...multipart,
    ...createIntegrityChecks(send, multipart, isAmazon),
    ...createBucketSettings(send),
    presignPut: presigner.presignPut,
    presignGet: presigner.presignGet,
    originOf: presigner.originOf,
    maxPresignedSeconds: presigner.maxPresignedSeconds,

    /** The store refuses a write whose condition fails. False: it may ignore If-None-Match and overwrite the object, so look before writing. */
    enforcesConditions: isAmazon,

    /** Finds out why a browser at `origin` could not upload or download; takes up to 3 seconds, and is cached for 10. */
    diagnose,

    /** The store's time, as far as it is known: whole seconds, possibly one too few. Unix. */
    storeSeconds: () => Math.floor((Date.now() + clock.aheadMs) / 1000) - 1,
  };
}
