/** The files that were added last, wherever they are. */
import { everything, violations } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";
import { bmp } from "../sample-files";

const visitor = { id: "u-1", name: "Ada Lovelace" };

async function openRecent({ frame }: OpenExplorer) {
  const button = frame.getByRole("button", { name: "More actions in this folder" });
  // While a folder is being listed, a key would press a disabled button.
  await expect(button).toBeEnabled();
  await button.press("Enter");
  await frame.getByRole("menuitem", { name: "Recently added" }).press("Enter");
  return frame.getByRole("dialog", { name: "Recently added" });
}

/** Uploads a small file, and waits until it is recorded, which is after it is shown. */
async function upload(
  { frame, row }: OpenExplorer,
  name: string,
  buffer: Buffer = Buffer.from(`This is ${name}`),
): Promise<void> {
  const recorded = frame
    .owner()
    .page()
    .waitForResponse(/\/storage\/uploaded$/);
  const mimeType = name.endsWith(".bmp") ? "image/bmp" : "text/plain";
  await frame.locator("input[type=file]").first().setInputFiles([{ name, mimeType, buffer }]);
  await expect(row(name)).toBeVisible();
  await recorded;
}

test("files that were added last are listed, and lead to their preview and to their folder", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("reports/old.txt", "x");
  const explorer = await openExplorer({ scope: everything, visitor });
  const { frame, row } = explorer;
  let recent = await openRecent(explorer);
  await expect(recent).toContainText("Nothing was added lately");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(recent).toHaveCount(0);

  await upload(explorer, "first.txt");
  await row("reports").dblclick();
  await expect(row("old.txt")).toBeVisible();
  await upload(explorer, "second.txt");
  await frame.getByRole("navigation").getByRole("button").first().click();
  await expect(row("reports")).toBeVisible();

  recent = await openRecent(explorer);
  const files = recent.getByRole("listitem");
  await expect(files).toHaveText([/second\.txt.*Ada Lovelace.*reports/, /first\.txt.*Ada Lovelace/]);
  expect(await violations(page)).toEqual([]);

  await recent.getByRole("button", { name: /^second/ }).press("Enter");
  const preview = frame.getByRole("dialog", { name: "second.txt" });
  await expect(preview).toContainText("This is second.txt");
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("dialog", { name: "first.txt" })).toContainText("This is first.txt");
  await page.keyboard.press("Escape");
  const download = page.waitForEvent("download");
  await recent.getByRole("button", { name: "Download first.txt" }).click();
  expect((await download).suggestedFilename()).toBe("first.txt");
  await files.first().getByRole("button", { name: "Open its folder, reports" }).click();
  await expect(recent).toHaveCount(0);
  await expect(row("second.txt")).toBeFocused();
  await expect(row("old.txt")).toBeVisible();
});

test("names begin at the same place, beside a picture or a symbol", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: everything });
  await upload(explorer, "text.txt");
  await upload(explorer, "picture.bmp", bmp(64, 48));
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("listitem")).toHaveCount(2);
  await expect(recent.locator(".row__thumbnail")).toBeVisible();
  const names = await recent.locator(".recent__name").all();
  const [first, second] = await Promise.all(names.map((name) => name.boundingBox()));
  expect(first?.x).toBe(second?.x);
});

test("the keyboard opens and closes the list, and the focus returns to where it was", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("reports/old.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await upload(explorer, "first.txt");
  await upload(explorer, "second.txt");
  const recent = frame.getByRole("dialog", { name: "Recently added" });
  await row("first.txt").press("Alt+r");
  await expect(recent.getByRole("listitem")).toHaveCount(2);
  expect(await recent.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);

  // The preview returns it to the file that was looked at last.
  await recent.getByRole("button", { name: /^second/ }).press("Enter");
  await expect(frame.getByRole("dialog", { name: "second.txt" })).toContainText("This is second.txt");
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("dialog", { name: "first.txt" })).toContainText("This is first.txt");
  await page.keyboard.press("Escape");
  await expect(recent.getByRole("button", { name: /^first/ })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(recent).toHaveCount(0);
  await expect(row("first.txt")).toBeFocused();

  await openRecent(explorer);
  await page.keyboard.press("Escape");
  await expect(recent).toHaveCount(0);
  await expect(frame.getByRole("button", { name: "More actions in this folder" })).toBeFocused();

  // In a field, it is a key like any other.
  await page.keyboard.press("/");
  await expect(frame.getByRole("searchbox")).toBeFocused();
  await page.keyboard.press("Alt+r");
  await page.keyboard.press("?");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await frame.getByRole("searchbox").fill("");
  await row("first.txt").press("?");
  await expect(frame.getByRole("dialog", { name: "Help" })).toContainText("Recently addedAlt+R");
});

test("a list that cannot be loaded says so and can be retried, and fits into 360 pixels", async ({
  integrator,
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  await page.setViewportSize({ width: 360, height: 720 });
  const folder = `A folder with a long name ${"and more ".repeat(8)}`.trim();
  await integrator.bucket.put(`${folder}/old.txt`, "x");
  const explorer = await openExplorer({ scope: everything });
  await explorer.row(folder).press("Enter");
  await expect(explorer.row("old.txt")).toBeVisible();
  await upload(explorer, `${"A very long name ".repeat(6)}.txt`);
  await page.route("**/api/embed/storage/recent", (route) =>
    route.fulfill({ status: 403, json: { error: "no", code: "scope_not_allowed" } }),
  );
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("alert")).not.toBeEmpty();
  await page.unroute("**/api/embed/storage/recent");
  await recent.getByRole("button", { name: "Try again" }).press("Enter");
  await expect(recent.getByRole("listitem")).toHaveCount(1);
  await expect(recent.getByRole("status")).toHaveText("1 item");
  await expect(recent.getByRole("heading", { name: "Recently added" })).toBeFocused();
  expect(await violations(page)).toEqual([]);
  const overflow = await recent.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  expect(overflow).toBe(0);
});

test("without the action download, files lead only to their folder, and without activity nobody is named", async ({
  openExplorer,
}) => {
  const explorer = await openExplorer({ scope: { actions: ["upload", "organize"] }, visitor });
  await upload(explorer, "first.txt");
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("listitem")).toContainText("first.txt");
  await expect(recent).not.toContainText("Ada");
  await expect(recent.getByRole("button", { name: /Download|first\.txt/ })).toHaveCount(0);
});

test("a list that is not complete says so, also if it is empty", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  await upload(explorer, "first.txt");
  const incomplete = "Not everything could be looked at, so files may be missing here.";
  for (const count of [0, 1]) {
    await page.route("**/api/embed/storage/recent", async (route) => {
      const response = await route.fetch();
      const { files } = await response.json();
      await route.fulfill({ response, json: { files: files.slice(0, count), complete: false } });
    });
    const recent = await openRecent(explorer);
    await expect(recent.getByRole("status")).toHaveText(incomplete);
    await expect(recent.getByRole("listitem")).toHaveCount(count);
    await expect(recent).not.toContainText("Nothing was added");
    await page.unroute("**/api/embed/storage/recent");
    await page.keyboard.press("Escape");
    await expect(recent).toHaveCount(0);
  }
});

test("while the deleted files are shown, a file is still found in its folder as it is now", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("reports/old.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("reports").press("Enter");
  await expect(row("old.txt")).toBeVisible();
  await upload(explorer, "first.txt");
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await frame.getByRole("menuitem", { name: "Deleted files" }).click();
  await expect(frame.getByRole("region", { name: "The past" })).toBeVisible();
  const recent = await openRecent(explorer);
  await recent.getByRole("button", { name: "Open its folder, reports" }).click();
  await expect(row("first.txt")).toBeFocused();
  await expect(frame.getByRole("region", { name: "The past" })).toHaveCount(0);
});

test("pictures have thumbnails also if the open folder has none, and each is read once", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("pictures/old.txt", "x");
  const first = await openExplorer({ scope: everything });
  await first.row("pictures").press("Enter");
  await expect(first.row("old.txt")).toBeVisible();
  await upload(first, "one.bmp", bmp(64, 48));
  await upload(first, "two.bmp", bmp(64, 48));
  await first.frame.getByRole("navigation").getByRole("button").first().click();
  await expect(first.row("pictures")).toBeVisible();

  const explorer = await openExplorer({ scope: everything });
  await expect(explorer.row("pictures")).toBeVisible();
  let read = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\.bmp\?/, async (route) => {
    if (route.request().resourceType() === "fetch") read += 1;
    await held;
    await route.continue().catch(() => {});
  });
  const recent = await openRecent(explorer);
  await expect.poll(() => read).toBe(2);
  // What renders the dialog again does not begin anew with the pictures.
  await recent.getByRole("button", { name: "Download one.bmp" }).click();
  await recent.getByRole("button", { name: "Download two.bmp" }).click();
  release();
  await expect(recent.locator("img")).toHaveCount(2);
  expect(read).toBe(2);
});

test("a file whose upload ends while the list is shown is added to it", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/embed/storage/presign-upload", async (route) => {
    await held;
    await route.continue();
  });
  const uploaded = upload(explorer, "first.txt");
  const recent = await openRecent(explorer);
  await expect(recent).toContainText("Nothing was added lately");
  release();
  await expect(recent.getByRole("listitem")).toHaveText([/first\.txt/]);
  await expect(recent.getByRole("status")).toHaveText("1 item");
  await uploaded;
});

test("names stay below the title while the list is scrolled, and Back closes it before it leaves the folder", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 640, height: 260 });
  await integrator.bucket.put("reports/old.txt", "x");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("reports").press("Enter");
  await expect(row("old.txt")).toBeVisible();
  await page.route("**/api/embed/storage/recent", (route) =>
    route.fulfill({
      json: {
        files: Array.from({ length: 20 }, (_, index) => ({
          ...{
            key: `${index} with a long name.txt`,
            name: `${index} with a long name.txt`,
            size: 1,
            etag: "e",
          },
          ...{ lastModified: "2026-01-15T09:30:00.000Z", addedAt: "2026-01-15T09:30:00.000Z" },
        })),
        complete: true,
      },
    }),
  );
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("listitem")).toHaveCount(20);
  // In steps, because a name may be between two points.
  for (let top = 10; top < 120; top += 10) {
    const covered = await recent.evaluate((dialog, top) => {
      dialog.scrollTop = top;
      const head = dialog.querySelector("header") as HTMLElement;
      const { left, top: y, height } = head.getBoundingClientRect();
      return [0.2, 0.5, 0.8].every((part) =>
        [30, 60, 90].every((x) => head.contains(document.elementFromPoint(left + x, y + part * height))),
      );
    }, top);
    expect(covered, `scrolled by ${top}`).toBe(true);
  }
  await page.evaluate(() => history.back());
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect(row("old.txt")).toBeVisible();
  await page.evaluate(() => history.back());
  await expect(row("reports")).toBeVisible();
});

test("names are below each other, beside thumbnails and icons", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: everything });
  await upload(explorer, "icon.txt");
  await upload(explorer, "picture.bmp", bmp(64, 48));
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("listitem").filter({ hasText: "picture.bmp" }).locator("img")).toBeVisible();
  const starts = await recent
    .locator(".recent__name")
    .evaluateAll((names) => names.map((name) => name.getBoundingClientRect().left));
  expect(starts).toHaveLength(2);
  expect(starts[0]).toBe(starts[1]);
});
