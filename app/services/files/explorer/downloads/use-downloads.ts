import { useState } from "react";
import { asProblem, type StorageClient, StorageProblem } from "../../storage-client";
import type { Row } from "../folder/folder-state";
import { useLanguage } from "../language";

/** Downloads the files among some rows, one after the other; the first that fails is the last, and leaves a notice. */
export function useDownloads(client: StorageClient, allowed: boolean, announce: (sentence: string) => void) {
  const { announcements } = useLanguage().messages;
  const [notice, setNotice] = useState<{ name: string; problem: StorageProblem } | null>(null);
  const start = async (rows: Row[]) => {
    for (const row of rows) {
      if (row.type !== "file") continue;
      const { name, key } = row;
      const fail = (error: unknown) => setNotice({ name, problem: asProblem(error) });
      try {
        await download(client, key, fail);
      } catch (error) {
        return fail(error);
      }
      announce(announcements.downloadStarted(name));
    }
  };
  return { allowed, start: (rows: Row[]) => void start(rows), notice, dismissNotice: () => setNotice(null) };
}

/** Starts a download. `onFailed` learns of what fails later; a URL that has run out before it was used is renewed once. */
async function download(client: StorageClient, key: string, onFailed: (error: unknown) => void) {
  const begin = async (onRefused: () => Promise<void>) => {
    const { url } = await client.presignDownload(key, "attachment");
    saveFile(url, () => onRefused().catch(onFailed));
  };
  await begin(() => begin(() => explainRefusal(client)));
}

async function explainRefusal(client: StorageClient): Promise<never> {
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
function saveFile(url: string, onRefused: () => void): void {
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
