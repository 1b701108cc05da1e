import type { FilesClient } from "platform-embed-element/client";
import { useState } from "react";
import { contentFormatOf, drawableFormats } from "../browse/content-format";
import type { HeicResponse } from "../browse/pictures/heic.worker";
import { type Refusal, runWorker } from "../browse/run-worker";
import { contentId } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { fetchObject, objectUrl } from "./fetch-object";
import { checkPicture, ZoomImage } from "./image-preview";
import { PreviewProblem, PreviewWait, RefusedNote } from "./preview-elements";
import { MAX_IMAGE_BYTES } from "./preview-plan";
import { useLoaded } from "./use-loaded";

/** Fifty megapixels take a third of this on a busy machine. */
const TIMEOUT_MS = 60_000;

interface HeicPreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/** A photo of a phone, decoded in a worker: most browsers cannot. */
export function HeicPreview({ file, client }: HeicPreviewProps) {
  const [isDrawn, setDrawn] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const decoded = useLoaded(
    async (signal): Promise<{ url?: string; refusal?: Refusal }> => {
      const bytes = await fetchObject(client, file, MAX_IMAGE_BYTES, signal);
      // Some programs leave the name when they convert a photo.
      if (drawableFormats.has(contentFormatOf(bytes) ?? "")) {
        const picture = await checkPicture(file.name, bytes, signal);
        return "refusal" in picture ? picture : { url: objectUrl(picture.blob, signal) };
      }
      const response = await runWorker<HeicResponse>("heic", { bytes }, TIMEOUT_MS, signal);
      if (response === null) return { refusal: "too-complex" };
      if ("refusal" in response) return response;
      return { url: objectUrl(response.picture, signal) };
    },
    [client, contentId(file), file.etag],
  );
  if (decoded.state === "failed") return <PreviewProblem name={file.name} problem={decoded.problem} />;
  const { url, refusal = isBroken ? "damaged" : undefined } = decoded.state === "ready" ? decoded.value : {};
  if (refusal) return <RefusedNote name={file.name} refusal={refusal} />;
  return (
    <>
      {!isDrawn && <PreviewWait />}
      {url && (
        <ZoomImage src={url} name={file.name} onLoad={() => setDrawn(true)} onError={() => setBroken(true)} />
      )}
    </>
  );
}
