import { register } from "node:module";
import { defineConfig } from "@playwright/test";
import { chromiumArgs } from "./tests/support/machine/chromium-args";
import { findChromium } from "./tests/support/machine/find-chromium";

register("./tests/e2e/import-json.mjs", import.meta.url);
// Workers read this file too, and inherit the environment.
process.env.CHROMIUM_PATH ||= findChromium(console.log);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

/** Each project is a folder and a script of package.json, `npm run test:e2e` that of `behaviour`: the built app, the local stack and a real Chromium, with parent and frame on different origins. */
export default defineConfig({
  outputDir: "test-results",
  globalSetup: "./tests/e2e/global-setup.ts",
  timeout: 45_000,
  expect: { timeout: 10_000 },
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // A test that passes only the second time is a fault, not a success.
  retries: 0,
  // Of `behaviour`, whose tests are small and spend much of their time waiting, `npm run test:e2e` runs four at once.
  workers: 2,
  reporter: "list",
  // Together they take too long for `npm test`.
  projects: ["behaviour", "features", "long", "looks"].map((name) => ({
    name,
    testDir: `tests/e2e/${name}`,
  })),
  use: {
    browserName: "chromium",
    headless: true,
    locale: "en-CA",
    timezoneId: "America/Toronto",
    acceptDownloads: true,
    screenshot: "only-on-failure",
    // A trace of every test costs a seventh of the time, and says little that the screenshot and the call's log do not: `--trace on` makes one.
    trace: "off",
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: chromiumArgs,
    },
  },
});
