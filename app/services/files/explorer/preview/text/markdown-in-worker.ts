import type { MarkdownResponse } from "./markdown.worker";
import type { MarkdownNode } from "./read-markdown";

/** A text of a million ordinary characters takes a tenth of this; what takes longer was made to. Milliseconds. */
const LONGEST = 3_000;

/**
 * Reads Markdown in a worker: there are texts that keep any Markdown parser busy for minutes.
 * @returns null for a text that takes too long, or has too much in it; it can be shown as it is written
 */
export async function markdownInWorker(text: string, signal: AbortSignal): Promise<MarkdownNode[] | null> {
  const { address } = await import("./markdown.worker");
  signal.throwIfAborted();
  const worker = new Worker(address, { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<MarkdownResponse>) =>
        resolve("nodes" in data ? data.nodes : null);
      worker.onerror = () => resolve(null);
      setTimeout(() => resolve(null), LONGEST);
      signal.addEventListener("abort", () => reject(signal.reason));
      worker.postMessage(text);
    });
  } finally {
    worker.terminate();
  }
}
