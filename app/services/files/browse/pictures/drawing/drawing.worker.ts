/** A worker that reads SVGs. `npm run build:assets` makes `/embed-workers/drawing.js` of it. */

import { decodeXml } from "../../decode-text";
import type { Refusal } from "../../run-worker";
import { PREVIEW_LIMITS, readDrawing, THUMBNAIL_LIMITS } from "./read-drawing";

export interface DrawingRequest {
  bytes: Uint8Array;
  place: "thumbnail" | "preview";
}
/** An SVG that is cheap to render, in UTF-8. */
export type DrawingResponse = { drawing: Blob } | { refusal: Refusal };

const post = postMessage as (message: DrawingResponse) => void;

addEventListener("message", ({ data: { bytes, place } }: MessageEvent<DrawingRequest>) => {
  try {
    const svg = decodeXml(bytes);
    const drawing = readDrawing(svg, place === "thumbnail" ? THUMBNAIL_LIMITS : PREVIEW_LIMITS);
    post({ drawing: new Blob([drawing], { type: "image/svg+xml" }) });
  } catch (error) {
    post({ refusal: error instanceof RangeError ? "too-complex" : "damaged" });
  }
});
