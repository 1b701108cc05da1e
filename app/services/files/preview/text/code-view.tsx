import { runWorker } from "../../browse/run-worker";
import { useLoaded } from "../use-loaded";
import type { HighlightRequest, HighlightResponse } from "./highlight.worker";
import { TextBlocks } from "./text-blocks";

/** Longer texts have no colours, characters. */
const MAX_CODE_LENGTH = 200_000;
/** A text of the maximum length takes a sixth of this. */
const TIMEOUT_MS = 3_000;

/** Code as text, whose colours follow when a worker has found them. Without them, the text is shown as it is. */
export function CodeView({ text, language }: HighlightRequest) {
  const found = useLoaded(
    async (signal) => {
      if (text.length > MAX_CODE_LENGTH) return null;
      const request: HighlightRequest = { language, text };
      const pieces = await runWorker<HighlightResponse>("highlight", request, TIMEOUT_MS, signal);
      return pieces && { text, pieces };
    },
    [text, language],
  );
  const colored = found.state === "ready" ? found.value : null;
  // The colours of the text in another encoding are there until the next rendering.
  if (colored?.text !== text) return <TextBlocks text={text} />;
  return (
    // An element of its own: React takes seconds to insert thousands of children into an element that is on the screen already.
    <code>
      <TextBlocks text={text} pieces={colored.pieces} />
    </code>
  );
}
