import { useCallback, useRef } from "react";
import type { Row } from "../folder/folder-state";
import { asProblem, type StorageClient, StorageProblem } from "../storage-client";

interface DownloadEvents {
  onStarted(name: string): void;
  onFailed(name: string, problem: StorageProblem): void;
}

/** Downloads the files among `rows`, one after the other; the first that fails is the last. */
export function useDownloads(client: StorageClient, events: DownloadEvents): (rows: Row[]) => Promise<void> {
  const latest = useRef(events);
  latest.current = events;
  return useCallback(
    async (rows) => {
      for (const row of rows) {
        if (row.type !== "file") continue;
        const fail = (error: unknown) => latest.current.onFailed(row.name, asProblem(error));
        /** @param renew whether a new URL may still be asked for, should this one have run out */
        const start = async (renew: boolean) => {
          const { url } = await client.presignDownload(row.key, "attachment");
          startDownload(url, () => (renew ? start(false) : explain()).catch(fail));
        };
        const explain = async () => {
          const problem = await client.diagnose("download");
          // A download needs none of the store's CORS rules: the reason is another one.
          const isKnown = problem.code !== "unreachable" && problem.code !== "cors_blocked";
          throw isKnown ? problem : new StorageProblem("failed", { requestId: problem.details.requestId });
        };
        try {
          await start(true);
          latest.current.onStarted(row.name);
        } catch (error) {
          fail(error);
          return;
        }
      }
    },
    [client],
  );
}

/** How long the store may take to respond, milliseconds. */
const RESPONSE_LIMIT = 60_000;

/**
 * Has the browser save the response of `url` under the name in its Content-Disposition. In a frame of its own: the store's error
 * page must not replace the explorer, and the hosting page's policy on what this frame may show does not apply.
 */
function startDownload(url: string, onRefused: () => void): void {
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
