/** Whether the page is laid out from right to left. In the browser alone. */
export const isRightToLeft = () => document.documentElement.dir === "rtl";

/** The arrow keys that go out of a folder and into one, or on and back: as one reads. */
export function sideways(): { up: string; down: string } {
  const [up, down] = ["ArrowLeft", "ArrowRight"] as const;
  return isRightToLeft() ? { up: down, down: up } : { up, down };
}
