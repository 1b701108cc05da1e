/** Files that are made to keep a browser busy, in each engine beside Chromium: the frame responds, and their previews can be closed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type Integrator, listening, pageWith, startIntegrator } from "../e2e/integrator";
import {
  type HostileFile,
  hostileCode,
  hostileDocuments,
  hostileDrawings,
  hostilePictures,
  hostileTexts,
} from "../support/files/hostile-files";
import { notInstalled } from "../support/machine/installed";
import { type Engine, eventually } from "./engine";
import { explorerIn, row } from "./explorer-in";
import { findEngines } from "./find-engines";

const stack = inject("stack");

/** How long the frame may not respond. Without bounds, these files take from ten seconds to for ever. */
const MAX_SILENCE_MS = 5_000;

describe.each(findEngines())("$name", ({ start, packages }) => {
  if (start === null) {
    it("is not installed", notInstalled(packages));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
  let engine: Engine;
  let explorer: ReturnType<typeof explorerIn>;
  let integrator: Integrator;
  beforeAll(async () => {
    engine = await start(folder);
    explorer = explorerIn(engine);
  });
  afterAll(async () => {
    await engine?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await engine.open("about:blank");
    await integrator.close();
  });

  /** Lists the files, and asks the frame for a turn all the time from then on. */
  const openFolder = async (files: readonly HostileFile[]) => {
    integrator = await startIntegrator(stack);
    integrator.pages.set("/", pageWith(stack, listening));
    for (const { name, content } of files)
      await integrator.bucket.put(name, content, "application/octet-stream");
    await explorer.open(integrator.origin);
    await engine.run(
      "frame",
      `window.longest = 0;
      let last = performance.now();
      const look = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
        setTimeout(look, 20);
      };
      look();
      return null`,
    );
  };
  const longest = () => engine.run<number>("frame", "return window.longest");

  it("lists a folder of hostile drawings", async () => {
    const plain = `<svg xmlns="http://www.w3.org/2000/svg" width="-5" height="NaN"><rect width="9" height="9"/></svg>`;
    await openFolder([...hostileDrawings, { name: "plain.svg", content: plain, shows: "" }]);
    await eventually("the thumbnail of the harmless one", () =>
      engine.run<boolean>(
        "frame",
        `return document.querySelector(arguments[0])?.naturalWidth === 320`,
        `${row("plain.svg")} img`,
      ),
    );
    for (const { name } of hostileDrawings)
      expect(
        await engine.run("frame", `return document.querySelector(arguments[0])`, `${row(name)} img`),
      ).toBeNull();
    expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
  });

  it.each([...hostileDrawings, ...hostileTexts, ...hostileCode, ...hostilePictures, ...hostileDocuments])(
    "shows what it can of $name",
    async (file) => {
      await openFolder([file]);
      await explorer.clickWhenThere(`${row(file.name)} [data-name]`);
      await explorer.dialogWith(file.shows);
      await engine.press("Escape");
      await explorer.withoutDialog();
      expect(await longest()).toBeLessThan(MAX_SILENCE_MS);
    },
  );
});
