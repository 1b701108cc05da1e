import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { isInside } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { droppedFiles } from "../../transfers/dropped-files";
import { putFile } from "../../transfers/put-file";
import { type UploadEvents, UploadQueue } from "../../transfers/upload-queue";
import type { UploadLimits } from "../../upload-limits";
import { contentTypeOf } from "../file-kind";
import type { Folder } from "../folder/use-folder";
import { useLanguage } from "../language";
import { type ExplorerProps, SERVICE } from "../props";
import { useFileDrop } from "./use-file-drop";

export type Uploads = ReturnType<typeof useUploads>;

/** Uploads into the open folder: whether they are allowed there, and who learns of their end. */
export function useUploads(
  client: StorageClient,
  { host, session }: FrameSession,
  { bucket, uploadFolder, actions, limits }: ExplorerProps,
  folder: Folder,
  announce: (sentence: string) => void,
) {
  const { announcements, uploads: words } = useLanguage().messages;
  const { queue, uploads } = useQueue(client, limits, {
    isKnown: (folderPath, name) =>
      folderPath === folder.path && folder.rows.some((row) => row.type === "file" && row.name === name),
    onDone({ folderPath, name, size }, key) {
      const lastModified = new Date(session.clock.now() * 1000).toISOString();
      folder.arrived(folderPath, { name, key, size, lastModified, etag: "" });
      announce(announcements.uploaded(name));
      host.post({ type: "platform.embed.upload-complete", service: SERVICE, bucket, key, size });
    },
    onFailed({ name, problem }) {
      announce(announcements.uploadFailed(name));
      const code = problem?.code ?? "failed";
      host.post({ type: "platform.embed.upload-failed", service: SERVICE, name, code });
    },
  });
  const conflicts = uploads.filter(({ status }) => status === "conflict").length;
  useEffect(() => {
    if (conflicts > 0) announce(words.attention(conflicts));
  }, [conflicts, announce, words]);
  const possible = actions.includes("upload");
  const allowed = possible && (uploadFolder === null || isInside(folder.path, uploadFolder));
  const drop = useFileDrop(allowed, (data) => {
    void droppedFiles(data, folder.path).then((files) => queue.add(files));
  });
  return {
    queue,
    uploads,
    /** somewhere; what only looks on has no button */
    possible,
    /** in the open folder */
    allowed,
    /** the only one that takes uploads; null when every folder does */
    folder: uploadFolder,
    add: (files: File[]) => queue.add(files.map((file) => ({ file, folderPath: folder.path }))),
    dropHandlers: drop.handlers,
    /** files are held over the explorer */
    filesOver: possible && drop.over,
  };
}

/** The upload queue for as long as the explorer is mounted. Leaving the page while it works asks first. */
function useQueue(client: StorageClient, limits: UploadLimits, events: UploadEvents) {
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(
    () => new UploadQueue({ client, put: putFile, contentTypeOf, limits }, () => latest.current),
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
