/** Firefox with strict privacy settings: the frame works or says why it does not. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { listening, pageWith, startIntegrator } from "../e2e/integrator";
import { type Engine, eventually } from "./engine";
import { findEngines } from "./find-engines";

const stack = inject("stack");
const [firefox] = findEngines();

/** Opens an integrator's page, with one file, in a Firefox of these preferences. */
async function withFirefox(
  preferences: Record<string, unknown>,
  look: (engine: Engine) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
  const integrator = await startIntegrator(stack);
  integrator.pages.set("/", pageWith(stack, listening));
  await integrator.bucket.put("Notes.txt", "first line", "text/plain");
  const engine = await firefox.start?.(folder, preferences);
  try {
    await engine?.open(integrator.origin);
    if (engine) await look(engine);
  } finally {
    await engine?.close();
    await integrator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.runIf(firefox.start)("Firefox", () => {
  it("shows files when cookies and storage are blocked", () =>
    withFirefox({ "network.cookie.cookieBehavior": 2 }, async (engine) => {
      await eventually("the file", () =>
        engine.run<boolean>(
          "frame",
          `return document.querySelector('[data-row][aria-label="Notes.txt"]') !== null`,
        ),
      );
      await eventually("the element that is ready", () =>
        engine.run<boolean>("page", `return document.querySelector("platform-embed").state === "ready"`),
      );
      const storage = `try { return typeof localStorage } catch (error) { return error.name }`;
      expect(await engine.run("frame", storage)).toBe("SecurityError");
    }));

  it("reports that the browser hides the embedding page, if it is set to", () =>
    withFirefox({ "network.http.referer.XOriginPolicy": 2 }, async (engine) => {
      const told = await eventually("the reason", () =>
        engine.run<{ code: string; message: string } | null>(
          "page",
          `return window.told.find(({ name }) => name === "error") ?? null`,
        ),
      );
      expect(told).toMatchObject({ code: "referrer_missing" });
      expect(told.message).toContain("network.http.referer.XOriginPolicy");
    }));
});
