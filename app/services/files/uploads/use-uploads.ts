import {
  type FilesClient,
  isInside,
  issueOfFolderPath,
  type UploadsState,
} from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import type { Folder } from "../browse/folder/use-folder";
import type { ExplorerProps } from "../place/props";
import type { SetNotice } from "../screen/notice";
import { useSelected } from "../screen/use-store";
import { useUnloadWarning } from "../screen/use-unload-warning";
import { chosenFiles, droppedFiles, type IncomingFiles, takeBatches, takeDrop } from "./dropped-files";
import { askEmbeddingPage } from "./embedding-page-gate";
import { postFailed, postUploaded } from "./upload-messages";
import { useFileDrop } from "./use-file-drop";

export type UploadsInFolder = ReturnType<typeof useUploads>;

/**
 * Whether files may be uploaded to the open folder, and what gives the engine those that were chosen or dropped for it. What the engine tells
 * goes to the embedding page. `./README.md` describes the whole flow.
 */
export function useUploads(
  files: Pick<FilesClient, "uploads" | "on">,
  { embeddingPage, state }: FrameSession,
  { bucket, uploadFolder, actions }: Pick<ExplorerProps, "bucket" | "uploadFolder" | "actions">,
  folder: Pick<Folder, "path" | "time" | "rows">,
  setNotice: SetNotice,
) {
  const { uploads } = files;
  const { path: folderPath, time, rows } = folder;
  const possible = actions.includes("upload");
  const isNow = time.kind === "now";
  const isHere = uploadFolder === null || isInside(folderPath, uploadFolder);
  const isPlain = issueOfFolderPath(folderPath) === null;
  const allowed = possible && isNow && isHere && isPlain;
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
    const stopUploaded = files.on("uploaded", ({ files: uploaded }) => {
      for (const file of uploaded) if (!file.upload.isFolder) postUploaded(embeddingPage, bucket, file);
    });
    const stopFailed = files.on("uploadFailed", ({ upload }) => postFailed(embeddingPage, upload));
    return () => {
      stopUploaded();
      stopFailed();
    };
  }, [files, embeddingPage, bucket]);
  const hasEnded = state.status === "ended";
  useEffect(() => {
    // After the end of a session, the visitor has signed in again.
    if (!hasEnded) uploads.retryEnded();
  }, [hasEnded, uploads]);

  const addAll = async (batches: IncomingFiles) => {
    setNotice((shown) => (shown?.about === "upload" ? null : shown));
    setGivenUp(false);
    const taken = new Set(rows.filter(({ type }) => type === "file").map(({ name }) => name));
    await takeBatches(
      batches,
      (items) => uploads.add(items, folderPath, { taken }),
      (sentence) => setNotice({ about: "upload", sentence }),
    );
  };
  const drop = useFileDrop(allowed, (data) => void addAll(droppedFiles(takeDrop(data), folderPath)));
  return {
    /** whether the token allows uploads to any folder; if not, there is no upload button */
    possible,
    /** in the open folder */
    allowed,
    /** why not: the past is shown, uploads go to another folder, or nothing new gets a path with such names */
    refusal: allowed ? null : refusalOf(isNow, isHere),
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
  };
}

const hasUploads = ({ uploads, isLoading }: UploadsState) => isLoading || uploads.length > 0;

function refusalOf(isNow: boolean, isHere: boolean): "past" | "elsewhere" | "oddName" {
  if (!isNow) return "past";
  return isHere ? "oddName" : "elsewhere";
}
