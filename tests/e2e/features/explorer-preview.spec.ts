import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { sha256, unzip } from "../../support/files/unzip";
import { expect, test } from "../explorer-support";
import { PNG } from "../sample-files";

test("an image is shown, and arrow keys open the next and the previous file", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.png", PNG, "image/png");
  await integrator.bucket.put("b.txt", "the text of b", "text/plain");
  await integrator.bucket.put("c.rar", "Rar!\u001a", "application/octet-stream");
  const { frame, row } = await openExplorer();
  await row("a.png").dblclick();
  const image = frame.getByRole("dialog").getByRole("img", { name: "a.png" });
  await expect(image).toBeVisible();
  expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("the text of b")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText(/^There is no preview of RAR files\./)).toBeVisible();
  const downloaded = page.waitForEvent("download");
  await frame.locator(".preview__note").getByRole("button", { name: "Download" }).click();
  expect((await downloaded).suggestedFilename()).toBe("c.rar");
  await expect(frame.getByRole("button", { name: "Next file" })).toBeDisabled();
  await page.keyboard.press("ArrowLeft");
  await expect(frame.getByText("the text of b")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect(row("b.txt"), "the file looked at last").toBeFocused();
  await expect(row("b.txt")).toHaveAttribute("aria-selected", "true");
});

test("a preview has the focus itself, with an outline only for those who use the keyboard", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  const preview = frame.getByRole("dialog", { name: "a.txt" });
  await row("a.txt").dblclick();
  await expect(preview).toBeFocused();
  await expect(preview).toHaveCSS("outline-style", "none");
  await page.keyboard.press("Tab");
  await expect(frame.getByRole("button", { name: "Previous file" })).toBeFocused();
  await page.keyboard.press("Escape");
  await row("a.txt").press("Enter");
  await expect(preview).toBeFocused();
  await expect(preview).toHaveCSS("outline-style", "solid");
});

test("a preview fills a frame that is lower than 700 pixels", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  await row("a.txt").dblclick();
  const preview = frame.getByRole("dialog", { name: "a.txt" });
  await expect.poll(async () => (await preview.boundingBox())?.width).toBe(1080);
  await page.setViewportSize({ width: 1280, height: 699 });
  await expect.poll(() => preview.boundingBox()).toEqual({ x: 0, y: 0, width: 1280, height: 699 });
});

test("full screen has a labelled button where the page allows it", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer();
  const preview = frame.getByRole("dialog", { name: "a.txt" });
  await row("a.txt").dblclick();
  await expect(preview.getByRole("button", { name: "Download a.txt" })).toBeVisible();
  await expect(preview.getByRole("button", { name: "Full screen" })).toHaveCount(0);
  await page.locator("iframe").evaluate((iframe: HTMLIFrameElement) => {
    iframe.allow = "fullscreen";
    iframe.src += "";
  });
  await expect(preview).toHaveCount(0);
  await expect(frame.getByRole("button", { name: "Refresh" })).toBeEnabled();
  await row("a.txt").dblclick();
  await expect(preview.getByText("Full screen")).toBeVisible();
  await preview.getByRole("button", { name: "Full screen" }).click();
  await expect(preview.getByText("Leave full screen")).toBeVisible();
  const fills = () => frame.locator("html").evaluate(() => document.fullscreenElement?.className);
  expect(await fills()).toBe("preview__screen");
  await preview.getByRole("button", { name: "Leave full screen" }).click();
  await expect(preview.getByText("Full screen", { exact: true })).toBeVisible();
  expect(await fills()).toBeUndefined();
});

test("a long text is truncated, and says so", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("long.log", `begin ${"é".repeat(700_000)} end`, "text/plain");
  const { frame, row } = await openExplorer();
  await row("long.log").dblclick();
  await expect(frame.getByText("The first 1 MB of 1.4 MB. Download the file to see the rest.")).toBeVisible();
  const shown = await frame.locator("pre").textContent();
  expect(shown).toMatch(/^begin é/);
  expect(shown).not.toContain("end");
  expect(shown).not.toContain("\ufffd");
});

test("a text stored compressed is shown, and truncated by its uncompressed length", async ({
  integrator,
  openExplorer,
  page,
}) => {
  // Random letters, so that the compressed file is over the limit too.
  const text = `begin ${randomBytes(2_000_000).toString("base64")} end`;
  await integrator.bucket.put("a.log", gzipSync(text), "text/plain", "gzip");
  await integrator.bucket.put("b.log", gzipSync(`begin ${"x".repeat(3_000_000)} end`), "text/plain", "gzip");
  const { frame, row } = await openExplorer();
  await row("a.log").dblclick();
  await expect(frame.getByText(/^The first 1 MB of /)).toBeVisible();
  expect(await frame.locator("pre").textContent()).toBe(text.slice(0, 1_000_000));
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("The first 1 MB. Download the file to see the rest.")).toBeVisible();
  expect((await frame.locator("pre").textContent())?.length).toBe(1_000_000);
});

test("an empty text and binary data are told apart", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "", "text/plain");
  await integrator.bucket.put("b.txt", Buffer.from([0, 1, 2, 0]), "text/plain");
  const { frame, row } = await openExplorer();
  await row("a.txt").dblclick();
  await expect(frame.getByRole("dialog").getByText("This file is empty.")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("This does not look like text.")).toBeVisible();
});

test("an SVG with a script is shown, and the script does not run", async ({ integrator, openExplorer }) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/><script>parent.document.title = "run"</script></svg>`;
  await integrator.bucket.put("logo.svg", svg, "image/svg+xml");
  const { frame, row } = await openExplorer();
  await row("logo.svg").dblclick();
  await expect(frame.getByRole("dialog").getByRole("img", { name: "logo.svg" })).toBeVisible();
  expect(await frame.locator("html").evaluate(() => document.title)).toBe("Files");
});

test("an SVG stored without a content type is shown", async ({ integrator, openExplorer }) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>`;
  await integrator.bucket.put("logo.svg", svg, "binary/octet-stream");
  const { frame, row } = await openExplorer();
  await row("logo.svg").dblclick();
  const image = frame.getByRole("dialog").getByRole("img", { name: "logo.svg" });
  await expect(image).toBeVisible();
  expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(40);
});

test("a file is downloaded under its own name, and a selection as an archive with the files' names", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const name = "naïve “plan”; v1.txt";
  await integrator.bucket.put(name, "one", "text/plain");
  await integrator.bucket.put("second.html", "<p>two", "text/html");
  const { frame, row } = await openExplorer();
  const button = frame.getByRole("contentinfo").getByRole("button", { name: "Download" });
  await row(name).getByRole("checkbox").click();
  const single = page.waitForEvent("download");
  await button.click();
  expect((await single).suggestedFilename()).toBe(name);
  expect(await readFile(await (await single).path(), "utf8")).toBe("one");

  await row("second.html").getByRole("checkbox").click();
  const both = page.waitForEvent("download");
  await button.click();
  expect((await both).suggestedFilename()).toBe("2 files.zip");
  const entries = await unzip(await (await both).path());
  expect(entries.map(({ name, sha256 }) => [name, sha256])).toEqual([
    [name, sha256("one")],
    ["second.html", sha256("<p>two")],
  ]);
});

test.describe("a file that was deleted after it was listed", () => {
  test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of 404/] });

  test("is reported as not downloaded, and the explorer stays open", async ({
    integrator,
    openExplorer,
    page,
    stack,
  }) => {
    await integrator.bucket.put("gone.txt", "x");
    const { frame, row } = await openExplorer();
    await page.route(`${stack.objectStore.endpoint}/**`, (route) =>
      route.fulfill({
        status: 404,
        contentType: "application/xml",
        body: "<Error><Code>NoSuchKey</Code></Error>",
      }),
    );
    await frame.getByRole("button", { name: "Download gone.txt" }).click();
    await expect(frame.getByRole("alert")).toContainText("Could not download gone.txt.");
    await frame.getByRole("button", { name: "Dismiss" }).click();
    await expect(row("gone.txt")).toBeVisible();
  });
});
