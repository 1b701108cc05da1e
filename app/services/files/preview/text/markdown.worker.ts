/** A worker that parses Markdown. `npm run build:assets` makes `/embed-workers/markdown.js` of it. */
import { answerMessages } from "../../browse/answer-messages";
import { type MarkdownNode, readMarkdown } from "./read-markdown";

/** null: the text is too complex */
export type MarkdownResponse = MarkdownNode[] | null;

// Too many elements, or nested too deeply for the stack.
answerMessages<string, MarkdownResponse>(readMarkdown, () => null);
