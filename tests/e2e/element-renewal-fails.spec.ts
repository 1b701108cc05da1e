import type { PlatformEmbed } from "../../embed-element/src/platform-embed";
import { expect, expired, openReady, openReadyWithStoppedClock, test } from "./element-support";

test.describe("A renewal that fails", () => {
  test("for the moment is repeated with growing pauses, and the frame is told", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    site.respond = (response) => site.json(response, 503, {});
    await site.frameSays(expired);
    await site.waitForEvent("error", 1);
    await page.clock.runFor(1_000);
    await site.waitForEvent("error", 2);
    expect(site.asked).toHaveLength(3);
    await page.clock.runFor(999);
    expect(site.asked, "the second pause is at least a second").toHaveLength(3);
    await page.clock.runFor(1_001);
    await site.waitForEvent("error", 3);

    expect(await site.details("error")).toMatchObject(
      Array(3).fill({ code: "token_endpoint_failed", retryable: true }),
    );
    expect(await site.frameHeard("platform.embed.token-unavailable")).toHaveLength(3);
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");

    site.respond = site.grant;
    await page.clock.runFor(4_000);
    await site.waitForEvent("token-refreshed");
  });

  test("for want of a network goes on at once when the network is back", async ({ site, context }) => {
    await openReadyWithStoppedClock(site);
    await context.setOffline(true);
    await site.frameSays(expired);
    await site.waitForEvent("error");
    expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_failed", retryable: true }]);

    await context.setOffline(false);
    await site.waitForEvent("token-refreshed");
    expect(await site.frameHeard("platform.embed.token-refreshed")).toHaveLength(1);
  });

  for (const wake of ["visibilitychange", "pageshow"]) {
    test(`goes on at once at ${wake}`, async ({ site, page }) => {
      await openReadyWithStoppedClock(site);
      site.respond = (response) => site.json(response, 500, {});
      await site.frameSays(expired);
      await site.waitForEvent("error");
      site.respond = site.grant;
      await page.evaluate((type) => {
        if (type === "pageshow") dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
        else document.dispatchEvent(new Event(type));
      }, wake);
      await site.waitForEvent("token-refreshed");
    });
  }

  test("to come within 30 seconds is given up, and tried again", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    site.respond = () => {};
    await site.frameSays(expired);
    await expect.poll(() => site.asked.length).toBe(2);
    await page.clock.runFor(30_000);
    await site.waitForEvent("error");
    site.respond = site.grant;
    await page.clock.runFor(1_000);
    await site.waitForEvent("token-refreshed");
  });

  for (const status of [401, 403]) {
    test(`with ${status} ends the session for good`, async ({ site, page }) => {
      await openReadyWithStoppedClock(site);
      site.respond = (response) => site.json(response, status, {});
      await site.frameSays(expired);
      await site.waitForEvent("session-expired");
      await expect(page.getByText("Your session has ended")).toBeVisible();
      expect(await site.frameHeard("platform.embed.token-unavailable")).toEqual([
        { type: "platform.embed.token-unavailable", retryable: false, origin: site.origin },
      ]);

      await site.frameSays(expired);
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await page.clock.runFor("10:00");
      expect(site.asked).toHaveLength(2);
      expect(await site.details("error")).toEqual([]);
    });
  }

  test("for good can be mended: the visitor signs in and goes on in the same frame", async ({
    site,
    page,
    platform,
  }) => {
    await openReady(site);
    site.respond = (response) => site.json(response, 401, {});
    await site.frameSays(expired);
    await site.waitForEvent("session-expired");
    site.respond = site.grant;
    await page.getByRole("button", { name: "Try again" }).click();
    await site.waitForEvent("token-refreshed");

    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
    expect(platform.requests).toHaveLength(1);
  });

  test("because the endpoint sends the visitor to a sign-in page ends the session", async ({ site }) => {
    await openReady(site);
    site.respond = (response) => {
      response.writeHead(303, { Location: "/sign-in" });
      response.end();
    };
    await site.frameSays(expired);
    await site.waitForEvent("session-expired");
  });

  const wrong: Record<string, unknown> = {
    "no object": "hello",
    "another service": { url: "http://localhost:1/embed/tasks?t=a", expiresAt: 1, service: "tasks" },
    "another origin": { url: "http://localhost:1/embed/files?t=a", expiresAt: 1, service: "files" },
    "a URL that is script": { url: "javascript:alert(1)//embed/files?t=a", expiresAt: 1, service: "files" },
    "a URL without a token": { url: "/embed/files", expiresAt: 1, service: "files" },
  };
  for (const [what, answer] of Object.entries(wrong)) {
    test(`with ${what} is the endpoint's fault, and no token leaves the page`, async ({ site }) => {
      await openReady(site);
      site.respond = (response) => site.json(response, 200, answer);
      await site.frameSays(expired);
      await site.waitForEvent("error");

      expect(await site.details("error")).toMatchObject([
        { code: "token_endpoint_invalid", retryable: false },
      ]);
      expect(await site.frameHeard("platform.embed.token-refreshed")).toEqual([]);
    });
  }

  test("with no hope of another is shown with a retry button, and the frame goes on after it", async ({
    site,
    page,
    platform,
  }) => {
    await openReady(site);
    site.respond = (response) => site.json(response, 404, {});
    await site.frameSays(expired);
    await expect(page.getByText("This could not be loaded")).toBeVisible();
    expect(await site.frameHeard("platform.embed.token-unavailable")).toMatchObject([{ retryable: false }]);

    site.respond = site.grant;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
    expect(platform.requests).toHaveLength(1);
  });

  test("because the platform refused the integrator's server says so, and blames no visitor", async ({
    site,
  }) => {
    await openReady(site);
    site.respond = (response) => site.json(response, 403, { error: "No.", code: "scope_not_allowed" });
    await site.frameSays(expired);
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "scope_not_allowed", retryable: false }]);
    expect(await site.details("session-expired")).toEqual([]);
  });

  test("because fetchToken throws a status ends the session or tries again", async ({ site, page }) => {
    await openReady(site);
    const failWith = (status: number) =>
      page.locator("platform-embed").evaluate((host: PlatformEmbed, wanted) => {
        host.fetchToken = () => Promise.reject(Object.assign(new Error("no"), { status: wanted }));
      }, status);
    await failWith(500);
    await site.frameSays(expired);
    await site.waitForEvent("error");
    expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_failed", retryable: true }]);
    await failWith(403);
    await site.waitForEvent("session-expired");
  });
});
