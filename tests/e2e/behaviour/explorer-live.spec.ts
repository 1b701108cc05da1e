/** What others add, change and delete appears by itself, if the bucket has a catalogue. */
import type { FrameLocator } from "@playwright/test";
import { addCatalogue } from "../../../app/catalogue/catalogues.server";
import { readClock, writeObserved } from "../../../app/catalogue/objects.sql.server";
import type { StackInfo } from "../../../local/stack-info";
import { databaseOf } from "../../support/app/embed-client";
import { test } from "../catalogue-support";
import { everything, question } from "../change-support";
import { expect, manyFiles } from "../explorer-support";
import { EMBED_TAG, pageWith } from "../integrator";

test.use({ initialObjects: manyFiles(12, (index) => `docs/file ${String(index).padStart(2, "0")}.txt`) });

/** A catalogue that knows nothing yet: explorers list the store. */
async function addTo(stack: StackInfo, bucket: string) {
  const database = databaseOf(stack);
  const { id } = await addCatalogue(database, bucket);
  await database.catalogue.update({ where: { id }, data: { scannedAt: new Date() } });
  /** Somebody else adds a file, or deletes it. */
  return async (...keys: string[]) => {
    const asOf = await readClock(database);
    const object = { size: 5, etag: '"other"', lastModified: new Date() };
    await writeObserved(
      database,
      keys.map((key) => ({
        bucket,
        key: key.replace(/^-/, ""),
        asOf,
        object: key.startsWith("-") ? null : object,
      })),
    );
  };
}

const announced = (frame: FrameLocator, text: string) =>
  expect(frame.getByRole("status").filter({ hasText: text }).first()).toBeAttached();

test("in two browsers, in the list, without losing the selection or what is being typed", async ({
  browser,
  integrator,
  openExplorer,
  stack,
}) => {
  const others = await addTo(stack, integrator.bucket.name);
  const { frame, row } = await openExplorer({ scope: { ...everything, path: "/docs" } });
  const second = await browser.newContext();
  const page = await second.newPage();
  await page.goto(integrator.origin);
  const otherFrame = page.frameLocator("iframe");
  await expect(otherFrame.getByRole("row", { name: "file 00.txt", exact: true })).toBeVisible();

  await row("file 03.txt").click();
  await frame.locator("body").press("F2");
  const field = frame.getByRole("textbox", { name: "New name of file 03.txt" });
  await field.fill("half a na");
  await others("docs/a new one.txt", "docs/sub/deep.txt", "-docs/file 05.txt", "other/secret.txt");
  for (const one of [frame, otherFrame]) {
    const named = (name: string) => one.getByRole("row", { name, exact: true });
    await expect(named("a new one.txt")).toHaveClass(/row--new/);
    await expect(named("sub")).toBeVisible();
    await expect(named("file 05.txt")).toHaveCount(0);
  }
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("half a na");
  await expect(row("file 03.txt")).toHaveAttribute("aria-selected", "true");
  await announced(frame, "3 items were added, changed or deleted by others");
  await expect(row("a new one.txt")).not.toHaveClass(/row--new/);
  expect(await frame.locator("body").innerText()).not.toContain("secret");

  await others("-docs/a new one.txt");
  await expect(row("a new one.txt")).toHaveCount(0);
  await announced(frame, "1 item was deleted by others");
  await second.close();
});

test("in what a search has found, and in details, while somebody types a name", async ({
  browser,
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  const others = await addTo(stack, integrator.bucket.name);
  const reports = Array.from({ length: 22 }, (_, index) => `report ${String(index).padStart(2, "0")}.txt`);
  await Promise.all(
    reports.map((name) => integrator.bucket.put(`docs/sub/${name}`, "a report", "text/plain")),
  );
  await page.setViewportSize({ width: 1280, height: 500 });
  const { frame, row } = await openExplorer({ scope: { ...everything, path: "/docs" } });
  integrator.asks = { scope: { ...everything, path: "/docs/sub" } };
  integrator.pages.set("/second", pageWith(stack, EMBED_TAG));
  const second = await browser.newContext();
  const colleague = await second.newPage();
  await colleague.goto(`${integrator.origin}/second`);
  const theirs = colleague.frameLocator("iframe");

  await frame.getByRole("searchbox", { name: "Search" }).fill("report");
  await frame.getByRole("button", { name: "Details", exact: true }).click();
  const details = frame.getByRole("complementary", { name: "Details" });
  await row("report 20.txt").click();
  await expect(details).toContainText("8 bytes");
  await frame.locator("body").press("F2");
  const field = frame.getByRole("textbox", { name: "New name of report 20.txt" });
  await field.fill("half a na");
  const scrollTop = () => frame.locator(".list").evaluate((list) => list.scrollTop);
  const place = await scrollTop();

  await theirs
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "report new.txt", mimeType: "text/plain", buffer: Buffer.from("new") });
  await expect(row("report new.txt")).toHaveClass(/row--new/);
  await announced(frame, "1 item was added or changed by others");
  await theirs.getByRole("row", { name: "report 21.txt", exact: true }).click();
  await colleague.keyboard.press("Delete");
  await question(theirs).getByRole("button", { name: "Delete for good" }).click();
  await expect(row("report 21.txt")).toHaveCount(0);
  await announced(frame, "1 item was deleted by others");
  await others("docs/sub/report 20.txt", "docs/sub/photo.jpg", "other/report secret.txt");
  await expect(details).toContainText("5 bytes");

  await expect(field).toBeFocused();
  await expect(field).toHaveValue("half a na");
  await expect(row("report 20.txt")).toHaveAttribute("aria-selected", "true");
  expect(await scrollTop()).toBe(place);
  await field.press("Escape");
  await frame.getByRole("button", { name: "Tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await others("docs/deep/er/a report.txt");
  await expect(tile("a report.txt")).toHaveClass(/tile--new/);
  expect(await frame.locator("body").innerText()).not.toMatch(/secret|photo/);
  await second.close();
});

test("what the person uploads is there once, and is no news", async ({ integrator, openExplorer, stack }) => {
  const others = await addTo(stack, integrator.bucket.name);
  const { frame, row } = await openExplorer({ scope: { path: "/docs" } });
  await frame
    .locator("input[type=file]")
    .first()
    .setInputFiles({
      name: "mine.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("mine"),
    });
  await expect(row("mine.txt")).toBeVisible();
  await others("docs/mine.txt", "docs/theirs.txt");
  await expect(row("theirs.txt")).toHaveClass(/row--new/);
  await expect(row("mine.txt")).toHaveCount(1);
  await expect(row("mine.txt")).not.toHaveClass(/row--new/);
  await announced(frame, "1 item was added or changed by others");
});

test("as tiles, and again after the network was away", async ({
  context,
  integrator,
  openExplorer,
  stack,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource|ERR_INTERNET_DISCONNECTED/);
  const others = await addTo(stack, integrator.bucket.name);
  const { frame } = await openExplorer({ scope: { path: "/docs" } });
  await frame.getByRole("button", { name: "Tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await others("docs/first.txt");
  await expect(tile("first.txt")).toHaveClass(/tile--new/);
  await context.setOffline(true);
  await others("docs/second.txt");
  await context.setOffline(false);
  await expect(tile("second.txt")).toBeVisible({ timeout: 15_000 });
});

test("nothing is asked for a bucket without a catalogue", async ({ openExplorer, page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const { row } = await openExplorer({ scope: { path: "/docs" } });
  await row("file 00.txt").click();
  expect(asked).not.toContain("/api/embed/storage/changes");
});
