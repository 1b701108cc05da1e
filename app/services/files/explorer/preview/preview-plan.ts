import { extensionOf, fileKind } from "../file-kind";

/** Beyond these a preview costs more than it shows, bytes. A text is cut there; the others are not shown. */
export const IMAGE_LIMIT = 20_000_000;
export const PDF_LIMIT = 50_000_000;
export const TEXT_LIMIT = 1_000_000;

/** What a text can be shown as. */
export type TextForm = "plain" | "table" | "json" | "markdown";

export type PreviewPlan =
  | { show: "image" | "pdf" | "video" | "audio" }
  | { show: "text"; form: TextForm }
  | { show: "nothing"; because: "no-preview" | "empty" }
  | { show: "nothing"; because: "too-large"; limit: number };

/** Images that every browser of today can decode. */
const drawable = new Set(["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "bmp", "ico"]);
const forms: Record<string, TextForm> = {
  csv: "table",
  tsv: "table",
  json: "json",
  md: "markdown",
  markdown: "markdown",
};
/** Files without an extension that are text by long custom. */
const textNames = /^(readme|license|licence|makefile|dockerfile|changelog|\.\w+(rc|ignore|env)?)$/i;

/** How to show a file of this name and size (bytes). */
export function planPreview(name: string, size: number): PreviewPlan {
  if (size === 0) return { show: "nothing", because: "empty" };
  const extension = extensionOf(name);
  const kind = fileKind(name);
  if (drawable.has(extension)) return upTo(IMAGE_LIMIT, size, "image");
  if (kind === "pdf") return upTo(PDF_LIMIT, size, "pdf");
  // Read as it is played: however large it is.
  if (kind === "video" || kind === "audio") return { show: kind };
  const form = Object.hasOwn(forms, extension) ? forms[extension] : undefined;
  if (form) return { show: "text", form };
  if (kind === "text" || kind === "code" || textNames.test(name)) return { show: "text", form: "plain" };
  return { show: "nothing", because: "no-preview" };
}

function upTo(limit: number, size: number, show: "image" | "pdf"): PreviewPlan {
  return size > limit ? { show: "nothing", because: "too-large", limit } : { show };
}
