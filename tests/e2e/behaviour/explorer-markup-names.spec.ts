/** Names that are markup, placeholders or very long are shown as they are, wherever a name is, and break no layout. */
import { choose, everything, notices, question } from "../change-support";
import { saved, test } from "../download-support";
import { expect } from "../explorer-support";
import { choose as upload, uploads } from "../upload-support";

const MARKUP = `<img src=x onerror=document.title="ran">.txt`;
const names = [
  MARKUP,
  `"'><svg onload=document.title="ran">.txt`,
  "&lt;b&gt; &amp; &#60;.txt",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as somebody may have named a file
  "${name} {name} {{count}} %s $& $1.txt",
  "<b>bold<!-- .txt",
  "javascript:document.title='ran'.txt",
  `${"w".repeat(1_010)}.txt`,
  `${"שלום".repeat(120)}.txt`,
];
const folder = "<i onclick=document.title='ran'>folder<script>document.title='ran'<!--";

test("a name is shown as it is in the list, tiles, details, notices, previews, searches and archives", async ({
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const name of names) await bucket.put(name, "x", "text/plain");
  await bucket.put(`${folder}/inside.txt`, "x", "text/plain");
  const explorer = await openExplorer({ scope: everything, visitor: { id: "1", name: MARKUP } });
  const { frame, row } = explorer;
  /** Nothing of the names has become an element, has run, or makes the page wider than the frame. */
  const nothingHappened = async () => {
    const found = await frame.locator("html").evaluate((html) => ({
      elements: html.querySelectorAll("img[src=x], [onload], [onclick], main b, dialog b").length,
      title: document.title,
      isTooWide: html.scrollWidth > innerWidth,
    }));
    expect(found).toEqual({ elements: 0, title: "Files", isTooWide: false });
    expect(await page.title()).toBe("Files");
  };
  for (const name of [...names, folder]) await expect(row(name)).toContainText(name);
  await nothingHappened();

  for (const name of names) {
    await row(name).focus();
    await row(name).press("Alt+Enter");
    const details = frame.getByRole("complementary", { name: "Details" });
    await expect(details).toContainText(name);
    await nothingHappened();
    await row(name).press("Alt+Enter");
    await row(name).press("Enter");
    const dialog = frame.getByRole("dialog", { name, exact: true });
    await expect(dialog.getByRole("heading")).toHaveText(name);
    await nothingHappened();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }

  await choose(explorer, MARKUP, "Rename");
  await expect(frame.getByRole("textbox", { name: "New name" })).toHaveValue(MARKUP);
  await page.keyboard.press("Escape");
  await choose(explorer, MARKUP, "Move to");
  await expect(frame.getByRole("dialog")).toContainText(folder);
  await nothingHappened();
  await page.keyboard.press("Escape");
  await choose(explorer, MARKUP, "Delete");
  await expect(notices(frame)).toContainText(MARKUP);
  await nothingHappened();
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await expect(row(MARKUP)).toBeVisible();

  await upload(frame, [{ name: MARKUP, mimeType: "text/plain", buffer: Buffer.from("y") }]);
  await expect(uploads(frame)).toContainText(MARKUP);
  await nothingHappened();
  await uploads(frame).getByRole("button", { name: "Skip", exact: true }).click();

  const search = frame.getByRole("searchbox", { name: "Search" });
  await search.fill("<img");
  await expect(row(folder)).toHaveCount(0);
  await expect(row(MARKUP)).toContainText(MARKUP);
  await nothingHappened();
  await search.fill("");
  await expect(row(folder)).toBeVisible();

  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await expect(frame.getByRole("gridcell", { name: MARKUP, exact: true })).toContainText(MARKUP);
  await nothingHappened();
  await frame.getByRole("button", { name: "Show as a list" }).click();

  const download = page.waitForEvent("download");
  await row(folder).hover();
  await row(folder)
    .getByRole("button", { name: `Download ${folder}` })
    .click();
  const entries = Object.entries(await saved(await download));
  expect(entries.map(([path]) => path.split("/").at(-1))).toContain("inside.txt");
  await nothingHappened();

  await row(folder).getByText(folder).dblclick();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText(folder);
  await nothingHappened();
});

test("a question shows a name as it is", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put(MARKUP, "x", "text/plain");
  const explorer = await openExplorer({ scope: everything });
  await choose(explorer, MARKUP, "Delete");
  await expect(question(explorer.frame)).toContainText(MARKUP);
  await expect(explorer.frame.locator("img[src=x]")).toHaveCount(0);
});
