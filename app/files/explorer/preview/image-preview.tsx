import { useState } from "react";
import type { FileEntry } from "../../listing";
import { type StorageClient, StorageProblem } from "../storage-client";
import { PreviewProblem, PreviewWait } from "./preview-note";
import { useLoaded } from "./use-loaded";

/** An `img` reads from the store without its CORS rules, and runs no script that an SVG may hold. */
export function ImagePreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const address = useLoaded(
    async (signal) => (await client.presignDownload(file.key, "inline", signal)).url,
    [client, file.key, file.etag],
  );
  const [drawn, setDrawn] = useState<"yes" | "failed" | null>(null);
  if (address.state === "failed") return <PreviewProblem name={file.name} problem={address.problem} />;
  if (drawn === "failed") return <PreviewProblem name={file.name} problem={new StorageProblem("failed")} />;
  return (
    <>
      {drawn === null && <PreviewWait />}
      {address.state === "ready" && (
        <img
          className={`preview__image${drawn === null ? " preview__image--waiting" : ""}`}
          src={address.value}
          alt={file.name}
          onLoad={() => setDrawn("yes")}
          onError={() => setDrawn("failed")}
        />
      )}
    </>
  );
}
