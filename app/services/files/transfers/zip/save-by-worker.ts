import { asProblem, StorageProblem } from "../../storage-problem";
import type { ArchiveTools } from "./archive-bytes";
import type { ArchiveEntry } from "./archive-entry";
import {
  type PageReply,
  WORKER_ADDRESS,
  WORKER_SCOPE,
  type WorkerMessage,
  type WorkerReport,
} from "./worker-messages";

export interface ArchiveToSave {
  /** with its `.zip` */
  fileName: string;
  entries: ArchiveEntry[];
}

/** A worker that says nothing for so many looks has been ended by its browser; each after so many milliseconds. */
const MOST_SILENT_LOOKS = 4;
const LOOK_INTERVAL = 10_000;
/** How long the worker may take to be installed, and the browser to ask it for an archive, milliseconds. */
const START_LIMIT = 15_000;

let installed: Promise<ServiceWorker | null> | null = null;

/**
 * The browser's service worker for downloads, or null where it has none: private windows of Firefox, blocked storage. It is looked
 * for once: registering may replace it by a newer one, and end what the one before is sending.
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
    const registration = await withinLimit(serviceWorker.register(WORKER_ADDRESS, options));
    const worker = registration.active ?? registration.installing ?? registration.waiting;
    if (worker) await withinLimit(untilActive(worker));
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

function withinLimit<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    setTimeout(reject, START_LIMIT);
    work.then(resolve, reject);
  });
}

/**
 * Has the browser save an archive that `worker` makes while it is sent: nothing of it is kept in memory, and what breaks off is
 * shown as failed by the browser.
 * @returns `done` when the last byte has been handed to the browser, `stopped` when the person has stopped it there, and `unused`
 * when the browser did not ask the worker
 * Rejects with a StorageProblem or the signal's reason.
 */
export async function saveByWorker(
  worker: ServiceWorker,
  { fileName, entries }: ArchiveToSave,
  { sign, onProgress }: Pick<ArchiveTools, "sign" | "onProgress">,
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
      (error) => {
        const { code, details } = asProblem(error);
        reply({ type: "not-signed", request, problem: { code, details } });
      },
    );
  const timers: ReturnType<typeof setInterval>[] = [];
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => {
        reply({ type: "cancel" });
        reject(signal.reason);
      };
      signal.addEventListener("abort", cancel, { once: true });
      const notAsked = () => {
        reply({ type: "cancel" });
        resolve("unused");
      };
      // A download loads nothing into the frame; the server's answer, where the worker was not asked, does.
      frame.onload = notAsked;
      const start = setTimeout(notAsked, START_LIMIT);
      let silentLooks = 0;
      const look = () => {
        if (++silentLooks > MOST_SILENT_LOOKS) reject(new StorageProblem("unreachable"));
      };
      timers.push(start, setInterval(look, LOOK_INTERVAL));
      port.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
        silentLooks = 0;
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
            // Sent to the worker, not its port: only that keeps the worker from being ended.
            post({ type: "alive", id });
            onProgress?.(data);
            break;
          case "failed":
            reject(new StorageProblem(data.problem.code, data.problem.details));
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
    port.close();
    frame.remove();
  }
}
