/** The guide's page without the element in each engine beside Chromium. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Integrator, startIntegrator } from "../e2e/integrator";
import { expiredUrl, guideIframe, respondWith } from "../support/integrator/guide-iframe";
import { notInstalled } from "../support/machine/installed";
import { type Engine, eventually } from "./engine";
import { explorerIn, row } from "./explorer-in";
import { findEngines } from "./find-engines";

const stack = inject("stack");

describe.each(findEngines())("$name, with a plain iframe", ({ start, packages }) => {
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
  beforeEach(async () => {
    integrator = await startIntegrator(stack);
    integrator.pages.set("/", guideIframe());
    await integrator.bucket.put("Plans/Offer.txt", "an offer", "text/plain");
  });
  afterEach(async () => {
    await engine.open("about:blank");
    await integrator.close();
  });

  it("renews the token before it expires, and the explorer goes on", async () => {
    integrator.asks = { expiresInSeconds: 5 };
    await engine.open(integrator.origin);
    await explorer.listed("Plans");
    await engine.run("frame", `window.sameDocument = true; return null`);
    await eventually("the third token", async () => integrator.asked.length >= 3);
    await explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await explorer.listed("Offer.txt");
    expect(await engine.run("frame", `return window.sameDocument`)).toBe(true);
  });

  it("shows the explorer although it was loaded with an expired token", async () => {
    respondWith(integrator, await expiredUrl(integrator, stack));
    await engine.open(integrator.origin);
    await explorer.listed("Plans");
    expect(integrator.asked).toHaveLength(2);
    await explorer.clickWhenThere(`${row("Plans")} [data-name]`);
    await explorer.listed("Offer.txt");
  });
});
