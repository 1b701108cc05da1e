import { drawableFormats } from "../browse/content-format";
import { extensionOf, fileKind } from "../browse/file-kind";

/** Larger images, PDFs and office files are not previewed; longer texts are cut. */
export const MAX_IMAGE_BYTES = 20_000_000;
export const MAX_PDF_BYTES = 50_000_000;
export const MAX_OFFICE_BYTES = 20_000_000;
export const MAX_TEXT_BYTES = 1_000_000;

/** How a text is shown. */
export type TextForm = "plain" | "table" | "json" | "markdown";

/** The format of a spreadsheet: Excel's or LibreOffice's. */
export type SheetForm = "xlsx" | "ods";

export type PreviewPlan =
  | { show: "image" | "heic" | "pdf" | "document" | "video" | "audio" | "archive" }
  | { show: "sheet"; form: SheetForm }
  | { show: "text"; form: TextForm }
  /** only why there is no preview */
  | { show: "empty" }
  /** the name does not tell: what the content tells */
  | { show: "unknown" }
  | { show: "too-large"; limit: number };

/** Image formats that all supported browsers decode. */
const drawable = new Set(["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "bmp", "ico"]);
/** Decoded by us: only Safari knows them. */
const highEfficiency = new Set(["heic", "heif"]);
const documents = new Set(["docx", "docm"]);
const sheets = new Map<string, SheetForm>([
  ["xlsx", "xlsx"],
  ["xlsm", "xlsx"],
  ["ods", "ods"],
]);
const texts = new Map<string, TextForm>([
  ["csv", "table"],
  ["tsv", "table"],
  ["json", "json"],
  ["md", "markdown"],
  ["markdown", "markdown"],
]);
/** Conventional names of text files without an extension. */
const textNames = /^(readme|license|licence|makefile|dockerfile|changelog|\.\w+(rc|ignore|env)?)$/i;

/** How to show a file of this name and size (bytes). */
export function planPreview(name: string, size: number): PreviewPlan {
  if (size === 0) return { show: "empty" };
  const upTo = (limit: number, plan: PreviewPlan) => limited(plan, size, limit);
  const extension = extensionOf(name);
  const kind = fileKind(name);
  if (drawable.has(extension)) return upTo(MAX_IMAGE_BYTES, { show: "image" });
  if (highEfficiency.has(extension)) return upTo(MAX_IMAGE_BYTES, { show: "heic" });
  if (kind === "pdf") return upTo(MAX_PDF_BYTES, { show: "pdf" });
  if (documents.has(extension)) return upTo(MAX_OFFICE_BYTES, { show: "document" });
  const sheet = sheets.get(extension);
  if (sheet) return upTo(MAX_OFFICE_BYTES, { show: "sheet", form: sheet });
  // Only its directory is read.
  if (extension === "zip") return { show: "archive" };
  // Streamed, so the size does not matter.
  if (kind === "video" || kind === "audio") return { show: kind };
  const form = texts.get(extension);
  if (form) return { show: "text", form };
  if (kind === "text" || kind === "code" || textNames.test(name)) return { show: "text", form: "plain" };
  return { show: "unknown" };
}

function limited(plan: PreviewPlan, size: number, limit: number): PreviewPlan {
  return size > limit ? { show: "too-large", limit } : plan;
}

/** How to show a file whose content has another format than its name says, or whose name says none; null if it is not shown. */
export function planContent(
  format: string,
  { name, size }: { name: string; size: number },
): PreviewPlan | null {
  if (drawableFormats.has(format)) return limited({ show: "image" }, size, MAX_IMAGE_BYTES);
  switch (format) {
    case "HEIC":
      return limited({ show: "heic" }, size, MAX_IMAGE_BYTES);
    case "PDF":
      return limited({ show: "pdf" }, size, MAX_PDF_BYTES);
    case "Word":
      return limited({ show: "document" }, size, MAX_OFFICE_BYTES);
    case "Excel":
      return limited({ show: "sheet", form: "xlsx" }, size, MAX_OFFICE_BYTES);
    case "ODS":
      return limited({ show: "sheet", form: "ods" }, size, MAX_OFFICE_BYTES);
    case "ZIP":
      return { show: "archive" };
    case "MP4":
    case "QuickTime":
      return { show: "video" };
    case "HTML":
    case "XML":
    case "text":
      return { show: "text", form: fileKind(name) === "table" ? "table" : "plain" };
    default:
      return null;
  }
}
