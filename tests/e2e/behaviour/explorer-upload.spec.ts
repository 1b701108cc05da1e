import { randomBytes } from "node:crypto";
import type { FrameLocator, Locator } from "@playwright/test";
import { eventsOf } from "../../support/files/event-calls";
import { droppedFile, expect, slowDown, test, unfold } from "../explorer-support";
import { PRESIGN } from "../upload-support";

const text = (name: string, content = "new") => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

const choose = (frame: FrameLocator, files: Parameters<Locator["setInputFiles"]>[0]) =>
  frame.locator("input[type=file]").first().setInputFiles(files);

const uploads = (frame: FrameLocator) => frame.getByRole("region", { name: "Uploads" });

/** The line of one upload in the panel. */
const line = (frame: FrameLocator, name: string) =>
  uploads(frame).getByRole("listitem").filter({ hasText: name });

/** So many wait for a person, and nothing else is under way. */
async function settled(frame: FrameLocator, heading: string): Promise<void> {
  await expect(frame.getByRole("heading", { name: heading })).toBeVisible();
  await expect(uploads(frame).getByRole("progressbar")).toHaveCount(0);
}

test("several files are uploaded in parallel, appear without a reload, and are recorded", async ({
  integrator,
  openExplorer,
  stack,
}) => {
  const { frame, row, heard } = await openExplorer();
  await expect(frame.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  const bytes = randomBytes(50_000);
  await choose(frame, [
    text("a.txt"),
    text("empty.txt", ""),
    { name: "été & 100%.bin", mimeType: "", buffer: bytes },
    text("d.txt"),
    text("e.txt"),
  ]);
  await expect(frame.getByText("5 uploads finished")).toBeVisible();
  await expect(row("été & 100%.bin")).toBeVisible();
  expect((await integrator.bucket.get("été & 100%.bin"))?.equals(bytes)).toBe(true);
  expect((await integrator.bucket.get("empty.txt"))?.length).toBe(0);
  expect((await heard()).filter((type) => type === "platform.embed.upload-complete")).toHaveLength(5);
  await expect
    .poll(async () =>
      (await eventsOf(stack.postgresUrl, integrator.bucket.name)).map(({ key }) => key).sort(),
    )
    .toEqual(["a.txt", "d.txt", "e.txt", "empty.txt", "été & 100%.bin"]);
  await unfold(frame, "Uploads");
  await uploads(frame).getByRole("button", { name: "Clear list" }).click();
  await expect(uploads(frame)).toHaveCount(0);
});

test("progress is shown in bytes; a cancelled upload stops and can be restarted", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { frame, row } = await openExplorer();
  await slowDown(page, 400_000);
  await choose(frame, { name: "film.mp4", mimeType: "video/mp4", buffer: randomBytes(3_000_000) });
  await unfold(frame, "Uploads");
  await expect(line(frame, "film.mp4")).toContainText(/[12]\.\d of 3 MB/);
  await frame.getByRole("button", { name: "Cancel upload of film.mp4" }).click();
  await expect(line(frame, "film.mp4")).toContainText("Cancelled");
  expect(await integrator.bucket.get("film.mp4")).toBeNull();
  await slowDown(page, -1);
  await frame.getByRole("button", { name: "Retry upload of film.mp4" }).click();
  await expect(row("film.mp4")).toBeVisible();
  expect((await integrator.bucket.get("film.mp4"))?.length).toBe(3_000_000);
});

test("three requests run in parallel at first, and never more than six", async ({
  openExplorer,
  page,
  stack,
}) => {
  const { frame } = await openExplorer();
  let sending = 0;
  let most = 0;
  let letThrough = () => {};
  const released = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(`${stack.objectStore.endpoint}/**`, async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    most = Math.max(most, ++sending);
    await released;
    const answer = await route.fetch();
    sending--;
    await route.fulfill({ response: answer });
  });
  await choose(
    frame,
    Array.from({ length: 9 }, (_, index) => text(`${index}.txt`)),
  );
  await expect.poll(() => sending).toBe(3);
  await unfold(frame, "Uploads");
  // Eight are worked on, and above them is the sum. As long as nothing has arrived, nothing says that more requests would be quicker.
  await expect(frame.getByRole("progressbar")).toHaveCount(9);
  expect(sending).toBe(3);
  letThrough();
  await expect(frame.getByText("9 uploads finished")).toBeVisible();
  expect(most).toBeLessThanOrEqual(6);
});

test.describe("a taken name", () => {
  test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of (409|412)/] });

  test("asks whether to replace, keep both or skip", async ({ integrator, openExplorer }) => {
    for (const name of ["replace.txt", "keep.txt", "skip.txt"]) await integrator.bucket.put(name, "old");
    const { frame, row } = await openExplorer();
    await choose(frame, [text("replace.txt"), text("keep.txt"), text("skip.txt")]);
    await expect(frame.getByRole("heading", { name: "3 uploads need attention" })).toBeVisible();
    expect(String(await integrator.bucket.get("replace.txt"))).toBe("old");
    await line(frame, "replace.txt").getByRole("button", { name: "Replace", exact: true }).click();
    // The lines move with every upload: who clicks waits until they rest.
    await settled(frame, "2 uploads need attention");
    await line(frame, "keep.txt").getByRole("button", { name: "Keep both", exact: true }).click();
    await settled(frame, "1 upload needs attention");
    await line(frame, "skip.txt").getByRole("button", { name: "Skip", exact: true }).click();
    await expect(frame.getByText("2 uploads finished")).toBeVisible();
    await expect(row("keep (1).txt")).toBeVisible();
    expect(String(await integrator.bucket.get("replace.txt"))).toBe("new");
    expect(String(await integrator.bucket.get("keep.txt"))).toBe("old");
    expect(String(await integrator.bucket.get("keep (1).txt"))).toBe("new");
    expect(String(await integrator.bucket.get("skip.txt"))).toBe("old");
  });

  test("is detected by the store when the list does not show it yet", async ({
    integrator,
    openExplorer,
  }) => {
    const { frame } = await openExplorer();
    await integrator.bucket.put("meanwhile.txt", "old");
    await choose(frame, [text("meanwhile.txt")]);
    await expect(frame.getByText("A file of this name is already here.")).toBeVisible();
    expect(String(await integrator.bucket.get("meanwhile.txt"))).toBe("old");
  });
});

test.describe("a store without conditional writes", () => {
  test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of 501/] });

  test("is listed instead, without a word to the visitor", async ({
    integrator,
    openExplorer,
    page,
    stack,
  }) => {
    let conditional = 0;
    await page.route(`${stack.objectStore.endpoint}/**`, async (route) => {
      const { "if-none-match": condition } = await route.request().allHeaders();
      if (!condition) return route.continue();
      conditional++;
      await route.fulfill({ status: 501, headers: { "Access-Control-Allow-Origin": "*" } });
    });
    const { frame } = await openExplorer();
    await integrator.bucket.put("meanwhile.txt", "old");
    await choose(frame, [text("first.txt")]);
    await expect(frame.getByText("1 upload finished")).toBeVisible();
    await choose(frame, [text("meanwhile.txt"), text("second.txt")]);
    await expect(frame.getByText("A file of this name is already here.")).toBeVisible();
    await expect.poll(async () => String(await integrator.bucket.get("second.txt"))).toBe("new");
    expect(String(await integrator.bucket.get("meanwhile.txt"))).toBe("old");
    expect(conditional).toBe(1);
  });
});

test("files dropped anywhere are uploaded to the open folder", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("inbox/first.txt", "x");
  const { frame, row } = await openExplorer();
  await row("inbox").dblclick();
  await expect(row("first.txt")).toBeVisible();
  const data = await droppedFile(frame);
  const target = frame.locator(".explorer");
  await target.dispatchEvent("dragenter", { dataTransfer: data });
  await expect(frame.getByText("Drop to upload to inbox")).toBeVisible();
  await target.dispatchEvent("drop", { dataTransfer: data });
  await expect(row("dropped.txt")).toBeVisible();
  await expect(frame.getByText("Drop to upload to inbox")).toHaveCount(0);
  expect(String(await integrator.bucket.get("inbox/dropped.txt"))).toBe("dropped");
});

test("outside the upload folder, uploading is disabled and a sentence says where it is possible", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("docs/a.txt", "x");
  const { frame, row } = await openExplorer({ scope: { uploadFolder: "/inbox" } });
  await expect(row("docs")).toBeVisible();
  const button = frame.getByRole("button", { name: "Upload", exact: true }).first();
  await expect(button).toBeDisabled();
  await expect(frame.getByText("Uploads go to /inbox.")).toBeVisible();
  await frame.getByRole("button", { name: "Go there" }).click();
  await expect(button).toBeEnabled();
  await choose(frame, [text("here.txt")]);
  await expect(row("here.txt")).toBeVisible();
  expect(String(await integrator.bucket.get("inbox/here.txt"))).toBe("new");
});

test.describe("a bucket with wrong CORS rules", () => {
  test.use({
    allowedConsole: [/blocked by CORS policy|Failed to load resource: (net::ERR_FAILED|.*status of 40[03])/],
  });

  test("is reported in plain words, and downloads still work", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("there.txt", "x");
    await integrator.bucket.allowOrigins(["https://elsewhere.example"]);
    const { frame, heard } = await openExplorer();
    await choose(frame, [text("a.txt")]);
    await expect(line(frame, "a.txt")).toContainText("tell whoever runs it");
    await expect(line(frame, "a.txt")).not.toContainText("npm run");
    await expect(line(frame, "a.txt")).toContainText("Downloads still work.");
    expect(await heard()).toContain("platform.embed.upload-failed");
    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download there.txt" }).click();
    expect((await started).suggestedFilename()).toBe("there.txt");
  });
});

test("leaving during an upload asks first", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  await slowDown(page, 50_000);
  await choose(frame, { name: "long.bin", mimeType: "", buffer: randomBytes(2_000_000) });
  await unfold(frame, "Uploads");
  await expect(line(frame, "long.bin")).toContainText(" of 2 MB");
  // The browser asks only when the person has done something in the page.
  await frame.getByRole("heading", { name: "Uploading 1 file" }).click();
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
});

test.describe("a file that can never be stored", () => {
  test.use({ allowedConsole: [/Failed to load resource: .*status of 40[03]/] });

  test("cannot be retried, but can be removed", async ({ openExplorer }) => {
    const { frame } = await openExplorer();
    await choose(frame, text("back\\slash.txt"));
    await expect(uploads(frame)).toContainText("rename the file and try again");
    await expect(uploads(frame).getByRole("button", { name: "Retry" })).toHaveCount(0);
    await uploads(frame).getByRole("button", { name: "Remove" }).click();
    await expect(uploads(frame)).toHaveCount(0);
  });

  test("neither can those that the token does not allow", async ({ openExplorer, page }) => {
    const { frame } = await openExplorer();
    await page.route(PRESIGN, (route) =>
      route.fulfill({ status: 403, json: { error: "No.", code: "scope_not_allowed" } }),
    );
    await choose(frame, [text("a.txt"), text("b.txt")]);
    await expect(line(frame, "b.txt")).toContainText("You may not upload to this folder.");
    await expect(uploads(frame).getByRole("button", { name: "Retry" })).toHaveCount(0);
  });
});
