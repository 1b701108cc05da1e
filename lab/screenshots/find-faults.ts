import type { Page } from "@playwright/test";
import { findViolations, runsScripts } from "../../tests/e2e/find-violations";

/** The least size of a target, CSS pixels: WCAG 2.2 asks for 24 of a mouse's, and we for 44 of a finger's. */
const MOUSE_TARGET = 24;
const FINGER_TARGET = 44;

/** What is wrong with a page and its frames in any state: axe's violations, sideways scrolling, small targets, and names with code points. */
export async function findFaults(page: Page, hasTouch: boolean): Promise<string[]> {
  // Integrators' pages of the tests hold nothing but the tag or its frame.
  const isWhole = (await page.locator("main").count()) > 0;
  const violations = await findViolations(page, isWhole ? {} : { include: "platform-embed, iframe" });
  const faults = violations.map(({ id, nodes }) => `axe, ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  const reach = (hasTouch ? FINGER_TARGET : MOUSE_TARGET) / 2 - 1;
  for (const frame of page.frames().filter((one) => !one.isDetached()))
    if (await runsScripts(frame)) faults.push(...(await frame.evaluate(lookAround, reach)));
  return faults;
}

/** @param reach a control takes clicks in a square of twice that many pixels, which holds its middle */
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
    // Methods, because tsx wraps named functions in a helper that the page does not have.
    const target = {
      hits(dx: number, dy: number) {
        const at = document.elementFromPoint(x + dx, y + dy);
        return at !== null && (element.contains(at) || at.closest("label")?.contains(element) === true);
      },
      /** how far a click may be from the middle, in that direction */
      room(dx: number, dy: number) {
        let pixels = 0;
        while (pixels < 2 * reach && this.hits(dx * (pixels + 1), dy * (pixels + 1))) pixels++;
        return pixels;
      },
    };
    if (!target.hits(0, 0)) continue;
    // Behind a bar over the list, or at the list's end: scrolling brings it out.
    const list = element.closest("[role=grid]");
    if (list && [-reach, reach].some((dy) => !list.contains(document.elementFromPoint(x, y + dy)))) continue;
    // The middle takes a pixel, too.
    if (
      target.room(-1, 0) + 1 + target.room(1, 0) < 2 * reach ||
      target.room(0, -1) + 1 + target.room(0, 1) < 2 * reach
    )
      faults.push(`${Math.round(width)} x ${Math.round(height)} px: ${element.outerHTML.slice(0, 140)}`);
  }
  return faults;
}
