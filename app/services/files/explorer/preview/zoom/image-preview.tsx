import { useEffect, useRef, useState } from "react";
import type { StorageClient } from "../../../storage-client";
import type { FileEntry } from "../../../storage-contract.server";
import { asProblem, StorageProblem } from "../../../storage-problem";
import { extensionOf } from "../../file-kind";
import { fetchObject } from "../fetch-object";
import { PreviewProblem, PreviewWait } from "../preview-note";
import { type Loaded, useLoaded } from "../use-loaded";
import { ZoomImage } from "./zoom-image";

/** An `img` runs no script that an SVG may hold. */
export function ImagePreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  /** a URL may have run out before it was used: one more is asked for */
  const [renewals, setRenewals] = useState(0);
  const address = useImageAddress(file, client, renewals);
  const [drawn, setDrawn] = useState(false);
  const [problem, setProblem] = useState<StorageProblem | null>(null);
  if (address.state === "failed") return <PreviewProblem name={file.name} problem={address.problem} />;
  if (problem !== null) return <PreviewProblem name={file.name} problem={problem} />;
  const onError = async () => {
    if (renewals === 0) {
      setRenewals(1);
      return;
    }
    const found = await client.diagnose("download").catch(asProblem);
    // With the store in order, or only its CORS rules missing, which no image needs, it is the image that is broken.
    const isStore = found.code !== "unreachable" && found.code !== "cors_blocked";
    setProblem(isStore ? found : new StorageProblem("failed"));
  };
  return (
    <>
      {!drawn && <PreviewWait />}
      {address.state === "ready" && (
        <ZoomImage
          // Two URLs of one second are the same, and the second has to be tried as well.
          key={renewals}
          src={address.value}
          name={file.name}
          onDrawn={() => setDrawn(true)}
          onError={() => void onError()}
        />
      )}
    </>
  );
}

/**
 * Where the image is. Most are read from the store itself, which needs none of its CORS rules. A drawing the store hands over
 * as mere bytes, so that it runs nothing when it is opened there: it is fetched, and given its type here.
 */
function useImageAddress(file: FileEntry, client: StorageClient, renewals: number): Loaded<string> {
  const made = useRef<string | null>(null);
  useEffect(
    () => () => {
      if (made.current !== null) URL.revokeObjectURL(made.current);
    },
    [],
  );
  return useLoaded(
    async (signal) => {
      if (extensionOf(file.name) !== "svg")
        return (await client.presignDownload(file.key, "inline", signal)).url;
      const bytes = await fetchObject(client, file.key, signal);
      signal.throwIfAborted();
      if (made.current !== null) URL.revokeObjectURL(made.current);
      made.current = URL.createObjectURL(new Blob([bytes], { type: "image/svg+xml" }));
      return made.current;
    },
    [client, file.key, file.etag, renewals],
  );
}
