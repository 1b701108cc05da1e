import { violations } from "../change-support";
import { expect, inBothThemes, resize, test } from "../explorer-support";
import { bmp, wav } from "../sample-files";

/** What is in the document once the preview of a file of this kind is there. */
const kinds: [name: string, content: Buffer | string, type: string, shown: string][] = [
  ["a.bmp", bmp(64, 48), "image/bmp", "img"],
  ["b.csv", "id,name\n1,one\n2,two", "text/csv", "table"],
  ["c.json", '{"a":[1,{"b":null}]}', "application/json", "details, .json, pre"],
  [
    "d.md",
    "# Title\n\nA [link](https://example.com) and `code`.\n\n- one\n- two",
    "text/markdown",
    "h2, .markdown__h1",
  ],
  ["e.py", "def total(net):\n    return net * 1.19  # with tax", "text/x-python", ".code__keyword"],
  ["e.txt", "plain words", "text/plain", "pre"],
  ["f.txt", "", "text/plain", "text=This file is empty"],
  ["g.wav", wav(2), "audio/wav", "audio"],
];

test("previews, details and tiles pass axe, in light and in dark", async ({
  integrator,
  openExplorer,
  page,
}) => {
  // Axe looks through ten pages, twice.
  test.slow();
  for (const [name, content, type] of kinds) await integrator.bucket.put(name, content, type);
  const explorer = await openExplorer();
  const { frame, row } = explorer;
  const check = (what: string) =>
    inBothThemes(explorer, async (theme) => expect(await violations(page), `${what}, ${theme}`).toEqual([]));
  await row("a.bmp").dblclick();
  const preview = frame.getByRole("dialog");
  for (const [name, , , shown] of kinds) {
    await expect(preview.getByText(name, { exact: true }).first()).toBeVisible();
    await expect(preview.locator(shown).first()).toBeVisible();
    await check(name);
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Escape");
  await resize(page, frame, 800);
  await row("b.csv").focus();
  await page.keyboard.press("Alt+Enter");
  await expect(frame.getByRole("dialog", { name: "Details" })).toBeVisible();
  await check("details");
  await page.keyboard.press("Escape");
  await resize(page, frame, 1280);
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await expect(frame.locator(".tile").first()).toBeVisible();
  await check("tiles");
});
