/** A worker that decodes HEIC pictures. `npm run build:assets` makes `/embed-workers/heic.js` of it. */

import openLibrary from "libheif-js/libheif-wasm/libheif-bundle.mjs";
import { answerMessages } from "../answer-messages";
import type { Refusal } from "../run-worker";

export type HeicResponse = { picture: Blob } | { refusal: Refusal };

/** A small file can be a huge picture. */
const MAX_PIXELS = 50_000_000;
/** Of the JPEG that the page shows. */
const QUALITY = 0.92;

answerMessages<{ bytes: Uint8Array; maxSide?: number }, HeicResponse>(
  async ({ bytes, maxSide }) => ({ picture: await draw(await decode(bytes), maxSide) }),
  (error) => ({ refusal: error instanceof RangeError ? "too-complex" : "damaged" }),
);

/**
 * Decodes the main picture of a HEIC file, turned as the file says.
 * @throws RangeError for too many pixels, Error for a damaged file
 */
async function decode(bytes: Uint8Array): Promise<ImageData> {
  const library = openLibrary();
  const images = new library.HeifDecoder().decode(bytes);
  const image = images.find((each) => each.is_primary()) ?? images[0];
  if (!image) throw new Error("There is no picture in the file.");
  const width = image.get_width();
  const height = image.get_height();
  if (width * height > MAX_PIXELS) throw new RangeError("The picture has too many pixels.");
  const pixels = new ImageData(width, height);
  return new Promise((resolve, reject) => {
    image.display(pixels, (drawn) => (drawn ? resolve(pixels) : reject(new Error("It cannot be decoded."))));
  });
}

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
