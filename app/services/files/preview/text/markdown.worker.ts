/** A worker that parses Markdown. `npm run build:assets` makes `/embed-workers/markdown.js` of it. */
import { type MarkdownNode, readMarkdown } from "./read-markdown";

/** null: the text is too complex */
export type MarkdownResponse = MarkdownNode[] | null;

const post = postMessage as (message: MarkdownResponse) => void;

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    post(readMarkdown(data));
  } catch {
    // Too many elements, or nested too deeply for the stack.
    post(null);
  }
});
