import { defineConfig } from "@playwright/test";
import browserTests from "../../playwright.config";

const { projects: _, ...settings } = browserTests;

/** Used by `npm run test:bundlers`: a real Chromium. Only the starters use the app and the local stack. */
export default defineConfig({
  ...settings,
  testDir: ".",
  outputDir: "../../test-results",
  globalSetup: "./global-setup.ts",
  timeout: 120_000,
});
