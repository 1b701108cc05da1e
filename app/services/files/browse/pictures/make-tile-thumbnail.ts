import { refusalOfMedia } from "../refusal-of-media";
import { runWorker } from "../run-worker";
import type { HeicResponse } from "./heic.worker";
import { MAX_PIXELS, MAX_SIDE_PX, tileThumbnailKind, toPicture } from "./make-thumbnail";
import { type OpenPdf, openPdf } from "./open-pdf.client";

interface Source {
  name: string;
  url: string;
  /** the whole file */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** For one thumbnail. The next file waits meanwhile. */
const TIMEOUT_MS = 10_000;

/** Makes the thumbnail of a film, a PDF or a HEIC photo. Rejects if there is none, and when it takes too long. */
export async function makeTileThumbnail({ name, url, read }: Source, signal: AbortSignal): Promise<Blob> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  switch (tileThumbnailKind(name)) {
    case "film":
      return filmPicture(url, ended);
    case "pdf":
      return pagePicture(await read(), ended);
    case "heic":
      return photoPicture(await read(), ended);
    default:
      throw new Error("There is nothing to show.");
  }
}

/** Films often begin in black. Seconds. */
const FILM_POSITION = 2;

/** A picture from the beginning of a film. The browser reads the ranges that it needs. */
async function filmPicture(url: string, signal: AbortSignal): Promise<Blob> {
  if (await refusalOfMedia(url, signal)) throw new Error("There is nothing to show.");
  const film = document.createElement("video");
  film.muted = true;
  film.playsInline = true;
  // A canvas gives no picture of a film that was read without CORS.
  film.crossOrigin = "anonymous";
  film.preload = "auto";
  try {
    const measured = event(film, "loadedmetadata", signal);
    film.src = url;
    await measured;
    const { videoWidth, videoHeight, duration } = film;
    if (videoWidth * videoHeight > MAX_PIXELS) throw new RangeError("The film is too large.");
    const placed = event(film, "seeked", signal);
    film.currentTime = Number.isFinite(duration) ? Math.min(FILM_POSITION, duration / 4) : 0;
    await placed;
    const scale = Math.min(MAX_SIDE_PX / Math.max(videoWidth, videoHeight), 1);
    return await toPicture(film, videoWidth * scale, videoHeight * scale);
  } finally {
    // It would go on loading.
    film.removeAttribute("src");
    film.load();
  }
}

function event(
  film: HTMLVideoElement,
  name: "loadedmetadata" | "seeked",
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    film.addEventListener(name, () => resolve(), { once: true });
    film.addEventListener("error", () => reject(film.error), { once: true });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The first page of a PDF. */
async function pagePicture(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Blob> {
  const done = new AbortController();
  try {
    return await drawFirstPage(await openPdf(bytes, AbortSignal.any([signal, done.signal])));
  } finally {
    // Ends its worker.
    done.abort();
  }
}

async function drawFirstPage({ firstPage: page, untilEnded }: OpenPdf): Promise<Blob> {
  const natural = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: MAX_SIDE_PX / Math.max(natural.width, natural.height) });
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(viewport.width), 1);
  canvas.height = Math.max(Math.round(viewport.height), 1);
  await untilEnded(page.render({ canvas, viewport }).promise);
  return toPicture(canvas, canvas.width, canvas.height);
}

async function photoPicture(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Blob> {
  const request = { bytes, maxSide: MAX_SIDE_PX };
  const response = await runWorker<HeicResponse>("heic", request, TIMEOUT_MS, signal);
  if (response === null || "refusal" in response) throw new Error("There is nothing to show.");
  return response.picture;
}
