/**
 * What a stored object may be shown as when somebody opens it from the store's origin. Whatever could run a script there (HTML,
 * SVG, any XML, JavaScript) is handed over as mere bytes, which a browser saves or ignores, and never runs.
 * docs/decisions/0040-stored-scripts-never-run.md
 */

export const MERE_BYTES = "application/octet-stream";

/** No `+` in a subtype: `image/svg+xml`, and any other type that ends in `+xml`, is a document with scripts. */
const HARMLESS = /^(?:(?:image|audio|video)\/[a-z0-9.-]+|application\/pdf|text\/plain)$/;
/** Types that say nothing: what stores write when they were told no type. */
const GENERIC = new Set(["", "binary/octet-stream", MERE_BYTES]);
const CHARSET = /^\s*charset="?([a-z0-9._-]{1,40})"?\s*$/i;

const typeByExtension: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  pdf: "application/pdf",
  txt: "text/plain",
  log: "text/plain",
  mp4: "video/mp4",
  m4v: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  wav: "audio/wav",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  opus: "audio/ogg",
  flac: "audio/flac",
};

/** The media type to show an object of this name as, which was stored as `stored`; undefined means with none. */
export function harmlessType(stored: string | undefined, fileName: string): string {
  const [essence = "", ...parameters] = (stored ?? "").split(";");
  const type = essence.trim().toLowerCase();
  if (GENERIC.has(type)) {
    const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
    return Object.hasOwn(typeByExtension, extension)
      ? (typeByExtension[extension] ?? MERE_BYTES)
      : MERE_BYTES;
  }
  if (!HARMLESS.test(type)) return MERE_BYTES;
  const charset = type === "text/plain" && parameters.length === 1 && CHARSET.exec(parameters[0] ?? "");
  return charset ? `${type}; charset=${charset[1]}` : type;
}
