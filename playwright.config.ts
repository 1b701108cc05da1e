import { defineConfig } from "@playwright/test";
import { chromiumArgs } from "./tests/support/machine/chromium-args";
import { findChromium } from "./tests/support/machine/find-chromium";

// Workers read this file too, and inherit the environment.
process.env.CHROMIUM_PATH ||= findChromium(console.log);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

/** How pages look: contrast, rules of accessibility, languages; and the demo, e-mails and the package, each as a whole. */
const looks = /(accessibility|appearance|axe|languages|look|demo|dev-server|package|isolation).*\.spec\.ts$/;

/** What takes long: long folders, large or many uploads, searches, stores of other kinds, folders that do not exist, memory. */
const long =
  /(arrivals|fallbacks|large-upload|long-change|long-list|long-restore|memory|missing-folder|older-stores|platform|search)\.spec\.ts$/;

/** What is built on browsing, uploading and changing: previews, downloads, the past, choosing, handing in, undo, what happened, what it costs. */
const features =
  /(activity|costs|deleted|details|download|guides|hand-in|past|past-keys|picker|preview(-[a-z]+)?|restore|scanned|touch|undo|versions)\.spec\.ts$/;

/** Each project is a script of package.json, `npm run test:e2e` that of `behaviour`: the built app, the local stack and a real Chromium, with parent and frame on different origins. */
export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  globalSetup: "./tests/e2e/global-setup.ts",
  timeout: 45_000,
  expect: { timeout: 10_000 },
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // A test that passes only the second time is a fault, not a success.
  retries: 0,
  workers: 2,
  reporter: "list",
  // Together they take too long for `npm test`.
  projects: [
    { name: "behaviour", testIgnore: [looks, long, features] },
    { name: "features", testMatch: features, testIgnore: [looks, long] },
    { name: "long", testMatch: long, testIgnore: looks },
    { name: "looks", testMatch: looks },
  ],
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
