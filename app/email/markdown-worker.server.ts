/** The script of a worker thread, started by `markdown-pool.server.ts`. The build makes `build/markdown-worker.js` of it. */
import workerpool from "workerpool";
import { type MarkdownTask, type RenderedMarkdown, renderMarkdown } from "./markdown.server";

/** @returns null when lists, quotes or emphasis are nested too deeply for the stack */
function render(task: MarkdownTask): RenderedMarkdown | null {
  // The time limit starts now: neither waiting for a thread nor starting one counts.
  workerpool.workerEmit("started");
  try {
    return renderMarkdown(task);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export type RenderInWorker = typeof render;

workerpool.worker({ render });
