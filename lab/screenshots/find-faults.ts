import type { Page } from "@playwright/test";
import { findViolations } from "../../tests/e2e/find-violations";

/** The least size of a target, CSS pixels: WCAG 2.2 asks for 24 of a mouse's, and we for 44 of a finger's. */
const MOUSE_TARGET = 24;
const FINGER_TARGET = 44;

/** What is wrong with a page and its frames in any state: axe's violations, sideways scrolling, small targets, and names with code points. */
export async function findFaults(page: Page, hasTouch: boolean): Promise<string[]> {
  const hasFrame = (await page.locator("iframe").count()) > 0;
  const violations = await findViolations(page, hasFrame ? { include: "iframe" } : {});
  const faults = violations.map(({ id, nodes }) => `axe, ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  const reach = (hasTouch ? FINGER_TARGET : MOUSE_TARGET) / 2 - 1;
  for (const frame of page.frames().filter((one) => !one.isDetached()))
    faults.push(...(await frame.evaluate(lookAround, reach)));
  return faults;
}

/** @param reach a click that many pixels from the middle of a control hits it */
function lookAround(reach: number): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  const faults = scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px of sideways scrolling`] : [];
  const [code] = document.body.innerText.match(/.{0,20}\[U\+.{0,20}/) ?? [];
  if (code) faults.push(`code points in "${code}"`);
  for (const element of document.querySelectorAll<HTMLElement>(
    "button, input, select, summary, [role=menuitem]",
  )) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const isInside = y - reach > 0 && y + reach < innerHeight && x - reach > 0 && x + reach < innerWidth;
    if (!isShown || !isInside) continue;
    const offsets = [
      [0, 0],
      [-reach, 0],
      [reach, 0],
      [0, -reach],
      [0, reach],
    ] as const;
    const [isUncovered, ...edges] = offsets.map(([dx, dy]) => {
      const at = document.elementFromPoint(x + dx, y + dy);
      return at !== null && (element.contains(at) || at.closest("label")?.contains(element) === true);
    });
    if (isUncovered && edges.includes(false))
      faults.push(`${Math.round(width)} x ${Math.round(height)} px: ${element.outerHTML.slice(0, 140)}`);
  }
  return faults;
}
