/**
 * The service worker of downloads. It answers a request for an archive's address with the archive, made while it is sent: it
 * fetches the files from the store itself. The page that asked for it has the token, so it signs the URLs. See
 * docs/decisions/0066-zip-in-the-browser.md.
 */
import { contentDisposition } from "../../content-disposition";
import { asProblem, StorageProblem } from "../../storage-problem";
import { type ArchiveProgress, archiveBytes } from "./archive-bytes";
import type { SignedBatch } from "./signed-urls";
import {
  type PageReply,
  REPORT_INTERVAL,
  WORKER_SCOPE,
  type WorkerMessage,
  type WorkerReport,
} from "./worker-messages";
import { zipLength } from "./zip-format";

/** What we use of ServiceWorkerGlobalScope, whose types and the page's exclude one another. */
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Response): void;
}
type MessageFromPage = Event & { data: WorkerMessage; ports: readonly MessagePort[] };
type Listen<Type, Received> = (type: Type, listener: (event: Received) => void) => void;
const worker = self as unknown as {
  addEventListener: Listen<"fetch", FetchEvent> & Listen<"message", MessageFromPage>;
};

/** How long the page may say nothing before it counts as closed, milliseconds. */
const SILENCE_LIMIT = 2 * 60_000;

/**
 * Chromium copies a chunk before it asks for the next, as the standard has it (Fetch, "incrementally read a body"), so that all can
 * share one buffer. Left to itself it keeps hundreds of megabytes of buffers that are done with. A browser that did otherwise would
 * send too few bytes, and show it; only in this one is it proven by tests.
 */
const COPIES_FIRST = /\bChrome\//.test(navigator.userAgent);

type ArchiveMessage = Extract<WorkerMessage, { type: "archive" }>;
const downloads = new Map<string, ArchiveDownload>();

/** One archive, from when it is announced to its last byte. */
class ArchiveDownload {
  #abort = new AbortController();
  #progress: Readonly<ArchiveProgress> = { bytes: 0, files: 0, interrupted: false };
  /** milliseconds, counted in reports: after a machine has slept, the page has its turn before it counts as closed */
  #silence = 0;
  /** whoever waits for signatures: files are read one after the other */
  #signing: { resolve(batch: SignedBatch): void; reject(error: unknown): void } | null = null;
  #timer: ReturnType<typeof setInterval>;

  constructor(
    readonly message: ArchiveMessage,
    readonly port: MessagePort,
  ) {
    port.onmessage = ({ data }: MessageEvent<PageReply>) => this.#receive(data);
    this.#timer = setInterval(() => this.#report(), REPORT_INTERVAL);
    this.#say({ type: "ready" });
  }

  /** The page is there. */
  hear(): void {
    this.#silence = 0;
  }

  respond(): Response {
    const { entries, fileName } = this.message;
    const onProgress = (progress: Readonly<ArchiveProgress>) => {
      this.#progress = progress;
    };
    const { signal } = this.#abort;
    const bytes = archiveBytes(
      entries,
      { sign: (keys) => this.#sign(keys), onProgress, reuseBuffer: COPIES_FIRST },
      signal,
    );
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        // Also when nobody is asking for more: the browser says that the download has failed.
        signal.addEventListener("abort", () => controller.error(signal.reason));
      },
      pull: async (controller) => {
        try {
          const { done, value } = await bytes.next();
          if (!done) return controller.enqueue(value);
          controller.close();
          this.#finish({ type: "done" });
        } catch (error) {
          if (signal.aborted) return;
          controller.error(error);
          const { code, details } = asProblem(error);
          this.#finish({ type: "failed", problem: { code, details } });
        }
      },
      cancel: () => this.#stop(),
    };
    // Nothing is fetched before the browser asks for it.
    const body = new ReadableStream(source, { highWaterMark: 0 });
    this.#say({ type: "started" });
    return new Response(body, {
      headers: {
        "Content-Type": "application/zip",
        // Or a frame with such a policy would not take it: docs/decisions/0083.
        "Cross-Origin-Embedder-Policy": "credentialless",
        "Content-Disposition": contentDisposition("attachment", fileName),
        // So that a download that breaks off is not taken for a complete one.
        "Content-Length": String(zipLength(entries)),
      },
    });
  }

  #receive(reply: PageReply): void {
    this.hear();
    if (reply.type === "cancel") this.#stop();
    else if (reply.type === "signed") this.#signing?.resolve(reply);
    else this.#signing?.reject(new StorageProblem(reply.problem.code, reply.problem.details));
  }

  #sign(keys: string[]): Promise<SignedBatch> {
    return new Promise((resolve, reject) => {
      this.#signing = { resolve, reject };
      this.#say({ type: "sign", keys });
    });
  }

  #report(): void {
    this.#silence += REPORT_INTERVAL;
    if (this.#silence > SILENCE_LIMIT) this.#stop();
    else this.#say({ type: "progress", ...this.#progress });
  }

  #say(report: WorkerReport): void {
    this.port.postMessage(report);
  }

  /** Ends it before it is complete. */
  #stop(): void {
    this.#abort.abort();
    this.#signing?.reject(this.#abort.signal.reason);
    this.#finish({ type: "stopped" });
  }

  #finish(report: WorkerReport): void {
    if (!downloads.delete(this.message.id)) return;
    clearInterval(this.#timer);
    this.#say({ type: "progress", ...this.#progress });
    this.#say(report);
  }
}

worker.addEventListener("message", ({ data, ports: [port] }) => {
  if (data.type === "archive" && port) downloads.set(data.id, new ArchiveDownload(data, port));
  else downloads.get(data.id)?.hear();
});

worker.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const download = downloads.get(pathname.slice(WORKER_SCOPE.length));
  // Whatever else is asked for is the server's to answer: there is nothing but this script.
  if (!download) return;
  // Nothing more to wait for: Chromium ends a worker with an event that lasts for more than five minutes.
  event.respondWith(download.respond());
});
