import { type MarkdownNode, readMarkdown } from "./read-markdown";

export type MarkdownResponse = { nodes: MarkdownNode[] } | { failed: true };

/** Where this module was loaded from: the page starts it once more as a worker, which can be ended when a text takes too long. */
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
