import { resolve } from "node:path";
import { LRUCache } from "lru-cache";
import workerpool from "workerpool";
import { AppError, invalidRequest } from "../shared/app-error";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import type { MarkdownTask, MarkdownTemplates, RenderedMarkdown } from "./markdown.server";
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

/** UTF-16 code units of texts and their HTML that are cached, for each theme and direction. The jobs of a campaign have the same text. */
const MAX_CACHED_LENGTH = 2_000_000;

/** Renders Markdown in worker threads, so that a costly text holds up no other request. */
export interface MarkdownPool {
  /**
   * Renders a text, or returns what it has rendered of the same text before.
   * @throws AppError `invalid_request` at the task's member when the text takes longer than a second or nests too deeply for the
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
  /** for each theme and direction */
  const caches = new WeakMap<MarkdownTemplates, LRUCache<string, RenderedMarkdown>>();

  function cacheOf(templates: MarkdownTemplates): LRUCache<string, RenderedMarkdown> {
    let cache = caches.get(templates);
    if (cache === undefined) {
      cache = new LRUCache({
        maxSize: MAX_CACHED_LENGTH,
        sizeCalculation: ({ html, text }, markdown) => markdown.length + html.length + text.length,
      });
      caches.set(templates, cache);
    }
    return cache;
  }

  async function render(task: MarkdownTask, context: CallContext): Promise<RenderedMarkdown> {
    const cache = cacheOf(task.templates);
    const cached = cache.get(task.markdown);
    if (cached !== undefined) return cached;
    const rendered = await renderInThread(task, context);
    cache.set(task.markdown, rendered);
    return rendered;
  }

  async function renderInThread(task: MarkdownTask, context: CallContext): Promise<RenderedMarkdown> {
    if (texts >= MAX_TEXTS) throw tooMany();
    texts++;
    // Called once a thread has the text. By then, `rendering` is set.
    const started = () => void rendering.timeout(RENDER_TIMEOUT_MS);
    const rendering = pool.exec<RenderInWorker>("render", [task], { on: started });
    const deadline = setTimeout(() => rendering.cancel(), timeLeft(Number.POSITIVE_INFINITY, context));
    try {
      const rendered = await rendering;
      if (rendered === null) throw tooCostly(task);
      return rendered;
    } catch (error) {
      if (error instanceof workerpool.Promise.TimeoutError) throw tooCostly(task);
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

function tooCostly({ member }: MarkdownTask): AppError {
  const message =
    "takes too long to render; use fewer marks (like *, _, [ or >) in one paragraph, and nest fewer lists and quotes";
  return invalidRequest([{ path: member, message }]);
}
