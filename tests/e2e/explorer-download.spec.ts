import type { Download, FrameLocator, Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { type FaultyStore, startFaultyStore } from "../support/faulty-store";
import { sha256, unzip } from "../support/unzip";
import { test as base, expect } from "./explorer-support";

/** An app of the test's own on a store that can be made to fail. */
const test = base.extend<object, { faulty: FaultyStore; stack: StackInfo }>({
  faulty: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      const faulty = await startFaultyStore(JSON.parse(process.env.TEST_STACK ?? "null"));
      await use(faulty);
      await faulty.close();
    },
    { scope: "worker" },
  ],
  stack: [
    async ({ faulty }, use) => {
      await use((await faulty.startApp()).stack);
    },
    { scope: "worker" },
  ],
});

test.use({
  allowedConsole: [
    /blocked by CORS policy|Failed to load resource: (net::ERR_|.*status of (403|404|412|50\d))/,
  ],
});
test.beforeEach(({ faulty }) => {
  faulty.intercept = null;
});

const contents: Record<string, Buffer> = {
  "Photos/2026/Spring fair/Booth 12.bin": Buffer.alloc(300_000, "b"),
  "Photos/2026/Café – 東京.txt": Buffer.from("tea"),
  "Photos/empty.txt": Buffer.alloc(0),
  "Photos/Nothing here/": Buffer.alloc(0),
  "notes.txt": Buffer.from("one, two"),
};
const folders = ["Photos/", "Photos/2026/", "Photos/2026/Spring fair/", "Photos/Nothing here/"];
const fill = async (bucket: { put(key: string, body: Uint8Array): Promise<void> }, files = contents) => {
  for (const [key, bytes] of Object.entries(files)) await bucket.put(key, bytes);
};
const panel = (frame: FrameLocator) => frame.getByRole("region", { name: "Downloads" });
const saved = async (download: Download) => {
  const entries = await unzip(await download.path());
  return Object.fromEntries(entries.map(({ name, sha256 }) => [name, sha256]));
};
const expected = (files: Record<string, Buffer>, within = "") =>
  Object.fromEntries(
    Object.entries(files)
      .filter(([key]) => key.startsWith(within))
      .map(([key, bytes]) => [key, sha256(bytes)]),
  );
const withFolders = (files: Record<string, string>) => ({
  ...Object.fromEntries(folders.map((path) => [path, sha256("")])),
  ...files,
});
/** Has the page keep the frame's messages whole. */
const keepMessages = (page: Page) =>
  page.addInitScript(() => {
    const kept: unknown[] = [];
    Object.assign(window, { kept });
    addEventListener("message", ({ data }) => kept.push(data));
  });
const completions = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { kept: { type: string }[] }).kept.filter(
      ({ type }) => type === "platform.embed.download-complete",
    ),
  );

test("a folder is one archive of all that is in it, empty folders too", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  await keepMessages(page);
  const { frame } = await openExplorer();
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("Photos.zip");
  expect(await saved(download)).toEqual(withFolders(expected(contents, "Photos/")));
  await expect(panel(frame)).toContainText("Photos.zip");
  await expect(panel(frame)).toContainText("Downloaded");
  await expect(frame.getByRole("status")).toHaveText("Photos.zip downloaded");
  expect(await completions(page)).toEqual([
    {
      type: "platform.embed.download-complete",
      service: "files",
      bucket: integrator.bucket.name,
      files: 3,
      size: 300_003,
    },
  ]);
});

test("what is selected, files and folders, is one archive", async ({ integrator, openExplorer, page }) => {
  await fill(integrator.bucket);
  const { frame, row } = await openExplorer();
  await row("Photos").getByRole("checkbox").click();
  await row("notes.txt").getByRole("checkbox").click();
  const started = page.waitForEvent("download");
  await frame.getByRole("contentinfo").getByRole("button", { name: "Download" }).click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("4 files.zip");
  expect(await saved(download)).toEqual(withFolders(expected(contents)));
});
