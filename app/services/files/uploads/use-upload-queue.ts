import { type AddedRow, isInside, joinPath } from "platform-embed-element/client";
import { useEffect, useMemo } from "react";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { contentTypeOf } from "../browse/file-kind";
import type { Folder } from "../browse/folder/use-folder";
import type { StorageClient } from "../place/contract/storage-client";
import type { ExplorerProps } from "../place/props";
import type { SetNotice } from "../screen/notice";
import { EmbeddingPageGate } from "./embedding-page-gate";
import { createSendTools } from "./transfers/send-context";
import { type FinishedFile, type UploadCallbacks, UploadQueue } from "./transfers/upload-queue";
import { UploadRecords } from "./transfers/upload-records";
import { postFailed, postUploaded } from "./upload-messages";
import type { IncomingFiles, Uploads } from "./use-uploads";

/** What the queue needs. */
export interface UploadQueueProps {
  client: StorageClient;
  embeddingPage: EmbeddingPage;
  scope: Pick<ExplorerProps, "limits" | "rootPath" | "uploadFolder" | "visitorKey">;
  folder: Pick<Folder, "path" | "time" | "rows" | "changed">;
  uploads: Pick<Uploads, "queue" | "callbacks" | "takeIncoming" | "answersBeforeUpload">;
  setNotice: SetNotice;
}

/** The queue of uploads, with the unfinished ones of earlier visits. It takes what is chosen or dropped, and tells the list and the embedding page when uploads end. */
export function useUploadQueue(props: UploadQueueProps): UploadQueue {
  const { client, embeddingPage, folder, uploads, setNotice } = props;
  const { path: openPath, time, rows } = folder;
  const names = useMemo(
    () => new Set(rows.filter((row) => row.type === "file").map((row) => row.name)),
    [rows],
  );
  const callbacks: UploadCallbacks = {
    isListed: (folderPath, name) => time.kind === "now" && folderPath === openPath && names.has(name),
    onFinished(files) {
      const lastModified = new Date(client.session.clock.now() * 1000).toISOString();
      folder.changed(files.map((file) => addedRowOf(file, lastModified)));
      for (const file of files) {
        if (!file.upload.isFolder)
          postUploaded(embeddingPage, { bucket: client.bucket, key: file.key }, file);
      }
    },
    onFailed: (upload) => postFailed(embeddingPage, upload),
  };
  uploads.callbacks.current = callbacks;
  uploads.queue.current ??= createUploadQueue(props, () => uploads.callbacks.current ?? callbacks);
  const queue = uploads.queue.current;
  // The panel is back: if the session had ended, the visitor has signed in again.
  useEffect(() => queue.retryEnded(), [queue]);

  const addAll = async (incoming: IncomingFiles) => {
    let found = 0;
    try {
      for await (const files of incoming) {
        found += files.length;
        queue.add(files);
      }
      if (found === 0) setNotice({ about: "upload", sentence: "nothingFound" });
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      setNotice({ about: "upload", sentence: "notAllRead" });
    }
  };
  // After each rendering: whatever is chosen or dropped renders the panel (`requestPanel`).
  useEffect(() => {
    for (const incoming of uploads.takeIncoming()) void addAll(incoming);
  });
  return queue;
}

/** The row that a finished upload adds. */
function addedRowOf({ upload, key }: FinishedFile, lastModified: string): AddedRow {
  const { folderPath, name, size, isFolder } = upload;
  if (isFolder) return { folderPath: joinPath(folderPath, name), file: null };
  return { folderPath, file: { name, key, size, lastModified, etag: "" } };
}

function createUploadQueue(
  { client, embeddingPage, scope, uploads }: UploadQueueProps,
  callbacks: () => UploadCallbacks,
): UploadQueue {
  const { bucket } = client;
  const { limits, rootPath, uploadFolder, visitorKey } = scope;
  const records = new UploadRecords(visitorKey);
  const tools = createSendTools(client);
  const gate = new EmbeddingPageGate(embeddingPage, uploads.answersBeforeUpload);
  const queue = new UploadQueue({ tools, records, bucket, contentTypeOf, limits, gate }, callbacks);
  const mayContinue = ({ folderPath }: { folderPath: string }) =>
    isInside(folderPath, rootPath) && (uploadFolder === null || isInside(folderPath, uploadFolder));
  void records.find(bucket).then((uploads) => queue.addUnfinished(uploads.filter(mayContinue)));
  return queue;
}
