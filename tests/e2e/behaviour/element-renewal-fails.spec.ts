import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, expired, openReady, openReadyWithStoppedClock, test } from "../element-support";

test.describe("A failed renewal", () => {
  test("is repeated with increasing delays if it may succeed later, and the frame is told", async ({
    site,
    page,
  }) => {
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

  test("is repeated at once when the network is back", async ({ site, context }) => {
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
    test(`is repeated at once on ${wake}`, async ({ site, page }) => {
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

  test("is aborted after 30 seconds, and repeated", async ({ site, page }) => {
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
    test(`ends the session if the status is ${status}`, async ({ site, page }) => {
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

  test("that ended the session recovers in the same frame when the visitor signs in and clicks Try again", async ({
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

  test("ends the session if the endpoint redirects to a sign-in page", async ({ site }) => {
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
    test(`is reported as the endpoint's fault if the response has ${what}, and no token leaves the page`, async ({
      site,
    }) => {
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

  test("that will not be repeated shows a retry button, and the frame continues after it", async ({
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

  test("says so if the platform refused the integrator's server, and does not blame the visitor", async ({
    site,
  }) => {
    await openReady(site);
    site.respond = (response) => site.json(response, 403, { error: "No.", code: "scope_not_allowed" });
    await site.frameSays(expired);
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "scope_not_allowed", retryable: false }]);
    expect(await site.details("session-expired")).toEqual([]);
  });

  test("ends the session or is repeated, depending on the status that fetchToken throws", async ({
    site,
    page,
  }) => {
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
