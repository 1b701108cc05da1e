import { defineConfig } from "@playwright/test";
import browserTests from "../../playwright.config";

/** Part of `npm run test:bundlers`: real Chromium, but neither the app nor the local stack. */
export default defineConfig({
  ...browserTests,
  testDir: ".",
  outputDir: "../../test-results",
  globalSetup: "./global-setup.ts",
  timeout: 120_000,
});
