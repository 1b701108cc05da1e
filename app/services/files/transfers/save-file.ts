import type { StorageClient } from "../storage-client";
import { StorageProblem } from "../storage-problem";

type DownloadClient = Pick<StorageClient, "presignDownload" | "diagnose">;

/**
 * Has the browser save one file. Resolves when it has been handed over; what fails later goes to `onFailed`. A URL that has run out
 * before it was used is renewed once.
 */
export async function saveFile(
  client: DownloadClient,
  key: string,
  onFailed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const begin = async (onRefused: () => Promise<void>) => {
    const { url } = await client.presignDownload(key, "attachment", signal);
    if (needsMemory()) {
      const { saveFromMemory } = await import("./save-from-memory");
      return saveFromMemory(url, key, onRefused, signal);
    }
    openInFrame(url, () => onRefused().catch(onFailed));
  };
  await begin(() => begin(() => explainRefusal(client)));
}

/** Under an embedder policy, Firefox lets no frame of ours download from the store: docs/decisions/0083. */
function needsMemory(): boolean {
  return (
    new URLSearchParams(window.location.search).has("isolated") && /\bFirefox\//.test(navigator.userAgent)
  );
}

async function explainRefusal(client: DownloadClient): Promise<never> {
  const problem = await client.diagnose("download");
  // A download needs none of the store's CORS rules: the reason is another one.
  const isKnown = problem.code !== "unreachable" && problem.code !== "cors_blocked";
  throw isKnown ? problem : new StorageProblem("failed", { requestId: problem.details.requestId });
}

/** How long the store may take to respond, milliseconds. */
const RESPONSE_LIMIT = 60_000;

/**
 * Has the browser save the response of `url` under the name in its Content-Disposition. In a frame of its own: the store's error
 * page must not replace the explorer, and the hosting page's policy on what this frame may show does not apply.
 */
function openInFrame(url: string, onRefused: () => void): void {
  const frame = document.createElement("iframe");
  const end = () => {
    clearTimeout(timer);
    frame.remove();
  };
  const timer = setTimeout(end, RESPONSE_LIMIT);
  frame.hidden = true;
  frame.src = url;
  // A download loads nothing into the frame; the store's error page does.
  frame.onload = () => {
    end();
    onRefused();
  };
  document.body.append(frame);
}
