import { type FilesClient, FilesError, nameOf, type StoredFile } from "platform-embed-element/client";
import { saveBlob } from "../screen/save-blob";

type DownloadClient = Pick<FilesClient, "downloads">;

/**
 * Lets the browser save one file. Resolves when the browser has taken over; later errors go to `onFailed`. A URL that expired before it was
 * used is renewed once.
 */
export async function saveFile(
  client: DownloadClient,
  file: StoredFile,
  onFailed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const begin = async (onRefused: () => Promise<void>) => {
    const url = await client.downloads.url(file, { signal });
    if (needsMemory()) {
      return saveFromMemory(url, file.key, onRefused, signal);
    }
    openInFrame(url, () => onRefused().catch(onFailed));
  };
  await begin(() => begin(() => explainRefusal(client)));
}

/** Under a cross-origin embedder policy, Firefox blocks downloads from the store in a frame: docs/decisions/0083. */
function needsMemory(): boolean {
  return (
    new URLSearchParams(window.location.search).has("isolated") && /\bFirefox\//.test(navigator.userAgent)
  );
}

async function explainRefusal(client: DownloadClient): Promise<never> {
  const problem = await client.downloads.diagnose();
  // A download needs no CORS rules: missing ones are not the cause.
  const isKnown = problem.code !== "unreachable" && problem.code !== "cors_blocked";
  throw isKnown ? problem : new FilesError("failed", { requestId: problem.requestId });
}

/** How long the store may take to respond. */
const RESPONSE_TIMEOUT_MS = 60_000;

/**
 * Saves the response of `url` under the name in its Content-Disposition. In a hidden frame, so that an error page of the store does not
 * replace the explorer.
 */
function openInFrame(url: string, onRefused: () => void): void {
  const frame = document.createElement("iframe");
  const end = () => {
    clearTimeout(timer);
    frame.remove();
  };
  const timer = setTimeout(end, RESPONSE_TIMEOUT_MS);
  frame.hidden = true;
  frame.src = url;
  // A download does not load anything into the frame; an error page does.
  frame.onload = () => {
    end();
    onRefused();
  };
  document.body.append(frame);
}

/**
 * Reads the whole file, then lets the browser save it. Browsers keep large blobs on disk.
 * @param onRefused is called when the store refuses
 */
async function saveFromMemory(
  url: string,
  key: string,
  onRefused: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(url, { credentials: "omit", signal });
    if (!response.ok) return onRefused();
    saveBlob(await response.blob(), nameOf(key) || "_");
  } catch {
    signal?.throwIfAborted();
    return onRefused();
  }
}
