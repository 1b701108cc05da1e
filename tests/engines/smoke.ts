/**
 * Everyday use of `<platform-embed>` on an integrator's page, in engines other than Chromium.
 */
import { randomFillSync } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, listening, pageWith, startIntegrator } from "../e2e/integrator";
import { wav } from "../e2e/sample-files";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { sha256, unzip } from "../support/files/unzip";
import { guideForm } from "../support/integrator/guide-form";
import { notInstalled } from "../support/machine/installed";
import { type Engine, eventually } from "./engine";
import { explorerIn, row } from "./explorer-in";
import type { FoundEngine } from "./find-engines";

const MiB = 1024 ** 2;

/** Each engine has its own test file, so that two run in parallel. */
export function smokeTest({ name, start, packages }: FoundEngine): void {
  if (start === null) {
    it(`${name} is not installed`, notInstalled(packages));
    return;
  }
  describe(name, () => tryIt(name, start));
}

function tryIt(name: string, start: NonNullable<FoundEngine["start"]>): void {
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
  /** with a store that can be made slow */
  let faulty: FaultyStore;
  let stack: StackInfo;
  let engine: Engine;
  let explorer: ReturnType<typeof explorerIn>;
  let integrator: Integrator;

  beforeAll(async () => {
    faulty = await startFaultyStore(inject("stack"));
    ({ stack } = await faulty.startApp());
    engine = await start(folder);
    explorer = explorerIn(engine);
    console.log(`${name} ${engine.version}`);
  });
  afterAll(async () => {
    await engine?.close();
    await faulty?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    integrator = await startIntegrator(stack);
    integrator.pages.set("/", pageWith(stack, listening));
    await integrator.bucket.put("Plans/Offer.txt", "an offer", "text/plain");
    await integrator.bucket.put("Plans/2027/Budget.csv", "a,b", "text/csv");
    await integrator.bucket.put("Notes.txt", "first line", "text/plain");
  });
  afterEach(async () => {
    await engine.open("about:blank");
    await integrator.close();
  });

  const isFocused = (selector: string) =>
    engine.run<boolean>("frame", `return document.activeElement.matches(arguments[0])`, selector);
  const openExplorer = () => explorer.open(integrator.origin);
  const told = (event: string) =>
    engine.run<Record<string, unknown>[]>(
      "page",
      `return window.told.filter(({ name }) => name === arguments[0])`,
      event,
    );
  /** how many bytes of its only unfinished upload the browser knows to be in the store */
  const arrived = () =>
    engine.run<number>(
      "frame",
      `return new Promise((resolve) => {
        const opening = indexedDB.open("platform-embed-uploads");
        opening.onsuccess = () => {
          const all = opening.result.transaction("uploads").objectStore("uploads").getAll();
          all.onsuccess = () => resolve(all.result[0]?.arrived ?? 0);
        };
      })`,
    );

  it("lists a folder, opens one with the pointer and goes up with the keyboard", async () => {
    await openExplorer();
    await explorer.listed("Plans", "Notes.txt");
    await explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await explorer.listed("2027", "Offer.txt");
    await eventually("the focus in the list", async () => (await explorer.focused()) !== null);
    await engine.press("Backspace");
    await explorer.listed("Plans", "Notes.txt");
  });

  it("previews a text and closes the preview with Escape", async () => {
    await openExplorer();
    await explorer.clickWhenThere(`${row("Notes.txt")} [data-name]`);
    await explorer.dialogWith("first line");
    await engine.press("Escape");
    await explorer.withoutDialog();
    await explorer.focusedOn("Notes.txt");
  });

  it("previews a Word document with its table and its picture", async () => {
    const contract = await readFile("local/demo-files/Contracts/Supply contract.docx");
    await integrator.bucket.put("Contract.docx", contract, "application/octet-stream");
    await openExplorer();
    await explorer.clickWhenThere(`${row("Contract.docx")} [data-name]`);
    await explorer.dialogWith("Price in euros");
    await eventually("the picture in the document", () =>
      engine.run<boolean>(
        "frame",
        `return document.querySelector("dialog[open] .document__page img")?.naturalWidth === 560`,
      ),
    );
  });

  it("lets a form's user choose a file in a dialog", async () => {
    await integrator.bucket.put("Offer.pdf", "%PDF-1.4");
    integrator.pages.set("/", guideForm(stack));
    await engine.open(integrator.origin);
    await engine.run(
      "page",
      `const button = document.querySelector("#choose"); button.focus(); button.click(); return null`,
    );
    await explorer.listed("Plans", "Notes.txt", "Offer.pdf");
    await explorer.clickWhenThere(`${row("Offer.pdf")} [data-name]`);
    await explorer.clickButton("Choose");
    await eventually("the key in the form", () =>
      engine.run<boolean>(
        "page",
        `return document.forms[0].elements.contract.value === "Offer.pdf" &&
          document.activeElement.id === "choose"`,
      ),
    );
  });

  it("hands in a file and takes another one back", async () => {
    integrator.asks = { scope: { view: "hand-in", uploadFolder: "/Plans" } };
    const offer = join(folder, "Offer.pdf");
    const photo = join(folder, "Photo.jpg");
    writeFileSync(offer, "our offer");
    writeFileSync(photo, "a photo");
    await openExplorer();
    await engine.chooseFiles("input[type=file]", [offer, photo]);
    await eventually("both files", async () => (await explorer.textOf("body"))?.includes("2 files sent"));
    await explorer.clickButton("Take back Photo.jpg");
    await eventually("one file", async () => (await explorer.textOf("body"))?.includes("1 file sent"));
    await explorer.clickButton("Done");
    await eventually("thanks", async () => (await explorer.textOf("body"))?.includes("Thank you"));
    const stored = await integrator.bucket.list();
    expect(stored.filter((key) => key.endsWith(".pdf"))).toEqual([
      expect.stringMatching(/^Plans\/Offer \(.{12}\)\.pdf$/),
    ]);
    expect(stored.some((key) => key.includes("Photo"))).toBe(false);
  });

  it("plays audio from the store", async () => {
    await integrator.bucket.put("Call.wav", wav(60), "audio/wav");
    await openExplorer();
    await explorer.clickWhenThere(`${row("Call.wav")} [data-name]`);
    await eventually("how long it is", () =>
      engine.run<boolean>("frame", `return document.querySelector("audio[controls]")?.duration === 60`),
    );
  });

  it("plays a video from the store, or says that it cannot and offers the file", async () => {
    // Two seconds of one colour, VP8: `ffmpeg -f lavfi -i color=c=teal:s=64x48:d=2:r=5 -c:v libvpx -b:v 10k film.webm`
    await integrator.bucket.put("Film.webm", await readFile("tests/engines/film.webm"), "video/webm");
    await openExplorer();
    const canPlay = await engine.run<boolean>(
      "frame",
      `return document.createElement("video").canPlayType('video/webm; codecs="vp8"') !== ""`,
    );
    await explorer.clickWhenThere(`${row("Film.webm")} [data-name]`);
    if (!canPlay) {
      console.log(`${name} has no codec for VP8 here: that it says so is tested, playing is not`);
      await explorer.dialogWith("Download");
      return;
    }
    await eventually("the picture of the film", () =>
      engine.run<boolean>(
        "frame",
        `const film = document.querySelector("video[controls]");
        return film !== null && film.videoWidth === 64 && Math.round(film.duration) === 2`,
      ),
    );
  });

  it("creates a folder, renames a file, moves it there and deletes another", async () => {
    integrator.asks = { scope: { actions: [...scopeActions] } };
    await openExplorer();
    await explorer.clickButton("New folder");
    await eventually("the field", () => isFocused("dialog[open] input"));
    await engine.type("Archive");
    await engine.press("Enter");
    await explorer.focusedOn("Archive");
    // It is selected. Keys would act on it.
    await engine.press("Escape");

    await engine.run("frame", `document.querySelector(arguments[0]).focus(); return null`, row("Notes.txt"));
    await engine.press("F2");
    await eventually("the field", () => isFocused(".rename input"));
    // The name without its ending is selected.
    await engine.type("Minutes");
    await engine.press("Enter");
    await explorer.focusedOn("Minutes.txt");

    await explorer.clickButton("More for Minutes.txt");
    await explorer.clickButton("Move to…");
    await explorer.clickButton("Archive");
    await explorer.clickButton("Move here");
    await explorer.listed("Archive", "Plans");
    await eventually("the moved object", async () =>
      (await integrator.bucket.list()).includes("Archive/Minutes.txt"),
    );

    await explorer.clickWhenThere(`${row("Plans")} input[type=checkbox]`);
    await engine.press("Delete");
    await explorer.clickButton("Delete for good");
    await explorer.listed("Archive");
    expect(await integrator.bucket.list()).toEqual(["Archive/", "Archive/Minutes.txt"]);
    expect(String(await integrator.bucket.get("Archive/Minutes.txt"))).toBe("first line");
  });

  it("downloads a file", async () => {
    await openExplorer();
    await explorer.clickWhenThere(`${row("Notes.txt")} .row__actions button`);
    const path = join(engine.downloads, "Notes.txt");
    await eventually(
      "the file",
      async () => existsSync(path) && (await readFile(path, "utf8")) === "first line",
    );
  });

  it("downloads a folder as one archive", async () => {
    await openExplorer();
    await explorer.clickWhenThere(`${row("Plans")} input[type=checkbox]`);
    await explorer.clickButton("Download");
    const path = join(engine.downloads, "Plans.zip");
    const entries = await eventually("the archive", async () => existsSync(path) && (await unzip(path)));
    const contents = Object.fromEntries(entries.map((entry) => [entry.name, entry.sha256]));
    expect(contents).toMatchObject({
      "Plans/Offer.txt": sha256("an offer"),
      "Plans/2027/Budget.csv": sha256("a,b"),
    });
  });

  it("uploads a small file, and a large one in parts", async () => {
    const small = join(folder, "small.txt");
    const large = join(folder, "large.bin");
    const bytes = randomFillSync(Buffer.alloc(17 * MiB));
    writeFileSync(small, "small");
    writeFileSync(large, bytes);
    await openExplorer();
    await engine.chooseFiles("input[type=file]", [small, large]);
    await explorer.listed("Plans", "Notes.txt", "small.txt", "large.bin");
    expect(await integrator.bucket.sha256("large.bin")).toBe(sha256(bytes));
    expect(String(await integrator.bucket.get("small.txt"))).toBe("small");
  });

  it("resumes an upload that a reload interrupted", async () => {
    const film = join(folder, "film.bin");
    const bytes = randomFillSync(Buffer.alloc(30 * MiB));
    writeFileSync(film, bytes);
    const isLate = (query: URLSearchParams) => Number(query.get("partNumber")) > 2;
    faulty.intercept = ({ method, query }) =>
      method === "PUT" && isLate(query) ? { bytesPerSecond: 100_000 } : undefined;
    await openExplorer();
    await engine.chooseFiles("input[type=file]", [film]);
    await eventually("two parts that have arrived", async () => (await arrived()) >= 16 * MiB);
    await engine.open("about:blank");
    faulty.intercept = null;
    faulty.requests.length = 0;
    await openExplorer();
    await eventually("the interrupted upload", () =>
      engine.run<boolean>("frame", `return /Interrupted at \\d/.test(document.body.innerText)`),
    );
    await engine.chooseFiles("input[type=file]", [film]);
    await explorer.listed("Plans", "Notes.txt", "film.bin");
    expect(await integrator.bucket.sha256("film.bin")).toBe(sha256(bytes));
    expect(faulty.requests.filter((request) => request.startsWith("PUT")).length).toBeLessThanOrEqual(2);
  });

  it("goes back and forward in the browser's history, and renews its token, without reloading", async () => {
    integrator.asks = { expiresInSeconds: 8 };
    await openExplorer();
    await engine.run("frame", `window.sameDocument = true; return null`);
    await explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await explorer.listed("2027", "Offer.txt");
    await engine.run("page", `history.back(); return null`);
    await explorer.listed("Plans", "Notes.txt");
    await engine.run("page", `history.forward(); return null`);
    await explorer.listed("2027", "Offer.txt");
    // Later than the element would remount a frame that has loaded once more and says nothing.
    await eventually("a new token", async () => (await told("token-refreshed")).length > 0);
    await explorer.listed("2027", "Offer.txt");
    expect(await engine.run("frame", `return window.sameDocument`)).toBe(true);
  });

  it("opens a file with only the keyboard", async () => {
    await openExplorer();
    await explorer.listed("Plans", "Notes.txt");
    // WebKit sends keys to a frame once it has been clicked into.
    await engine.click(".status");
    await engine.run("frame", `document.querySelector("[data-row]").focus(); return null`);
    await engine.press("ArrowDown");
    await explorer.focusedOn("Notes.txt");
    await engine.press("Enter");
    await explorer.dialogWith("first line");
    await engine.press("Escape");
  });
}
