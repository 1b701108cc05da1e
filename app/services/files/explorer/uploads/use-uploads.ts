import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { contentTypeOf } from "../file-kind";
import type { StorageClient } from "../storage-client";
import { putFile } from "./put-file";
import type { Upload } from "./upload";
import { UploadQueue, type UploadQueueOptions } from "./upload-queue";

type Events = Pick<UploadQueueOptions, "isKnown" | "onDone" | "onFailed">;

/** The upload queue for as long as the explorer is mounted. Leaving the page while it works asks first. */
export function useUploads(client: StorageClient, events: Events): { queue: UploadQueue; uploads: Upload[] } {
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(
    () =>
      new UploadQueue({
        client,
        put: putFile,
        contentTypeOf,
        isKnown: (folderPath, name) => latest.current.isKnown(folderPath, name),
        onDone: (upload, key) => latest.current.onDone(upload, key),
        onFailed: (upload) => latest.current.onFailed(upload),
      }),
  );
  const uploads = useSyncExternalStore(queue.subscribe, queue.getUploads, queue.getUploads);
  const busy = uploads.some(
    ({ status }) => status === "sending" || status === "retrying" || status === "waiting",
  );

  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [busy]);

  useEffect(() => {
    const goOn = () => queue.retryFailed("offline");
    window.addEventListener("online", goOn);
    return () => window.removeEventListener("online", goOn);
  }, [queue]);

  return { queue, uploads };
}
