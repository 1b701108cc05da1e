import { join } from "node:path";
import type { FrameLocator } from "@playwright/test";
import { menuItem } from "../change-support";
import { droppedFile, expect, test } from "../explorer-support";
import { choose, makeFolder, title, uploads } from "../upload-support";

/** Pastes files as a browser does for Ctrl+V. */
const paste = (frame: FrameLocator, name: string, texts: Record<string, string> = {}) =>
  frame.locator(".main").evaluate(
    (element, { name, texts }) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["picture"], name, { type: "image/png" }));
      for (const [type, text] of Object.entries(texts)) clipboardData.setData(type, text);
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    { name, texts },
  );

test("files dropped onto a folder's row go into that folder", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("docs/there.txt", "x");
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  const dataTransfer = await droppedFile(frame);
  await row("docs").dispatchEvent("dragenter", { dataTransfer });
  await row("docs").dispatchEvent("dragover", { dataTransfer });
  await expect(row("docs")).toHaveAttribute("data-drop");
  await expect(frame.getByText("Drop to upload to docs")).toBeVisible();
  await row("a.txt").dispatchEvent("dragover", { dataTransfer });
  await expect(row("docs")).not.toHaveAttribute("data-drop");
  await expect(frame.getByText("Drop to upload to Files")).toBeVisible();
  await row("docs").dispatchEvent("dragover", { dataTransfer });
  await row("docs").dispatchEvent("drop", { dataTransfer });
  await expect(title(frame, "1 upload finished")).toBeVisible();
  await expect(row("docs")).not.toHaveAttribute("data-drop");
  expect((await integrator.bucket.list()).sort()).toEqual(["a.txt", "docs/dropped.txt", "docs/there.txt"]);
});

test("where uploads go to one folder, its row takes files, and the others do not", async ({
  integrator,
  openExplorer,
}) => {
  for (const key of ["docs/a.txt", "inbox/a.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer({ scope: { uploadFolder: "/inbox" } });
  const dataTransfer = await droppedFile(frame);
  for (const name of ["docs", "inbox"]) {
    await row(name).dispatchEvent("dragenter", { dataTransfer });
    await row(name).dispatchEvent("dragover", { dataTransfer });
    await row(name).dispatchEvent("drop", { dataTransfer });
  }
  await expect(title(frame, "1 upload finished")).toBeVisible();
  expect((await integrator.bucket.list()).sort()).toEqual(["docs/a.txt", "inbox/a.txt", "inbox/dropped.txt"]);
});

test("a picture that is pasted is uploaded under a name with the time; a file keeps its name", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  await expect(row("a.txt")).toBeVisible();
  // A spreadsheet's cells, as a picture beside their text
  await paste(frame, "image.png", { "text/plain": "1", "text/html": "<b>1</b>" });
  await paste(frame, "image.png");
  await paste(frame, "diagram.png");
  await expect(row("diagram.png")).toBeVisible();
  await expect(frame.locator("[data-name]", { hasText: "Pasted picture" })).toHaveText(
    /^Pasted picture \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/,
  );
  await expect(title(frame, "2 uploads finished")).toBeVisible();
  await frame.getByRole("searchbox").focus();
  await page.keyboard.press("Control+v");
  expect(await integrator.bucket.list()).toHaveLength(3);
});

test("system files do not come along with a folder, but can be chosen", async ({
  integrator,
  openExplorer,
}, testInfo) => {
  const disk = makeFolder(testInfo.outputPath("disk"), {
    "trip/a.txt": "a",
    "trip/.DS_Store": "of the Finder",
    "trip/day/._a.txt": "of macOS",
    "trip/day/~$report.docx": "of Word",
  });
  const { frame, row } = await openExplorer();
  await frame.getByLabel("Upload folder").setInputFiles(join(disk, "trip"));
  await expect(frame.getByRole("alert")).toContainText("3 system files left out");
  await expect(title(frame, "1 upload finished")).toBeVisible();
  await choose(frame, { name: "desktop.ini", mimeType: "", buffer: Buffer.from("x") });
  await expect(row("desktop.ini")).toBeVisible();
  expect((await integrator.bucket.list()).sort()).toEqual(["desktop.ini", "trip/a.txt"]);
});

test("one button uploads files or a folder, also by keyboard", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame } = await openExplorer();
  const chosen = page.waitForEvent("filechooser");
  const button = frame.getByRole("button", { name: "Upload", exact: true });
  await button.press("Enter");
  await expect(frame.getByRole("menu", { name: "Upload" })).toBeVisible();
  await expect(menuItem(frame, "Upload files")).toBeFocused();
  await page.keyboard.press("Enter");
  expect((await chosen).isMultiple()).toBe(true);
  await button.click();
  await page.keyboard.press("ArrowDown");
  await expect(menuItem(frame, "Upload folder")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(button).toBeFocused();
});

test("a file that changes before it is sent has to be chosen again, and then arrives", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  const disk = makeFolder(testInfo.outputPath("disk"), { "a.txt": "as it was" });
  const { frame, row } = await openExplorer();
  // The code that reads it comes late.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/on-demand-*.js", (route) => released.then(() => route.continue()));
  await choose(frame, join(disk, "a.txt"));
  makeFolder(disk, { "a.txt": "changed meanwhile" });
  release();
  const list = uploads(frame);
  await expect(list).toContainText("Choose it again.");
  // For a drive that is connected again. A file that has changed stays unreadable.
  await expect(list.getByRole("button", { name: "Retry upload of a.txt" })).toBeVisible();
  await list
    .getByLabel("Choose a.txt again to continue its upload")
    .last()
    .setInputFiles(join(disk, "a.txt"));
  await expect(row("a.txt")).toBeVisible();
  expect(String(await integrator.bucket.get("a.txt"))).toBe("changed meanwhile");
});
