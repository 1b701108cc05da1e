import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a person who has changed nothing has; Debian's Chromium is stricter. */
const preferences = { profile: { block_third_party_cookies: false, cookie_controls_mode: 0 } };

/**
 * A folder for a browser's profile, made anew. Playwright's usual contexts are private windows, in which Chromium gives a frame of
 * another site no storage and no service worker.
 */
export function makeProfile(folder: string): string {
  mkdirSync(join(folder, "Default"), { recursive: true });
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  return folder;
}
