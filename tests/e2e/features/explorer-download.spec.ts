import { sha256 } from "../../support/files/unzip";
import {
  allowedConsole,
  completions,
  contents,
  expect,
  expected,
  fill,
  keepMessages,
  panel,
  saved,
  test,
  withFolders,
} from "../download-support";
import { unfold } from "../explorer-support";
import { findViolations } from "../find-violations";

test.use({ allowedConsole });
test.beforeEach(({ faulty }) => {
  faulty.intercept = null;
});

test("a folder is downloaded as one archive, including empty folders", async ({
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
  await expect(panel(frame).getByRole("heading")).toHaveText("Photos.zip downloaded");
  await unfold(frame, "Downloads");
  await expect(panel(frame).getByRole("listitem")).toHaveText(/Photos\.zipDownloaded$/);
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

test("a selection of files and folders is downloaded as one archive", async ({
  integrator,
  openExplorer,
  page,
}) => {
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

test("after a broken connection, the download continues where it stopped, under the same name", async ({
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
  await unfold(frame, "Downloads");
  await expect(panel(frame)).toContainText("Interrupted. Trying again…");
  expect(await saved(await started)).toEqual({
    "docs/": sha256(""),
    "docs/a.bin": sha256(large),
    "docs/b.txt": sha256("after"),
  });
  expect(ranges.length).toBeGreaterThan(3);
  // What the browser had received of an attempt may be lost with its connection, but not of all of them.
  expect(ranges.at(-1)).toMatch(/^bytes=\d{6,}-$/);
});

test("a download survives expired tokens and refused URLs", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  // Too large to be read ahead: they are read one by one, longer than two tokens live.
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`docs/${index}.bin`, Buffer.alloc(1024 * 1024 + 1, index)]),
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

test("a download can be cancelled while it is prepared and later, and restarted", async ({
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
  await expect(panel(frame).getByRole("heading")).toHaveText("Preparing the download");
  await unfold(frame, "Downloads");
  await frame.getByRole("button", { name: "Cancel download of Preparing…" }).click();
  await expect(panel(frame)).toHaveCount(0);

  faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 30_000 } : undefined);
  const started = page.waitForEvent("download");
  await button.click();
  const download = await started;
  const cancel = frame.getByRole("button", { name: "Cancel download of Photos.zip" });
  await unfold(frame, "Downloads");
  await expect(panel(frame)).toContainText(/of 300 kB · Files: \d of 3/);
  await cancel.press("Enter");
  await expect(panel(frame)).toHaveCount(0);
  await expect(frame.getByRole("main")).toBeFocused();
  // The browser knows that what it has is not complete.
  expect(await download.failure()).not.toBeNull();

  faulty.intercept = null;
  const again = page.waitForEvent("download");
  await button.click();
  expect(await saved(await again)).toEqual(withFolders(expected(contents, "Photos/")));
});

test("a download ends when the embedding page removes the frame, as `end()` does", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  const { frame } = await openExplorer();
  faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 1_000 } : undefined);
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  const download = await started;
  await expect(panel(frame)).toContainText("Photos.zip");
  await page.locator("iframe").evaluate((element) => element.remove());
  // Without being told, the service worker would go on for two minutes.
  expect(await download.failure()).not.toBeNull();
});

test("a download that is stopped in the browser's list disappears from the explorer", async ({
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
  test(`the download fails and names a file that has ${what}`, async ({
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
    await expect(panel(frame).getByRole("heading")).toHaveText("Photos.zip downloaded");
  });
}

test("a folder that cannot be listed is not downloaded, and the explorer says why", async ({
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

for (const theme of ["light", "dark"]) {
  test(`the download panel is legible on a phone, ${theme}`, async ({
    faulty,
    integrator,
    openExplorer,
    page,
  }) => {
    await fill(integrator.bucket);
    await page.setViewportSize({ width: 360, height: 640 });
    const { frame } = await openExplorer({ query: `&theme=${theme}` });
    // In a narrow list rows have their menu alone.
    const download = async () => {
      await frame.getByRole("button", { name: "More for Photos" }).click();
      await frame.getByRole("menuitem", { name: "Download" }).click();
    };
    const check = async () => {
      const violations = await findViolations(page);
      expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
      const isWider = (element: Element) => element.scrollWidth > element.clientWidth;
      expect(await panel(frame).evaluate(isWider)).toBe(false);
    };
    faulty.intercept = ({ key }) => (key.endsWith("12.bin") ? { sentBytesPerSecond: 30_000 } : undefined);
    await download();
    await unfold(frame, "Downloads");
    await expect(panel(frame)).toContainText(/Files: \d of 3/);
    await check();
    await frame.getByRole("button", { name: "Cancel download of Photos.zip" }).click();

    faulty.intercept = ({ method, key }) =>
      method === "GET" && key.endsWith(".bin") ? { error: { status: 404, code: "NoSuchKey" } } : undefined;
    await download();
    await expect(panel(frame).getByRole("alert")).toBeVisible();
    await check();
  });
}

test("the tray of downloads closes itself, unless the focus is in it, and a finished download asks for nothing", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await fill(integrator.bucket);
  await page.clock.install();
  const { frame, row } = await openExplorer();
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Photos" }).click();
  await started;
  await expect(panel(frame).getByRole("heading")).toHaveText("Photos.zip downloaded");
  await panel(frame).getByRole("button", { name: "Show downloads" }).press("Enter");
  await expect(panel(frame).getByRole("listitem")).not.toContainText("keep this page open");
  await page.clock.runFor(30_000);
  await expect(panel(frame)).toBeVisible();
  await row("notes.txt").focus();
  await page.clock.runFor(9_000);
  await expect(panel(frame)).toHaveCount(0);
});
