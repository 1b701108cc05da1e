import {
  type FilesClient,
  isInside,
  issueOfFolderPath,
  type UploadsState,
} from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { dropTargetOf } from "../browse/grid/drop-target";
import type { ExplorerProps } from "../place/props";
import type { SetNotice } from "../screen/notice";
import { useSelected } from "../screen/use-store";
import { useUnloadWarning } from "../screen/use-unload-warning";
import { chosenFiles, droppedFiles, type IncomingFiles, takeBatches, takeDrop } from "./dropped-files";
import { askEmbeddingPage } from "./embedding-page-gate";
import { postFailed, postUploaded } from "./upload-messages";
import { useFileDrop } from "./use-file-drop";
import { usePaste } from "./use-paste";

export type UploadsInFolder = ReturnType<typeof useUploads>;

/**
 * Whether files may be uploaded to the open folder, and what gives the engine those that were chosen or dropped for it. What the engine tells
 * goes to the embedding page. `./README.md` describes the whole flow.
 */
export function useUploads(
  client: Pick<FilesClient, "uploads" | "on">,
  { embeddingPage, state }: FrameSession,
  { bucket, uploadFolder, actions }: Pick<ExplorerProps, "bucket" | "uploadFolder" | "actions">,
  folder: Pick<Folder, "path" | "time" | "rows">,
  list: Pick<List, "rows">,
  setNotice: SetNotice,
) {
  const { uploads } = client;
  const { path: folderPath, time, rows } = folder;
  const possible = actions.includes("upload");
  const isNow = time.kind === "now";
  const takesFiles = (path: string) => uploadFolder === null || isInside(path, uploadFolder);
  const mayUploadTo = (path: string) =>
    possible && isNow && takesFiles(path) && issueOfFolderPath(path) === null;
  const allowed = mayUploadTo(folderPath);
  /** the panel could not be loaded, and the person has dismissed it */
  const [isGivenUp, setGivenUp] = useState(false);
  const isInUse = useSelected(uploads, hasUploads);
  // Chosen files wait for the code that sends them. Nothing remembers them.
  useUnloadWarning(useSelected(uploads, ({ isLoading }) => isLoading));
  // Not in the panel, which leaves the screen: the page is asked once about each file, and no two questions have one id.
  useEffect(() => askEmbeddingPage({ uploads, embeddingPage }), [uploads, embeddingPage]);
  useEffect(() => {
    // Without the code, there is nothing to show of them. The next visit looks again.
    if (possible) uploads.restore().catch(() => {});
  }, [possible, uploads]);
  useEffect(() => {
    const stopUploaded = client.on("uploaded", ({ files: uploaded }) => {
      for (const file of uploaded) if (!file.upload.isFolder) postUploaded(embeddingPage, bucket, file);
    });
    const stopFailed = client.on("uploadFailed", ({ upload }) => postFailed(embeddingPage, upload));
    return () => {
      stopUploaded();
      stopFailed();
    };
  }, [client, embeddingPage, bucket]);
  const hasEnded = state.status === "ended";
  useEffect(() => {
    // After the end of a session, the visitor has signed in again.
    if (!hasEnded) uploads.retryEnded();
  }, [hasEnded, uploads]);

  /** @param into the folder that they go into */
  const addAll = async (batches: IncomingFiles, into = folderPath) => {
    setNotice((shown) => (shown?.about === "upload" ? null : shown));
    setGivenUp(false);
    const taken = new Set(rows.filter(({ type }) => type === "file").map(({ name }) => name));
    await takeBatches(
      batches,
      (items) => uploads.add(items, into, { batch: batches, ...(into === folderPath && { taken }) }),
      (sentence, count) => setNotice({ about: "upload", sentence, count }),
    );
  };
  const drop = useFileDrop(
    allowed,
    (data, into) => void addAll(droppedFiles(takeDrop(data), into ?? folderPath), into ?? folderPath),
    (under) => {
      const target = dropTargetOf(under, list.rows);
      return target && mayUploadTo(target.path) ? target : null;
    },
  );
  usePaste(allowed, (pasted) => void addAll(chosenFiles(pasted, folderPath)));
  return {
    /** whether the token allows uploads to any folder; if not, there is no upload button */
    possible,
    /** in the open folder */
    allowed,
    /** why not: the past is shown, uploads go to another folder, or nothing new gets a path with such names */
    refusal: allowed ? null : refusalOf(isNow, takesFiles(folderPath)),
    /** there is something to show */
    needsPanel: isInUse && !isGivenUp,
    add: (chosen: File[]) => void addAll(chosenFiles(chosen, folderPath)),
    giveUp() {
      uploads.cancelAll();
      setGivenUp(true);
    },
    dropHandlers: drop.handlers,
    /** files are being dragged over the explorer, whether or not they may be dropped in the open folder */
    filesOver: possible && drop.over,
    /** the path of the folder whose row they are over, if it takes them */
    filesInto: drop.into,
  };
}

const hasUploads = ({ uploads, isLoading }: UploadsState) => isLoading || uploads.length > 0;

function refusalOf(isNow: boolean, isHere: boolean): "past" | "elsewhere" | "oddName" {
  if (!isNow) return "past";
  return isHere ? "oddName" : "elsewhere";
}
