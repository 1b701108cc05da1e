import { randomUUID } from "node:crypto";
import type { StoreProbe } from "../providers/object-store-checks.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { ok, type Verdict, warning, wrong } from "./finding";
import { PREFIX } from "./store-round-trip";

/**
 * Whether what visitors delete can be had back, for a bucket where they may delete. Asks, and changes nothing: no version of that name is there
 * to be taken away.
 */
export async function checkUndo(probe: StoreProbe, bucket: string, signal: AbortSignal): Promise<Verdict> {
  const failureOf = (permission: string) => (error: unknown) =>
    explainStoreFailure(error, { bucket, permission });
  const versioning = await probe.versioning(bucket, signal).catch(failureOf("s3:GetBucketVersioning"));
  if (typeof versioning === "object") {
    return warning(
      `${bucket}: whether it keeps versions cannot be asked, so deleting cannot be undone. ${versioning.message}`,
      versioning.remedy,
    );
  }
  if (versioning !== "Enabled") {
    return warning(
      `${bucket}: keeps no versions, so what visitors delete is gone for good. They are told so before it.`,
      `To let them undo it, turn versioning on: aws s3api put-bucket-versioning --bucket ${bucket} --versioning-configuration Status=Enabled.`,
    );
  }
  const listing = await probe.listOneVersion(bucket, signal).catch(failureOf("s3:ListBucketVersions"));
  if (listing) return wrong(`${bucket}: deleting fails. ${listing.message}`, listing.remedy);
  const nothing = { bucket, key: `${PREFIX}${randomUUID()}`, version: "null" };
  const removal = await probe.remove(nothing, signal).catch(failureOf("s3:DeleteObjectVersion"));
  if (typeof removal === "object") {
    return wrong(
      `${bucket}: deleting cannot be undone, though Undo is offered. ${removal.message}`,
      removal.remedy,
    );
  }
  return ok(`${bucket}: what visitors delete can be undone for a day; the bucket keeps versions.`);
}
