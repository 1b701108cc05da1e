import { everything } from "../change-support";
import { expect, test } from "../explorer-support";

test.describe("with a touch screen", () => {
  test.use({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });

  test("every control is at least 44 by 44 pixels", async ({ integrator, openExplorer }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    await integrator.bucket.put("report.pdf", "x");
    const { frame, row } = await openExplorer({ query: "&density=compact" });
    const small = () =>
      frame.locator(".explorer").evaluate((explorer) => {
        const reach = 21;
        const found: string[] = [];
        for (const element of explorer.querySelectorAll<HTMLElement>(
          "button, a[href], input, select, [data-row]",
        )) {
          const { left, top, width, height } = element.getBoundingClientRect();
          const [x, y] = [left + width / 2, top + height / 2];
          const hit = (dx: number, dy: number) => {
            const at = document.elementFromPoint(x + dx, y + dy);
            return (
              at !== null &&
              (element.contains(at) ||
                (element.dataset.row !== undefined && at.closest("[data-row]") === element))
            );
          };
          if (!element.checkVisibility({ visibilityProperty: true }) || !hit(0, 0)) continue;
          const inset = [hit(-reach, 0), hit(reach, 0), hit(0, -reach), hit(0, reach)];
          if (!inset.every(Boolean))
            found.push(
              `${element.outerHTML.slice(0, 90)} ${Math.round(width)} x ${Math.round(height)} ${inset}`,
            );
        }
        return found;
      });
    expect(await small()).toEqual([]);
    await row("report.pdf").getByRole("checkbox").check();
    expect(await small()).toEqual([]);
    await row("report.pdf").getByRole("checkbox").uncheck();
    await row("docs").dblclick();
    await expect(row("a.txt")).toBeVisible();
    expect(await small()).toEqual([]);
  });
});

test("with forced colours, focus and selection are visible", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  await integrator.bucket.put("b.txt", "x");
  await page.emulateMedia({ forcedColors: "active" });
  const { frame, row } = await openExplorer();
  await row("a.txt").getByRole("checkbox").check();
  const colorsOf = (name: string) =>
    row(name).evaluate((element) => {
      const { backgroundColor } = getComputedStyle(element);
      const icon = element.querySelector(".file-icon") ?? element;
      return [backgroundColor, getComputedStyle(icon).color];
    });
  await row("a.txt").hover();
  const [chosen, chosenIcon] = await colorsOf("a.txt");
  const [other, otherIcon] = await colorsOf("b.txt");
  expect(chosen).not.toBe(other);
  expect(chosen).not.toBe(chosenIcon);
  expect(other).not.toBe(otherIcon);
  await row("a.txt").focus();
  await page.keyboard.press("ArrowDown");
  await expect(row("b.txt")).toBeFocused();
  await expect(row("b.txt")).toHaveCSS("outline-style", "solid");
  const filter = frame.locator(".filter__input");
  await filter.focus();
  await expect(filter).toHaveCSS("outline-style", "solid");
  expect(await filter.evaluate((element) => getComputedStyle(element).outlineColor)).not.toBe(
    "rgba(0, 0, 0, 0)",
  );
});

test("with reduced motion nothing spins, and nothing is animated", async ({ openExplorer, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const { frame } = await openExplorer();
  const slow = await frame.locator("body").evaluate(
    (body) =>
      [...body.querySelectorAll("*")].filter((element) => {
        const { animationDuration, transitionDuration, animationIterationCount } = getComputedStyle(element);
        const seconds = `${animationDuration}, ${transitionDuration}`.split(", ").map(Number.parseFloat);
        return Math.max(...seconds) > 0.01 || animationIterationCount.includes("infinite");
      }).length,
  );
  expect(slow).toBe(0);
});

test("at twice the size on a small screen, the search field leaves room for the open folder's name", async ({
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 640, height: 360 });
  const { frame } = await openExplorer({ scope: everything });
  const heading = frame.getByRole("heading", { level: 1 });
  await frame.getByRole("searchbox", { name: "Search" }).fill("a");
  const cut = await heading.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const line = element.closest("ol")?.getBoundingClientRect();
    return range.getBoundingClientRect().right - (line?.right ?? 0);
  });
  expect(cut).toBeLessThanOrEqual(0);
});
