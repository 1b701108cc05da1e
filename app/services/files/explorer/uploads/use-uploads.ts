import { type DragEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { isInside, joinPath } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { takeDrop } from "../../transfers/dropped-files";
import { hasUnfinishedUploads } from "../../transfers/unfinished-uploads";
import type { ArrivedFile, IncomingFile, UploadEvents, UploadQueue } from "../../transfers/upload-queue";
import type { Arrival } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import { moduleLoader } from "../load-module";
import { type ExplorerProps, SERVICE } from "../props";

type Engine = typeof import("./lazy-uploads");

const loadEngine: () => Promise<Engine> = moduleLoader(() => import("./lazy-uploads"));

interface OpenQueue {
  queue: UploadQueue;
  engine: Engine;
}

/**
 * - `notStarted`: the upload code could not be loaded.
 * - `nothingFound`: no file was chosen or dropped.
 * - `notAllRead`: some files could not be read; the others are uploaded.
 */
type UploadNotice = "notStarted" | "nothingFound" | "notAllRead";

export type Uploads = ReturnType<typeof useUploads>;

/** Uploads into the open folder. Tells the list and the embedding page when they end. The code that sends files is loaded on demand. */
export function useUploads(
  client: StorageClient,
  { embeddingPage, session }: FrameSession,
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
  const sender = useEngine(client, embeddingPage, props, possible, {
    isKnown: (folderPath, name) => folderPath === openPath && names.has(name),
    onArrived(files) {
      const lastModified = new Date(session.clock.now() * 1000).toISOString();
      folder.changed(files.map((file) => arrivalOf(file, lastModified)));
      for (const { upload, key, checksum } of files) {
        if (upload.isFolder) continue;
        const { size } = upload;
        const sum = checksum && { checksum: checksum.value, checksumAlgorithm: checksum.algorithm };
        embeddingPage.post({
          type: "platform.embed.upload-complete",
          service: SERVICE,
          bucket,
          key,
          size,
          ...sum,
        });
      }
    },
    onFailed({ name, problem }) {
      const code = problem?.code ?? "failed";
      embeddingPage.post({ type: "platform.embed.upload-failed", service: SERVICE, name, code });
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
    /** in some folder; without, there is no upload button */
    possible,
    /** in the open folder */
    allowed,
    /** the token's upload folder; null if every folder takes uploads */
    folder: uploadFolder,
    add: (files: File[]) => void add(({ chosenFiles }) => chosenFiles(files, folder.path)),
    notice,
    dismissNotice: () => setNotice(null),
    dropHandlers: drop.handlers,
    /** files are held over the explorer */
    filesOver: possible && drop.over,
  };
}

/** The row that a finished upload adds. */
function arrivalOf({ upload, key }: ArrivedFile, lastModified: string): Arrival {
  const { folderPath, name, size, isFolder } = upload;
  if (isFolder) return { folderPath: joinPath(folderPath, name), file: null };
  return { folderPath, file: { name, key, size, lastModified, etag: "" } };
}

/** Loads the code that sends files: for the first upload, or when an earlier visit left unfinished ones. */
function useEngine(
  client: StorageClient,
  embeddingPage: EmbeddingPage,
  props: ExplorerProps,
  possible: boolean,
  events: UploadEvents,
) {
  const latest = useRef({ props, events });
  latest.current = { props, events };
  const loading = useRef<Promise<OpenQueue> | null>(null);
  const [open, setOpen] = useState<OpenQueue | null>(null);
  const answersBeforeUpload = useRef(false);
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type !== "platform.embed.configure") return;
        answersBeforeUpload.current = message.answersBeforeUpload ?? answersBeforeUpload.current;
      }),
    [embeddingPage],
  );

  const load = useCallback(() => {
    loading.current ??= open().catch((error) => {
      loading.current = null;
      throw error;
    });
    return loading.current;
    async function open(): Promise<OpenQueue> {
      const engine = await loadEngine();
      const { props } = latest.current;
      const events = () => latest.current.events;
      const queue = engine.createUploadQueue(
        client,
        props,
        events,
        embeddingPage,
        () => answersBeforeUpload.current,
      );
      const opened = { queue, engine };
      setOpen(opened);
      return opened;
    }
  }, [client, embeddingPage]);

  useEffect(() => {
    if (!possible) return;
    void hasUnfinishedUploads().then((some) => {
      if (some) load().catch(() => {});
    });
  }, [possible, load]);

  return {
    /** null until it is loaded */
    open,
    load,
  };
}

/** Event handlers for an element that takes dropped files if `allowed`, and whether files are being dragged over it. */
function useFileDrop(allowed: boolean, onDrop: (data: DataTransfer) => void) {
  const [over, setOver] = useState(false);
  // Enter and leave events come for every child: count them.
  const depth = useRef(0);
  const setDepth = (count: number) => {
    depth.current = Math.max(count, 0);
    setOver(depth.current > 0);
  };
  const withFiles = (handle: (data: DataTransfer) => void) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    handle(event.dataTransfer);
  };
  const handlers = {
    onDragEnter: withFiles(() => setDepth(depth.current + 1)),
    onDragOver: withFiles((data) => {
      if (!allowed) data.dropEffect = "none";
    }),
    onDragLeave: withFiles(() => setDepth(depth.current - 1)),
    onDrop: withFiles((data) => {
      setDepth(0);
      if (allowed) onDrop(data);
    }),
  };
  return { over, handlers };
}
