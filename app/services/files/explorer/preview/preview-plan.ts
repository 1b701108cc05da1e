import { extensionOf, fileKind } from "../file-kind";

/** Beyond these a preview costs more than it shows, bytes. A text is cut there; the others are not shown. */
export const IMAGE_LIMIT = 20_000_000;
export const PDF_LIMIT = 50_000_000;
export const TEXT_LIMIT = 1_000_000;

export type PreviewPlan =
  | { show: "image" | "pdf" | "text" }
  | { show: "nothing"; because: "no-preview" }
  | { show: "nothing"; because: "too-large"; limit: number };

/** Images that every browser of today can decode. */
const drawable = new Set(["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "bmp", "ico"]);
const textTables = new Set(["csv", "tsv"]);
/** Files without an extension that are text by long custom. */
const textNames = /^(readme|license|licence|makefile|dockerfile|changelog|\.\w+(rc|ignore|env)?)$/i;

/** How to show a file of this name and size (bytes). */
export function planPreview(name: string, size: number): PreviewPlan {
  const extension = extensionOf(name);
  const kind = fileKind(name);
  if (drawable.has(extension)) return upTo(IMAGE_LIMIT, size, "image");
  if (kind === "pdf") return upTo(PDF_LIMIT, size, "pdf");
  if (kind === "text" || kind === "code" || textTables.has(extension) || textNames.test(name)) {
    return { show: "text" };
  }
  return { show: "nothing", because: "no-preview" };
}

function upTo(limit: number, size: number, show: "image" | "pdf"): PreviewPlan {
  return size > limit ? { show: "nothing", because: "too-large", limit } : { show };
}
