import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { SERVICE } from "../place/props";
import type { Upload } from "./transfers/upload";
import type { FinishedFile } from "./transfers/upload-queue";

/** Tells the embedding page that a file has been stored. @param object where, in the bucket */
export function postUploaded(
  embeddingPage: EmbeddingPage,
  object: { bucket: string; key: string },
  { upload: { size }, checksum }: FinishedFile,
): void {
  const sum = checksum && { checksum: checksum.value, checksumAlgorithm: checksum.algorithm };
  embeddingPage.post({ type: "platform.embed.upload-complete", service: SERVICE, ...object, size, ...sum });
}

/** Tells the embedding page that an upload has failed. */
export function postFailed(embeddingPage: EmbeddingPage, { name, problem }: Upload): void {
  const code = problem?.code ?? "failed";
  embeddingPage.post({ type: "platform.embed.upload-failed", service: SERVICE, name, code });
}
