/** What a state, such as an empty folder, needs, CSS pixels. */
const STATE_HEIGHT = 320;

/** The height at which the explorer would show every row without scrolling, CSS pixels. */
export function contentHeight(explorer: HTMLElement): number {
  const heightOf = (selector: string) => explorer.querySelector<HTMLElement>(selector)?.offsetHeight;
  return explorer.offsetHeight - (heightOf(".main") ?? 0) + (heightOf(".grid") ?? STATE_HEIGHT);
}
