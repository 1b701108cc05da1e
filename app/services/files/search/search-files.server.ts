import { prefixOf } from "platform-embed-element/client";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { compareKeys } from "../../../providers/listings.server";
import { invalidRequest } from "../../../shared/app-error";
import { mapConcurrently } from "../../../shared/map-concurrently";
import {
  MAX_SEARCH_CURSOR_LENGTH,
  type SearchRequest,
  type SearchResult,
} from "../place/contract/search-contract.server";
import { assertBucketInScope, assertFolderInScope, type FilesGrant } from "../place/scope-guards.server";
import { type KeyMatcher, MAX_HITS, matchKeys } from "./match-keys.server";

/** How long one request searches, milliseconds. */
const MAX_SEARCH_MS = 2_000;
/** How long a request may continue after its first hit; the first request of a search returns its first hits at once. */
const MAX_SEARCH_WITH_HITS_MS = 500;
/** Maximum number of folders that one request lists at a time. */
const MAX_CONCURRENT_FOLDERS = 4;
/** With more subfolders than this, listing all keys in one sequence takes fewer requests than listing each subfolder. */
const MAX_SUBFOLDERS = 100;

const CURSOR_PURPOSE = "files-search";

/** A search, and how far it has come. It is signed, so that no caller can make the server list another folder. */
const cursorSchema = z.object({
  bucket: z.string(),
  /** what all keys start with */
  prefix: z.string(),
  query: z.string(),
  /** folders listed in part: what their keys start with, and the last key that was looked at */
  open: z.array(z.tuple([z.string(), z.string()])),
  /** the first subfolder whose keys have not been listed; null when there is none */
  next: z.string().nullable(),
});
type Cursor = z.infer<typeof cursorSchema>;
type Search = Pick<Cursor, "bucket" | "prefix" | "query">;
type Position = Pick<Cursor, "open" | "next">;

/** A folder that is listed together with everything below it. */
interface Folder {
  /** what its keys start with */
  prefix: string;
  /** the last key that was looked at; undefined before the first, null when all of them have been */
  after: string | undefined | null;
  isStarted: boolean;
}

/**
 * Finds the files and folders below a folder whose names match a query. An object store has no index of names, so its keys are listed, a
 * thousand per request and several subfolders at a time. One call takes about two seconds, and its cursor continues from there.
 * @throws AppError `scope_not_allowed`, `invalid_request` (a cursor of another search), and those of `ObjectStore.list`
 */
export async function searchFiles(
  { bucket, query, cursor, ...body }: Omit<SearchRequest, "token">,
  { scope }: FilesGrant,
  tools: ServiceTools,
): Promise<SearchResult> {
  const folderPath = body.folderPath ?? scope.path ?? "/";
  assertBucketInScope(bucket, scope);
  assertFolderInScope(folderPath, scope);
  const search = { bucket, prefix: prefixOf(folderPath), query };
  const matcher = matchKeys(query, search.prefix);
  const folders =
    cursor === undefined
      ? await firstFolders(search, matcher, tools)
      : await remainingFolders(search, readCursor(cursor, search, tools), tools);

  const startedAt = performance.now();
  const { signal: gone } = tools.context;
  const timeOut = AbortSignal.timeout(MAX_SEARCH_MS);
  const signal = gone === undefined ? timeOut : AbortSignal.any([timeOut, gone]);
  let pages = 0;
  let failure: { error: unknown } | undefined;
  const isOver = () => {
    const elapsedMs = performance.now() - startedAt;
    const isEnough = matcher.count > 0 && (cursor === undefined || elapsedMs >= MAX_SEARCH_WITH_HITS_MS);
    return failure !== undefined || signal.aborted || isEnough || matcher.count >= MAX_HITS;
  };
  const listFolder = async (folder: Folder) => {
    while (folder.after !== null && !isOver()) {
      folder.isStarted = true;
      const { prefix, after } = folder;
      const page = await tools.objectStore.listBelow({ bucket, prefix, after, signal }, tools.context);
      folder.after = matcher.lookAt(page.entries, prefix, after) ?? page.next;
      pages += 1;
    }
  };
  await mapConcurrently(folders, MAX_CONCURRENT_FOLDERS, (folder) =>
    listFolder(folder).catch((error: unknown) => {
      if (error !== signal.reason) failure ??= { error };
    }),
  );
  // Otherwise the hits are returned, and the next request starts with the listing that failed.
  if (failure !== undefined && pages === 0) throw failure.error;

  const position = positionIn(folders);
  const [secret] = tools.signingSecrets;
  return {
    ...matcher.hits,
    cursor: position && signValue({ ...search, ...position }, secret, CURSOR_PURPOSE),
  };
}

/** @throws AppError `invalid_request` when the cursor was not signed by us, or belongs to another search */
function readCursor(cursor: string, { bucket, prefix, query }: Search, tools: ServiceTools): Position {
  const { data } = cursorSchema.safeParse(
    readSignedValue(cursor, tools.signingSecrets, CURSOR_PURPOSE, MAX_SEARCH_CURSOR_LENGTH),
  );
  if (data === undefined || data.bucket !== bucket || data.prefix !== prefix || data.query !== query) {
    throw invalidRequest([{ path: "cursor", message: "is not what this search returned" }]);
  }
  return data;
}

const newFolder = (prefix: string): Folder => ({ prefix, after: undefined, isStarted: false });

/**
 * Looks at what lies in the folder itself, and returns its subfolders; the whole folder if it has none or too many
 * to list one by one.
 */
async function firstFolders(
  { bucket, prefix }: Search,
  matcher: KeyMatcher,
  { objectStore, context }: ServiceTools,
): Promise<Folder[]> {
  const page = await objectStore.list({ bucket, prefix }, context);
  const isFlat = page.prefixes.length === 0;
  if (!isFlat && (page.nextCursor !== null || page.prefixes.length > MAX_SUBFOLDERS)) {
    return [{ prefix, after: undefined, isStarted: true }];
  }
  // A page of a list has at most as many objects as a request has hits, so it is looked at whole.
  matcher.lookAt(page.objects, prefix);
  const last = page.nextCursor === null ? undefined : page.objects.at(-1);
  if (last !== undefined) return [{ prefix, after: last.key, isStarted: true }];
  for (const folder of page.prefixes) matcher.lookAtFolder(folder);
  return page.prefixes.map(newFolder);
}

/** The folders that earlier requests have listed in part, then the subfolders that they have not begun. */
async function remainingFolders(
  { bucket, prefix }: Search,
  { open, next }: Position,
  { objectStore, context }: ServiceTools,
): Promise<Folder[]> {
  const started = open.map(([folder, after]) => ({
    prefix: folder,
    after: after || undefined,
    isStarted: true,
  }));
  if (next === null) return started;
  const page = await objectStore.list({ bucket, prefix }, context);
  const isRemaining = (folder: string) => compareKeys(folder, next) >= 0;
  return [...started, ...page.prefixes.filter(isRemaining).map(newFolder)];
}

/** Where the next request continues; null when everything has been listed. */
function positionIn(folders: readonly Folder[]): Position | null {
  const open = folders
    .filter(({ isStarted, after }) => isStarted && after !== null)
    .map(({ prefix, after }): [string, string] => [prefix, after ?? ""]);
  const next = folders.find(({ isStarted }) => !isStarted)?.prefix ?? null;
  return open.length === 0 && next === null ? null : { open, next };
}
