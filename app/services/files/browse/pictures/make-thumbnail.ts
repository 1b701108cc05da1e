import { extensionOf, fileKind } from "../file-kind";
import { runWorker } from "../run-worker";
import type { DrawingRequest, DrawingResponse } from "./drawing/drawing.worker";
import { imageSize } from "./image-size";

/** Where a thumbnail is shown. Those of PDFs, films and HEIC photos cost more, and are made for tiles only. */
export type ThumbnailPlace = "row" | "tile";

/** Larger files and images get no thumbnail. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;
export const MAX_PIXELS = 50_000_000;
/** Of the thumbnail, pixels: enough for a tile on a high-resolution screen. */
export const MAX_SIDE_PX = 320;

/** Maximum size of an SVG. */
const MAX_DRAWING_BYTES = 256 * 1024;

const types = new Map(
  Object.entries({
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    avif: "image/avif",
    bmp: "image/bmp",
    svg: "image/svg+xml",
  }),
);

const typeOf = (name: string) => types.get(extensionOf(name));

/** The media type of a picture that browsers draw. */
export const imageTypeOf = (name: string) => typeOf(name) ?? "image/x-icon";

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
