import type { ServiceTools } from "../../../embed/service";
import type { VersionList, VersionsRequest } from "../place/contract/history-contract.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertFileInScope,
  type FilesGrant,
} from "../place/scope-guards.server";
import { findAuthors } from "./find-authors.server";
import { continueListing } from "./history-cursor.server";

const PAGE_SIZE = 100;

/**
 * Lists the versions of a file, newest first, also of a deleted file. In a bucket without versioning, a file has one version.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function listVersions(
  { bucket, key, cursor }: Omit<VersionsRequest, "token">,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<VersionList> {
  const { scope, companyId } = grant;
  assertActionInScope("history", scope);
  assertBucketInScope(bucket, scope);
  assertFileInScope(`/${key}`, scope);
  const { after, cursorAt } = continueListing({ of: "versions", bucket, prefix: key, cursor }, grant, tools);
  const page = { bucket, prefix: key, after, pageSize: PAGE_SIZE };
  const { versions, next } = await tools.objectStore.listVersions(page, tools.context);
  // The listing continues with longer keys that begin with this one.
  const objects = versions.filter((version) => version.key === key && !version.isMarker);
  const authorOf = await findAuthors({ companyId, bucket, versions: objects, of: "made" }, tools);
  return {
    versions: objects.map((version) => {
      const { versionId, size, lastModified, isLatest } = version;
      const visitor = authorOf(version);
      return {
        versionId,
        size,
        lastModified: lastModified.toISOString(),
        isLatest,
        ...(visitor && { visitor }),
      };
    }),
    cursor: cursorAt(next?.key === key ? next : null),
  };
}
