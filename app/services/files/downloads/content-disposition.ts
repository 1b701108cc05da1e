import { percentEncode } from "../../../shared/percent-encode";

/**
 * A `Content-Disposition` header with the exact file name in `filename*`, and an ASCII form of it in `filename` for programs that do not
 * know `filename*`. RFC 6266, RFC 8187.
 */
export function contentDisposition(type: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["%\\]/g, "_");
  return `${type}; filename="${ascii}"; filename*=UTF-8''${percentEncode(fileName)}`;
}
