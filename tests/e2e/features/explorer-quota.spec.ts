/** How full the folders of a quota are, in the status bar. */
import type { FrameLocator, Locator } from "@playwright/test";
import { addCatalogue, test } from "../catalogue-support";
import { choose, everything, question } from "../change-support";
import { expect, inBothThemes, resize } from "../explorer-support";
import { violations } from "../find-violations";
import { choose as upload } from "../upload-support";

const KB = 1_000;
const ADVICE = "There is no more room here. Delete what is no longer needed, or ask for more room.";
const hundred = { scope: { ...everything, limits: { maxTotalBytes: 100 * KB } } };

test.use({ initialObjects: { "a.txt": "x".repeat(30 * KB), "b.txt": "x".repeat(20 * KB) } });

const statusOf = (frame: FrameLocator) => frame.locator(".status");
const barOf = (frame: FrameLocator) => statusOf(frame).getByRole("progressbar", { name: "Storage" });
const colourOf = (bar: Locator) =>
  bar.evaluate((element) => getComputedStyle(element).getPropertyValue("--accent-strong"));
const textFile = (name: string, size: number) => ({
  ...{ name, mimeType: "text/plain", buffer: Buffer.alloc(size, "x") },
});

test("the bar follows uploads and deletions, warns, and says what to do when nothing more fits", async ({
  integrator,
  openExplorer,
  stack,
}) => {
  await addCatalogue(stack, integrator.bucket.name, { "a.txt": 30 * KB, "b.txt": 20 * KB });
  const explorer = await openExplorer(hundred);
  const { frame, row } = explorer;
  const [status, bar] = [statusOf(frame), barOf(frame)];
  await expect(status).toContainText("50.0 of 100 kB used");
  await expect(bar).toHaveAttribute("value", "0.5");
  const usual = await colourOf(bar);
  await upload(frame, [textFile("c.txt", 20 * KB), textFile("d.txt", 10 * KB)]);
  await expect(status).toContainText("80.0 of 100 kB used");
  expect(await colourOf(bar)).not.toBe(usual);
  await upload(frame, [textFile("e.txt", 20 * KB)]);
  await expect(status).toContainText("100.0 of 100 kB used");
  await expect(status).toContainText(ADVICE);
  await choose(explorer, "a.txt", "Delete");
  await question(frame).getByRole("button", { name: "Delete for good" }).click();
  await expect(row("a.txt")).toHaveCount(0);
  await expect(status).toContainText("70.0 of 100 kB used");
  await expect(status).not.toContainText(ADVICE);
  expect(await colourOf(bar)).toBe(usual);
});

test("a full quota passes axe, in light and in dark, fits a phone, and is seen in forced colours", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  test.slow();
  await addCatalogue(stack, integrator.bucket.name, { "a.txt": 80 * KB, "b.txt": 20 * KB });
  const explorer = await openExplorer(hundred);
  const { frame } = explorer;
  const bar = barOf(frame);
  await expect(statusOf(frame)).toContainText(ADVICE);
  for (const width of [1280, 360]) {
    await resize(page, frame, width);
    await inBothThemes(explorer, async (theme) =>
      expect(await violations(page), `${theme}, ${width}`).toEqual([]),
    );
    await expect(bar).toBeInViewport({ ratio: 1 });
    const html = frame.locator("html");
    expect(await html.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
  await page.emulateMedia({ forcedColors: "active" });
  await expect(bar).toHaveCSS("border-top-style", "solid");
});
