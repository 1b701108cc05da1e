import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { test as base } from "./explorer-support";

export { expect } from "./explorer-support";

/** What a person who has changed nothing has; Debian's Chromium is stricter. */
const preferences = { profile: { block_third_party_cookies: false, cookie_controls_mode: 0 } };

/** A folder for a browser's profile, made anew. */
export function makeProfile(folder: string): string {
  mkdirSync(join(folder, "Default"), { recursive: true });
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  return folder;
}

/**
 * With a profile on disk, as a person's browser has it. Playwright's usual contexts are private windows, in which Chromium gives a frame
 * of another site no storage and no service worker.
 */
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
