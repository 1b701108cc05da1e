import type { ErrorDetail } from "../../../embed-element/src/events";
import { expect, type HostSite, test } from "../element-support";

const seconds = 1_000;

/**
 * Advances the clock in steps of a second, because the wait for the frame's message begins when the browser has loaded its own
 * error page.
 */
async function runClockUntilError(site: HostSite): Promise<void> {
  await expect
    .poll(async () => {
      await site.page.clock.runFor(1 * seconds);
      return (await site.details("error")).length;
    })
    .toBe(1);
}

test.describe("An error has a code that says what to fix:", () => {
  test("not_configured, when nothing says where tokens come from", async ({ site }) => {
    await site.open("<platform-embed></platform-embed>");
    await site.waitForEvent("error");

    expect(await site.details("error")).toEqual([
      { code: "not_configured", retryable: false, message: "Set token-endpoint, fetchToken or src." },
    ]);
  });

  test("scope_invalid, when the attribute is not JSON", async ({ site }) => {
    await site.openTag(`scope="{bucket: acme}"`);
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "scope_invalid" }]);
    expect(site.asked).toEqual([]);
  });

  test("token_endpoint_failed, and the first attempt is repeated until it succeeds", async ({
    site,
    page,
  }) => {
    site.respond = (response) => site.json(response, 503, {});
    await site.openTag();
    await expect(page.getByRole("status")).toContainText("We keep trying.");

    site.respond = site.grant;
    await site.waitForEvent("ready");
  });

  test("token_endpoint_failed, and Try again does not wait for the next attempt", async ({ site, page }) => {
    // With the clock stopped the next attempt never comes by itself.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1 * seconds);
    site.respond = (response) => site.json(response, 503, {});
    await site.openTag();
    await expect(page.getByRole("status")).toContainText("We keep trying.");

    site.respond = site.grant;
    await page.getByRole("button", { name: "Try again" }).click();
    await site.waitForEvent("ready");
  });

  test("token_endpoint_failed, and no ended session, when the first answer is a 403", async ({ site }) => {
    site.respond = (response) => site.json(response, 403, { error: "The CSRF token is missing." });
    await site.openTag();
    await site.waitForEvent("error");

    const [detail] = (await site.details("error")) as ErrorDetail[];
    expect(detail).toMatchObject({ code: "token_endpoint_failed", retryable: false, status: 403 });
    expect(detail?.message).toContain("The CSRF token is missing. (status 403)");
    expect(await site.details("session-expired")).toEqual([]);
  });

  test("the platform's code, when it refused the endpoint, with the details that the endpoint forwards", async ({
    site,
  }) => {
    const issues = [{ path: "scope.bucket", message: "is required" }];
    site.respond = (response) =>
      site.json(response, 502, { error: "No.", code: "invalid_request", issues, requestId: "request-1" });
    await site.openTag();
    await site.waitForEvent("error");

    const message =
      "The token endpoint responded with an error. No. scope.bucket: is required (status 502, request request-1)";
    expect(await site.details("error")).toEqual([
      { code: "invalid_request", retryable: false, message, status: 502, requestId: "request-1", issues },
    ]);
  });

  test("token_endpoint_failed, retryable, when a proxy responds with 502", async ({ site }) => {
    site.respond = (response) => response.writeHead(502).end("<h1>Bad gateway</h1>");
    await site.openTag();
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_failed", retryable: true }]);
  });

  test("token_endpoint_invalid, when the response is not the platform's", async ({ site }) => {
    site.respond = (response) => response.end("<!doctype html>");
    await site.openTag();
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_invalid", retryable: false }]);
  });

  for (const code of ["origin_not_allowed", "referrer_missing", "service_not_enabled"]) {
    test(`${code}, when the platform's page reports it`, async ({ site, page }) => {
      site.platform.opening = (service) => [{ type: "platform.embed.error", version: 1, service, code }];
      await site.openTag();
      await site.waitForEvent("error");

      const [detail] = (await site.details("error")) as ErrorDetail[];
      expect(detail).toMatchObject({ code, retryable: false });
      if (code === "origin_not_allowed")
        expect(detail?.message).toContain(`API key: npm run client -- origins add ID ${site.origin}`);
      await expect(page.getByRole("status")).toContainText("This could not be loaded");
    });
  }

  test("opaque_origin, at once, in a page with an opaque origin", async ({ site, platform }) => {
    await site.open(`<platform-embed src="${site.embedUrl()}"></platform-embed>`, {
      "Content-Security-Policy": "sandbox allow-scripts",
    });
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "opaque_origin" }]);
    expect(platform.requests).toEqual([]);
  });

  test("frame_blocked, when this page's own policy forbids the frame", async ({ site, platform }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>`, {
      "Content-Security-Policy": "frame-src 'self'",
    });
    await site.waitForEvent("error");

    const [detail] = (await site.details("error")) as { code: string; message: string }[];
    expect(detail?.code).toBe("frame_blocked");
    expect(detail?.message).toContain(`frame-src ${platform.origin}`);
  });

  test("none, when this page's policy only reports", async ({ site }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>`, {
      "Content-Security-Policy-Report-Only": "frame-src 'self'",
    });
    await site.waitForEvent("ready");

    expect(await site.details("error")).toEqual([]);
  });

  test("frame_blocked, when the platform's response forbids framing by this page", async ({
    site,
    page,
    platform,
  }) => {
    await page.clock.install();
    platform.headers = { "Content-Security-Policy": "frame-ancestors 'none'" };
    await site.openTag();
    await expect.poll(() => platform.requests.length).toBe(1);
    await runClockUntilError(site);

    expect(await site.details("error")).toMatchObject([{ code: "frame_blocked", retryable: false }]);
  });

  test("frame_failed, when a proxy responds instead of the platform, and the frame is loaded again", async ({
    site,
    page,
    platform,
  }) => {
    await page.clock.install();
    platform.isBehindBrokenProxy = true;
    await site.openTag();
    await expect.poll(() => platform.requests.length).toBe(1);
    await runClockUntilError(site);

    expect(await site.details("error")).toMatchObject([{ code: "frame_failed", retryable: true }]);
    platform.isBehindBrokenProxy = false;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await site.waitForEvent("ready");
  });

  test("frame_insecure, when an https page embeds an http platform", async ({ page, elementScript }) => {
    const answer = { url: "http://platform.example/embed/files?t=token", expiresAt: 1, service: "files" };
    await page.route("https://portal.example/**", (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/embed-url") return route.fulfill({ json: answer });
      if (pathname === "/element.js")
        return route.fulfill({ contentType: "text/javascript", body: elementScript });
      return route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><script src="/element.js"></script><platform-embed token-endpoint="/embed-url"></platform-embed>`,
      });
    });
    const warning = page.waitForEvent("console", (message) => message.type() === "warning");
    await page.goto("https://portal.example/");
    expect((await warning).text()).toContain("frame_insecure");
    await expect(page.locator("iframe")).toHaveCount(0);
  });

  test("frame_unreachable, and the frame is mounted again when the network is back", async ({
    site,
    page,
    platform,
  }) => {
    await page.clock.install();
    const unreachable = `${platform.origin}/**`;
    await page.route(unreachable, (route) => route.abort("connectionrefused"));
    await site.openTag();
    await expect.poll(() => page.frames().length).toBe(2);
    await runClockUntilError(site);
    expect(await site.details("error")).toMatchObject([{ code: "frame_unreachable", retryable: true }]);

    await page.unroute(unreachable);
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await site.waitForEvent("ready");
  });

  test("frame_timeout, and a frame that is only late is still shown", async ({ site, page, platform }) => {
    await page.clock.install();
    platform.opening = () => [];
    // A picture that never arrives delays the page's load event.
    await page.route("**/never.png", () => {});
    platform.extra = `<img src="/never.png" alt="">`;
    await site.openTag();
    await site.frame();
    await page.clock.runFor(30 * seconds);
    await site.waitForEvent("error");
    expect(await site.details("error")).toMatchObject([{ code: "frame_timeout", retryable: true }]);

    await site.frameSays({ type: "platform.embed.ready", version: 1, service: "files", expiresAt: 1 });
    await site.waitForEvent("ready");
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  });
});
