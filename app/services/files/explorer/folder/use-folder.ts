import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import type { StorageClient } from "../../storage-client";
import type { Listing } from "../../storage-contract.server";
import { asProblem, isAbort, problemOf, StorageProblem } from "../../storage-problem";
import type { ExplorerProps } from "../props";
import { type Arrival, type FolderState, folderReducer } from "./folder-state";

export interface Folder extends FolderState {
  /** its rows are known, at least the first page */
  listed: boolean;
  open(path: string): void;
  /** Lists the open folder again. The old list or problem stays on the screen until then. */
  refresh(): void;
  loadMore(): void;
  loadAll(): void;
  stop(): void;
  /** Adds and removes rows without listing the folder again. @param gone ids */
  changed(arrivals: readonly Arrival[], gone?: ReadonlySet<string>): void;
}

/** The open folder. A new request aborts the previous one. */
export function useFolder(client: StorageClient, props: ExplorerProps): Folder {
  const [state, dispatch] = useReducer(folderReducer, props, initialFolder);
  const running = useRef<AbortController | null>(null);
  const latest = useRef(state);
  latest.current = state;

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
    /** @param atLeast minimum number of rows, if there are as many */
    const firstPage = (path: string, atLeast = 0) =>
      run(async (signal) => {
        const listing = await listStart(client, path, atLeast, signal);
        dispatch({ type: "first-page", listing });
      });
    const nextPages = (phase: "more" | "all") => {
      const { path, nextCursor } = latest.current;
      dispatch({ type: "load", phase });
      void run(async (signal) => {
        for (let cursor = nextCursor; cursor !== null; ) {
          const listing = await client.list(path, cursor, signal);
          signal.throwIfAborted();
          dispatch({ type: "next-page", listing });
          cursor = phase === "all" ? listing.nextCursor : null;
        }
      });
    };
    return {
      open(path: string) {
        dispatch({ type: "open", path });
        void firstPage(path);
      },
      refresh() {
        dispatch({ type: "refresh" });
        const { path, rows } = latest.current;
        void firstPage(path, rows.length);
      },
      loadMore: () => nextPages("more"),
      loadAll: () => nextPages("all"),
      stop() {
        running.current?.abort();
        dispatch({ type: "stopped" });
      },
      changed(arrivals: readonly Arrival[], gone?: ReadonlySet<string>) {
        dispatch({ type: "changed", arrivals, gone });
      },
    };
  }, [client, run]);

  useEffect(() => {
    // The page rendered by the server is short: load the next one.
    if (latest.current.nextCursor !== null) actions.loadMore();
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
  } while (all.nextCursor !== null && all.folders.length + all.files.length < atLeast);
  return all;
}

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
