import { prefixOf } from "platform-embed-element/client";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { invalidRequest } from "../../../shared/app-error";
import { logError } from "../../../shared/log.server";
import type { FileFilter } from "../browse/file-filter";
import { catalogueFor } from "../place/catalogue-for.server";
import {
  MAX_SEARCH_CURSOR_LENGTH,
  type SearchRequest,
  type SearchResult,
} from "../place/contract/search-contract.server";
import { type FilesGrant, folderInScope } from "../place/scope-guards.server";
import { matchKeys } from "./match-keys.server";
import { cataloguePositionSchema, searchCatalogue } from "./search-catalogue.server";
import { searchStore, storePositionSchema } from "./search-store.server";

const CURSOR_PURPOSE = "files-search";

/** A search, and how far it has come. It is signed, so that no caller can make the server look into another folder. */
const cursorSchema = z.object({
  /** the members of the request, as JSON */
  search: z.string(),
  position: z.discriminatedUnion("source", [storePositionSchema, cataloguePositionSchema]),
});
type Position = z.infer<typeof cursorSchema>["position"];

/**
 * Finds the files and folders below a folder whose names match a query. The bucket's catalogue is asked if it has one; otherwise the store is
 * listed. One call takes about two seconds, and its cursor continues from there.
 * @throws AppError `scope_not_allowed`, `invalid_request` (a cursor of another search), and those of `ObjectStore.list`
 */
export async function searchFiles(
  { bucket, query, cursor, ...body }: Omit<SearchRequest, "token">,
  { scope, companyId }: FilesGrant,
  tools: ServiceTools,
): Promise<SearchResult> {
  const prefix = prefixOf(folderInScope({ bucket, folderPath: body.folderPath }, scope));
  const { kinds, modifiedAfter, modifiedBefore, minSize, maxSize } = body;
  const filter: FileFilter = { kinds, modifiedAfter, modifiedBefore, minSize, maxSize };
  const search = JSON.stringify({ bucket, prefix, query, ...filter });
  const position = cursor === undefined ? undefined : readCursor(cursor, search, tools);
  const [secret] = tools.signingSecrets;
  const sign = (next: Position | null) =>
    next && signValue({ search, position: next }, secret, CURSOR_PURPOSE);

  // A search that began by listing goes on by listing.
  const catalogue = position?.source === "store" ? undefined : await catalogueFor(scope, tools);
  if (catalogue !== undefined) {
    const matcher = matchKeys(query, prefix, filter);
    const from = position?.source === "catalogue" ? position : undefined;
    const asked = { companyId, prefix, query, filter };
    const next = await searchCatalogue(asked, matcher, from, catalogue, tools).catch((thrown: unknown) => {
      logError("A search in a catalogue has failed. The store is listed instead.", { thrown });
      return undefined;
    });
    if (next !== undefined)
      return {
        ...matcher.hits,
        source: "catalogue",
        asOf: catalogue.asOf.toISOString(),
        cursor: sign(next),
      };
  }
  const asOf = new Date(tools.nowSeconds * 1000).toISOString();
  const matcher = matchKeys(query, prefix, filter);
  // If the catalogue was lost meanwhile, the search begins again, and finds some things twice.
  const from = position?.source === "store" ? position : undefined;
  const next = await searchStore({ bucket, prefix }, matcher, from, tools);
  return { ...matcher.hits, source: "store", asOf, cursor: sign(next) };
}

/** @throws AppError `invalid_request` when the cursor was not signed by us, or belongs to another search */
function readCursor(cursor: string, search: string, tools: ServiceTools): Position {
  const { data } = cursorSchema.safeParse(
    readSignedValue(cursor, tools.signingSecrets, CURSOR_PURPOSE, MAX_SEARCH_CURSOR_LENGTH),
  );
  if (data === undefined || data.search !== search) {
    throw invalidRequest([{ path: "cursor", message: "is not what this search returned" }]);
  }
  return data.position;
}
