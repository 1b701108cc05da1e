import { randomUUID } from "node:crypto";
import {
  hasError,
  ok,
  runCheck,
  runChecks,
  toFindings,
  type Verdict,
  warning,
  wrong,
} from "../../embed-element/doctor/report";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { createStoreProbe, type StoreProbe } from "../providers/object-store-checks.server";
import { explainStoreFailure, type StoreFailure } from "../providers/store-failure.server";
import { mapConcurrently } from "../shared/map-concurrently";
import { bucketSettingChecks, explainUnreadableSetting } from "./bucket-setting-checks";
import { bucketsOf, type CheckGroup, type DoctorContext, usesOf } from "./context";
import { judgeClock } from "./provider-failure";
import { PREFIX, tryRoundTrip } from "./store-round-trip";

/** buckets that are checked at the same time */
const MAX_CONCURRENT_BUCKETS = 4;

/** The object store itself, then each bucket that a live embed client opens. */
export const checkStore: CheckGroup = async (context) => {
  const probe = createStoreProbe(context.env.objectStore);
  const roundTrips: Promise<unknown>[] = [];
  try {
    const { findings, isUsable } = await reachStore(context, probe);
    const clients = await context.liveClients().catch(() => null);
    const skipped = (message: string, remedy: string) => [
      ...findings,
      ...toFindings("store.buckets", warning(message, remedy)),
    ];
    if (clients === null)
      return skipped(
        "Could not list the buckets in use, because the database query failed.",
        "Fix POSTGRES_URL first, then run this again.",
      );
    if (!isUsable) return findings;
    const buckets = bucketsOf(clients);
    if (buckets.length === 0)
      return skipped(
        "No live embed client names a bucket, so none was checked.",
        "Make a client for a bucket: npm run client -- create.",
      );
    const ofBuckets = await mapConcurrently(buckets, MAX_CONCURRENT_BUCKETS, (bucket) =>
      checkBucket(context, probe, { bucket, ...usesOf(bucket, clients) }, roundTrips),
    );
    return [...findings, ...ofBuckets.flat()];
  } finally {
    // A round trip removes its object even when its time is over.
    await Promise.allSettled(roundTrips);
    probe.close();
  }
};

/** Network, credentials and clock: they are the same for all buckets, and are reported once. */
async function reachStore({ limits }: DoctorContext, probe: StoreProbe) {
  let isUsable = true;
  const reached = await runCheck(
    {
      name: "store.reachable",
      async run(signal) {
        await probe.listBuckets(signal);
        return ok("The object store answers and accepts the credentials.");
      },
      explain(error) {
        const failure = explainStoreFailure(error);
        // The service needs no permission to list all buckets. The refusal shows that the credentials are valid.
        if (failure.kind === "access_denied" || failure.kind === "not_offered")
          return ok("The object store answers and knows the access key.");
        isUsable = false;
        return asError(failure);
      },
    },
    limits,
  );
  const aheadMs = probe.clockAheadMs();
  const clock =
    aheadMs === undefined ? [] : toFindings("store.clock", judgeClock("the object store's", aheadMs));
  return { findings: [...reached, ...clock], isUsable };
}

async function checkBucket(
  context: DoctorContext,
  probe: StoreProbe,
  { bucket, actions, requiresTag }: { bucket: string } & ReturnType<typeof usesOf>,
  roundTrips: Promise<unknown>[],
): Promise<Verdict[]> {
  const { limits, env } = context;
  const listed = await runCheck(
    {
      name: "store.bucket",
      async run(signal) {
        await probe.listOneObject(bucket, signal);
        return ok(`${bucket}: can be listed.`);
      },
      explain: (error) => asError(explainStoreFailure(error, { bucket, permission: "s3:ListBucket" })),
    },
    limits,
  );
  if (hasError(listed)) return listed;
  const store = createObjectStore(env.objectStore);
  const undo = {
    name: "store.undo",
    run: async (signal: AbortSignal) => checkUndo(probe, bucket, signal),
  };
  const more = await runChecks(
    [
      {
        name: "store.round_trip",
        run(signal) {
          const isChanged = actions.has("organize") || actions.has("delete");
          const roundTrip = tryRoundTrip({ probe, store, bucket, signal, limits, isChanged });
          roundTrips.push(roundTrip);
          return roundTrip;
        },
      },
      {
        name: "store.integrity",
        run: () => checkIntegrity(store, bucket),
      },
      ...(actions.has("delete") || actions.has("history") ? [undo] : []),
      ...(requiresTag
        ? [{ name: "store.tags", run: (signal: AbortSignal) => checkTags(store, probe, bucket, signal) }]
        : []),
      ...bucketSettingChecks({ context, probe, store, bucket, actions, missing: warning }),
      {
        name: "store.public_access",
        run: (signal) => checkPublicAccess(probe, bucket, signal),
        explain: (error) =>
          explainUnreadableSetting(error, bucket, {
            permission: "s3:GetBucketPublicAccessBlock",
            question: "whether the bucket is closed to the public",
            setting: "Block Public Access, or the store's equivalent",
          }),
      },
    ],
    limits,
  );
  return [...listed, ...more];
}

/** Whether damage on the way to the store is noticed. Makes no object: the parts that it sends are discarded. */
async function checkIntegrity(store: ObjectStore, bucket: string): Promise<Verdict> {
  const object = { bucket, key: `${PREFIX}${randomUUID()}` };
  const { checksums, contentMd5 } = await store.integrityChecks(object);
  if (checksums) return ok(`${bucket}: the store compares uploads with their checksums.`);
  if (contentMd5) {
    return ok(`${bucket}: the store ignores checksums, so uploads carry Content-MD5, which it compares.`);
  }
  if (contentMd5 === undefined) {
    return warning(
      `${bucket}: could not determine which checksums the store verifies, so uploads carry Content-MD5.`,
      "The warning above or in the log says why. Uploads in parts need s3:PutObject and s3:AbortMultipartUpload.",
    );
  }
  return warning(
    `${bucket}: the store compares neither checksums nor Content-MD5, so damage on the way to it is not noticed. Visitors are told.`,
    "Update the store. Until then, let browsers reach it by HTTPS, without a proxy that changes requests.",
  );
}

/** Whether the access key may undo deleting, if the bucket keeps versions. Changes nothing: the version that it removes does not exist. */
async function checkUndo(probe: StoreProbe, bucket: string, signal: AbortSignal): Promise<Verdict[]> {
  const failureOf = (permission: string) => (error: unknown) =>
    explainStoreFailure(error, { bucket, permission });
  const versioning = await probe.versioning(bucket, signal).catch(() => undefined);
  if (versioning !== "Enabled") return [];
  const listing = await probe.listOneVersion(bucket, signal).catch(failureOf("s3:ListBucketVersions"));
  if (listing) return [wrong(`${bucket}: deleting fails. ${listing.message}`, listing.remedy)];
  const nothing = { bucket, key: `${PREFIX}${randomUUID()}`, version: "null" };
  const removal = await probe.remove(nothing, signal).catch(failureOf("s3:DeleteObjectVersion"));
  if (typeof removal === "object") {
    const message = `${bucket}: deleting cannot be undone, though Undo is offered. ${removal.message}`;
    return [wrong(message, removal.remedy)];
  }
  return [ok(`${bucket}: what visitors delete can be undone for a day; the bucket keeps versions.`)];
}

/** Whether files can be read for which a key requires a tag. Asks for an object that does not exist. */
async function checkTags(
  store: ObjectStore,
  probe: StoreProbe,
  bucket: string,
  signal: AbortSignal,
): Promise<Verdict> {
  const fails = `${bucket}: a key requires a tag of its files, and they cannot be read.`;
  const versioning = await probe
    .versioning(bucket, signal)
    .catch((error: unknown) => explainStoreFailure(error, { bucket, permission: "s3:GetBucketVersioning" }));
  if (versioning !== "Enabled" && typeof versioning !== "object")
    return wrong(
      `${fails} The bucket keeps no versions, so another upload could take the place of a checked file.`,
      `Switch versioning on: npm run storage -- versioning --bucket ${bucket}.`,
    );
  const newest = { bucket, key: `${PREFIX}${randomUUID()}` };
  const version = { ...newest, versionId: "null" };
  const reads = [
    ["s3:GetObjectTagging", () => store.readTags(newest)],
    ["s3:GetObjectVersionTagging", () => store.readTags(version)],
    ["s3:GetObjectVersion", () => store.describeObject(version)],
  ] as const;
  for (const [permission, read] of reads) {
    try {
      await read();
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const { message, remedy } = explainStoreFailure(cause, { bucket, permission });
      return wrong(`${fails} ${message}`, remedy);
    }
  }
  return ok(`${bucket}: the tags that a key requires of its files can be read.`);
}

async function checkPublicAccess(probe: StoreProbe, bucket: string, signal: AbortSignal): Promise<Verdict> {
  const { blocked, isPublic } = await probe.publicAccess(bucket, signal);
  if (blocked) return ok(`${bucket}: Block Public Access is on.`);
  const remedy =
    `aws s3api put-public-access-block --bucket ${bucket} --public-access-block-configuration ` +
    "BlockPublicAcls=true,IgnorePublicAcls=true,BlockPublicPolicy=true,RestrictPublicBuckets=true";
  if (isPublic) return wrong(`${bucket}: the bucket's policy allows public access.`, remedy);
  return warning(`${bucket}: Block Public Access is not on for this bucket (the account's may be).`, remedy);
}

function asError({ message, remedy }: StoreFailure): Verdict {
  return wrong(message, remedy);
}
