import { chromium } from "@playwright/test";
import { makeProfile } from "../support/machine/browser-profile";
import { test as base } from "./explorer-support";

export { expect } from "./explorer-support";

/** Tests in a browser with a profile on disk. */
export const test = base.extend({
  context: async ({ launchOptions, locale, timezoneId }, use, testInfo) => {
    const context = await chromium.launchPersistentContext(makeProfile(testInfo.outputPath("profile")), {
      ...launchOptions,
      locale,
      timezoneId,
      headless: true,
      acceptDownloads: true,
    });
    await use(context);
    await context.close();
  },
});
