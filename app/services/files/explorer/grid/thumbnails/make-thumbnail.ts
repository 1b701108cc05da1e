import { extensionOf } from "../../file-kind";
import { imageSize } from "./image-size";

/** A larger file, or a picture of more pixels, is no thumbnail's worth: bytes, and pixels. */
export const LARGEST_FILE = 8 * 1024 * 1024;
const MOST_PIXELS = 50_000_000;
/** The longer side, pixels: enough for a tile on a sharp screen. */
const LONGER_SIDE = 320;

/** Of a drawing: its text, bytes. */
const LARGEST_DRAWING = 256 * 1024;

const types: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  svg: "image/svg+xml",
};

const typeOf = (name: string) => types[extensionOf(name)];

export function mayHaveThumbnail({ name, size }: { name: string; size: number }): boolean {
  const largest = extensionOf(name) === "svg" ? LARGEST_DRAWING : LARGEST_FILE;
  return typeOf(name) !== undefined && size > 0 && size <= largest;
}

/** A small picture of an image. Rejects when it cannot be decoded, or is too large to be. */
export async function makeThumbnail(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  if (extensionOf(name) === "svg") return drawDrawing(bytes);
  const size = imageSize(bytes);
  if (!size || size.width * size.height > MOST_PIXELS) throw new RangeError("The picture is too large.");
  const scale = Math.min(LONGER_SIDE / Math.max(size.width, size.height), 1);
  // One side: an image that was taken with the camera on its side is turned, and its sides change places.
  const bitmap = await createImageBitmap(new Blob([bytes], { type: typeOf(name) }), {
    resizeWidth: Math.max(Math.round(size.width * scale), 1),
    resizeHeight: Math.max(Math.round(size.height * scale), 1),
    resizeQuality: "medium",
  });
  const picture = await toPicture(bitmap, bitmap.width, bitmap.height);
  bitmap.close();
  return picture;
}

/** As an `img`, which runs no script that a drawing may hold, loads nothing that it refers to, and becomes pixels here. */
async function drawDrawing(bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  if (!isPlainDrawing(new TextDecoder().decode(bytes))) throw new RangeError("The drawing may be much work.");
  const url = URL.createObjectURL(new Blob([bytes], { type: types.svg }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = LONGER_SIDE / Math.max(image.naturalWidth, image.naturalHeight);
    return await toPicture(image, image.naturalWidth * scale, image.naturalHeight * scale);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function toPicture(image: CanvasImageSource, width: number, height: number): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(width), 1);
  canvas.height = Math.max(Math.round(height), 1);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("No picture."))), "image/webp", 0.8);
  });
}

/**
 * A few bytes of a drawing can ask a browser for any amount of work, and nobody has opened it: one that repeats its parts, filters them,
 * moves or holds other documents keeps its icon.
 */
export const isPlainDrawing = (svg: string): boolean =>
  !/<!ENTITY|<(?:\w+:)?(?:use|pattern|filter|mask|marker|image|foreignObject|animate\w*|set|script|style)\b/i.test(
    svg,
  );
