/** Number of animation frames that a scrolled list may take to render its rows. */
const MAX_FRAMES = 20;

/**
 * Scrolls a row into view.
 * @param index in the whole list of `count` rows
 * @param focus whether the row gets the focus
 */
export function scrollToRow(index: number, count: number, focus: boolean, frames = MAX_FRAMES): void {
  const list = document.querySelector<HTMLElement>(".list");
  const row = list?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row) {
    if (focus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    return;
  }
  // Long lists are windowed: scroll to where the row will be rendered.
  if (list) list.scrollTop = (index / count) * list.scrollHeight - list.clientHeight / 2;
  if (frames > 0) requestAnimationFrame(() => scrollToRow(index, count, focus, frames - 1));
}
