import type { Download, FrameLocator, Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { type FaultyStore, startFaultyStore } from "../support/faulty-store";
import { sha256, unzip } from "../support/unzip";
import { test as base, expect } from "./explorer-support";

/**
 * What Playwright switches off in Chromium, but for the partitions that people's browsers give to frames of other sites: without
 * them such a frame has no service worker where third-party cookies are blocked.
 */
const FEATURES =
  "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,HttpsUpgrades,LensOverlay,MediaRouter,PaintHolding,OptimizationHints";

/** An app of the test's own on a store that can be made to fail. */
const test = base.extend<object, { faulty: FaultyStore; stack: StackInfo }>({
  launchOptions: [
    async ({ launchOptions }, use) =>
      use({ ...launchOptions, args: [...(launchOptions.args ?? []), FEATURES] }),
    { scope: "worker" },
  ],
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
  stack,
}) => {
  await fill(integrator.bucket);
  await keepMessages(page);
  const { frame } = await openExplorer();
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("Photos.zip");
  expect(download.url()).toContain(`${stack.platformBaseUrl}/embed-downloads/`);
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

test("a connection that breaks off goes on where it was, under the same name", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));
  await fill(integrator.bucket, { "docs/a.bin": large, "docs/b.txt": Buffer.from("after") });
  const { frame } = await openExplorer();
  const ranges: (string | undefined)[] = [];
  faulty.intercept = ({ method, key, headers }) => {
    if (method !== "GET" || key !== "docs/a.bin" || headers.range === "bytes=0-0") return undefined;
    ranges.push(headers.range);
    // Chromium itself sends a request again, once, whose connection it had used before: it gets no byte of the first.
    return ranges.length < 4 ? { resetAfterSentBytes: 700_000 } : undefined;
  };
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download docs" }).click();
  await expect(panel(frame)).toContainText("Interrupted. Trying again…");
  expect(await saved(await started)).toEqual({
    "docs/": sha256(""),
    "docs/a.bin": sha256(large),
    "docs/b.txt": sha256("after"),
  });
  expect(ranges.length).toBeGreaterThan(3);
  expect(ranges.slice(1).every((range) => /^bytes=\d{6,}-$/.test(range ?? ""))).toBe(true);
});

test("tokens may expire in the middle, and URLs be refused", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`docs/${index}.bin`, Buffer.alloc(200_000, index)]),
  );
  await fill(integrator.bucket, files);
  const { frame, heard } = await openExplorer({ expiresInSeconds: 5 });
  let refused = false;
  faulty.intercept = ({ method, key }) => {
    if (method !== "GET" || !key.startsWith("docs/")) return undefined;
    if (key !== "docs/7.bin" || refused) return { delayMs: 1_000 };
    refused = true;
    return {
      error: { status: 403, code: "AccessDenied", message: "Request has expired" },
      withoutCors: true,
    };
  };
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download docs" }).click();
  expect(await saved(await started)).toEqual({ "docs/": sha256(""), ...expected(files) });
  expect(refused).toBe(true);
  const asked = (await heard()).filter((type) => type === "platform.embed.token-expired");
  expect(asked.length).toBeGreaterThan(1);
});

test("it can be cancelled, while it is prepared and later, and begun anew", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  const { frame } = await openExplorer();
  faulty.intercept = ({ key }) => (key === "" ? { delayMs: 60_000 } : undefined);
  const button = frame.getByRole("button", { name: "Download Photos" });
  await button.click();
  await expect(panel(frame)).toContainText("Preparing…");
  await frame.getByRole("button", { name: "Cancel download of Preparing…" }).click();
  await expect(panel(frame)).toHaveCount(0);

  faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 30_000 } : undefined);
  const started = page.waitForEvent("download");
  await button.click();
  const download = await started;
  const cancel = frame.getByRole("button", { name: "Cancel download of Photos.zip" });
  await expect(panel(frame)).toContainText(/of 300 kB · \d of 3 files/);
  await cancel.press("Enter");
  await expect(panel(frame)).toHaveCount(0);
  // The browser knows that what it has is not complete.
  expect(await download.failure()).not.toBeNull();

  faulty.intercept = null;
  const again = page.waitForEvent("download");
  await button.click();
  expect(await saved(await again)).toEqual(withFolders(expected(contents, "Photos/")));
});

test("a download that is stopped in the browser's own list leaves the explorer's", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  const { frame } = await openExplorer();
  faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 60_000 } : undefined);
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  const download = await started;
  await expect(panel(frame)).toContainText("Photos.zip");
  await download.cancel();
  await expect(panel(frame)).toHaveCount(0);
});

for (const [what, status, code, sentence] of [
  ["vanished", 404, "NoSuchKey", "is no longer there: try again without it."],
  ["been changed", 412, "PreconditionFailed", "was changed in the meantime: try again."],
] as const) {
  test(`a file that has ${what} fails the download, and is named`, async ({
    faulty,
    integrator,
    openExplorer,
    page,
  }) => {
    await fill(integrator.bucket);
    await keepMessages(page);
    const { frame } = await openExplorer();
    faulty.intercept = ({ method, key }) =>
      method === "GET" && key.endsWith("Café – 東京.txt") ? { error: { status, code } } : undefined;
    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download Photos" }).click();
    const alert = panel(frame).getByRole("alert");
    await expect(alert).toContainText(
      `The download was not completed. Photos/2026/Café – 東京.txt ${sentence}`,
    );
    expect(await (await started).failure()).not.toBeNull();
    expect(await completions(page)).toEqual([]);

    faulty.intercept = null;
    const again = page.waitForEvent("download");
    await panel(frame).getByRole("button", { name: "Try again" }).click();
    expect(await saved(await again)).toEqual(withFolders(expected(contents, "Photos/")));
    await expect(panel(frame)).toContainText("Downloaded");
  });
}

test("a folder that cannot be listed says why, and nothing is downloaded", async ({
  faulty,
  integrator,
  openExplorer,
}) => {
  await fill(integrator.bucket);
  const { frame } = await openExplorer();
  faulty.intercept = () => ({ error: { status: 403, code: "InvalidAccessKeyId" } });
  await frame.getByRole("button", { name: "Download Photos" }).click();
  await expect(panel(frame).getByRole("alert")).toContainText("The download was not completed.");
});

test("a store that no page may read has its files saved one by one, and it is said", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  await integrator.bucket.allowOrigins(["https://elsewhere.example"]);
  const { frame } = await openExplorer();
  const names: string[] = [];
  page.on("download", (download) => names.push(download.suggestedFilename()));
  await frame.getByRole("button", { name: "Download Photos" }).click();
  await expect(panel(frame)).toContainText("they are saved one by one, without their folders.");
  await expect.poll(() => names.toSorted()).toEqual(["Booth 12.bin", "Café – 東京.txt", "empty.txt"]);
  await expect(panel(frame)).toContainText("Handed to your browser: 3");
});

test.describe("a browser without a service worker", () => {
  test.use({
    serviceWorkers: "block",
    allowedConsole: [
      /Service Worker registration blocked by Playwright|the server responded with a status of 404/,
    ],
  });

  test("saves an archive that fits into memory when it is complete", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await fill(integrator.bucket);
    const { frame } = await openExplorer();
    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download Photos" }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe("Photos.zip");
    expect(download.url()).toMatch(/^blob:/);
    expect(await saved(download)).toEqual(withFolders(expected(contents, "Photos/")));
  });

  test("saves nothing of an archive that failed", async ({ faulty, integrator, openExplorer, page }) => {
    await fill(integrator.bucket);
    const { frame } = await openExplorer();
    faulty.intercept = ({ method, key }) =>
      method === "GET" && key.endsWith("empty.txt") === false && key.endsWith(".txt")
        ? { error: { status: 404, code: "NoSuchKey" } }
        : undefined;
    let downloads = 0;
    page.on("download", () => downloads++);
    await frame.getByRole("button", { name: "Download Photos" }).click();
    await expect(panel(frame).getByRole("alert")).toContainText("is no longer there");
    expect(downloads).toBe(0);
  });

  test("saves the files of a larger one singly, and says so", async ({ integrator, openExplorer, page }) => {
    await fill(integrator.bucket);
    // Half a gigabyte would take long to make: the listing says so of a small file.
    await page.route("**/api/embed/storage/list", async (route) => {
      const response = await route.fetch();
      const listing = await response.json();
      for (const file of listing.files) if (file.name === "Booth 12.bin") file.size = 600_000_000;
      await route.fulfill({ response, json: listing });
    });
    const { frame } = await openExplorer();
    const names: string[] = [];
    page.on("download", (download) => names.push(download.suggestedFilename()));
    await frame.getByRole("button", { name: "Download Photos" }).click();
    await expect(panel(frame)).toContainText("they are saved one by one, without their folders.");
    await expect.poll(() => names.toSorted()).toEqual(["Booth 12.bin", "Café – 東京.txt", "empty.txt"]);
  });
});
