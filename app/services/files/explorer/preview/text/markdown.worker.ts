import { type MarkdownNode, readMarkdown } from "./read-markdown";

export type MarkdownResponse = { nodes: MarkdownNode[] } | { failed: true };

/** Address of this module. The page imports it to learn the address, and starts it as a worker: the compiler has no syntax for workers. */
export const address = import.meta.url;

declare const WorkerGlobalScope: (new () => unknown) | undefined;

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  const post = postMessage as (message: MarkdownResponse) => void;
  addEventListener("message", ({ data }: MessageEvent<string>) => {
    try {
      post({ nodes: readMarkdown(data) });
    } catch {
      post({ failed: true });
    }
  });
}
