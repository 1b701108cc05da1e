/** In the list and the tiles, a name for which there is not enough room is cut in the middle. It stays one text for screen readers and the clipboard. */
import { expect, resize, test } from "../explorer-support";
import { chooseAndUnfold, files, uploads } from "../upload-support";

const LONG = "Minutes of the annual general meeting of all shareholders 2025-000123.pdf";
const SHORT = "a.pdf";

test.beforeEach(async ({ integrator }) => {
  for (const name of [LONG, SHORT]) await integrator.bucket.put(name, "x");
});

test("the end of a long name stays, and the start is cut", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer();
  /** The widths of the two parts, and of the name's box, CSS pixels. */
  const widths = (name: string) =>
    row(name)
      .locator("[data-name]")
      .evaluate((box) => {
        const part = (which: string) => Number.parseFloat(getComputedStyle(box, which).width);
        return { start: part("::before"), end: part("::after"), box: box.clientWidth };
      });
  await resize(page, frame, 1280);
  const whole = await widths(LONG);
  await resize(page, frame, 360);
  const cut = await widths(LONG);
  expect(cut.start).toBeLessThan(whole.start);
  expect(cut.end).toBe(whole.end);
  expect(cut.start + cut.end).toBeLessThanOrEqual(cut.box + 1);
  const short = await widths(SHORT);
  expect(short.start).toBeGreaterThan(0);
  expect(short.end).toBeGreaterThan(0);
  for (const [name, end] of [
    [LONG, "000123.pdf"],
    [SHORT, ".pdf"],
  ] as const)
    await expect(row(name).locator("[data-name]")).toHaveAttribute("data-end", end);
});

for (const width of [1280, 360])
  test(`at ${width} px, a name is read aloud as it is`, async ({ openExplorer, page }) => {
    const { frame, row } = await openExplorer();
    await resize(page, frame, width);
    for (const name of [LONG, SHORT])
      await expect(row(name).getByRole("gridcell", { name, exact: true })).toHaveCount(1);
    await frame.getByRole("button", { name: "More actions in this folder" }).click();
    await frame.getByRole("menuitem", { name: "Show as tiles" }).click();
    for (const name of [LONG, SHORT])
      await expect(frame.getByRole("gridcell", { name, exact: true })).toHaveCount(1);
  });

test("at 360 px, the preview and its title have the whole name", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const name = LONG.replace("pdf", "txt");
  await integrator.bucket.put(name, "We met.");
  const { frame, row } = await openExplorer();
  await resize(page, frame, 360);
  await row(name).press("Enter");
  const preview = frame.getByRole("dialog", { name, exact: true });
  await expect(preview.getByRole("heading", { name, exact: true })).toBeVisible();
  await expect(preview).toContainText("We met.");
});

test("a name is copied as it is, where text can be selected", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  await resize(page, frame, 360);
  const names = [`Again ${LONG}`, `b${SHORT}`];
  await chooseAndUnfold(frame, files(100, ...names));
  const shown = uploads(frame).locator(".file-name");
  // They are in the order in which they have finished.
  await expect(shown).toHaveCount(names.length);
  const copied = await shown.evaluateAll((boxes) =>
    boxes.map((box) => {
      getSelection()?.selectAllChildren(box);
      return String(getSelection()).trim();
    }),
  );
  expect(copied.sort()).toEqual(names);
});

test("a copied name can be read where it is pasted", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  await resize(page, frame, 360);
  const name = `Again ${LONG}`;
  await chooseAndUnfold(frame, files(100, name));
  const shown = uploads(frame).locator(".file-name");
  await shown.click();
  await shown.evaluate((box) => getSelection()?.selectAllChildren(box));
  await page.keyboard.press("Control+c");
  await page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<div contenteditable></div>')");
  const mail = page.locator("[contenteditable]");
  await mail.focus();
  await page.keyboard.press("Control+v");
  await expect(mail).toHaveText(name);
  const colors = await mail.evaluate((box) =>
    [...box.querySelectorAll("*")].map((element) => getComputedStyle(element).color),
  );
  expect(colors).not.toContain("rgba(0, 0, 0, 0)");
});
