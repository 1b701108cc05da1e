/** How long the store may take to begin, milliseconds. */
const KEEP = 60_000;

/**
 * Has the browser save what `url` answers with, under the name in its Content-Disposition. In a frame of its own:
 * should the store refuse, its answer must not replace the explorer, and the hosting page's policy on what this
 * frame may show stays out of it.
 */
export function startDownload(url: string): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = url;
  document.body.append(frame);
  setTimeout(() => frame.remove(), KEEP);
}
