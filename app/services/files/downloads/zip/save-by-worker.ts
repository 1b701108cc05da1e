import { type ArchiveProgress, asFilesError, FilesError, type Zip } from "platform-embed-element/client";
import { withinLimit } from "../../../../shared/within-limit";
import {
  type PageReply,
  WORKER_ADDRESS,
  WORKER_SCOPE,
  type WorkerMessage,
  type WorkerReport,
} from "./worker-messages";

export interface ArchiveToSave {
  /** with `.zip` */
  fileName: string;
  zip: Zip;
}

/** After this many checks without a message, the browser has ended the worker. */
const MAX_SILENT_CHECKS = 4;
const CHECK_INTERVAL_MS = 10_000;
/** Time limit for installing the worker, and again for the browser to request the archive. */
const START_TIMEOUT_MS = 15_000;

let installed: Promise<ServiceWorker | null> | null = null;

/**
 * The service worker for downloads; null if there is none, as in private windows of Firefox or with blocked storage. Registered once:
 * registering again may replace it by a newer version and end its running downloads.
 */
export async function startWorker(): Promise<ServiceWorker | null> {
  installed ??= install();
  const worker = await installed;
  if (worker !== null && worker.state !== "redundant") return worker;
  installed = install();
  return installed;
}

async function install(): Promise<ServiceWorker | null> {
  try {
    const { serviceWorker } = navigator;
    const options = { scope: WORKER_SCOPE, updateViaCache: "none" } as const;
    const late = () => new Error("the worker was not installed in time");
    const registration = await withinLimit(
      START_TIMEOUT_MS,
      serviceWorker.register(WORKER_ADDRESS, options),
      late,
    );
    const worker = registration.active ?? registration.installing ?? registration.waiting;
    if (worker) await withinLimit(START_TIMEOUT_MS, untilActive(worker), late);
    return worker;
  } catch {
    return null;
  }
}

function untilActive(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject();
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/**
 * Lets the browser save an archive that `worker` streams. Nothing is kept in memory, and the browser shows a broken download as failed.
 * @returns `done` when the browser has received the last byte, `stopped` when the person stopped it in the browser, `unused` when the
 * browser did not ask the worker
 * @throws a FilesError or the signal's reason
 */
export async function saveByWorker(
  worker: ServiceWorker,
  { fileName, zip: { entries, sign } }: ArchiveToSave,
  { onProgress }: { onProgress(progress: Readonly<ArchiveProgress>): void },
  signal: AbortSignal,
): Promise<"done" | "stopped" | "unused"> {
  signal.throwIfAborted();
  const id = crypto.randomUUID();
  const { port1: port, port2 } = new MessageChannel();
  const frame = document.createElement("iframe");
  frame.hidden = true;
  const reply = (message: PageReply) => port.postMessage(message);
  const post = (message: WorkerMessage, transfer: Transferable[] = []) =>
    worker.postMessage(message, transfer);
  const answer = ({ request, keys }: Extract<WorkerReport, { type: "sign" }>) =>
    sign(keys, signal).then(
      (batch) => reply({ type: "signed", request, ...batch }),
      (error) => reply({ type: "not-signed", request, problem: asFilesError(error).toPlain() }),
    );
  const timers: ReturnType<typeof setInterval>[] = [];
  const finished = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => {
        reply({ type: "cancel" });
        reject(signal.reason);
      };
      signal.addEventListener("abort", cancel, { once: true });
      // Also if the embedding page removes this frame, as its `end()` does. The worker would find out by itself only some minutes later.
      window.addEventListener("pagehide", () => reply({ type: "cancel" }), { signal: finished.signal });
      const notAsked = () => {
        reply({ type: "cancel" });
        resolve("unused");
      };
      // A download loads nothing into the frame. The server's response does, when the worker was not asked.
      frame.onload = notAsked;
      const start = setTimeout(notAsked, START_TIMEOUT_MS);
      let silentChecks = 0;
      const look = () => {
        if (++silentChecks > MAX_SILENT_CHECKS) reject(new FilesError("unreachable"));
      };
      timers.push(start, setInterval(look, CHECK_INTERVAL_MS));
      port.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
        silentChecks = 0;
        switch (data.type) {
          case "ready":
            frame.src = WORKER_SCOPE + id;
            document.body.append(frame);
            break;
          case "started":
            clearTimeout(start);
            break;
          case "sign":
            void answer(data);
            break;
          case "progress":
            // To the worker, not its port: only that keeps the browser from ending the worker.
            post({ type: "alive", id });
            onProgress(data);
            break;
          case "failed":
            reject(new FilesError(data.problem.code, data.problem.details));
            break;
          case "done":
          case "stopped":
            resolve(data.type);
            break;
          default:
            data satisfies never;
        }
      };
      post({ type: "archive", id, fileName, entries }, [port2]);
    });
  } finally {
    for (const timer of timers) clearInterval(timer);
    finished.abort();
    port.close();
    frame.remove();
  }
}
