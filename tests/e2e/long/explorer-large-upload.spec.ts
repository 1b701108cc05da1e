import { createHash, randomFillSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { FrameLocator, Page } from "@playwright/test";
import { slowDown, unfold } from "../explorer-support";
import { violations } from "../find-violations";
import { expect, test } from "../own-profile";

const PART = 8 * 1024 ** 2;
/** bytes; five parts and a little more */
const SIZE = 5 * PART + 12_345;
const PARTS = 6;

/** The numbers of the parts that the page sends from now on. */
function watchParts(page: Page): string[] {
  const puts: string[] = [];
  page.on("request", (request) => {
    const number = new URL(request.url()).searchParams.get("partNumber");
    if (request.method() === "PUT" && number !== null) puts.push(number);
  });
  return puts;
}

/** What the browser remembers of the upload: how many bytes have arrived. */
const unfinished = (page: Page) =>
  page.frames()[1]?.evaluate(async () => {
    // To open it is to make it, without what belongs in it.
    if ((await indexedDB.databases()).length === 0) return 0;
    return new Promise<number>((resolve) => {
      const opening = indexedDB.open("platform-embed-uploads");
      opening.onsuccess = () => {
        const all = opening.result.transaction("uploads").objectStore("uploads").getAll();
        all.onsuccess = () => resolve(all.result[0]?.arrived ?? 0);
      };
    });
  });

/** A file on disk, as a person has it. */
function largeFile(path: string): { path: string; sha256: string } {
  const bytes = randomFillSync(Buffer.alloc(SIZE));
  writeFileSync(path, bytes);
  return { path, sha256: sha256(bytes) };
}

const sha256 = (bytes: Buffer | null) =>
  createHash("sha256")
    .update(bytes ?? "")
    .digest("hex");

const choose = (frame: FrameLocator, path: string) =>
  frame.locator("input[type=file]").first().setInputFiles(path);

const line = (frame: FrameLocator, name: string) =>
  frame.getByRole("region", { name: "Uploads" }).getByRole("listitem").filter({ hasText: name });

test("a large file is uploaded in parts, with checksums from a worker, and arrives intact", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  const file = largeFile(testInfo.outputPath("film.mp4"));
  const puts = watchParts(page);
  const { frame, row, heard } = await openExplorer();
  await choose(frame, file.path);
  await expect(row("film.mp4")).toBeVisible({ timeout: 60_000 });
  expect(puts.sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
  expect(page.workers()).toHaveLength(1);
  expect(sha256(await integrator.bucket.get("film.mp4"))).toBe(file.sha256);
  expect(await heard()).toContain("platform.embed.upload-progress");
});

test("after the tab was closed, the explorer shows the interrupted upload and resumes it", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  const file = largeFile(testInfo.outputPath("film.mp4"));
  const puts = watchParts(page);
  const first = await openExplorer();
  await slowDown(page, 3_000_000);
  await choose(first.frame, file.path);
  const arrived = async () => Math.floor(((await unfinished(page)) ?? 0) / PART);
  await expect.poll(arrived, { intervals: [200], timeout: 30_000 }).toBeGreaterThanOrEqual(2);
  const before = await arrived();
  await page.goto("about:blank");

  puts.length = 0;
  const { frame, row } = await openExplorer();
  await expect(line(frame, "film.mp4")).toContainText(/Interrupted at \d+\.\d of 42 MB/);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    frame.getByRole("button", { name: "Choose film.mp4 again to continue its upload" }).click(),
  ]);
  await chooser.setFiles(file.path);
  await expect(row("film.mp4")).toBeVisible({ timeout: 60_000 });
  expect(puts.length, "what had arrived is not sent again").toBeLessThanOrEqual(PARTS - before);
  expect(sha256(await integrator.bucket.get("film.mp4"))).toBe(file.sha256);
  await page.reload();
  await expect(frame.getByText(/Interrupted/)).toHaveCount(0);
});

test("another visitor in the same browser is shown nothing of it", async ({
  openExplorer,
  page,
}, testInfo) => {
  const file = largeFile(testInfo.outputPath("film.mp4"));
  const { frame } = await openExplorer({ visitor: { id: "ada" } });
  await slowDown(page, 3_000_000);
  await choose(frame, file.path);
  await expect
    .poll(async () => (await unfinished(page)) ?? 0, { intervals: [200], timeout: 30_000 })
    .toBeGreaterThanOrEqual(PART);
  await page.goto("about:blank");

  for (const visitor of [{ id: "bob" }, undefined]) {
    const other = await openExplorer({ visitor });
    // When this upload has ended, the panel has long read what the browser remembers.
    const name = `${visitor?.id ?? "nobody"}.txt`;
    const small = { name, mimeType: "text/plain", buffer: Buffer.from("x") };
    await other.frame.locator("input[type=file]").first().setInputFiles(small);
    await expect(other.row(name)).toBeVisible();
    await expect(line(other.frame, "film.mp4")).toHaveCount(0);
  }
  const again = await openExplorer({ visitor: { id: "ada" } });
  await expect(line(again.frame, "film.mp4")).toContainText("Interrupted");
});

test.describe("in a browser that keeps nothing", () => {
  test.beforeEach(({ page }) =>
    page.addInitScript(() => {
      Object.defineProperty(window, "indexedDB", {
        get() {
          throw new DOMException("Third-party storage is blocked.", "SecurityError");
        },
      });
    }),
  );

  for (const [visitor, isAsked] of [
    [{ id: "ada" }, false],
    [undefined, true],
  ] as const)
    test(`an interrupted upload is found ${isAsked ? "and the person is asked, where no visitor is named" : "by its visitor"}`, async ({
      integrator,
      openExplorer,
      page,
    }, testInfo) => {
      const file = largeFile(testInfo.outputPath("film.mp4"));
      const first = await openExplorer({ visitor });
      let stored = 0;
      page.on("requestfinished", (request) => {
        if (request.method() === "PUT") stored += 1;
      });
      await slowDown(page, 3_000_000);
      await choose(first.frame, file.path);
      await expect.poll(() => stored, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
      await page.goto("about:blank");

      const puts = watchParts(page);
      const { frame, row } = await openExplorer({ visitor });
      await choose(frame, file.path);
      if (isAsked) {
        await unfold(frame, "Uploads");
        await expect(line(frame, "film.mp4")).toContainText("An unfinished upload of a file with this name");
        expect(puts).toEqual([]);
        expect(await violations(page)).toEqual([]);
        await line(frame, "film.mp4").getByRole("button", { name: "Resume" }).click();
      }
      await expect(row("film.mp4")).toBeVisible({ timeout: 60_000 });
      expect(puts.length).toBeLessThanOrEqual(PARTS - 2);
      expect(sha256(await integrator.bucket.get("film.mp4"))).toBe(file.sha256);
    });
});
