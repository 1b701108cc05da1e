/** How long the browser may take to start saving. */
const SAVE_TIMEOUT_MS = 60_000;

/** Lets the browser save a blob. */
export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVE_TIMEOUT_MS);
}
