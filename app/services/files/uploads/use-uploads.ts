import { isInside, issueOfFolderPath } from "platform-embed-element/client";
import { type DragEvent, useCallback, useEffect, useRef, useState } from "react";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import type { Folder } from "../browse/folder/use-folder";
import type { ExplorerProps } from "../place/props";
import type { SetNotice } from "../screen/notice";
import { chosenFiles, droppedFiles, takeDrop } from "./transfers/dropped-files";
import type { IncomingFile, UploadCallbacks, UploadQueue } from "./transfers/upload-queue";
import { hasUploadRecords } from "./transfers/upload-records";

/** What was chosen or dropped at once, in batches. */
export type IncomingFiles = AsyncGenerator<IncomingFile[]>;

export type Uploads = ReturnType<typeof useUploads>;

/**
 * Whether files may be uploaded to the open folder, and the files that were chosen or dropped for it. The panel of uploads is loaded on
 * demand, so the files are kept here until it takes them. `./README.md` describes the whole flow.
 */
export function useUploads(
  embeddingPage: EmbeddingPage,
  { uploadFolder, actions }: Pick<ExplorerProps, "uploadFolder" | "actions">,
  { path: folderPath, time }: Pick<Folder, "path" | "time">,
  setNotice: SetNotice,
) {
  const possible = actions.includes("upload");
  const isNow = time.kind === "now";
  const isHere = uploadFolder === null || isInside(folderPath, uploadFolder);
  const isPlain = issueOfFolderPath(folderPath) === null;
  const allowed = possible && isNow && isHere && isPlain;
  /** Incremented when there is something for the panel. That renders the panel, whose effect in `useUploadQueue` takes the files. */
  const [panelRequests, setPanelRequests] = useState(0);
  const requestPanel = useCallback(() => setPanelRequests((count) => count + 1), []);
  const incoming = useRef<IncomingFiles[]>([]);
  useEffect(() => {
    if (possible) void hasUploadRecords().then((some) => some && requestPanel());
  }, [possible, requestPanel]);

  const queue = useRef<UploadQueue | null>(null);
  const callbacks = useRef<UploadCallbacks | null>(null);

  // Here and not in the panel, because the message comes before the panel is loaded.
  const answersBeforeUpload = useAnswersBeforeUpload(embeddingPage);

  const keepForPanel = (files: IncomingFiles) => {
    setNotice((shown) => (shown?.about === "upload" ? null : shown));
    incoming.current.push(files);
    requestPanel();
  };
  const drop = useFileDrop(allowed, (data) => keepForPanel(droppedFiles(takeDrop(data), folderPath)));
  return {
    /** whether the token allows uploads to any folder; if not, there is no upload button */
    possible,
    /** in the open folder */
    allowed,
    /** why not: the past is shown, uploads go to another folder, or nothing new gets a path with such names */
    refusal: allowed ? null : refusalOf(isNow, isHere),
    /** there is something to upload, or an earlier visit left unfinished uploads */
    needsPanel: panelRequests > 0,
    add: (files: File[]) => keepForPanel(chosenFiles(files, folderPath)),
    /** for the panel, which is removed while the session has ended: its queue, and what the queue calls */
    queue,
    callbacks,
    /** for the panel: what was chosen or dropped since the last call */
    takeIncoming: () => incoming.current.splice(0),
    /** Forgets what the panel has not taken. */
    giveUp() {
      incoming.current = [];
      setPanelRequests(0);
    },
    answersBeforeUpload,
    dropHandlers: drop.handlers,
    /** files are being dragged over the explorer, whether or not they may be dropped in the open folder */
    filesOver: possible && drop.over,
  };
}

function refusalOf(isNow: boolean, isHere: boolean): "past" | "elsewhere" | "oddName" {
  if (!isNow) return "past";
  return isHere ? "oddName" : "elsewhere";
}

/** Tells whether the embedding page has announced that it decides on uploads. */
export function useAnswersBeforeUpload(embeddingPage: EmbeddingPage): () => boolean {
  const answers = useRef(false);
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type !== "platform.embed.configure") return;
        answers.current = message.answersBeforeUpload ?? answers.current;
      }),
    [embeddingPage],
  );
  return () => answers.current;
}

/** Event handlers for an element that takes dropped files if `allowed`, and whether files are being dragged over it. */
export function useFileDrop(allowed: boolean, onDrop: (data: DataTransfer) => void) {
  const [over, setOver] = useState(false);
  // Enter and leave events come for every child: count them.
  const depth = useRef(0);
  const setDepth = (count: number) => {
    depth.current = Math.max(count, 0);
    setOver(depth.current > 0);
  };
  const withFiles = (handle: (data: DataTransfer) => void) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    handle(event.dataTransfer);
  };
  const handlers = {
    onDragEnter: withFiles(() => setDepth(depth.current + 1)),
    onDragOver: withFiles((data) => {
      if (!allowed) data.dropEffect = "none";
    }),
    onDragLeave: withFiles(() => setDepth(depth.current - 1)),
    onDrop: withFiles((data) => {
      setDepth(0);
      if (allowed) onDrop(data);
    }),
  };
  return { over, handlers };
}
