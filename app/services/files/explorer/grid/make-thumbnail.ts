import { extensionOf, fileKind } from "../file-kind";
import type { DrawingRequest, DrawingResponse } from "../preview/drawing/drawing.worker";
import { runWorker } from "../preview/run-worker";

/** Where a thumbnail is shown. Those of PDFs, films and HEIC photos cost more, and are made for tiles only. */
export type ThumbnailPlace = "row" | "tile";

/** Larger files and images get no thumbnail. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;
export const MAX_PIXELS = 50_000_000;
/** Of the thumbnail, pixels: enough for a tile on a high-resolution screen. */
export const MAX_SIDE_PX = 320;

/** Maximum size of an SVG. */
const MAX_DRAWING_BYTES = 256 * 1024;

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
  const largest = extensionOf(name) === "svg" ? MAX_DRAWING_BYTES : MAX_FILE_BYTES;
  return typeOf(name) !== undefined && size > 0 && size <= largest;
}

/** Whether the browser can make a thumbnail that costs more than an image's. Films are not read whole, so their size does not matter. */
export function mayHaveTileThumbnail({ name, size }: { name: string; size: number }): boolean {
  const kind = tileThumbnailKind(name);
  return kind === "film" ? size > 0 : kind !== null && size > 0 && size <= MAX_FILE_BYTES;
}

export function tileThumbnailKind(name: string): "film" | "pdf" | "heic" | null {
  const kind = fileKind(name);
  if (kind === "video") return "film";
  if (kind === "pdf") return "pdf";
  return ["heic", "heif"].includes(extensionOf(name)) ? "heic" : null;
}

/** Makes a thumbnail. Rejects when the image cannot be decoded or is too large, and with the signal's reason. */
export async function makeThumbnail(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Blob> {
  if (extensionOf(name) === "svg") return drawDrawing(bytes, signal);
  const size = imageSize(bytes);
  if (!size || size.width * size.height > MAX_PIXELS) throw new RangeError("The picture is too large.");
  const scale = Math.min(MAX_SIDE_PX / Math.max(size.width, size.height), 1);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: typeOf(name) }), {
    resizeWidth: Math.max(Math.round(size.width * scale), 1),
    resizeHeight: Math.max(Math.round(size.height * scale), 1),
    resizeQuality: "medium",
  });
  const picture = await toPicture(bitmap, bitmap.width, bitmap.height);
  bitmap.close();
  return picture;
}

/** For one drawing; a usual one takes a hundredth of this. */
const DRAWING_TIMEOUT_MS = 5_000;

/** Renders an SVG as an `img`, in the page's own process. So a worker first writes one that is cheap to render. */
async function drawDrawing(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Blob> {
  const request: DrawingRequest = { bytes, place: "thumbnail" };
  const response = await runWorker<DrawingResponse>("drawing", request, DRAWING_TIMEOUT_MS, signal);
  if (response === null || "refusal" in response)
    throw new RangeError("The drawing may be expensive to render.");
  const url = URL.createObjectURL(response.drawing);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = MAX_SIDE_PX / Math.max(image.naturalWidth, image.naturalHeight);
    return await toPicture(image, image.naturalWidth * scale, image.naturalHeight * scale);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function toPicture(image: CanvasImageSource, width: number, height: number): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(width), 1);
  canvas.height = Math.max(Math.round(height), 1);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("No picture."))), "image/webp", 0.8);
  });
}

interface ImageSize {
  width: number;
  height: number;
}

/**
 * The size of an image in pixels, read from its header; null if unknown. A small file may be a huge image, so the size must be known before
 * decoding.
 */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (startsWith(bytes, "\x89PNG")) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (startsWith(bytes, "GIF8")) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (startsWith(bytes, "BM"))
      return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
    if (startsWith(bytes, "\xff\xd8")) return jpegSize(view);
    if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return webpSize(bytes, view);
    return startsWith(bytes, "ftypavi", 4) ? avifSize(bytes, view) : null;
  } catch {
    // The file is truncated.
    return null;
  }
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

/** From the first frame header. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return null;
}

function webpSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  const uint24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (startsWith(bytes, "VP8X", 12)) return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (startsWith(bytes, "VP8L", 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (!startsWith(bytes, "VP8 ", 12)) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** From the first `ispe` box, which encoders write for the whole image. */
function avifSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  const end = Math.min(bytes.length, 4_096);
  for (let at = 0; at < end; at++) {
    if (startsWith(bytes, "ispe", at))
      return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
  }
  return null;
}
