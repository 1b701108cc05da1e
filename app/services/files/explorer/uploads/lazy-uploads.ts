import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import { Semaphore } from "../../../../shared/semaphore";
import { isInside } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { createBlobReader } from "../../transfers/blob-reader";
import { Lanes, MAX_LANES } from "../../transfers/lanes";
import { putFile } from "../../transfers/put-file";
import { realTiming } from "../../transfers/retry";
import { UnfinishedUploads } from "../../transfers/unfinished-uploads";
import { type UploadEvents, UploadQueue } from "../../transfers/upload-queue";
import { contentTypeOf } from "../file-kind";
import type { ExplorerProps } from "../props";
import { BeforeUploadGate } from "./before-upload-gate";

export { chosenFiles, droppedFiles } from "../../transfers/dropped-files";
export { UploadPanel } from "./upload-panel";

/** Parts in memory besides those being sent: read and signed in advance. */
const PARTS_AHEAD = 2;

/**
 * Creates the page's queue of uploads, and adds the resumable ones of earlier visits.
 * @param answersBeforeUpload whether the embedding page has announced that it decides on uploads
 */
export function createUploadQueue(
  client: StorageClient,
  { bucket, limits, rootPath, uploadFolder }: ExplorerProps,
  events: () => UploadEvents,
  embeddingPage: EmbeddingPage,
  answersBeforeUpload: () => boolean,
): UploadQueue {
  const unfinished = new UnfinishedUploads();
  const tools = {
    client,
    put: putFile,
    timing: realTiming,
    read: createBlobReader(),
    lanes: new Lanes(),
    partSlots: new Semaphore(MAX_LANES + PARTS_AHEAD),
  };
  const gate = new BeforeUploadGate(embeddingPage, answersBeforeUpload);
  const queue = new UploadQueue({ tools, unfinished, bucket, contentTypeOf, limits, gate }, events);
  const mayContinue = ({ folderPath }: { folderPath: string }) =>
    isInside(folderPath, rootPath) && (uploadFolder === null || isInside(folderPath, uploadFolder));
  void unfinished.find(bucket).then((uploads) => queue.offer(uploads.filter(mayContinue)));
  return queue;
}
