import { prefixOf } from "platform-embed-element/client";
import { sumFolders } from "../../../catalogue/folder-sizes.server";
import type { ServiceTools } from "../../../embed/service";
import { catalogueFor } from "../place/catalogue-for.server";
import type { FolderSizes, FolderSizesRequest } from "../place/contract/storage-contract.server";
import { assertBucketInScope, assertFolderInScope, type FilesGrant } from "../place/scope-guards.server";

/** How long one request counts, milliseconds. A list must not wait, but somebody who asks for one folder may. */
const MAX_QUICK_MS = 100;
const MAX_THOROUGH_MS = 3_000;

/**
 * Tells how many files are in folders and below them, and their bytes, if the bucket has a catalogue that can be asked. The store is never asked.
 * @throws AppError `scope_not_allowed`, `unavailable` without the database
 */
export async function readFolderSizes(
  { bucket, folderPaths, thorough }: Omit<FolderSizesRequest, "token">,
  { scope, companyId }: FilesGrant,
  tools: Pick<ServiceTools, "catalogues" | "database" | "context">,
): Promise<FolderSizes> {
  assertBucketInScope(bucket, scope);
  for (const folderPath of folderPaths) assertFolderInScope(folderPath, scope);
  const catalogue = await catalogueFor(scope, tools);
  if (catalogue === undefined) return { source: "store", asOf: null, sizes: folderPaths.map(() => null) };
  const sizes = await sumFolders(tools.database, companyId, catalogue, folderPaths.map(prefixOf), {
    limitMs: thorough ? MAX_THOROUGH_MS : MAX_QUICK_MS,
    signal: tools.context.signal,
  });
  return {
    source: "catalogue",
    asOf: catalogue.asOf.toISOString(),
    sizes: sizes.map((size) => size && { files: size.files, bytes: size.bytes }),
  };
}
