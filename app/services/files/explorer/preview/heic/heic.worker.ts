/** A worker that decodes HEIC pictures. `npm run build:assets` makes `/embed-workers/heic.js` of it. */
import { readHeic } from "./read-heic";

export type HeicResponse = { picture: Blob } | { refusal: "too-large" | "damaged" };

const post = postMessage as (message: HeicResponse) => void;

/** Of the JPEG that the page shows. */
const QUALITY = 0.92;

addEventListener("message", async ({ data }: MessageEvent<{ bytes: Uint8Array; maxSide?: number }>) => {
  try {
    const pixels = await readHeic(data.bytes);
    const picture = await draw(pixels, data.maxSide);
    post({ picture });
  } catch (error) {
    post({ refusal: error instanceof RangeError ? "too-large" : "damaged" });
  }
});

/** @param maxSide of the picture, pixels; it is made smaller to fit */
async function draw(pixels: ImageData, maxSide = Number.POSITIVE_INFINITY): Promise<Blob> {
  const scale = Math.min(maxSide / Math.max(pixels.width, pixels.height), 1);
  const bitmap = await createImageBitmap(pixels);
  const canvas = new OffscreenCanvas(
    Math.max(Math.round(pixels.width * scale), 1),
    Math.max(Math.round(pixels.height * scale), 1),
  );
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
}
