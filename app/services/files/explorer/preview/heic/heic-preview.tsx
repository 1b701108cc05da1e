import { useState } from "react";
import type { StorageClient } from "../../../storage-client";
import type { FileEntry } from "../../../storage-contract.server";
import { contentId } from "../../content-of";
import { useLanguage } from "../../language";
import { fetchObject } from "../fetch-object";
import { ZoomImage } from "../image-preview";
import { DownloadNote, PreviewProblem, PreviewWait } from "../preview-elements";
import { runWorker } from "../text/run-worker";
import { useLoaded } from "../use-loaded";
import type { HeicResponse } from "./heic.worker";

/** Fifty megapixels take a third of this on a busy machine. */
const TIMEOUT_MS = 60_000;

interface HeicPreviewProps {
  file: FileEntry;
  client: StorageClient;
  onDownload(): void;
}

/** A photo of a phone, decoded in a worker: most browsers cannot. */
export default function HeicPreview({ file, client, onDownload }: HeicPreviewProps) {
  const { t } = useLanguage();
  const [drawn, setDrawn] = useState(false);
  const [broken, setBroken] = useState(false);
  const decoded = useLoaded(
    async (signal) => {
      const bytes = await fetchObject(client, file, signal);
      const response = await runWorker<HeicResponse>("heic", { bytes }, TIMEOUT_MS, signal);
      if (response === null || "refusal" in response) return { refusal: response?.refusal ?? "too-large" };
      const url = URL.createObjectURL(response.picture);
      signal.addEventListener("abort", () => URL.revokeObjectURL(url));
      return { url };
    },
    [client, contentId(file), file.etag],
  );
  if (decoded.state === "failed") return <PreviewProblem name={file.name} problem={decoded.problem} />;
  const refusal = decoded.state === "ready" && "refusal" in decoded.value ? decoded.value.refusal : null;
  if (refusal !== null || broken)
    return (
      <DownloadNote
        name={file.name}
        text={t(refusal === "too-large" ? "preview.tooComplex" : "preview.damaged")}
        onDownload={onDownload}
        alert
      />
    );
  return (
    <>
      {!drawn && <PreviewWait />}
      {decoded.state === "ready" && "url" in decoded.value && (
        <ZoomImage
          src={decoded.value.url ?? ""}
          name={file.name}
          onDrawn={() => setDrawn(true)}
          onError={() => setBroken(true)}
        />
      )}
    </>
  );
}
