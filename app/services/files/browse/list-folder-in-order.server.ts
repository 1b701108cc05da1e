import { prefixOf } from "platform-embed-element/client";
import { z } from "zod";
import { readOrderedPage } from "../../../catalogue/ordered-files.server";
import { type FileOrder, fileOrders, type PlaceInOrder } from "../../../catalogue/ordered-files.sql.server";
import { fromStoredKey } from "../../../catalogue/stored-key";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { AppError, hasCode, invalidRequest } from "../../../shared/app-error";
import { logError } from "../../../shared/log.server";
import { catalogueFor } from "../place/catalogue-for.server";
import type { Listing, ListRequest } from "../place/contract/storage-contract.server";
import { type FilesGrant, folderInScope } from "../place/scope-guards.server";
import { fileEntry, folderEntry } from "./key-rows.server";
import { listFolder } from "./list-folder.server";

/** How long the catalogue may take for one page, milliseconds. Then the store is listed. */
const MAX_ORDER_MS = 5_000;

const CURSOR_PURPOSE = "files-order";

/** The last file of a page. It is signed, so that the cursor of another list is recognized. */
const cursorSchema = z.object({
  bucket: z.string(),
  order: z.enum(fileOrders),
  value: z.number(),
  /** in base64, because a key may have a thousand characters that JSON escapes */
  key: z.base64url(),
});

/**
 * One page of a folder in an order by date or size, from the catalogue of the bucket: its subfolders by name, then its files. Where the catalogue
 * cannot be asked, it is the page that `listFolder` returns. `source` says which of both it is.
 * @throws AppError `scope_not_allowed`, `invalid_request` (a cursor of another list), `unavailable` if the catalogue cannot be asked any more
 * after the first page, and those of `ObjectStore.list`
 */
export async function listFolderInOrder(
  { order, ...body }: Omit<ListRequest, "token" | "at" | "order"> & { order: FileOrder },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Listing> {
  const prefix = prefixOf(folderInScope(body, grant.scope));
  const list = { bucket: body.bucket, order };
  const after = body.cursor === undefined ? null : readCursor(body.cursor, { ...list, prefix }, tools);
  // The first page was the store's, and so is its cursor.
  const inOrder = after === undefined ? undefined : await readPage(after);
  if (inOrder !== undefined) return inOrder;
  if (after)
    throw new AppError(
      "unavailable",
      "The catalogue of this bucket is not available. List the folder again.",
    );
  return { ...(await listFolder(body, grant, tools)), source: "store" };

  async function readPage(after: PlaceInOrder | null): Promise<Listing | undefined> {
    const catalogue = await catalogueFor(grant.scope, tools);
    if (catalogue === undefined) return undefined;
    const { context, database, signingSecrets } = tools;
    const options = { order, after, pageSize: body.pageSize, limitMs: MAX_ORDER_MS, signal: context.signal };
    try {
      const page = await readOrderedPage(database, grant.companyId, catalogue, prefix, options);
      // What is not in the catalogue yet may be in the store.
      const isEmpty = after === null && page?.folders.length === 0 && page.files.length === 0;
      if (page === undefined || isEmpty) return undefined;
      const { folders, files, next } = page;
      const position = next && { value: next.value, key: Buffer.from(next.key).toString("base64url") };
      return {
        folders: folders.map(folderEntry),
        files: files.map(fileEntry),
        nextCursor: position && signValue({ ...list, ...position }, signingSecrets[0], CURSOR_PURPOSE),
        source: "catalogue",
        asOf: catalogue.asOf.toISOString(),
      };
    } catch (thrown) {
      if (!hasCode(thrown, "unavailable")) throw thrown;
      logError("The catalogue cannot be asked for the order of a folder.", { thrown });
      return undefined;
    }
  }
}

/** @returns undefined if it is no cursor of ours @throws AppError `invalid_request` if it belongs to another list */
function readCursor(
  cursor: string,
  { bucket, prefix, order }: { bucket: string; prefix: string; order: FileOrder },
  { signingSecrets }: Pick<ServiceTools, "signingSecrets">,
): PlaceInOrder | undefined {
  const { data } = cursorSchema.safeParse(readSignedValue(cursor, signingSecrets, CURSOR_PURPOSE));
  if (data === undefined) return undefined;
  const key = Buffer.from(data.key, "base64url").toString();
  if (data.bucket !== bucket || data.order !== order || !isFileIn(prefix, fromStoredKey(key)))
    throw invalidRequest([{ path: "cursor", message: "is not what this list returned" }]);
  return { value: data.value, key };
}

const isFileIn = (prefix: string, key: string) =>
  key.startsWith(prefix) && !key.slice(prefix.length).includes("/");
