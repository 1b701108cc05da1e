/** How long the browser may take to begin with saving, milliseconds. */
const SAVE_LIMIT = 60_000;

/** Has the browser save what is in memory. */
export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVE_LIMIT);
}
