/** `npm run dev` in a copy of the checkout, because it overwrites the build that the other tests use. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type FrameLocator, type Page, test } from "@playwright/test";
import type { StackInfo } from "../../../local/stack-info";
import { findFreeOffset } from "../../support/app/stack";
import { makeTestFolder } from "../../support/databases/postgres";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const copied = [
  ...["app", "embed-element", "local", "prisma", "public"],
  ...["package.json", "remix.config.js", "tsconfig.json"],
];

/** What the preview of a file with this ending contains. */
const shown: Record<string, string> = {
  csv: "table",
  docx: ".document__page h3",
  heic: "img",
  jpg: "img",
  json: "details",
  md: ".markdown__h1",
  mp3: "audio",
  mp4: "video",
  pdf: "canvas",
  png: "img",
  py: ".code__keyword",
  svg: "img",
  txt: "pre, .preview__note",
  xlsx: ".sheet",
  zip: ".archive",
};

let folder: string;
let dev: ChildProcess;
let demoUrl: string;

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
  test.setTimeout(180_000);
  folder = await makeTestFolder();
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const state = join(folder, ".local");
  dev = spawn(process.execPath, ["--import", "tsx", "local/dev.ts"], {
    cwd: folder,
    env: {
      ...process.env,
      LOCAL_STATE_DIR: state,
      LOCAL_PORT_OFFSET: String(await findFreeOffset()),
      PORT: "",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [dev.stdout, dev.stderr]) {
      stream?.on("data", (text) => {
        output += text;
        if (output.includes("Ctrl-C stops it")) resolve();
      });
    }
    dev.once("close", () => reject(new Error(`npm run dev ended before it was ready:\n${output}`)));
  });
  const info: StackInfo = JSON.parse(await readFile(join(state, "stack.json"), "utf8"));
  demoUrl = info.demoUrl;
});

test.afterAll(async () => {
  if (dev?.exitCode === null && dev.kill("SIGTERM")) await once(dev, "close");
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the demo and waits until its frame is ready. */
async function openDemo(page: Page, url: string): Promise<FrameLocator> {
  await page.goto(url);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  return page.frameLocator("platform-embed iframe");
}

// Only the embedding page's origin differs: the frame has the platform's host in both. So one file of each kind is enough there.
for (const { host, files } of [
  { host: "127.0.0.1", files: "every demo file" },
  { host: "localhost", files: "a demo file of each kind" },
])
  test(`npm run dev previews ${files} on ${host}`, async ({ page }) => {
    // Some ninety files, one after the other.
    test.setTimeout(300_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    const frame = await openDemo(page, demoUrl.replace("127.0.0.1", host));
    const kinds = Object.keys(shown);
    const previewed: string[] = [];
    const isWanted = (name: string) =>
      files === "every demo file" || !previewed.map(endingOf).includes(endingOf(name));
    await previewAll(page, frame, previewed, isWanted);
    expect(new Set(previewed.map(endingOf))).toEqual(new Set(kinds));
    if (files === "every demo file") expect(previewed.length).toBeGreaterThan(90);
    else expect(previewed).toHaveLength(kinds.length);
    expect(errors).toEqual([]);
  });

test("npm run dev has a catalogue: sizes of folders, a search, a quota, and what a second browser adds", async ({
  browser,
  page,
}) => {
  const files = await openDemo(page, demoUrl);
  const row = (frame: FrameLocator, name: string) => frame.getByRole("row", { name, exact: true });
  await expect(row(files, "Customers")).toContainText("kB");
  const searched = page.waitForResponse(/storage\/search/);
  await files.getByRole("searchbox", { name: "Search" }).fill("dusk");
  expect(await (await searched).json()).toMatchObject({ source: "catalogue" });

  const frame = await openDemo(page, `${demoUrl}/quota`);
  await expect(frame.locator(".quota")).toHaveText("0.7 of 1 MB used");
  const upload = (into: FrameLocator, name: string, bytes: number) =>
    into
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") });
  await upload(frame, "Season.txt", 500_000);
  await expect(frame.getByText("Delete what is no longer needed and try again")).toBeVisible();

  const second = await browser.newContext();
  await upload(await openDemo(await second.newPage(), `${demoUrl}/quota`), "Menu.txt", 5);
  await expect(row(frame, "Menu.txt")).toBeVisible();
  await expect(row(frame, "Season.txt")).toHaveCount(0);
  await second.close();
});

/**
 * Opens the wanted files of the open folder and of the folders below it.
 * @param previewed gets their names
 */
async function previewAll(
  page: Page,
  frame: FrameLocator,
  previewed: string[],
  isWanted: (name: string) => boolean,
): Promise<void> {
  const rows = frame.locator("[role=row][data-row]");
  await expect(rows.first()).toBeVisible();
  // The rows of the folder before stay for a moment under the new heading.
  await expect(frame.getByRole("main")).toHaveAttribute("aria-busy", "false");
  const namesInList = async () =>
    (await rows.locator(".row__name").allTextContents()).map((name) => name.trim());
  const names = await namesInList();
  const preview = frame.getByRole("dialog");
  for (const name of names.filter((name) => endingOf(name) in shown)) {
    if (!isWanted(name)) continue;
    await rows.filter({ hasText: name }).first().focus();
    await page.keyboard.press("Enter");
    await expect(preview.locator(shown[endingOf(name)] ?? "").first(), name).toBeVisible();
    await expect(preview.getByRole("alert"), name).toHaveCount(0);
    await expect(preview.getByText("too complex"), name).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(preview).toHaveCount(0);
    previewed.push(name);
  }
  for (const name of names.filter((name) => !(endingOf(name) in shown))) {
    await rows.filter({ hasText: name }).first().focus();
    await page.keyboard.press("Enter");
    await expect(frame.getByRole("heading", { name, exact: true })).toBeVisible();
    await previewAll(page, frame, previewed, isWanted);
    await page.keyboard.press("Backspace");
    await expect.poll(namesInList).toEqual(names);
  }
}

function endingOf(name: string): string {
  return /\.(\w+)$/.exec(name)?.[1] ?? "";
}
