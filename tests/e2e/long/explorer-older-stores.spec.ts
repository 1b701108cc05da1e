/** Uploads to stores that ignore checksums, over a network that damages what it carries. */
import { createHash, randomFillSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { ceph16 } from "../../../local/object-store";
import { type BadNetwork, startBadNetwork } from "../../support/network/bad-network";
import { slowDown, unfold } from "../explorer-support";
import { test as base, expect } from "../faulty-app";
import { button, choose, files, line, uploads } from "../upload-support";

const MiB = 1024 ** 2;
const KEEP_OPEN = /Keep this page open: this browser cannot resume/;
const UNNOTICED = /does not notice when a file is damaged/;
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

const test = base.extend<object, { network: BadNetwork }>({
  network: [
    async ({ faulty }, use) => {
      const network = await startBadNetwork(faulty.stack.objectStore.endpoint);
      await use(network);
      await network.close();
    },
    { scope: "worker" },
  ],
  stack: [
    async ({ faulty, network }, use) => {
      await use((await faulty.startApp({ CLOUD_S3_ENDPOINT: network.endpoint })).stack);
    },
    { scope: "worker" },
  ],
});

test.afterEach(({ faulty, network }) => {
  faulty.intercept = null;
  network.fault = () => null;
  network.happened.flipped = 0;
});

/** A file on disk, as a person has it. */
function fileOf(size: number, path: string): { path: string; sha256: string } {
  const bytes = randomFillSync(Buffer.alloc(size));
  writeFileSync(path, bytes);
  return { path, sha256: sha256(bytes) };
}

/** Flips a bit of the first request by presigned URL that has this in its address. */
function flipOnce(network: BadNetwork, inAddress: string): void {
  let left = 1;
  network.fault = ({ url = "" }) =>
    url.includes("X-Amz-Signature") && url.includes(inAddress) && left-- > 0 ? "flipped" : null;
}

test.describe("one bit that changes on the way", () => {
  test.use({ allowedConsole: [/Failed to load resource: .*status of 400/] });

  for (const [what, size, inAddress] of [
    ["a file of 3 MB", 3 * MiB, "film.mp4"],
    ["a part of 40 MB", 40 * MiB, "partNumber=3"],
  ] as const) {
    test(`is noticed in ${what}, which is sent again`, async ({
      faulty,
      network,
      integrator,
      openExplorer,
      page,
    }, testInfo) => {
      const file = fileOf(size, testInfo.outputPath("film.mp4"));
      const { frame, row } = await openExplorer();
      faulty.intercept = () => ({ ignores: ceph16 });
      flipOnce(network, inAddress);
      await choose(frame, file.path);
      await expect(row("film.mp4")).toBeVisible({ timeout: 40_000 });
      expect(network.happened.flipped).toBe(1);
      expect(await integrator.bucket.sha256("film.mp4")).toBe(file.sha256);
      expect(page.workers(), "MD5s are computed in a worker").toHaveLength(1);
      await expect(frame.getByText(UNNOTICED)).toHaveCount(0);
      await expect(frame.getByText(KEEP_OPEN)).toHaveCount(0);
    });
  }
});

test("the panel says once that a store notices no damage", async ({ faulty, integrator, openExplorer }) => {
  const { frame, row } = await openExplorer();
  faulty.intercept = () => ({ ignores: { ...ceph16, contentMd5: true } });
  await choose(frame, files(1_000, "one.mp4", "two.mp4"));
  await expect(uploads(frame).getByText(UNNOTICED)).toHaveCount(1);
  await expect(row("two.mp4")).toBeVisible();
  expect(await integrator.bucket.get("one.mp4")).toHaveLength(1_000);
});

test("a page that cannot remember an upload asks to be kept open, and asks before it is left", async ({
  openExplorer,
  page,
}, testInfo) => {
  await page.addInitScript(() => {
    // As in private windows, and in frames whose storage is blocked.
    IDBFactory.prototype.open = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
  });
  const { frame, row } = await openExplorer();
  await slowDown(page, 2_000_000);
  await choose(frame, fileOf(24 * MiB, testInfo.outputPath("large.mp4")).path);
  await expect(uploads(frame).getByText(KEEP_OPEN)).toBeVisible();
  await button(frame, "Pause upload of large.mp4").click();
  await expect(line(frame, "large.mp4")).toContainText("Paused");
  await expect(uploads(frame).getByText(KEEP_OPEN)).toBeVisible();
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await slowDown(page, -1);
  await button(frame, "Resume upload of large.mp4").click();
  await expect(row("large.mp4")).toBeVisible({ timeout: 60_000 });
  await expect(frame.getByText(KEEP_OPEN)).toHaveCount(0);
});

test("a page that remembers an upload lets it be left while the upload is paused", async ({
  openExplorer,
  page,
}, testInfo) => {
  const { frame } = await openExplorer();
  await slowDown(page, 2_000_000);
  await choose(frame, fileOf(24 * MiB, testInfo.outputPath("large.mp4")).path);
  await unfold(frame, "Uploads");
  await button(frame, "Pause upload of large.mp4").click();
  await expect(line(frame, "large.mp4")).toContainText("Paused");
  await expect(frame.getByText(KEEP_OPEN)).toHaveCount(0);
  page.on("dialog", () => {
    throw new Error("The page asked before it was left.");
  });
  await page.reload();
});
