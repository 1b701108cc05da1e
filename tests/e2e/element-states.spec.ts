import type { PlatformEmbed } from "../../embed-element/src/platform-embed";
import { expect, type HostSite, test } from "./element-support";
import { findViolations } from "./find-violations";

const seconds = 1_000;

/** Second by second, because the wait for the frame's word begins when the browser has loaded its own error page. */
async function runClockUntilError(site: HostSite): Promise<void> {
  await expect
    .poll(async () => {
      await site.page.clock.runFor(1 * seconds);
      return (await site.details("error")).length;
    })
    .toBe(1);
}

test.describe("While the service is loading", () => {
  test("a skeleton covers the frame, and a screen reader is told", async ({ site, page }) => {
    site.platform.opening = () => [];
    await site.openTag();
    await site.frame();

    await expect(page.getByRole("status")).toHaveText("Loading…");
    await expect(page.locator("platform-embed")).toHaveAttribute("state", "loading");
    expect(await site.events()).toEqual(["loading"]);
    await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", true);
  });

  test("nothing covers a frame that shows its content, though it is not ready", async ({ site, page }) => {
    site.platform.opening = () => [];
    await site.openTag();
    await site.frameSays({ type: "platform.embed.visible", service: "files" });

    await expect(page.getByRole("status")).toBeEmpty();
    await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", false);
    await expect(page.locator("platform-embed")).toHaveAttribute("state", "loading");
    expect(await site.events()).toEqual(["loading"]);
  });

  test("the page's own content can stand in, as in the other states", async ({ site, page }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url">
      <p slot="loading">One moment</p><p slot="error">Ask the support</p><p slot="ended">Sign in</p>
    </platform-embed>`);
    await site.waitForEvent("ready");
    for (const text of ["One moment", "Ask the support", "Sign in"])
      await expect(page.getByText(text, { exact: true })).toBeHidden();

    site.respond = (response) => site.json(response, 404, {});
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
    await expect(page.getByText("Ask the support", { exact: true })).toBeVisible();

    site.respond = (response) => site.json(response, 401, {});
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
    await expect(page.getByText("Sign in", { exact: true })).toBeVisible();

    site.respond = () => {};
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
    await expect(page.getByText("One moment", { exact: true })).toBeVisible();
  });
});

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
    await page.getByRole("button", { name: "Try again" }).click();
    await site.waitForEvent("ready");
  });

  test("token_endpoint_invalid, when the answer is not the platform's", async ({ site }) => {
    site.respond = (response) => response.end("<!doctype html>");
    await site.openTag();
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_invalid", retryable: false }]);
  });

  for (const code of ["origin_not_allowed", "referrer_missing", "service_not_enabled"]) {
    test(`${code}, as the platform's own page reports`, async ({ site, page }) => {
      site.platform.opening = (service) => [{ type: "platform.embed.error", version: 1, service, code }];
      await site.openTag();
      await site.waitForEvent("error");

      expect(await site.details("error")).toMatchObject([{ code, retryable: false }]);
      await expect(page.getByRole("status")).toContainText("This could not be loaded");
    });
  }

  test("referrer_missing, at once, in a page whose origin is opaque", async ({ site, platform }) => {
    await site.open(`<platform-embed src="${site.embedUrl()}"></platform-embed>`, {
      "Content-Security-Policy": "sandbox allow-scripts",
    });
    await site.waitForEvent("error");

    expect(await site.details("error")).toMatchObject([{ code: "referrer_missing" }]);
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

  test("nothing, when this page's policy only reports", async ({ site }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>`, {
      "Content-Security-Policy-Report-Only": "frame-src 'self'",
    });
    await site.waitForEvent("ready");

    expect(await site.details("error")).toEqual([]);
  });

  test("frame_blocked, when the platform answers but may not be framed here", async ({
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

  test("frame_unreachable, and it is mounted again when the network is back", async ({
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

  test("frame_timeout, and a frame that is only late still gets to the screen", async ({
    site,
    page,
    platform,
  }) => {
    await page.clock.install();
    platform.opening = () => [];
    // A picture that never comes keeps the page from having loaded.
    await page.route("**/never.png", () => {});
    platform.extra = `<img src="/never.png" alt="">`;
    await site.openTag();
    await site.frame();
    await page.clock.runFor(30 * seconds);
    await site.waitForEvent("error");
    expect(await site.details("error")).toMatchObject([{ code: "frame_timeout", retryable: true }]);

    await site.frameSays({ type: "platform.embed.ready", version: 1, service: "files", expiresAt: 1 });
    await site.waitForEvent("ready");
    await expect(page.locator("platform-embed")).toHaveAttribute("state", "ready");
  });
});

test.describe("Every state", () => {
  test("has nothing that axe objects to, in light and in dark", async ({ site, page }) => {
    const check = async () => {
      const violations = await findViolations(page, { include: "platform-embed" });
      expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
    };
    for (const theme of ["light", "dark"]) {
      site.respond = () => {};
      await site.openTag(`theme="${theme}"`);
      await check();
      site.respond = (response) => site.json(response, 404, {});
      await site.openTag(`theme="${theme}"`);
      await site.waitForEvent("error");
      await check();
      site.respond = (response) => site.json(response, 401, {});
      await site.openTag(`theme="${theme}"`);
      await site.waitForEvent("session-expired");
      await check();
      site.respond = site.grant;
      await site.openTag(`theme="${theme}"`);
      await site.waitForEvent("ready");
      await check();
    }
  });

  test("works under a strict Content-Security-Policy with Trusted Types", async ({
    site,
    page,
    platform,
  }) => {
    const violations: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" && /Content Security|Trusted/.test(message.text()))
        violations.push(message.text());
    });
    await site.open(`<platform-embed token-endpoint="/embed-url" height="500px"></platform-embed>`, {
      "Content-Security-Policy":
        `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src ${platform.origin};
        base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`.replace(
          /\s+/g,
          " ",
        ),
    });
    await site.waitForEvent("ready");
    expect((await page.locator("platform-embed iframe").boundingBox())?.height).toBe(500);

    site.respond = (response) => site.json(response, 401, {});
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
    await expect(page.getByText("Your session has ended")).toBeVisible();
    expect(violations).toEqual([]);
  });
});
