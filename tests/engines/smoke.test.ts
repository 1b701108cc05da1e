/**
 * What people do every day, once in each engine beside Chromium that is installed. `<platform-embed>` on an integrator's page, as customers meet it.
 */
import { randomFillSync } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, listening, pageWith, startIntegrator } from "../e2e/integrator";
import { type FaultyStore, startFaultyStore } from "../support/faulty-store";
import { sha256, unzip } from "../support/unzip";
import { type Engine, eventually } from "./engine";
import { findEngines } from "./find-engines";

/** With a store that can be made slow. */
let faulty: FaultyStore;
let stack: StackInfo;
beforeAll(async () => {
  faulty = await startFaultyStore(inject("stack"));
  ({ stack } = await faulty.startApp());
});
afterAll(() => faulty?.close());

const MiB = 1024 ** 2;

describe.each(findEngines())("$name", ({ name, start, packages }) => {
  if (start === null) {
    it(`is not installed here, and not tested (${packages})`, (context) => context.skip());
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
  let engine: Engine;
  let integrator: Integrator;

  beforeAll(async () => {
    engine = await start(folder);
    console.log(`${name} ${engine.version}`);
  });
  afterAll(async () => {
    await engine?.close();
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

  /** Opens the integrator's page and waits until the explorer is ready. */
  async function openExplorer(): Promise<void> {
    await engine.open(integrator.origin);
    await eventually("the explorer", () =>
      engine.run<boolean>("page", `return document.querySelector("platform-embed").state === "ready"`),
    );
  }
  /** the names in the list */
  const names = () =>
    engine.run<string[]>(
      "frame",
      `return [...document.querySelectorAll("[data-row]")].map((row) => row.getAttribute("aria-label"))`,
    );
  const listed = (...wanted: string[]) =>
    eventually(`a list of ${wanted.join(", ")}`, async () => {
      const shown = await names();
      return wanted.length === shown.length && wanted.every((name) => shown.includes(name));
    });
  const row = (named: string) => `[data-row][aria-label="${named}"]`;
  const focused = () =>
    engine.run<string>("frame", `return document.activeElement.getAttribute("aria-label")`);
  /** the text of the frame's first element of that selector, null when there is none */
  const textOf = (selector: string) =>
    engine.run<string | null>(
      "frame",
      `const found = document.querySelector(arguments[0]); return found && found.textContent`,
      selector,
    );
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
  const clickWhenThere = (selector: string) =>
    eventually(selector, async () => {
      await engine.click(selector);
      return true;
    });

  /** Clicks the button of that name, once there is one. */
  const clickButton = (named: string) =>
    eventually(`the button ${named}`, async () => {
      const found = await engine.run<boolean>(
        "frame",
        `document.querySelector("[data-wanted]")?.removeAttribute("data-wanted");
        const nameOf = (button) => button.getAttribute("aria-label") ?? button.textContent.trim();
        const button = [...document.querySelectorAll("button, [role=menuitem]")].find(
          (button) => nameOf(button) === arguments[0] && button.checkVisibility());
        button?.setAttribute("data-wanted", "");
        return button !== undefined`,
        named,
      );
      if (found) await engine.click("[data-wanted]");
      return found;
    });

  it("lists a folder, opens one by the pointer and goes back up by the keyboard", async () => {
    await openExplorer();
    await listed("Plans", "Notes.txt");
    await clickWhenThere(`${row("Plans")} .row__stem`);
    await listed("2027", "Offer.txt");
    await eventually("the focus in the list", async () => (await focused()) !== null);
    await engine.press("Backspace");
    await listed("Plans", "Notes.txt");
  });

  it("previews a text and closes the preview by Escape", async () => {
    await openExplorer();
    await clickWhenThere(`${row("Notes.txt")} .row__stem`);
    await eventually("the text", async () => (await textOf("dialog[open]"))?.includes("first line"));
    await engine.press("Escape");
    await eventually("the list without the preview", async () => (await textOf("dialog[open]")) === null);
    await eventually("the focus where it was", async () => (await focused()) === "Notes.txt");
  });

  it("downloads a file", async () => {
    await openExplorer();
    await clickWhenThere(`${row("Notes.txt")} .row__actions button`);
    const path = join(engine.downloads, "Notes.txt");
    await eventually(
      "the file",
      async () => existsSync(path) && (await readFile(path, "utf8")) === "first line",
    );
  });

  it("downloads a folder as one archive", async () => {
    await openExplorer();
    await clickWhenThere(`${row("Plans")} input[type=checkbox]`);
    await clickButton("Download");
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
    await listed("Plans", "Notes.txt", "small.txt", "large.bin");
    expect(await integrator.bucket.sha256("large.bin")).toBe(sha256(bytes));
    expect(String(await integrator.bucket.get("small.txt"))).toBe("small");
  });

  it("goes on with an upload that a reload has interrupted", async () => {
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
    await listed("Plans", "Notes.txt", "film.bin");
    expect(await integrator.bucket.sha256("film.bin")).toBe(sha256(bytes));
    expect(faulty.requests.filter((request) => request.startsWith("PUT")).length).toBeLessThanOrEqual(2);
  });

  it("renews its token without loading anything anew", async () => {
    integrator.asks = { expiresInSeconds: 6 };
    await openExplorer();
    await listed("Plans", "Notes.txt");
    await engine.run("frame", `window.sameDocument = true; return null`);
    await eventually("a new token", async () => (await told("token-refreshed")).length > 0);
    await clickWhenThere(`${row("Plans")} .row__stem`);
    await listed("2027", "Offer.txt");
    expect(await engine.run("frame", `return window.sameDocument`)).toBe(true);
  });

  it("opens a file by the keyboard alone", async () => {
    await openExplorer();
    await listed("Plans", "Notes.txt");
    // WebKit sends keys to a frame once it has been clicked into.
    await engine.click(".status");
    await engine.run("frame", `document.querySelector("[data-row]").focus(); return null`);
    await engine.press("ArrowDown");
    await eventually("the second row", async () => (await focused()) === "Notes.txt");
    await engine.press("Enter");
    await eventually("the text", async () => (await textOf("dialog[open]"))?.includes("first line"));
    await engine.press("Escape");
  });
});
