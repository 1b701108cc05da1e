import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, expired, holdAnswers, openReady, openReadyWithStoppedClock, test } from "../element-support";

test.describe("end()", () => {
  test("removes the frame and says that the session has ended", async ({ site, page }) => {
    await openReady(site);
    const element = page.locator("platform-embed");
    await element.evaluate((element: PlatformEmbed) => {
      element.end();
      element.end();
    });
    await expect(element.getByRole("status")).toContainText("Your session has ended");
    await expect(element.locator("iframe")).toHaveCount(0);
    expect(page.frames()).toHaveLength(1);
    await expect(element).toHaveJSProperty("state", "ended");
    expect(await site.events()).toEqual(["loading", "ready", "ended"]);
    expect(await site.details("ended")).toEqual([{ service: "files" }]);
  });

  test("requests no token any more, whatever the page changes", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    const element = page.locator("platform-embed");
    await element.evaluate(async (element: PlatformEmbed) => {
      element.end();
      Object.assign(element, { scope: { bucket: "other" }, path: "/a", theme: "dark" });
      await element.updateComplete;
      // A framework may move it.
      document.body.append(element);
      await element.updateComplete;
    });
    await page.clock.runFor(3_600_000);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await page.evaluate(() => dispatchEvent(new Event("online")));
    expect(site.asked).toHaveLength(1);
    await expect(element.locator("iframe")).toHaveCount(0);
    await expect(element).toHaveJSProperty("state", "ended");
  });

  test("uses no token that arrives after it", async ({ site, page }) => {
    await openReady(site);
    const release = holdAnswers(site);
    await site.frameSays(expired);
    await expect.poll(() => site.asked.length).toBe(2);
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.end());
    release();
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ended");
    expect(await site.events()).not.toContain("token-refreshed");
    await expect(page.locator("platform-embed iframe")).toHaveCount(0);
  });

  test("starts over with reload(), or when the visitor tries again", async ({ site, page, platform }) => {
    await openReady(site);
    const element = page.locator("platform-embed");
    await element.evaluate((element: PlatformEmbed) => element.end());
    await element.evaluate((element: PlatformEmbed) => element.reload());
    await site.waitForEvent("ready", 2);
    await element.evaluate((element: PlatformEmbed) => element.end());
    await element.getByRole("button", { name: "Try again" }).click();
    await site.waitForEvent("ready", 3);
    expect(platform.requests.map(({ url }) => url.searchParams.get("t"))).toEqual([
      "token-1",
      "token-2",
      "token-3",
    ]);
  });

  test("shows the page's own slotted content", async ({ site, page }) => {
    await site.open(
      `<platform-embed token-endpoint="/embed-url"><p slot="ended">Goodbye</p></platform-embed>`,
    );
    await site.waitForEvent("ready");
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.end());
    await expect(page.getByText("Goodbye", { exact: true })).toBeVisible();
  });
});
