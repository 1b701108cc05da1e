import { extensionOf } from "../../file-kind";
import { imageSize } from "./image-size";

/** A larger file, or a picture of more pixels, is no thumbnail's worth: bytes, and pixels. */
export const LARGEST_FILE = 8 * 1024 * 1024;
const MOST_PIXELS = 50_000_000;
/** The longer side, pixels: enough for a tile on a sharp screen. */
const LONGER_SIDE = 320;

/** A drawing (SVG) can cost a browser any amount of work, unasked here: it is drawn only where somebody opens it. */
const types: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
};

const typeOf = (name: string) => types[extensionOf(name)];

export function mayHaveThumbnail({ name, size }: { name: string; size: number }): boolean {
  return typeOf(name) !== undefined && size > 0 && size <= LARGEST_FILE;
}

/** A small picture of an image. Rejects when it cannot be decoded, or is too large to be. */
export async function makeThumbnail(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const size = imageSize(bytes);
  if (!size || size.width * size.height > MOST_PIXELS) throw new RangeError("The picture is too large.");
  const scale = Math.min(LONGER_SIDE / Math.max(size.width, size.height), 1);
  // One side: an image that was taken with the camera on its side is turned, and its sides change places.
  const bitmap = await createImageBitmap(new Blob([bytes], { type: typeOf(name) }), {
    resizeWidth: Math.max(Math.round(size.width * scale), 1),
    resizeHeight: Math.max(Math.round(size.height * scale), 1),
    resizeQuality: "medium",
  });
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("No picture."))), "image/webp", 0.8);
  });
}
