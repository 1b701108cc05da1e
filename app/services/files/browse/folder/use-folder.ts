import {
  type FilesClient,
  FilesError,
  type FolderNews,
  type Folder as FolderOfEngine,
  type FolderState,
  type FollowedSearch,
  type KnownFolder,
} from "platform-embed-element/client";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { ExplorerProps } from "../../place/props";
import { useStore } from "../../screen/use-store";

/** The open folder, for components: its state, and what a person does with it. */
export interface Folder
  extends FolderState,
    Pick<FolderOfEngine, "open" | "refresh" | "more" | "sort" | "stop"> {
  /** its rows are known, at least the first page */
  listed: boolean;
  /** Shows what others change, also in what a search has found, and tells of it. @returns a function that stops it */
  follow(onNews: (news: FolderNews) => void, search?: FollowedSearch): () => void;
}

/** The open folder. The first one was listed by the server. */
export function useFolder(
  client: FilesClient,
  { listing, startPath }: Pick<ExplorerProps, "listing" | "startPath">,
): Folder {
  const [folder] = useState(() => client.folder(knownFolder({ listing, startPath })));
  const state = useStore(folder);
  useEffect(() => {
    const { problem, complete } = folder.getState();
    // The page rendered by the server is short.
    if (!problem && !complete) void folder.more();
    return folder.stop;
  }, [folder]);
  const follow = useCallback(
    (onNews: (news: FolderNews) => void, search?: FollowedSearch) => client.follow(folder, onNews, search),
    [client, folder],
  );
  return useMemo(
    () => ({
      ...state,
      listed: state.status !== "loading" && !(state.problem && state.rows.length === 0),
      open: folder.open,
      refresh: folder.refresh,
      more: folder.more,
      sort: folder.sort,
      stop: folder.stop,
      follow,
    }),
    [folder, state, follow],
  );
}

function knownFolder({ listing, startPath }: Pick<ExplorerProps, "listing" | "startPath">): KnownFolder {
  if (listing.ok) return { path: startPath, listing: listing.listing };
  const { code, requestId, advice } = listing;
  return { path: startPath, problem: new FilesError(code, { requestId, message: advice }) };
}
