import { findOrdinaryChromium } from "../../support/machine/find-chromium";
import { isCi } from "../../support/machine/installed";
import { expect, test } from "../element-support";

const browser = findOrdinaryChromium();
if (browser === null && isCi)
  throw new Error("Install chromium: the headless shell has no back/forward cache.");
test.skip(browser === null, "The headless shell has no back/forward cache, and there is no other Chromium.");

// Playwright disables the back/forward cache, which this test needs.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({
      ...launchOptions,
      ...(browser === null ? {} : { executablePath: browser }),
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    }),
});

test("a pending renewal continues when the page is restored from the back/forward cache", async ({
  site,
  page,
}) => {
  await page.route("**/elsewhere", (route) => route.fulfill({ contentType: "text/html", body: "Elsewhere" }));
  await site.openTag();
  await site.waitForEvent("ready");
  site.respond = (response) => site.json(response, 503, {});
  await site.frameSays({ type: "platform.embed.token-expired", service: "files" });
  // The renewal is tried again after a second, so more than one may have failed before we look.
  await expect.poll(() => site.events()).toContain("error");
  await page.evaluate(() => {
    addEventListener("pageshow", ({ persisted }) => Object.assign(window, { persisted }));
  });
  await page.goto(`${site.origin}/elsewhere`);
  site.respond = site.grant;
  await page.goBack({ waitUntil: "commit" });
  // The page is visible before its `pageshow` event.
  await page.waitForFunction("window.persisted === true");
  await site.waitForEvent("token-refreshed");
  expect(site.platform.requests).toHaveLength(1);
});
