import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Chromium's default preferences; Debian's Chromium is stricter. */
const preferences = { profile: { block_third_party_cookies: false, cookie_controls_mode: 0 } };

/**
 * Makes a new browser profile. Playwright's default contexts are private windows, in which Chromium denies storage and service workers to
 * frames of another site.
 */
export function makeProfile(folder: string): string {
  mkdirSync(join(folder, "Default"), { recursive: true });
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  return folder;
}
