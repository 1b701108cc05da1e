import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { HostPage } from "../../../../embed/frame/host-page";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { isInside, joinPath } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { hasUnfinishedUploads } from "../../transfers/has-unfinished";
import { takeDrop } from "../../transfers/take-drop";
import type { ArrivedFile, IncomingFile, UploadEvents, UploadQueue } from "../../transfers/upload-queue";
import type { Arrival } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import { type ExplorerProps, SERVICE } from "../props";
import { useFileDrop } from "./use-file-drop";

type Engine = typeof import("./upload-engine");

export interface OpenQueue {
  queue: UploadQueue;
  engine: Engine;
}

/**
 * - `notStarted`: what sends could not be loaded.
 * - `nothingFound`: there is no file in what was chosen or dropped.
 * - `notAllRead`: some of it could not be read, and the rest goes up.
 */
export type UploadNotice = "notStarted" | "nothingFound" | "notAllRead";

export type Uploads = ReturnType<typeof useUploads>;

/** Uploads into the open folder: whether they are allowed there, and who learns of their end. What sends them is loaded when needed. */
export function useUploads(
  client: StorageClient,
  { host, session }: FrameSession,
  props: ExplorerProps,
  folder: Folder,
) {
  const { bucket, uploadFolder, actions } = props;
  const possible = actions.includes("upload");
  const { path: openPath, rows } = folder;
  const names = useMemo(
    () => new Set(rows.filter((row) => row.type === "file").map((row) => row.name)),
    [rows],
  );
  const sender = useEngine(client, host, props, possible, {
    isKnown: (folderPath, name) => folderPath === openPath && names.has(name),
    onArrived(files) {
      const lastModified = new Date(session.clock.now() * 1000).toISOString();
      folder.changed(files.map((file) => arrivalOf(file, lastModified)));
      for (const { upload, key, checksum } of files) {
        if (upload.isFolder) continue;
        const { size } = upload;
        const sum = checksum && { checksum: checksum.value, checksumAlgorithm: checksum.algorithm };
        host.post({ type: "platform.embed.upload-complete", service: SERVICE, bucket, key, size, ...sum });
      }
    },
    onFailed({ name, problem }) {
      const code = problem?.code ?? "failed";
      host.post({ type: "platform.embed.upload-failed", service: SERVICE, name, code });
    },
  });
  const allowed = possible && (uploadFolder === null || isInside(folder.path, uploadFolder));
  const [notice, setNotice] = useState<UploadNotice | null>(null);
  const add = async (find: (engine: Engine) => AsyncGenerator<IncomingFile[]>) => {
    setNotice(null);
    try {
      const { queue, engine } = await sender.load();
      let found = 0;
      for await (const files of find(engine)) {
        found += files.length;
        queue.add(files);
      }
      if (found === 0) setNotice("nothingFound");
    } catch (error) {
      setNotice(error instanceof DOMException ? "notAllRead" : "notStarted");
    }
  };
  const drop = useFileDrop(allowed, (data) => {
    const dropped = takeDrop(data);
    void add(({ droppedFiles }) => droppedFiles(dropped, folder.path));
  });
  return {
    ...sender,
    /** somewhere; what only looks on has no button */
    possible,
    /** in the open folder */
    allowed,
    /** the only one that takes uploads; null when every folder does */
    folder: uploadFolder,
    add: (files: File[]) => void add(({ chosenFiles }) => chosenFiles(files, folder.path)),
    notice,
    dismissNotice: () => setNotice(null),
    dropHandlers: drop.handlers,
    /** files are held over the explorer */
    filesOver: possible && drop.over,
  };
}

/** What is in the open folder once an upload has ended. */
function arrivalOf({ upload, key }: ArrivedFile, lastModified: string): Arrival {
  const { folderPath, name, size, isFolder } = upload;
  if (isFolder) return { folderPath: joinPath(folderPath, name), file: null };
  return { folderPath, file: { name, key, size, lastModified, etag: "" } };
}

/** What sends, loaded when something is to be uploaded, or was not ended in an earlier visit. */
function useEngine(
  client: StorageClient,
  host: HostPage,
  props: ExplorerProps,
  possible: boolean,
  events: UploadEvents,
) {
  const latest = useRef({ props, events });
  latest.current = { props, events };
  const loading = useRef<Promise<OpenQueue> | null>(null);
  const [open, setOpen] = useState<OpenQueue | null>(null);
  const hostDecides = useRef(false);
  useEffect(
    () =>
      host.listen((message) => {
        if (message.type !== "platform.embed.configure") return;
        hostDecides.current = message.answersBeforeUpload ?? hostDecides.current;
      }),
    [host],
  );

  const load = useCallback(() => {
    loading.current ??= open().catch((error) => {
      loading.current = null;
      throw error;
    });
    return loading.current;
    async function open(): Promise<OpenQueue> {
      const engine = await import("./upload-engine");
      const { props } = latest.current;
      const events = () => latest.current.events;
      const queue = engine.createUploadQueue(client, props, events, host, () => hostDecides.current);
      const opened = { queue, engine };
      setOpen(opened);
      return opened;
    }
  }, [client, host]);

  useEffect(() => {
    if (!possible) return;
    void hasUnfinishedUploads().then((some) => {
      if (some) load().catch(() => {});
    });
  }, [possible, load]);

  return {
    /** null until something has been uploaded, or is to be */
    open,
    load,
  };
}
