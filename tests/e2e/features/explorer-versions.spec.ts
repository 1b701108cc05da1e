/** Older versions of a file: in its details, in a preview, and compared. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { choose, chooseOfVersion, everything, violations } from "../change-support";
import { expect, type OpenExplorer, resize, test } from "../explorer-support";
import { bmp, pdf, wav } from "../sample-files";

const visitor = { id: "u-1", name: "Ada Lovelace" };

async function openVersions({ frame, row }: OpenExplorer, name: string) {
  await row(name).click();
  await row(name).press("Alt+Enter");
  const details = frame.getByRole("complementary", { name: "Details" });
  await details.getByText("Versions", { exact: true }).click();
  return details;
}

test("a version is made current again, and the one before is kept", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything, visitor });
  const details = await openVersions(explorer, "plan.txt");
  const entries = details.getByRole("listitem");
  await expect(entries).toHaveText([/Current.*10 bytes/, /5 bytes.*Restore this version/]);
  expect(await violations(page)).toEqual([]);
  // Two of one minute are told apart by their seconds.
  await expect(entries.first().getByRole("time")).toHaveText(/\d:\d\d:\d\d/);
  await entries.nth(1).getByText("Restore this version").click();
  await expect(details.getByRole("status").last()).toHaveText(/is current again.*kept as a version/);
  await expect(entries).toHaveText([/Current.*5 bytes.*Ada Lovelace/, /10 bytes/, /5 bytes/]);
  expect(String(await bucket.get("plan.txt"))).toBe("first");
  // The row shows it, too.
  await expect(explorer.row("plan.txt")).toContainText("5 bytes");

  const download = page.waitForEvent("download");
  await chooseOfVersion(explorer.frame, entries.nth(1), "Download");
  expect((await download).suggestedFilename()).toBe("plan.txt");
});

test("in the dialog of a narrow frame, the size is that of the version that is current again", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 760 });
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("plan.txt").press("Alt+Enter");
  const details = frame.getByRole("dialog");
  await expect(details.getByRole("definition").filter({ hasText: "10 bytes" })).toBeVisible();
  await details.getByText("Versions", { exact: true }).click();
  await details.getByRole("listitem").nth(1).getByText("Restore this version").click();
  await expect(details.getByRole("definition").filter({ hasText: "5 bytes" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test("showing the versions leaves the page around the frame where it is", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (let count = 0; count < 12; count++) await bucket.put("plan.txt", `version ${count}`);
  const explorer = await openExplorer({ scope: everything });
  await page.evaluate(() => {
    document.body.style.paddingBottom = "3000px";
  });
  await choose(explorer, "plan.txt", "Versions");
  const details = explorer.frame.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("listitem")).toHaveCount(12);
  await expect(details.getByText("Versions", { exact: true })).toBeFocused();
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test("a version is deleted permanently once the person has said so", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  const old = details.getByRole("listitem").nth(1);
  await details
    .getByRole("listitem")
    .first()
    .getByRole("button", { name: /^More: / })
    .click();
  await expect(explorer.frame.getByRole("menuitem")).toHaveText(["Compare with previous", "Download"]);
  await page.keyboard.press("Escape");
  await chooseOfVersion(explorer.frame, old, "Delete permanently");
  await expect(old.getByRole("alert")).toContainText("cannot be brought back");
  await expect(old.getByRole("button", { name: "Cancel" })).toBeFocused();
  await old.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(old).toContainText("Restore this version");
  await chooseOfVersion(explorer.frame, old, "Delete permanently");
  await old.getByRole("button", { name: /^Delete permanently/ }).click();
  await expect(details.getByRole("listitem")).toHaveCount(1);
  await expect(details).toContainText("There are no older versions.");
});

test("a token without the action shows no versions, and one that may not change only downloads", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({
    scope: { actions: ["download", "history"], uploadFolder: "/elsewhere" },
  });
  const details = await openVersions(explorer, "plan.txt");
  await expect(details.getByRole("listitem")).toHaveText([/Preview$/, /Preview$/]);
  await details
    .getByRole("button", { name: /^More: / })
    .last()
    .click();
  await expect(explorer.frame.getByRole("menuitem")).toHaveText(["Compare with current", "Download"]);
  await explorer.frame.getByRole("menu").press("Escape");
  await openExplorer();
  await explorer.row("plan.txt").click();
  await explorer.row("plan.txt").press("Alt+Enter");
  await expect(details).toContainText("plan.txt");
  await expect(details.getByText("Versions", { exact: true })).toHaveCount(0);
});

test("versions that cannot be loaded say so and can be retried, and a failed request says so", async ({
  integrator,
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const refuse = (endpoint: string) =>
    page.route(`**/api/embed/storage/${endpoint}`, (route) =>
      route.fulfill({ status: 502, json: { error: "no", code: "provider_failed" } }),
    );
  await refuse("versions");
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  await expect(details.getByRole("alert")).toBeVisible();
  await page.unroute("**/api/embed/storage/versions");
  await details.getByRole("button", { name: "Try again" }).click();
  await expect(details.getByRole("listitem")).toHaveCount(2);
  await refuse("restore");
  await details.getByRole("listitem").nth(1).getByText("Restore this version").click();
  await expect(details.getByRole("alert")).not.toBeEmpty();
  expect(String(await bucket.get("plan.txt"))).toBe("second one");
});

const bytesOf = async (download: Download) => readFile(await download.path());

test("a version is previewed, the arrow keys lead to the others, and Escape leads back to its button", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one", "the third one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  const entries = details.getByRole("listitem");
  await chooseOfVersion(explorer.frame, entries.nth(2), "Preview");
  const preview = explorer.frame.getByRole("dialog", { name: "plan.txt" });
  await expect(preview.getByRole("region", { name: "plan.txt" })).toHaveText("first");
  await expect(preview).toBeFocused();
  await expect(preview.getByRole("banner").or(preview.locator("header"))).toContainText(
    /5 bytes · Version of .*3 of 3/,
  );
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("ArrowLeft");
  await expect(preview.getByRole("region", { name: "plan.txt" })).toHaveText("second one");
  const downloaded = page.waitForEvent("download");
  await preview.getByRole("button", { name: "Download plan.txt" }).click();
  expect(String(await bytesOf(await downloaded))).toBe("second one");
  await page.keyboard.press("i");
  await expect(preview.getByRole("complementary", { name: "Details" })).toContainText("Version of");
  await expect(preview.getByText("Versions", { exact: true }), "they belong to the file").toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(preview).toHaveCount(0);
  await expect(entries.nth(2).getByRole("button", { name: /^More: / })).toBeFocused();
  await expect(details, "Escape has closed only the preview").toBeVisible();
});

test("the menu of a file opens its versions, beside the list and in a narrow frame", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  for (const [role, width] of [
    ["complementary", 1280],
    ["dialog", 360],
  ] as const) {
    await resize(page, explorer.frame, width);
    // The panel of the wide frame has gone.
    await expect(explorer.frame.getByRole("complementary", { name: "Details" })).toHaveCount(0);
    await choose(explorer, "plan.txt", "Versions");
    const details = explorer.frame.getByRole(role, { name: /^Details/ });
    await expect(details.getByRole("listitem")).toHaveCount(2);
    await expect(details.getByText("Versions", { exact: true })).toBeFocused();
  }
});

test("versions of images, PDFs, recordings and texts of each kind are previewed", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  const files: [name: string, type: string, older: string | Buffer, newer: string | Buffer][] = [
    ["a.bmp", "image/bmp", bmp(30, 20), bmp(60, 20)],
    ["b.pdf", "application/pdf", pdf(3), pdf(1)],
    ["c.wav", "audio/wav", wav(3), wav(1)],
    ["d.json", "application/json", '{ "older": 1 }', '{ "newer": 1 }'],
    ["e.csv", "text/csv", "older,1", "newer,1"],
    ["f.md", "text/markdown", "# older", "# newer"],
    ["g.svg", "image/svg+xml", svg(30), svg(60)],
  ];
  for (const [name, type, older, newer] of files) {
    await bucket.put(name, older, type);
    await bucket.put(name, newer, type);
  }
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const details = await openVersions(explorer, "a.bmp");
  const preview = frame.getByRole("dialog");
  const open = async (name: string) => {
    await row(name).click();
    await expect(details.getByRole("definition").first()).toHaveText(name);
    await chooseOfVersion(frame, details.getByRole("listitem").nth(1), "Preview");
    await expect(preview).toContainText("Version of");
  };
  const width = () => preview.getByRole("img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
  const close = () => preview.getByRole("button", { name: "Close" }).click();

  await open("a.bmp");
  await expect.poll(width).toBe(30);
  await close();
  await open("b.pdf");
  await expect(preview.getByRole("group", { name: "Page 1 of 3" })).toBeVisible();
  await close();
  await open("c.wav");
  await expect
    .poll(() => preview.locator("audio").evaluate((media: HTMLMediaElement) => media.duration))
    .toBe(3);
  await close();
  for (const name of ["d.json", "e.csv", "f.md"]) {
    await open(name);
    await expect(preview).toContainText("older");
    await expect(preview).not.toContainText("newer");
    await close();
  }
  await open("g.svg");
  await expect.poll(width).toBe(30);
});

const svg = (width: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"/>`;

/** Twenty lines; the given ones differ. */
const lines = (changes: Record<number, string> = {}) =>
  Array.from({ length: 20 }, (_, index) => `${changes[index + 1] ?? `line ${index + 1}`}\n`).join("");

async function openComparison(explorer: OpenExplorer, name: string) {
  const details = await openVersions(explorer, name);
  const version = details.getByRole("listitem").nth(1);
  await chooseOfVersion(explorer.frame, version, "Compare with current");
  return {
    details,
    button: version.getByRole("button", { name: /^More: / }),
    comparison: explorer.frame.getByRole("dialog", { name: `Comparison of two versions of ${name}` }),
  };
}

test("two versions are compared beside each other", async ({ integrator, openExplorer, page }) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  await bucket.put("plan.txt", lines());
  await bucket.put("plan.txt", lines({ 2: "line two", 18: "line eighteen\nand one more" }));
  const explorer = await openExplorer({ scope: everything });
  const { comparison, button } = await openComparison(explorer, "plan.txt");
  await expect(comparison).toContainText(/2 lines removed\s*3 lines added/);
  const changed = comparison.locator("[data-change]");
  await expect(changed).toHaveText([
    /2Removed: line 22Added: line two/,
    /18Removed: line 1818Added: line eighteen/,
  ]);
  await expect(comparison.locator("del")).toHaveText(["2"]);
  await expect(comparison.locator("ins")).toHaveText(["two"]);
  await expect(comparison.getByRole("row").filter({ hasText: "and one more" })).toContainText("19Added:");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(comparison).toHaveCount(0);
  await expect(button).toBeFocused();
});

test("changes are stepped through by keys and buttons, and unchanged lines are unfolded", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  await bucket.put("plan.txt", lines());
  await bucket.put("plan.txt", lines({ 2: "line two", 18: "line eighteen" }));
  const explorer = await openExplorer({ scope: everything });
  const { comparison } = await openComparison(explorer, "plan.txt");
  const changed = comparison.locator("[data-change]");
  const status = comparison.getByRole("status");
  await expect(status).toHaveText("Change 1 of 2");
  await page.keyboard.press("n");
  await expect(status).toHaveText("Change 2 of 2");
  await expect(changed.nth(1)).toBeFocused();
  await page.keyboard.press("n");
  await expect(status, "after the last change there is none").toHaveText("Change 2 of 2");
  await page.keyboard.press("p");
  await expect(changed.nth(0)).toBeFocused();
  await comparison.getByRole("button", { name: "Next change" }).click();
  await expect(status).toHaveText("Change 2 of 2");
  await expect(changed.nth(1)).toBeInViewport();

  await expect(comparison.getByRole("row").filter({ hasText: "line 10" })).toHaveCount(0);
  await comparison.getByRole("button", { name: "Show 9 unchanged lines" }).press("Enter");
  await expect(comparison.getByRole("row").filter({ hasText: "line 10" })).toBeVisible();
  await expect(comparison.getByRole("row").filter({ hasText: "line 6" })).toBeFocused();
});

test("any two versions can be chosen, and the current one is compared with the one before", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["one\ntwo\n", "one\r\ntwo\r\n", "one\r\nthree\r\n"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  await chooseOfVersion(explorer.frame, details.getByRole("listitem").first(), "Compare with previous");
  const comparison = explorer.frame.getByRole("dialog");
  await expect(comparison.locator("[data-change]")).toHaveText(/Removed: two.*Added: three/);
  const [from, to] = [comparison.getByLabel("From"), comparison.getByLabel("To")];
  await expect(from.locator("option:checked")).toHaveText(/10 bytes$/);
  await expect(to.locator("option:checked")).toHaveText(/^Current · .*12 bytes$/);
  await from.selectOption({ index: 2 });
  await to.selectOption({ index: 1 });
  await expect(comparison).toContainText("Only the line endings differ.");
  await to.selectOption({ index: 2 });
  await expect(comparison).toContainText("Both versions contain the same text.");
});

test("in a narrow frame, the versions are compared in one column", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 760 });
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["one\ntwo\n", "one\nthree\n"]) await bucket.put("plan.txt", text);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("plan.txt").press("Alt+Enter");
  const details = frame.getByRole("dialog", { name: "Details of plan.txt" });
  await details.getByText("Versions", { exact: true }).click();
  await chooseOfVersion(frame, details.getByRole("listitem").nth(1), "Compare with current");
  const comparison = frame.getByRole("dialog", { name: /^Comparison/ });
  await expect(comparison.getByRole("row")).toHaveText([
    /FromToLine/,
    "11one",
    "2Removed: two",
    "2Added: three",
  ]);
  expect(await comparison.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(details.getByRole("button", { name: /^More: / }).last()).toBeFocused();
});

test("what cannot be compared says why, and what failed can be tried again", async ({
  integrator,
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  const { bucket } = integrator;
  await bucket.keepVersions();
  const large = "x".repeat(1_000_001);
  for (const [name, older] of [
    ["binary.txt", "\0\0\0"],
    ["large.txt", large],
    ["plan.txt", "old"],
    ["photo.bmp", bmp(3, 3)],
  ] as const) {
    await bucket.put(name, older);
    await bucket.put(name, "new");
  }
  const explorer = await openExplorer({ scope: everything });
  const { comparison } = await openComparison(explorer, "binary.txt");
  await expect(comparison).toContainText("do not look like text");
  await page.keyboard.press("Escape");
  await compareNext("large.txt");
  await expect(comparisonOf("large.txt")).toContainText("Too large to compare: the limit is 1 MB.");
  await page.keyboard.press("Escape");
  const worker = "**/embed-workers/comparison.js";
  await page.route(worker, (route) => route.abort());
  await compareNext("plan.txt");
  await expect(comparisonOf("plan.txt").getByRole("alert")).toBeVisible();
  await page.unroute(worker);
  await comparisonOf("plan.txt").getByRole("button", { name: "Try again" }).click();
  await expect(comparisonOf("plan.txt").locator("[data-change]")).toHaveText(/old.*new/);
  await page.keyboard.press("Escape");
  await explorer.row("photo.bmp").click();
  const details = explorer.frame.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("listitem")).toHaveText([/Preview/, /Restore/]);
  await details
    .getByRole("button", { name: /^More: / })
    .last()
    .click();
  await expect(explorer.frame.getByRole("menuitem")).toHaveText([
    "Preview",
    "Download",
    "Delete permanently",
  ]);

  function comparisonOf(name: string) {
    return explorer.frame.getByRole("dialog", { name: `Comparison of two versions of ${name}` });
  }
  async function compareNext(name: string) {
    await explorer.row(name).click();
    const details = explorer.frame.getByRole("complementary", { name: "Details" });
    await expect(details.getByRole("definition").first()).toHaveText(name);
    await chooseOfVersion(explorer.frame, details.getByRole("listitem").nth(1), "Compare with current");
  }
});

/** The service leaves the version as it is, and says why. */
const refuseItem = (page: Page, endpoint: string, code: string) =>
  page.route(`**/api/embed/storage/${endpoint}`, (route) =>
    route.fulfill({ json: { restored: 0, purged: 0, failed: [{ key: "plan.txt", code }], cursor: null } }),
  );

test("a version that may not be deleted or made current says why", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  const old = details.getByRole("listitem").nth(1);
  await refuseItem(page, "purge", "is_latest");
  await chooseOfVersion(explorer.frame, old, "Delete permanently");
  await old.getByRole("button", { name: /^Delete permanently/ }).click();
  await expect(details.getByRole("alert")).toHaveText(/This is the current content/);
  await refuseItem(page, "restore", "would_be_lost");
  await old.getByText("Restore this version").click();
  await expect(details.getByRole("alert")).toHaveText(/the current content would be lost/);
});

test("where the bucket keeps no versions, none are shown and none are asked for", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("plan.txt", "first");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const { frame, row } = await openExplorer({ scope: everything });
  await row("plan.txt").click();
  await row("plan.txt").press("Alt+Enter");
  const details = frame.getByRole("complementary", { name: "Details" });
  await expect(details.getByText("For support")).toBeVisible();
  await expect(details.getByText("Versions", { exact: true })).toHaveCount(0);
  expect(asked.filter((path) => path.includes("versions"))).toEqual([]);
});
