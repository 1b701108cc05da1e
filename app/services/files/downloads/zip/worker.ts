/**
 * The service worker for downloads. It answers a request for an archive's address by streaming the archive, and fetches the files from the
 * store itself. The page has the token, so it signs the URLs. See
 * docs/decisions/0066-archives-are-made-in-the-browser.md.
 */

import {
  type ArchiveProgress,
  asFilesError,
  FilesError,
  realWorld,
  type SignedBatch,
} from "platform-embed-element/client";
import { archiveBytes, zipLength } from "platform-embed-element/client/archive";
import { contentDisposition } from "../content-disposition";
import {
  type PageReply,
  REPORT_INTERVAL_MS,
  WORKER_SCOPE,
  type WorkerMessage,
  type WorkerReport,
} from "./worker-messages";

/** The members of ServiceWorkerGlobalScope that are used. TypeScript's types of a worker and of a page exclude each other. */
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Response): void;
}
type MessageFromPage = Event & { data: WorkerMessage; ports: readonly MessagePort[] };
type Listen<Type, Received> = (type: Type, listener: (event: Received) => void) => void;
const worker = self as unknown as {
  addEventListener: Listen<"fetch", FetchEvent> & Listen<"message", MessageFromPage>;
};

/** A page that sends nothing for this time counts as closed. */
const SILENCE_TIMEOUT_MS = 2 * 60_000;

/**
 * Chromium copies each chunk before it asks for the next, as the Fetch standard says ("incrementally read a body"), so all chunks can share
 * one buffer. With a buffer for each, it keeps hundreds of megabytes. Other browsers are not tested for this.
 */
const COPIES_FIRST = /\bChrome\//.test(navigator.userAgent);

type ArchiveMessage = Extract<WorkerMessage, { type: "archive" }>;
const downloads = new Map<string, ArchiveDownload>();

/** The download of one archive. */
class ArchiveDownload {
  #abort = new AbortController();
  #progress: Readonly<ArchiveProgress> = { bytes: 0, files: 0, isRetrying: false };
  /** milliseconds since the page was heard, counted in reports, so that time in which the machine slept does not count */
  #silence = 0;
  /** the pending request for URLs; `SignedUrls` has one at most */
  #signing: { resolve(batch: SignedBatch): void; reject(error: unknown): void } | null = null;
  #timer: ReturnType<typeof setInterval>;

  constructor(
    readonly message: ArchiveMessage,
    readonly port: MessagePort,
  ) {
    port.onmessage = ({ data }: MessageEvent<PageReply>) => this.#receive(data);
    this.#timer = setInterval(() => this.#report(), REPORT_INTERVAL_MS);
    this.#say({ type: "ready" });
  }

  /** The page is still open. */
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
      { sign: (keys) => this.#sign(keys), onProgress, world: realWorld, reuseBuffer: COPIES_FIRST },
      signal,
    );
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        // Also while the browser is not reading: it then shows the download as failed.
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
          this.#finish({ type: "failed", problem: asFilesError(error).toPlain() });
        }
      },
      cancel: () => this.#stop(),
    };
    // Nothing is fetched before the browser reads.
    const body = new ReadableStream(source, { highWaterMark: 0 });
    this.#say({ type: "started" });
    return new Response(body, {
      headers: {
        "Content-Type": "application/zip",
        // Required in a frame with an embedder policy: docs/decisions/0083.
        "Cross-Origin-Embedder-Policy": "credentialless",
        "Content-Disposition": contentDisposition("attachment", fileName),
        // With it, the browser notices if the download is interrupted.
        "Content-Length": String(zipLength(entries)),
      },
    });
  }

  #receive(reply: PageReply): void {
    this.hear();
    if (reply.type === "cancel") this.#stop();
    else if (reply.type === "signed") this.#signing?.resolve(reply);
    else this.#signing?.reject(new FilesError(reply.problem.code, reply.problem.details));
  }

  #sign(keys: string[]): Promise<SignedBatch> {
    return new Promise((resolve, reject) => {
      this.#signing = { resolve, reject };
      this.#say({ type: "sign", keys });
    });
  }

  #report(): void {
    this.#silence += REPORT_INTERVAL_MS;
    if (this.#silence > SILENCE_TIMEOUT_MS) this.#stop();
    else this.#say({ type: "progress", ...this.#progress });
  }

  #say(report: WorkerReport): void {
    this.port.postMessage(report);
  }

  /** Ends the download before it is complete. */
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
  // Everything else goes to the server.
  if (!download) return;
  // No `waitUntil`: Chromium ends a worker whose event lasts longer than five minutes.
  event.respondWith(download.respond());
});
