import type { Page, TestType } from "@playwright/test";
import { findOrdinaryChromium } from "../support/machine/find-chromium";
import { isCi } from "../support/machine/installed";

/** Playwright disables the back/forward cache. Call this at the beginning of a file whose tests need it. */
export function enableBackForwardCache<Own extends object, Shared extends object>(
  test: TestType<Own, Shared>,
): void {
  const browser = findOrdinaryChromium();
  if (browser === null && isCi)
    throw new Error("Install chromium: the headless shell has no back/forward cache.");
  test.skip(
    browser === null,
    "The headless shell has no back/forward cache, and there is no other Chromium.",
  );
  test.use({
    launchOptions: async ({ launchOptions }: { launchOptions: object }, use: (options: object) => unknown) =>
      use({
        ...launchOptions,
        ...(browser === null ? {} : { executablePath: browser }),
        ignoreDefaultArgs: ["--disable-back-forward-cache"],
      }),
  } as never);
}

/** Opens another page, and calls `meanwhile`. Then goes back, to the very document that was left. */
export async function leaveAndComeBack(page: Page, elsewhere: string, meanwhile: () => void): Promise<void> {
  await page.route(elsewhere, (route) => route.fulfill({ contentType: "text/html", body: "Elsewhere" }));
  await page.evaluate(() => {
    addEventListener("pageshow", ({ persisted }) => Object.assign(window, { persisted }));
  });
  await page.goto(elsewhere);
  meanwhile();
  await page.goBack({ waitUntil: "commit" });
  // The page is visible before its `pageshow` event.
  await page.waitForFunction("window.persisted === true");
}
