import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import type { Integrator } from "../e2e/integrator";
import { notInstalled } from "../support/machine/installed";
import type { Engine } from "./engine";
import { explorerIn } from "./explorer-in";
import { findEngines } from "./find-engines";

/** What the tests of one engine share. */
export interface InEngine {
  engine: Engine;
  explorer: ReturnType<typeof explorerIn>;
  /** set by each test; closed after it */
  integrator: Integrator;
}

/** Declares the same tests for each engine beside Chromium. @param shared is filled before the first of them runs */
export function describeInEngines(title: string, declareTests: (shared: InEngine) => void): void {
  describe.each(findEngines())(title, ({ start, packages }) => {
    if (start === null) {
      it("is not installed", notInstalled(packages));
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), "platform-embed-engine-"));
    const shared = {} as InEngine;
    beforeAll(async () => {
      shared.engine = await start(folder);
      shared.explorer = explorerIn(shared.engine);
    });
    afterAll(async () => {
      await shared.engine?.close();
      rmSync(folder, { recursive: true, force: true });
    });
    afterEach(async () => {
      await shared.engine.open("about:blank");
      await shared.integrator.close();
    });
    declareTests(shared);
  });
}
