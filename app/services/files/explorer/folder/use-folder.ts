import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import type { StorageClient } from "../../storage-client";
import type { Listing } from "../../storage-contract.server";
import { asProblem, isAbort, problemOf, StorageProblem } from "../../storage-problem";
import type { ExplorerProps } from "../props";
import { type AddedRow, type FolderState, folderReducer } from "./folder-state";

export interface Folder extends FolderState {
  /** its rows are known, at least the first page */
  listed: boolean;
  open(path: string): void;
  /** Lists the open folder again. The old list or problem stays on the screen until then. */
  refresh(): void;
  /** Goes on loading after a failure. */
  loadOn(): void;
  /** Loads all pages that are left, however many. It may be called while pages are being loaded. */
  loadAll(): void;
  stop(): void;
  /** Adds and removes rows without listing the folder again. @param gone ids */
  changed(addedRows: readonly AddedRow[], gone?: ReadonlySet<string>): void;
}

/**
 * A folder is loaded to this number of rows without being asked. A browser keeps and sorts them with ease, and they are 50 requests. The
 * rest is loaded for what needs all rows: another order, the key End, selecting all.
 */
const MAX_ROWS_UNASKED = 50_000;

/**
 * The open folder. Its first page is shown at once. The others follow one after the other, because the order on the screen is right only
 * when all are there: the store lists by bytes, and a folder or a small letter may come last. A new request aborts the previous one.
 */
export function useFolder(client: StorageClient, props: ExplorerProps): Folder {
  const [state, dispatch] = useReducer(folderReducer, props, initialFolder);
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
    }
  }, []);

  const actions = useMemo(() => {
    const nextPages = async (path: string, from: string | null, rows: number, signal: AbortSignal) => {
      let [cursor, loaded] = [from, rows];
      if (cursor !== null) dispatch({ type: "load-more" });
      while (cursor !== null && loaded < limit.current) {
        const listing = await client.list(path, cursor, signal);
        signal.throwIfAborted();
        dispatch({ type: "next-page", listing });
        cursor = listing.nextCursor;
        loaded += sizeOf(listing);
      }
      dispatch({ type: "stopped" });
    };
    /** @param atLeast minimum number of rows, if there are as many */
    const firstPage = (path: string, atLeast = 0) =>
      run(async (signal) => {
        const listing = await listStart(client, path, atLeast, signal);
        dispatch({ type: "first-page", listing });
        await nextPages(path, listing.nextCursor, sizeOf(listing), signal);
      });
    const loadOn = () => {
      const { path, nextCursor, rows } = latest.current;
      void run((signal) => nextPages(path, nextCursor, rows.length, signal));
    };
    return {
      open(path: string) {
        limit.current = MAX_ROWS_UNASKED;
        dispatch({ type: "open", path });
        void firstPage(path);
      },
      refresh() {
        dispatch({ type: "refresh" });
        const { path, rows } = latest.current;
        void firstPage(path, rows.length);
      },
      loadOn,
      loadAll() {
        limit.current = Number.POSITIVE_INFINITY;
        // In the other phases, a request is running, and the pages after it follow.
        if (latest.current.phase === "ready") loadOn();
      },
      stop() {
        limit.current = 0;
        running.current?.abort();
        dispatch({ type: "stopped" });
      },
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

  const listed = state.phase !== "loading" && !(state.problem && state.rows.length === 0);
  return useMemo(() => ({ ...state, listed, ...actions }), [state, listed, actions]);
}

/** The first `atLeast` rows of a folder, in as many requests as needed, so that a refresh keeps the loaded pages. */
async function listStart(
  client: StorageClient,
  path: string,
  atLeast: number,
  signal: AbortSignal,
): Promise<Listing> {
  let all: Listing = { folders: [], files: [], nextCursor: null };
  do {
    const page = await client.list(path, all.nextCursor, signal);
    signal.throwIfAborted();
    const { folders, files } = all;
    all = { ...page, folders: [...folders, ...page.folders], files: [...files, ...page.files] };
  } while (all.nextCursor !== null && sizeOf(all) < atLeast);
  return all;
}

const sizeOf = ({ folders, files }: Listing) => folders.length + files.length;

function initialFolder({ listing, startPath }: ExplorerProps): FolderState {
  const folder: FolderState = {
    path: startPath,
    rows: [],
    nextCursor: null,
    exists: true,
    phase: "ready",
    problem: null,
  };
  if (listing.ok) return folderReducer(folder, { type: "first-page", listing: listing.listing });
  const { code, requestId, advice } = listing;
  return { ...folder, problem: new StorageProblem(problemOf(code), { requestId, advice }) };
}
