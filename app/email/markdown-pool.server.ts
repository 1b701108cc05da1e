import { resolve } from "node:path";
import workerpool from "workerpool";
import { AppError, invalidRequest } from "../shared/app-error";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import type { MarkdownTask, RenderedMarkdown } from "./markdown.server";
import type { RenderInWorker } from "./markdown-worker.server";

/** Like the rest of the build, it is looked up in the folder where the server starts. */
const WORKER_SCRIPT = "build/markdown-worker.js";
const MAX_THREADS = 2;
/** How many texts may be rendered or wait for a thread. The last of them waits for a second or two, if none is costly. */
const MAX_TEXTS = 100;
/**
 * How long one text may take. A long newsletter takes 0.03 s, and a Japanese one in a single paragraph with 1,400 marked words 0.2 s.
 * A text made of marks alone, such as `*a_` repeated, takes 4 s, and some take more than a minute: `marked` looks at the rest of a
 * paragraph, list or quote again for each mark.
 */
const RENDER_TIMEOUT_MS = 1_000;
/** How long a thread may take to end by itself before it is terminated. It has nothing to save. */
const TERMINATE_TIMEOUT_MS = 1;

/** Renders Markdown in worker threads, so that a costly text holds up no other request. */
export interface MarkdownPool {
  /**
   * @throws AppError `invalid_request` at `description` when the text takes longer than a second or nests too deeply for the
   *   stack, `unavailable` when no thread was free within the request's time, or too many texts are waiting
   */
  render(task: MarkdownTask, context: CallContext): Promise<RenderedMarkdown>;
  /** Ends the threads, and whatever they are rendering. */
  close(): Promise<void>;
}

/** Starts no thread yet: that happens with the first text. */
export function createMarkdownPool(): MarkdownPool {
  const pool = workerpool.pool(resolve(WORKER_SCRIPT), {
    workerType: "thread",
    maxWorkers: MAX_THREADS,
    workerTerminateTimeout: TERMINATE_TIMEOUT_MS,
  });
  let texts = 0;

  async function render(task: MarkdownTask, context: CallContext): Promise<RenderedMarkdown> {
    if (texts >= MAX_TEXTS) throw tooMany();
    texts++;
    // Called only after `rendering` is assigned, when a thread begins with the text.
    const started = () => void rendering.timeout(RENDER_TIMEOUT_MS);
    const rendering = pool.exec<RenderInWorker>("render", [task], { on: started });
    const deadline = setTimeout(() => rendering.cancel(), timeLeft(Number.POSITIVE_INFINITY, context));
    try {
      const rendered = await rendering;
      if (rendered === null) throw tooCostly();
      return rendered;
    } catch (error) {
      if (error instanceof workerpool.Promise.TimeoutError) throw tooCostly();
      throw error instanceof workerpool.Promise.CancellationError ? tooMany() : error;
    } finally {
      clearTimeout(deadline);
      texts--;
    }
  }

  return { render, close: async () => void (await pool.terminate(true)) };
}

function tooMany(): AppError {
  return new AppError("unavailable", "Too many e-mails are being rendered. Try again later.", {
    retryAfterSeconds: 5,
  });
}

function tooCostly(): AppError {
  const message =
    "takes too long to render; use fewer marks (like *, _, [ or >) in one paragraph, and nest fewer lists and quotes";
  return invalidRequest([{ path: "description", message }]);
}
