/** Names that are markup, placeholders or very long are shown as they are, wherever a name is, and break no layout. */
import { choose, everything, notices, question } from "./change-support";
import { saved, test } from "./download-support";
import { expect } from "./explorer-support";
import { choose as upload } from "./upload-support";

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

test("a name is shown as it is in the list, tiles, details, questions, notices, previews, searches and archives", async ({
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
  await expect(question(frame)).toContainText(MARKUP);
  await nothingHappened();
  await question(frame).getByRole("button", { name: "Delete" }).click();
  await expect(notices(frame)).toContainText(MARKUP);
  await nothingHappened();
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await expect(row(MARKUP)).toBeVisible();

  await upload(frame, [{ name: MARKUP, mimeType: "text/plain", buffer: Buffer.from("y") }]);
  await expect(frame.getByRole("dialog")).toContainText(MARKUP);
  await nothingHappened();
  await page.keyboard.press("Escape");

  await frame
    .getByRole("searchbox")
    .or(frame.getByRole("textbox", { name: "Search" }))
    .fill("<img");
  await expect(frame.getByRole("row").filter({ hasText: MARKUP }).first()).toBeVisible();
  await nothingHappened();
  await frame
    .getByRole("searchbox")
    .or(frame.getByRole("textbox", { name: "Search" }))
    .fill("");

  await frame.getByRole("button", { name: "Tiles" }).click();
  await expect(frame.getByRole("gridcell", { name: MARKUP, exact: true })).toContainText(MARKUP);
  await nothingHappened();
  await frame.getByRole("button", { name: "List" }).click();

  const download = page.waitForEvent("download");
  await row(folder).hover();
  await row(folder).getByRole("button", { name: "Download" }).click();
  const entries = Object.entries(await saved(await download));
  expect(entries.map(([path]) => path.split("/").at(-1))).toContain("inside.txt");
  await nothingHappened();

  await row(folder).getByText("folder").dblclick();
  await expect(frame.getByRole("heading", { name: folder })).toBeVisible();
  await nothingHappened();
});
