/** The files that were added last, wherever they are. */
import { everything, violations } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";

const visitor = { id: "u-1", name: "Ada Lovelace" };

async function openRecent({ frame }: OpenExplorer) {
  await frame.getByRole("button", { name: "More actions in this folder" }).press("Enter");
  await frame.getByRole("menuitem", { name: "Recently added" }).press("Enter");
  return frame.getByRole("dialog", { name: "Recently added" });
}

const upload = async ({ frame }: OpenExplorer, name: string) => {
  const file = { name, mimeType: "text/plain", buffer: Buffer.from(`This is ${name}`) };
  await frame.locator("input[type=file]").first().setInputFiles([file]);
};

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
  await expect(row("first.txt")).toBeVisible();
  await row("reports").dblclick();
  await expect(row("old.txt")).toBeVisible();
  await upload(explorer, "second.txt");
  await expect(row("second.txt")).toBeVisible();
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

test("a list that cannot be loaded says so and can be retried, and fits into 360 pixels", async ({
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  await page.setViewportSize({ width: 360, height: 720 });
  const explorer = await openExplorer({ scope: everything });
  const name = `${"A very long name ".repeat(6)}.txt`;
  await upload(explorer, name);
  await expect(explorer.row(name)).toBeVisible();
  await page.route("**/api/embed/storage/recent", (route) =>
    route.fulfill({ status: 403, json: { error: "no", code: "scope_not_allowed" } }),
  );
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("alert")).not.toBeEmpty();
  await page.unroute("**/api/embed/storage/recent");
  await recent.getByRole("button", { name: "Try again" }).click();
  await expect(recent.getByRole("listitem")).toHaveCount(1);
  expect(await violations(page)).toEqual([]);
  const overflow = await recent.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  expect(overflow).toBe(0);
});

test("without the action download, files lead only to their folder, and without activity nobody is named", async ({
  openExplorer,
}) => {
  const explorer = await openExplorer({ scope: { actions: ["upload", "organize"] }, visitor });
  await upload(explorer, "first.txt");
  await expect(explorer.row("first.txt")).toBeVisible();
  const recent = await openRecent(explorer);
  await expect(recent.getByRole("listitem")).toContainText("first.txt");
  await expect(recent).not.toContainText("Ada");
  await expect(recent.getByRole("button", { name: /Download|first\.txt/ })).toHaveCount(0);
});
