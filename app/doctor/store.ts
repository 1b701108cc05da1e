import { mapConcurrently } from "../map-concurrently";
import { createObjectStore } from "../providers/object-store.server";
import { createStoreProbe, type StoreProbe } from "../providers/object-store-checks.server";
import { explainStoreFailure, type StoreFailure } from "../providers/store-failure.server";
import type { FileAction } from "../services/files/actions";
import { UPLOAD_DAYS } from "../services/files/upload-handle.server";
import { judgeClock } from "./clock";
import { actionsIn, bucketsOf, type CheckGroup, type DoctorContext } from "./context";
import { attempt, found, ok, type Verdict, warning, wrong } from "./finding";
import { checkUndo } from "./store-changes";
import { compareCors } from "./store-cors";
import { tryRoundTrip } from "./store-round-trip";

/** Buckets looked at side by side. */
const CONCURRENCY = 4;

/** The object store as such, then each bucket that a live embed client opens. */
export const checkStore: CheckGroup = async (context) => {
  const probe = createStoreProbe(context.env.objectStore);
  const roundTrips: Promise<unknown>[] = [];
  try {
    const { findings, isUsable } = await reachStore(context, probe);
    const clients = await context.liveClients().catch(() => null);
    if (clients === null) {
      const message = "Which buckets are in use is not known while the database cannot be asked.";
      const remedy = "Mend POSTGRES_URL first, then run this again.";
      return [...findings, ...found("store.buckets", warning(message, remedy))];
    }
    if (!isUsable) return findings;
    const buckets = bucketsOf(clients);
    if (buckets.length === 0) {
      const message = "No live embed client names a bucket, so none was looked at.";
      const remedy = "npm run client -- create makes a client for a bucket.";
      return [...findings, ...found("store.buckets", warning(message, remedy))];
    }
    const ofBuckets = await mapConcurrently(buckets, CONCURRENCY, (bucket) =>
      checkBucket(context, probe, { bucket, actions: actionsIn(bucket, clients) }, roundTrips),
    );
    return [...findings, ...ofBuckets.flat()];
  } finally {
    // A round trip removes its object even when its time is over.
    await Promise.allSettled(roundTrips);
    probe.close();
  }
};

/** Network, credentials and clock: what is the same for all buckets, and is said once. */
async function reachStore(context: DoctorContext, probe: StoreProbe) {
  let isUsable = true;
  const reached = await attempt(
    "store.reachable",
    context.limits,
    async (signal) => {
      await probe.listBuckets(signal);
      return ok("The object store answers and takes the credentials.");
    },
    (error) => {
      const failure = explainStoreFailure(error);
      // To list all buckets is more than this service needs: the refusal shows that the credentials are good.
      if (failure.kind === "access_denied" || failure.kind === "not_offered") {
        return ok("The object store answers and knows the access key.");
      }
      isUsable = false;
      return asError(failure);
    },
  );
  const aheadMs = probe.clockAheadMs();
  const clock = aheadMs === undefined ? [] : found("store.clock", judgeClock("the object store's", aheadMs));
  return { findings: [...reached, ...clock], isUsable };
}

async function checkBucket(
  context: DoctorContext,
  probe: StoreProbe,
  { bucket, actions }: { bucket: string; actions: ReadonlySet<FileAction> },
  roundTrips: Promise<unknown>[],
): Promise<Verdict[]> {
  const { limits, env } = context;
  const listed = await attempt(
    "store.bucket",
    limits,
    async (signal) => {
      await probe.listOneObject(bucket, signal);
      return ok(`${bucket}: can be listed.`);
    },
    (error) => asError(explainStoreFailure(error, { bucket, permission: "s3:ListBucket" })),
  );
  if (listed.some(({ status }) => status === "error")) return listed;
  const store = createObjectStore(env.objectStore);
  const more = await Promise.all([
    attempt("store.round_trip", limits, (signal) => {
      const isChanged = actions.has("organize") || actions.has("delete");
      const roundTrip = tryRoundTrip({ probe, store, bucket, signal, limits, isChanged });
      roundTrips.push(roundTrip);
      return roundTrip;
    }),
    actions.has("delete") ? attempt("store.undo", limits, (signal) => checkUndo(probe, bucket, signal)) : [],
    attempt("store.cors", limits, (signal) => compareCors({ context, probe, store, bucket, signal })),
    attempt(
      "store.lifecycle",
      limits,
      (signal) => checkLifecycle(probe, bucket, signal),
      (error) =>
        notAskable(error, bucket, {
          permission: "s3:GetLifecycleConfiguration",
          question: "whether unfinished multipart uploads are removed",
          otherwise: "a lifecycle rule that ends them after some days",
        }),
    ),
    attempt(
      "store.public_access",
      limits,
      (signal) => checkPublicAccess(probe, bucket, signal),
      (error) =>
        notAskable(error, bucket, {
          permission: "s3:GetBucketPublicAccessBlock",
          question: "whether the public is kept out",
          otherwise: "Block Public Access, or what the store has in its place",
        }),
    ),
  ]);
  return [...listed, ...more.flat()];
}

async function checkLifecycle(probe: StoreProbe, bucket: string, signal: AbortSignal): Promise<Verdict> {
  const days = await probe.uploadsEndAfterDays(bucket, signal);
  if (days === undefined) {
    return warning(
      `${bucket}: no lifecycle rule removes multipart uploads that were never completed; their parts are kept and paid for.`,
      `npm run storage:cors -- --bucket ${bucket} adds one.`,
    );
  }
  if (days < UPLOAD_DAYS) {
    return warning(
      `${bucket}: a lifecycle rule ends uploads after ${days} days; people can take them up again for ${UPLOAD_DAYS}.`,
      "Give the rule as many days in the store's own settings.",
    );
  }
  return ok(`${bucket}: unfinished multipart uploads are removed by a lifecycle rule.`);
}

async function checkPublicAccess(probe: StoreProbe, bucket: string, signal: AbortSignal): Promise<Verdict> {
  const { blocked, isPublic } = await probe.publicAccess(bucket, signal);
  if (blocked) return ok(`${bucket}: Block Public Access is on.`);
  const remedy = `aws s3api put-public-access-block --bucket ${bucket} --public-access-block-configuration BlockPublicAcls=true,IgnorePublicAcls=true,BlockPublicPolicy=true,RestrictPublicBuckets=true`;
  if (isPublic) return wrong(`${bucket}: the bucket's policy lets everybody in.`, remedy);
  return warning(`${bucket}: Block Public Access is not on for this bucket (the account's may be).`, remedy);
}

function asError({ message, remedy }: StoreFailure): Verdict {
  return wrong(message, remedy);
}

/** Reading a bucket's settings is more than the service needs, and not every store offers it: that is no error. */
function notAskable(
  error: unknown,
  bucket: string,
  { permission, question, otherwise }: { permission: string; question: string; otherwise: string },
): Verdict {
  const failure = explainStoreFailure(error, { bucket, permission });
  const isUsual =
    failure.kind === "access_denied" || failure.kind === "not_offered" || failure.kind === "other";
  if (!isUsual) return asError(failure);
  const look = `Look in the store's settings for ${otherwise}.`;
  return warning(
    `${bucket}: ${question} cannot be asked here. ${failure.message}`,
    failure.kind === "access_denied" ? `Grant ${permission} to see it here. ${look}` : look,
  );
}
