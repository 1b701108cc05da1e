import { useCallback, useRef } from "react";
import type { Row } from "./folder-state";
import { asProblem, type StorageClient, StorageProblem } from "./storage-client";

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
        try {
          const { url } = await client.presignDownload(row.key, "attachment");
          startDownload(url, () => latest.current.onFailed(row.name, new StorageProblem("failed")));
          latest.current.onStarted(row.name);
        } catch (error) {
          latest.current.onFailed(row.name, asProblem(error));
          return;
        }
      }
    },
    [client],
  );
}

/** How long the store may take to begin, milliseconds. */
const KEEP = 60_000;

/**
 * Has the browser save what `url` answers with, under the name in its Content-Disposition. In a frame of its own:
 * should the store refuse, its answer must not replace the explorer, and the hosting page's policy on what this
 * frame may show stays out of it.
 */
function startDownload(url: string, onRefused: () => void): void {
  const frame = document.createElement("iframe");
  const end = () => {
    clearTimeout(timer);
    frame.remove();
  };
  const timer = setTimeout(end, KEEP);
  frame.hidden = true;
  frame.src = url;
  // A download loads nothing into the frame: what does is the store's refusal.
  frame.onload = () => {
    end();
    onRefused();
  };
  document.body.append(frame);
}
