/**
 * The media type that a stored object may be shown with on the store's origin. Whatever could run a script there (HTML, SVG, any XML,
 * JavaScript) gets an opaque type, which browsers save or ignore and never run. docs/decisions/0040-stored-content-is-never-run.md
 */

export const OPAQUE_TYPE = "application/octet-stream";

/** Subtypes with `+` are left out: `image/svg+xml`, like any type that ends in `+xml`, is a document that can have scripts. */
const HARMLESS = /^(?:(?:image|audio|video)\/[a-z0-9.-]+|application\/pdf|text\/plain)$/;
/** A playlist, such as `audio/mpegurl`, names addresses to load from. Whether a browser's own player asks the page's policy is up to the browser. */
const PLAYLIST = /mpegurl$/;
/** The types that stores use when none was given. */
const GENERIC = new Set(["", "binary/octet-stream", OPAQUE_TYPE]);
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

/** @param stored the type that the object was stored with; undefined for none */
export function harmlessType(stored: string | undefined, fileName: string): string {
  const [essence = "", ...parameters] = (stored ?? "").split(";");
  const type = essence.trim().toLowerCase();
  if (GENERIC.has(type)) {
    const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
    return Object.hasOwn(typeByExtension, extension)
      ? (typeByExtension[extension] ?? OPAQUE_TYPE)
      : OPAQUE_TYPE;
  }
  if (!HARMLESS.test(type) || PLAYLIST.test(type)) return OPAQUE_TYPE;
  const charset = type === "text/plain" && parameters.length === 1 && CHARSET.exec(parameters[0] ?? "");
  return charset ? `${type}; charset=${charset[1]}` : type;
}
