import { isInside, realWorld, type UploadOptions, type World } from "platform-embed-element/client";
import { useEffect, useRef } from "react";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { contentTypeOf } from "../browse/file-kind";
import type { ExplorerProps } from "../place/props";
import { readInWorker } from "./blob-reader";

/** The browser, with a worker that reads files and computes their checksums. */
export const worldWithWorker: World = { ...realWorld, readBlob: readInWorker };

/** What the token says about uploads. */
export function uploadOptionsOf(
  {
    limits,
    rootPath,
    uploadFolder,
    visitorKey,
  }: Pick<ExplorerProps, "limits" | "rootPath" | "uploadFolder" | "visitorKey">,
  needsApproval: () => boolean,
): UploadOptions {
  const mayUploadTo = (folderPath: string) =>
    isInside(folderPath, rootPath) && (uploadFolder === null || isInside(folderPath, uploadFolder));
  return { limits, visitorKey, mayUploadTo, contentTypeOf, needsApproval };
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
