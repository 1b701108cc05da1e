import {
  allowedConsole,
  contents,
  expect,
  expected,
  fill,
  panel,
  saved,
  test,
  withFolders,
} from "../download-support";
import { unfold } from "../explorer-support";

test.use({ allowedConsole });
test.beforeEach(({ faulty }) => {
  faulty.intercept = null;
});

test("if the store's CORS rules block reading, files are saved one by one, and the explorer says so", async ({
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

test("if the browser stops the service worker, the download fails, and the explorer says so", async ({
  context,
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  await page.clock.install();
  const { frame } = await openExplorer();
  faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 20_000 } : undefined);
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  const download = await started;
  await unfold(frame, "Downloads");
  await expect(panel(frame)).toContainText(/Files: \d of 3/);
  const devtools = await context.newCDPSession(page);
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.stopAllWorkers");
  expect(await download.failure()).not.toBeNull();
  // It has been silent for a minute.
  await page.clock.runFor(60_000);
  await expect(panel(frame).getByRole("alert")).toContainText("The download was not completed.");
});

test.describe("a browser without a service worker", () => {
  test.use({
    serviceWorkers: "block",
    allowedConsole: [
      /Service Worker registration blocked by Playwright|the server responded with a status of 404/,
    ],
  });

  test("saves an archive that fits in memory once it is complete", async ({
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
    await unfold(frame, "Downloads");
    await expect(panel(frame).getByRole("listitem")).toHaveText("Photos.zipDownloaded");
    expect(await saved(download)).toEqual(withFolders(expected(contents, "Photos/")));
  });

  test("saves nothing if the archive fails", async ({ faulty, integrator, openExplorer, page }) => {
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

  test("saves the files of a larger archive one by one, and says so", async ({
    integrator,
    openExplorer,
    page,
  }) => {
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
