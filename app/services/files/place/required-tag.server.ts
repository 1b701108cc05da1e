import type { StoreTools } from "../../../embed/service";
import { NULL_VERSION, type TaggedVersion, type VersionName } from "../../../providers/object-changes.server";
import { AppError } from "../../../shared/app-error";
import type { RequiredTag } from "./scope.server";

/** How long the store may take to tell the tags of one file, milliseconds. */
const TAGS_TIMEOUT_MS = 3_000;

/**
 * The version of a file that may be read or copied. If the token requires a tag, it is the version whose tag was seen: the caller must use
 * that one, because a newer version may arrive at any moment. docs/decisions/0119
 * @param keepsVersions whether the bucket does; a request about many files asks the store once
 * @returns `versionId`, which is the requested one or undefined if no tag is required; null if there is no such file
 * @throws AppError `being_checked` without the tag, `blocked` with another value, and those of the store: a file of which the store does not
 * tell the tags is not readable
 */
export async function checkedVersion(
  file: VersionName,
  requireTag: RequiredTag | undefined,
  tools: StoreTools,
  keepsVersions = () => tools.objectStore.keepsVersions(file.bucket, tools.context),
): Promise<{ versionId: string | undefined } | null> {
  if (requireTag === undefined) return { versionId: file.versionId };
  const found = await readTags(file, tools);
  if (found === null) return null;
  const value = found.tags.get(requireTag.key);
  if (value === undefined)
    throw new AppError(
      "being_checked",
      "This file is still being checked for malware. Try again in a moment.",
    );
  if (value !== requireTag.value)
    throw new AppError("blocked", "This file was blocked: the malware scanner did not find it safe.");
  const { versionId } = found;
  const isFixed = versionId !== undefined && (versionId !== NULL_VERSION || (await keepsVersions()));
  if (!isFixed) throw needsVersions(file.bucket);
  return { versionId };
}

/** The tags of the file, and which version has them. */
async function readTags(
  file: VersionName,
  { objectStore, context }: StoreTools,
): Promise<TaggedVersion | null> {
  const found = await objectStore.readTags(file, context, TAGS_TIMEOUT_MS);
  if (found === null || found.versionId !== undefined) return found;
  // Some stores do not say which version has the tags.
  const newest = await objectStore.describeObject(file, context, TAGS_TIMEOUT_MS);
  if (newest?.versionId === undefined) return newest && found;
  return objectStore.readTags({ ...file, versionId: newest.versionId }, context, TAGS_TIMEOUT_MS);
}

/** Without versions, a URL would serve whatever was uploaded after the check. */
function needsVersions(bucket: string): AppError {
  return new AppError("provider_failed", "Files of this bucket cannot be read: it does not keep versions.", {
    logDetail:
      `The policy has requireTag, which needs a bucket with versioning. ` +
      `Run: npm run storage -- versioning --bucket ${bucket}`,
  });
}
