/** Pages under an embedder policy in each engine beside Chromium: docs/decisions/0083. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Integrator, listening, pageWith, startIntegrator } from "../e2e/integrator";
import { bmp } from "../e2e/sample-files";
import { unzip } from "../support/files/unzip";
import { notInstalled } from "../support/machine/installed";
import { type Engine, eventually } from "./engine";
import { findEngines } from "./find-engines";

const stack = inject("stack");

describe.each(findEngines())("$name, on an isolated page", ({ name, start, packages }) => {
  if (start === null) {
    it("is not installed", notInstalled(packages));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
  let engine: Engine;
  let integrator: Integrator;
  beforeAll(async () => {
    engine = await start(folder);
    integrator = await startIntegrator(stack);
    integrator.pages.set("/", pageWith(stack, listening));
    integrator.headers = {
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    };
    await integrator.bucket.put("Map.bmp", bmp(64, 48), "image/bmp");
    await integrator.bucket.put("Plan.txt", "a plan", "text/plain");
    await integrator.bucket.put("Sums/1.csv", "1,2", "text/csv");
  });
  afterAll(async () => {
    await engine?.close();
    await integrator?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => engine.open(integrator.origin));

  // Safari does not support `credentialless`.
  if (name === "WebKit") {
    it("the element says that the frame cannot be shown", async () => {
      await eventually("the reason", () =>
        engine.run<boolean>("page", `return window.told.some(({ code }) => code === "frame_blocked")`),
      );
    });
    return;
  }

  const isReady = () =>
    eventually("the explorer", () =>
      engine.run<boolean>("page", `return document.querySelector("platform-embed").state === "ready"`),
    );
  /** Clicks by script: the automation's pointer does not reach the process of an isolated page. */
  const click = (selector: string) =>
    eventually(selector, () =>
      engine.run<boolean>(
        "frame",
        `const found = document.querySelector(arguments[0]); found?.click(); return found !== null`,
        selector,
      ),
    );
  const row = (named: string) => `[data-row][aria-label="${named}"]`;

  it("an image is shown", async () => {
    await isReady();
    expect(await engine.run("page", "return window.crossOriginIsolated")).toBe(true);
    await click(`${row("Map.bmp")} [data-name]`);
    await eventually("the image", () =>
      engine.run<boolean>("frame", `return document.querySelector("dialog img")?.naturalWidth === 64`),
    );
  });

  it("a file is downloaded", async () => {
    await isReady();
    await click(`${row("Plan.txt")} .row__actions button`);
    const path = join(engine.downloads, "Plan.txt");
    await eventually("the file", async () => existsSync(path) && (await readFile(path, "utf8")) === "a plan");
  });

  it("a folder is downloaded as one archive", async () => {
    await isReady();
    await click(`${row("Sums")} input[type=checkbox]`);
    await eventually("the button", () =>
      engine.run<boolean>(
        "frame",
        `const found = [...document.querySelectorAll("button")].find(
          (button) => button.textContent.trim() === "Download" && button.checkVisibility());
        found?.click();
        return found !== undefined`,
      ),
    );
    const path = join(engine.downloads, "Sums.zip");
    await eventually("the archive", async () => existsSync(path) && (await unzip(path)).length > 0);
  });
});
