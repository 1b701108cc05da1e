/** A worker that reads SVGs. `npm run build:assets` makes `/embed-workers/drawing.js` of it. */

import { answerMessages } from "../../answer-messages";
import { decodeXml } from "../../decode-text";
import type { Refusal } from "../../run-worker";
import { PREVIEW_LIMITS, readDrawing, THUMBNAIL_LIMITS } from "./read-drawing";

export interface DrawingRequest {
  bytes: Uint8Array;
  place: "thumbnail" | "preview";
}
/** An SVG that is cheap to render, in UTF-8. */
export type DrawingResponse = { drawing: Blob } | { refusal: Refusal };

answerMessages<DrawingRequest, DrawingResponse>(
  ({ bytes, place }) => {
    const svg = decodeXml(bytes);
    const drawing = readDrawing(svg, place === "thumbnail" ? THUMBNAIL_LIMITS : PREVIEW_LIMITS);
    return { drawing: new Blob([drawing], { type: "image/svg+xml" }) };
  },
  (error) => ({ refusal: error instanceof RangeError ? "too-complex" : "damaged" }),
);
