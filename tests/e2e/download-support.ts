/** Shared by the tests of archives: a faulty store and its content. */
import type { Download, FrameLocator, Page } from "@playwright/test";
import { sha256, unzip } from "../support/files/unzip";
import { test as base } from "./faulty-app";

export { expect } from "./faulty-app";

/**
 * Playwright's list of disabled Chromium features without storage partitioning. Without partitioning a frame of another site has no service
 * worker if third-party cookies are blocked.
 */
const FEATURES =
  "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,HttpsUpgrades,LensOverlay,MediaRouter,PaintHolding,OptimizationHints";

/** Tests with storage and service workers in the frame. */
export const test = base.extend({
  launchOptions: [
    async ({ launchOptions }, use) =>
      use({ ...launchOptions, args: [...(launchOptions.args ?? []), FEATURES] }),
    { scope: "worker" },
  ],
});

/** Console messages about requests that tests make fail. */
export const allowedConsole = [
  /blocked by CORS policy|Failed to load resource: (net::ERR_|.*status of (401|403|404|412|50\d))/,
];

/** Keys that end with `/` are folders. */
export const contents: Record<string, Buffer> = {
  "Photos/2026/Spring fair/Booth 12.bin": Buffer.alloc(300_000, "b"),
  "Photos/2026/Café – 東京.txt": Buffer.from("tea"),
  "Photos/empty.txt": Buffer.alloc(0),
  "Photos/Nothing here/": Buffer.alloc(0),
  "notes.txt": Buffer.from("one, two"),
};
const folders = ["Photos/", "Photos/2026/", "Photos/2026/Spring fair/", "Photos/Nothing here/"];
export const fill = async (
  bucket: { put(key: string, body: Uint8Array): Promise<void> },
  files = contents,
) => {
  for (const [key, bytes] of Object.entries(files)) await bucket.put(key, bytes);
};
export const panel = (frame: FrameLocator) => frame.getByRole("region", { name: "Downloads" });
export const saved = async (download: Download) => {
  const entries = await unzip(await download.path());
  return Object.fromEntries(entries.map(({ name, sha256 }) => [name, sha256]));
};
export const expected = (files: Record<string, Buffer>, within = "") =>
  Object.fromEntries(
    Object.entries(files)
      .filter(([key]) => key.startsWith(within))
      .map(([key, bytes]) => [key, sha256(bytes)]),
  );
export const withFolders = (files: Record<string, string>) => ({
  ...Object.fromEntries(folders.map((path) => [path, sha256("")])),
  ...files,
});
/** Makes the page record the frame's complete messages. */
export const keepMessages = (page: Page) =>
  page.addInitScript(() => {
    const kept: unknown[] = [];
    Object.assign(window, { kept });
    addEventListener("message", ({ data }) => kept.push(data));
  });
export const completions = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { kept: { type: string }[] }).kept.filter(
      ({ type }) => type === "platform.embed.download-complete",
    ),
  );
