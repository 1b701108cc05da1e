import { randomBytes } from "node:crypto";
import type { FrameLocator, Page } from "@playwright/test";
import { test as base, type Fixtures, inBothThemes, slowDown } from "../explorer-support";
import { expect } from "../fixtures";
import { pageWith } from "../integrator";
import { expectFewScripts, watchScripts } from "../loaded-scripts";
import { failUploads, PRESIGN, violations } from "../upload-support";

/** Where strangers hand files in. */
const scope = { view: "hand-in", uploadFolder: "/inbox" };

const test = base.extend<{
  openHandIn: (options?: Parameters<Fixtures["openExplorer"]>[0]) => Promise<FrameLocator>;
}>({
  openHandIn: async ({ openExplorer }, use) => {
    await use(async (options) => (await openExplorer({ scope, ...options })).frame);
  },
});

const file = (name: string, size = 1_000) => ({
  name,
  mimeType: name.endsWith(".jpg") ? "image/jpeg" : "application/pdf",
  buffer: randomBytes(size),
});
const choose = (frame: FrameLocator, ...files: ReturnType<typeof file>[]) =>
  frame.locator("input[type=file]").first().setInputFiles(files);
const row = (frame: FrameLocator, name: string) => frame.getByRole("listitem").filter({ hasText: name });
const button = (frame: FrameLocator, name: string) => frame.getByRole("button", { name, exact: true });
const said = (frame: FrameLocator) => frame.getByRole("status");

/** The requests of the frame to the storage endpoints, by what comes after the last slash. */
function watchCalls(page: Page): Set<string> {
  const calls = new Set<string>();
  page.on("request", (request) => {
    const [, call] = /\/api\/embed\/storage\/(.*)$/.exec(request.url()) ?? [];
    if (call) calls.add(call);
  });
  return calls;
}

test.use({ viewport: { width: 360, height: 640 } });

test("a stranger hands in files, takes one back, is thanked, and sends more", async ({
  integrator,
  openHandIn,
  page,
}) => {
  await integrator.bucket.put("inbox/cv.pdf", "somebody else's");
  const calls = watchCalls(page);
  const frame = await openHandIn();
  await expect(frame.getByRole("heading", { name: "Hand in files" })).toBeVisible();
  expect(await frame.locator("html").evaluate(() => document.title)).toBe("Hand in files");
  await expect(button(frame, "Done")).toBeHidden();

  await choose(frame, file("cv.pdf"), file("photo.jpg"));
  await expect(row(frame, "cv.pdf")).toContainText("Sent");
  await expect(row(frame, "photo.jpg")).toContainText("Sent");
  await expect(frame.getByText("2 files sent", { exact: true })).toBeVisible();
  const stored = await integrator.bucket.list();
  expect(stored).toEqual([
    expect.stringMatching(/^inbox\/cv \(.{12}\)\.pdf$/),
    "inbox/cv.pdf",
    expect.stringMatching(/^inbox\/photo \(.{12}\)\.jpg$/),
  ]);
  expect(String(await integrator.bucket.get("inbox/cv.pdf"))).toBe("somebody else's");

  await button(frame, "Take back photo.jpg").click();
  await expect(row(frame, "photo.jpg")).toBeHidden();
  await expect(said(frame)).toHaveText("photo.jpg was taken back");
  await expect(frame.getByRole("heading", { name: "Your files" })).toBeFocused();
  expect(await integrator.bucket.list()).toEqual(stored.slice(0, 2));

  await button(frame, "Done").click();
  await expect(frame.getByRole("heading", { name: "Thank you" })).toBeFocused();
  await expect(frame.getByText("1 file has been handed in.")).toBeVisible();
  await button(frame, "Send more").click();
  await expect(frame.getByRole("heading", { name: "Hand in files" })).toBeFocused();
  await choose(frame, file("late.pdf"));
  await expect(row(frame, "late.pdf")).toContainText("Sent");
  expect([...calls].sort()).toEqual(["presign-upload", "take-back", "uploaded"]);
});

test("loads at most 110 kB of JavaScript, compressed, in at most thirteen files", async ({
  openHandIn,
  page,
  stack,
}) => {
  const scripts = watchScripts(page, stack.platformBaseUrl);
  // What sends files is not needed to show the page, and loaded after it.
  const sends = page.waitForEvent("requestfinished", (request) => request.url().includes("/on-demand-"));
  const frame = await openHandIn();
  await sends;
  // As the explorer's: two rounds of six files.
  expect(await frame.locator("link[rel=modulepreload]").count()).toBeLessThanOrEqual(12);
  expectFewScripts(await scripts(), 13);
});

test("two photos of one name are two files", async ({ integrator, openHandIn }) => {
  const frame = await openHandIn();
  await choose(frame, file("image.jpg"));
  await expect(row(frame, "image.jpg")).toContainText("Sent");
  await choose(frame, file("image.jpg"));
  await expect(row(frame, "image (1).jpg")).toContainText("Sent");
  await button(frame, "Take back image.jpg").click();
  await expect(frame.getByRole("listitem")).toHaveCount(1);
  expect(await integrator.bucket.list()).toEqual([
    expect.stringMatching(/^inbox\/image \(1\) \(.{12}\)\.jpg$/),
  ]);
});

test("a file in parts is paused, goes on, and can be taken back", async ({
  integrator,
  openHandIn,
  page,
}) => {
  test.slow();
  const frame = await openHandIn();
  await slowDown(page, 3_000_000);
  await choose(frame, file("film.pdf", 18_000_000));
  await button(frame, "Pause upload of film.pdf").click();
  await expect(row(frame, "film.pdf")).toContainText("Paused at");
  await expect(button(frame, "Done")).toBeDisabled();
  await slowDown(page, -1);
  await button(frame, "Resume upload of film.pdf").click();
  await expect(row(frame, "film.pdf")).toContainText("Sent");
  const [key = ""] = await integrator.bucket.list();
  expect((await integrator.bucket.get(key))?.length).toBe(18_000_000);
  await button(frame, "Take back film.pdf").click();
  await expect(row(frame, "film.pdf")).toBeHidden();
  // Nothing is left to move to.
  await expect(frame.getByRole("heading", { name: "Hand in files" })).toBeFocused();
  expect(await integrator.bucket.list()).toEqual([]);
});

test("a file in parts that is cancelled too late is sent, and can be taken back", async ({
  integrator,
  openHandIn,
  page,
}) => {
  test.slow();
  const frame = await openHandIn();
  // The store has the file, and the page never hears of it.
  await page.route("**/multipart/complete", async (route) => void (await route.fetch()), { times: 1 });
  await choose(frame, file("film.pdf", 18_000_000));
  await expect.poll(() => integrator.bucket.list()).toHaveLength(1);
  await button(frame, "Cancel upload of film.pdf").click();
  await expect(row(frame, "film.pdf")).toContainText("Sent");
  await button(frame, "Take back film.pdf").click();
  await expect(row(frame, "film.pdf")).toBeHidden();
  expect(await integrator.bucket.list()).toEqual([]);
});

test.describe("what fails", () => {
  test.use({ allowedConsole: [/Failed to load resource/] });

  test("is tried again, or sent without", async ({ openHandIn, page }) => {
    const frame = await openHandIn();
    await failUploads(page);
    await choose(frame, file("a.pdf"), file("b.pdf"));
    await expect(row(frame, "a.pdf")).toContainText("The upload failed.");
    await expect(frame.getByText("2 files were not sent", { exact: true })).toBeVisible();
    await expect(button(frame, "Done")).toBeDisabled();
    await page.unroute(PRESIGN);
    await button(frame, "Retry upload of a.pdf").click();
    await expect(row(frame, "a.pdf")).toContainText("Sent");
    await button(frame, "Done").click();
    await expect(frame.getByText("1 file was not sent", { exact: true })).toBeVisible();
    await button(frame, "Send more").click();
    await button(frame, "Remove b.pdf from the list").click();
    await expect(row(frame, "b.pdf")).toBeHidden();
    await expect(frame.getByText("1 file sent", { exact: true })).toBeVisible();
  });

  test("after the store has the file is confirmed by its receipt", async ({
    integrator,
    openHandIn,
    page,
  }) => {
    const frame = await openHandIn();
    let sent = 0;
    await page.route("**/inbox/**", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      sent += 1;
      await route.fetch();
      await route.abort();
    });
    await choose(frame, file("a.pdf"));
    await expect(row(frame, "a.pdf")).toContainText("Sent");
    expect(sent).toBe(1);
    await button(frame, "Take back a.pdf").click();
    await expect(row(frame, "a.pdf")).toBeHidden();
    expect(await integrator.bucket.list()).toEqual([]);
  });

  test("to be taken back says so, and can be tried again", async ({ integrator, openHandIn, page }) => {
    const frame = await openHandIn();
    await choose(frame, file("a.pdf"));
    await expect(row(frame, "a.pdf")).toContainText("Sent");
    const TAKE_BACK = "**/api/embed/storage/take-back";
    await page.route(TAKE_BACK, (route) => route.abort());
    await button(frame, "Take back a.pdf").click();
    await expect(row(frame, "a.pdf")).toContainText("It could not be taken back. Try again.");
    await page.unroute(TAKE_BACK);
    await button(frame, "Take back a.pdf").click();
    await expect(row(frame, "a.pdf")).toBeHidden();
    expect(await integrator.bucket.list()).toEqual([]);
  });

  test("offline waits, and goes on", async ({ context, openHandIn, page }) => {
    // The page loads the code that sends before anything is chosen.
    const loaded = page.waitForEvent("requestfinished", (request) => request.url().includes("/on-demand-"));
    const frame = await openHandIn();
    await loaded;
    await context.setOffline(true);
    await choose(frame, file("a.pdf"));
    await expect(row(frame, "a.pdf")).toContainText("You are offline.");
    await context.setOffline(false);
    await expect(row(frame, "a.pdf")).toContainText("Sent");
  });
});

test("what has been collected can no longer be taken back", async ({ integrator, openHandIn }) => {
  const frame = await openHandIn();
  await choose(frame, file("a.pdf"));
  await expect(row(frame, "a.pdf")).toContainText("Sent");
  for (const key of await integrator.bucket.list()) await integrator.bucket.remove(key);
  await button(frame, "Take back a.pdf").click();
  await expect(row(frame, "a.pdf")).toContainText("It has been received and can no longer be taken back.");
  await expect(button(frame, "Take back a.pdf")).toBeHidden();
});

test("limits are named beforehand, and hold", async ({ openHandIn }) => {
  const limits = { maxFileBytes: 5_000, fileTypes: [".pdf"] };
  const frame = await openHandIn({ scope: { ...scope, limits } });
  await expect(frame.getByText("Only PDF. Up to 5 kB each.")).toBeVisible();
  await choose(frame, file("large.pdf", 6_000), file("photo.jpg"));
  await expect(row(frame, "large.pdf")).toContainText("Too large: files can have up to 5 kB.");
  await expect(row(frame, "photo.jpg")).toContainText("This type may not be uploaded here, only PDF.");
});

test("folders are dropped with what is in them", async ({ integrator, openHandIn, page }) => {
  const frame = await openHandIn();
  await frame.locator(".hand-in").evaluate((target) => {
    const data = new DataTransfer();
    data.items.add(new File(["one"], "one.txt", { type: "text/plain" }));
    target.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data, bubbles: true }));
  });
  await expect(frame.locator(".hand-in--over")).toBeVisible();
  await frame.locator(".hand-in").evaluate((target) => {
    const data = new DataTransfer();
    data.items.add(new File(["one"], "one.txt", { type: "text/plain" }));
    target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
  });
  await expect(row(frame, "one.txt")).toContainText("Sent");
  expect(await integrator.bucket.list()).toEqual([expect.stringMatching(/^inbox\/one \(.{12}\)\.txt$/)]);
  expect(page.url()).toBe(`${integrator.origin}/`);
});

test("with the keyboard alone", async ({ openHandIn, page }) => {
  // Before there is a frame: a browser that hears of it later may already have opened a dialog of its own.
  const chooser = page.waitForEvent("filechooser");
  const frame = await openHandIn();
  const focused = () => frame.locator(":focus").evaluate((element) => element.textContent);
  await frame.locator("body").press("Tab");
  expect(await focused()).toBe("Choose files");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles([file("a.pdf")]);
  await expect(row(frame, "a.pdf")).toContainText("Sent");
  await button(frame, "Take back a.pdf").focus();
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Done");
  await page.keyboard.press("Enter");
  await expect(frame.getByRole("heading", { name: "Thank you" })).toBeFocused();
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Send more");
});

test("axe finds nothing, in light and in dark", async ({ openExplorer, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const opened = await openExplorer({ scope: { ...scope, limits: { maxFileBytes: 5_000 } } });
  const { frame } = opened;
  const look = async (state: string) =>
    inBothThemes(opened, async (theme) => expect(await violations(page), `${state}, ${theme}`).toEqual([]));
  await look("empty");
  await choose(frame, file("a.pdf"), file("large.pdf", 6_000));
  await expect(row(frame, "a.pdf")).toContainText("Sent");
  await look("sent and failed");
  await button(frame, "Done").click();
  await look("thanks");
});

test("a session that ends says so", async ({ openExplorer }) => {
  const { frame, say } = await openExplorer({ scope, renews: false, expiresInSeconds: 2 });
  await say({ type: "platform.embed.token-unavailable", retryable: false });
  await expect(frame.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
});

test.describe("<platform-embed>", () => {
  test("shows the page's own words, and tells it what was handed in", async ({
    integrator,
    openEmbed,
    page,
    stack,
  }) => {
    integrator.asks = { scope };
    integrator.pages.set(
      "/",
      pageWith(
        stack,
        `<platform-embed service="files" token-endpoint="/embed-url"></platform-embed>
        <script type="module">
          const embed = document.querySelector("platform-embed");
          embed.texts = { handInTitle: "Apply here", handInText: "Your CV, please.\\nThank you." };
          window.done = [];
          embed.addEventListener("platform-embed-done", ({ detail }) => done.push(detail));
        </script>`,
      ),
    );
    const frame = await openEmbed();
    await expect(frame.getByRole("heading", { name: "Apply here" })).toBeVisible();
    await expect(frame.getByText("Your CV, please.")).toBeVisible();
    await page.locator("platform-embed").evaluate((embed) => {
      Object.assign(embed, { texts: { handInTitle: "Apply there" } });
    });
    await expect(frame.getByRole("heading", { name: "Apply there" })).toBeVisible();
    await expect(frame.getByText("Add your files here.")).toBeVisible();
    await choose(frame, file("a.pdf"), file("b.pdf"));
    await expect(frame.getByText("2 files sent", { exact: true })).toBeVisible();
    await button(frame, "Take back a.pdf").click();
    await expect(row(frame, "a.pdf")).toBeHidden();
    await button(frame, "Done").click();
    const done = await page.evaluate(() => (window as unknown as { done: unknown[] }).done);
    const [key] = await integrator.bucket.list();
    const handedIn = { bucket: integrator.bucket.name, key, name: "b.pdf", size: 1_000 };
    expect(done).toEqual([{ service: "files", files: [handedIn] }]);
  });
});
