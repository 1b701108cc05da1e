import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { choose, LIST, respond, type Scene } from "./scene";

const SIGNED = "**/*X-Amz-Signature*";
const hang = (page: Page) => page.route(SIGNED, () => new Promise<void>(() => {}));
const upload = (frame: FrameLocator, ...names: string[]) =>
  frame
    .locator("input[type=file]")
    .first()
    .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("text") })));
const unfold = (frame: FrameLocator) => frame.locator(".tray__fold").click();
/** A file of three parts, on the disk: to send it to the browser takes long. */
function film(): string {
  const path = join(mkdtempSync(join(tmpdir(), "screenshots-")), "Film.mp4");
  writeFileSync(path, Buffer.alloc(17_000_000));
  return path;
}
const LONG = "Quarterly report of the northern region.txt";

export const transferScenes: Scene[] = [
  {
    name: "uploads-in-one-line",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await frame.locator(".tray__progress").waitFor();
    },
  },
  {
    name: "uploads",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, "Welcome.md", LONG, "b.txt");
      await frame.locator(".upload--conflict").first().waitFor();
      await frame.locator(".upload--sending").nth(1).waitFor();
    },
  },
  {
    name: "uploads-found",
    until: LIST,
    before: (page) =>
      page.route("**/multipart/find", (route) => {
        const found = { upload: "x", key: "Film.mp4", partSize: 8_388_608, partCount: 3, checksum: "CRC32" };
        return route.fulfill({
          json: { ...found, integrity: "checksum", arrived: 8_388_608, ownerUnknown: true },
        });
      }),
    async act(frame) {
      await frame.locator("input[type=file]").first().setInputFiles(film());
      await frame.locator(".upload--found").waitFor();
    },
  },
  {
    name: "uploads-paused",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await unfold(frame);
      await frame.locator(".upload--sending").nth(1).waitFor();
      await frame.locator(".tray__buttons button").first().click();
      await frame.locator(".upload--paused").first().waitFor();
    },
  },
  {
    name: "uploads-conflicts",
    until: LIST,
    async act(frame) {
      await upload(frame, "Welcome.md", "Empty.txt");
      await frame.locator(".tray__all").waitFor();
    },
  },
  {
    name: "uploads-compared",
    until: LIST,
    async act(frame) {
      await upload(frame, "Welcome.md", "Empty.txt");
      await frame.locator(".tray__all button").last().click();
      await frame.locator("dialog[open] .conflicts td").first().waitFor();
    },
  },
  {
    name: "uploads-half",
    until: LIST,
    // The first part arrives, the second does not.
    before: (page) =>
      page.route(SIGNED, (route) => {
        const { searchParams } = new URL(route.request().url());
        const part = searchParams.get("partNumber");
        if (part === "1")
          return route.fulfill({ headers: { ETag: '"x"', "x-amz-checksum-crc32": "AAAAAA==" } });
        return part === null ? route.continue() : new Promise<void>(() => {});
      }),
    async act(frame) {
      await frame.locator("input[type=file]").first().setInputFiles(film());
      await frame.getByText("8.4").or(frame.getByText("8,4")).first().waitFor();
    },
  },
  {
    name: "uploads-failed",
    until: LIST,
    before: respond("presign-upload", 403, "scope_not_allowed"),
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await frame.locator(".upload--failed").nth(1).waitFor();
    },
  },
  {
    name: "uploads-cancelled",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await unfold(frame);
      await frame.locator(".upload--sending").nth(1).waitFor();
      await frame.locator(".tray__buttons button").last().click();
      await frame.locator(".upload--cancelled").first().waitFor();
    },
  },
  {
    name: "uploads-done",
    until: LIST,
    // Nothing is stored: the next picture has the same list.
    before: (page) =>
      page.route(SIGNED, (route) =>
        route.request().method() === "PUT" ? route.fulfill({ headers: { ETag: '"x"' } }) : route.continue(),
      ),
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await unfold(frame);
      await frame.locator(".upload--done").nth(1).waitFor();
    },
  },
  {
    name: "downloads",
    until: LIST,
    before: hang,
    async act(frame) {
      await choose(frame, "Photos", "download");
      await unfold(frame);
      await frame.locator(".download").first().waitFor();
    },
  },
  {
    name: "trays-two",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await choose(frame, "Photos", "download");
      await frame.locator(".tray + .tray .tray__progress").waitFor();
    },
  },
  {
    name: "trays-selection",
    until: LIST,
    before: hang,
    async act(frame) {
      await upload(frame, LONG, "b.txt");
      await frame.locator(".tray__progress").waitFor();
      await frame.locator('[data-row="0"] input').click();
      await frame.locator('[data-row="2"] input').click();
    },
  },
];
