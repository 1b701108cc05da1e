import { asFilesError, type Upload, type UploadedFile } from "platform-embed-element/client";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { SERVICE } from "../place/props";
import { problemCode } from "../screen/problem-code";

/** Tells the embedding page that a file has been stored. */
export function postUploaded(
  embeddingPage: EmbeddingPage,
  bucket: string,
  { upload: { size }, key, checksum }: UploadedFile,
): void {
  const sum = checksum && { checksum: checksum.value, checksumAlgorithm: checksum.algorithm };
  embeddingPage.post({ type: "platform.embed.upload-complete", service: SERVICE, bucket, key, size, ...sum });
}

/** Tells the embedding page that an upload has failed. */
export function postFailed(embeddingPage: EmbeddingPage, { name, error }: Upload): void {
  const code = problemCode(asFilesError(error));
  embeddingPage.post({ type: "platform.embed.upload-failed", service: SERVICE, name, code });
}
