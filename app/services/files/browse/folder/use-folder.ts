import { type AddedRow, type FolderTime, isAbort, now } from "platform-embed-element/client";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import type { StorageClient } from "../../place/contract/storage-client";
import { asProblem, problemOf, StorageProblem } from "../../place/contract/storage-problem";
import type { ExplorerProps } from "../../place/props";
import { rowsOfDeleted } from "./deleted-rows";
import { emptyFolder, type FolderState, folderReducer, pageOf, type RowPage } from "./folder-state";

export type Folder = ReturnType<typeof useFolder>;

/** The folder that is shown first, as the server has listed it. */
type FirstFolder = Pick<ExplorerProps, "listing" | "startPath">;

/**
 * A folder is loaded to this number of rows without being asked. A browser keeps and sorts them with ease, and they are 50 requests. The
 * rest is loaded for what needs all rows: another order, the key End, selecting all.
 */
const MAX_ROWS_UNASKED = 50_000;

/**
 * The open folder. Its first page is shown at once. The others follow one after the other, because the order on the screen is right only
 * when all are there: the store lists by bytes, and a folder or a small letter may come last. A new request aborts the previous one.
 */
export function useFolder(client: StorageClient, props: FirstFolder) {
  const [state, dispatch] = useReducer(folderReducer, props, initialFolder);
  /** aborts the requests that are being made; null when there are none */
  const running = useRef<AbortController | null>(null);
  const latest = useRef(state);
  latest.current = state;
  /** number of rows up to which pages are loaded */
  const limit = useRef(MAX_ROWS_UNASKED);

  const run = useCallback(async (work: (signal: AbortSignal) => Promise<void>) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    try {
      await work(abort.signal);
    } catch (error) {
      if (!isAbort(error)) dispatch({ type: "failed", problem: asProblem(error) });
    } finally {
      if (running.current === abort) running.current = null;
    }
  }, []);

  const actions = useMemo(() => {
    const nextPages = async (place: Place, from: string | null, rows: number, signal: AbortSignal) => {
      let [cursor, loaded] = [from, rows];
      if (cursor !== null) dispatch({ type: "load-more" });
      while (cursor !== null && loaded < limit.current) {
        const page = await listPage(client, place, cursor, signal);
        signal.throwIfAborted();
        dispatch({ type: "next-page", page });
        cursor = page.nextCursor;
        loaded += page.rows.length;
      }
      dispatch({ type: "stopped" });
    };
    /** @param atLeast minimum number of rows, if there are as many */
    const firstPage = (place: Place, atLeast = 0) =>
      run(async (signal) => {
        const page = await listStart(client, place, atLeast, signal);
        dispatch({ type: "first-page", page });
        await nextPages(place, page.nextCursor, page.rows.length, signal);
      });
    const loadOn = () => {
      const { nextCursor, rows, ...place } = latest.current;
      void run((signal) => nextPages(place, nextCursor, rows.length, signal));
    };
    return {
      /** @param time by default, the folder as it is now */
      open(path: string, time: FolderTime = now) {
        limit.current = MAX_ROWS_UNASKED;
        dispatch({ type: "open", path, time });
        void firstPage({ path, time });
      },
      /** Lists the open folder again. The old list or problem stays on the screen until then. */
      refresh() {
        dispatch({ type: "refresh" });
        const { rows, ...place } = latest.current;
        void firstPage(place, rows.length);
      },
      /** Goes on loading after a failure. */
      loadOn,
      /** Loads all pages that are left, however many. It may be called while pages are being loaded. */
      loadAll() {
        limit.current = Number.POSITIVE_INFINITY;
        // What is being loaded goes on to the end. The phase would not tell: it is one rendering late.
        if (running.current === null) loadOn();
      },
      stop() {
        limit.current = 0;
        running.current?.abort();
        running.current = null;
        dispatch({ type: "stopped" });
      },
      /** Adds and removes rows without listing the folder again. @param gone ids */
      changed(addedRows: readonly AddedRow[], gone?: ReadonlySet<string>) {
        dispatch({ type: "changed", addedRows, gone });
      },
    };
  }, [client, run]);

  useEffect(() => {
    // The page rendered by the server is short.
    if (latest.current.nextCursor !== null) actions.loadOn();
    return () => running.current?.abort();
  }, [actions]);

  /** its rows are known, at least the first page */
  const listed = state.phase !== "loading" && !(state.problem && state.rows.length === 0);
  return useMemo(() => ({ ...state, listed, ...actions }), [state, listed, actions]);
}

type Place = Pick<FolderState, "path" | "time">;

/** One page of what a folder shows at a time. */
async function listPage(
  client: StorageClient,
  { path, time }: Place,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RowPage> {
  if (time.kind !== "deleted") {
    const at = time.kind === "at" ? time.moment : undefined;
    return pageOf(await client.list(path, cursor, signal, at));
  }
  const request = { folderPath: path, cursor: cursor ?? undefined };
  const { files, cursor: nextCursor } = await client.call("deleted", request, signal);
  return { rows: rowsOfDeleted(files, path), nextCursor, exists: true };
}

/** The first `atLeast` rows of a folder, in as many requests as needed, so that a refresh keeps the loaded pages. */
async function listStart(
  client: StorageClient,
  place: Place,
  atLeast: number,
  signal: AbortSignal,
): Promise<RowPage> {
  const all = await listPage(client, place, null, signal);
  signal.throwIfAborted();
  while (all.nextCursor !== null && all.rows.length < atLeast) {
    const page = await listPage(client, place, all.nextCursor, signal);
    signal.throwIfAborted();
    all.rows.push(...page.rows);
    all.nextCursor = page.nextCursor;
  }
  return all;
}

function initialFolder({ listing, startPath }: FirstFolder): FolderState {
  const folder = emptyFolder(startPath);
  if (listing.ok) return folderReducer(folder, { type: "first-page", page: pageOf(listing.listing) });
  const { code, requestId, advice } = listing;
  const problem = new StorageProblem(problemOf(code), { requestId, advice });
  return folderReducer(folder, { type: "failed", problem });
}
