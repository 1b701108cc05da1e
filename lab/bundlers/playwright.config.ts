import { defineConfig } from "@playwright/test";
import browserTests from "../../playwright.config";

/** Used by `npm run test:bundlers`: a real Chromium. Only the starters use the app and the local stack. */
export default defineConfig({
  ...browserTests,
  testDir: ".",
  outputDir: "../../test-results",
  globalSetup: "./global-setup.ts",
  timeout: 120_000,
});
