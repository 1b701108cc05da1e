import { percentEncode } from "../../percent-encode";

/**
 * A `Content-Disposition` value that gives a download its exact name: `filename*` for today's browsers, and an ASCII
 * `filename` for what does not read that. RFC 6266, RFC 8187.
 */
export function contentDisposition(type: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["%\\]/g, "_");
  return `${type}; filename="${ascii}"; filename*=UTF-8''${percentEncode(fileName)}`;
}
