import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, expired, holdAnswers, openReady, openReadyWithStoppedClock, test } from "../element-support";

test.describe("A renewal", () => {
  test("posts the new token to the frame's exact origin, and reloads nothing", async ({ site, platform }) => {
    await openReady(site);
    await site.frameSays(expired);
    await site.waitForEvent("token-refreshed");

    expect(site.asked.map(({ reason }) => reason)).toEqual(["initial", "expired"]);
    expect(await site.frameHeard("platform.embed.token-refreshed")).toEqual([
      { type: "platform.embed.token-refreshed", token: "token-2", origin: site.origin },
    ]);
    expect(await site.details("token-refreshed")).toEqual([{ expiresAt: 2_000_000_000 }]);
    expect(platform.requests).toHaveLength(1);
  });

  test("makes one request, however often the frame asks", async ({ site }) => {
    await openReady(site);
    const release = holdAnswers(site);
    for (let time = 0; time < 5; time += 1) await site.frameSays(expired);
    await expect.poll(() => site.asked.length).toBe(2);
    release();
    await site.waitForEvent("token-refreshed");

    expect(site.asked).toHaveLength(2);
  });

  test("happens at most about once a second, whatever the frame asks", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    await site.frameSays(expired);
    await site.waitForEvent("token-refreshed");
    for (let time = 0; time < 5; time += 1) await site.frameSays(expired);
    expect(site.asked).toHaveLength(2);

    await page.clock.runFor(1_000);
    await site.waitForEvent("token-refreshed", 2);
    expect(site.asked).toHaveLength(3);
  });

  test("can be requested by a script, which gets the outcome", async ({ site, page }) => {
    await openReady(site);
    const element = page.locator("platform-embed");
    await element.evaluate((host: PlatformEmbed) => host.refreshToken());
    expect(site.asked.at(-1)?.reason).toBe("manual");
    expect(await site.frameHeard("platform.embed.token-refreshed")).toHaveLength(1);

    site.respond = (response) => site.json(response, 404, {});
    const failure = await element.evaluate((host: PlatformEmbed) =>
      host.refreshToken().catch(({ code, retryable }) => ({ code, retryable })),
    );
    expect(failure).toEqual({ code: "token_endpoint_failed", retryable: false });
    expect(await site.frameHeard("platform.embed.token-unavailable"), "its token still serves").toEqual([]);
    await expect(element).toHaveJSProperty("state", "ready");
  });

  for (const minutes of [-5, 5]) {
    test(`works when the computer's clock is ${minutes} minutes off`, async ({ site, page }) => {
      await page.clock.install({ time: Date.now() + minutes * 60_000 });
      site.respond = (response, { service }) =>
        site.json(response, 200, {
          url: site.embedUrl(),
          expiresAt: Math.floor(Date.now() / 1000) + 60,
          service,
        });
      await openReady(site);
      await page.clock.runFor("10:00");
      expect(site.asked, "asks only when the frame says so").toHaveLength(1);
      expect(site.platform.probes).toBe(0);
      await site.frameSays(expired);
      await site.waitForEvent("token-refreshed");

      expect(await site.frameHeard("platform.embed.token-refreshed")).toHaveLength(1);
    });
  }
});

test.describe("Once the element is removed", () => {
  test("it sends no more requests and no timer is left", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    site.respond = (response) => site.json(response, 503, {});
    await site.frameSays(expired);
    await site.waitForEvent("error");
    await page.locator("platform-embed").evaluate((element) => element.remove());
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.clock.runFor("10:00");

    expect(site.asked).toHaveLength(2);
    expect(await site.events()).toEqual(["loading", "ready", "error"]);
  });
});

test("A refused frame's own request is left to the element, which mounts it again once", async ({
  site,
  platform,
}) => {
  platform.opening = (service, token) =>
    token === "token-1"
      ? [expired, { type: "platform.embed.error", version: 1, service, code: "token_expired" }, expired]
      : [{ type: "platform.embed.ready", version: 1, service, expiresAt: 2_000_000_000 }];
  await site.openTag();
  await site.waitForEvent("ready");
  expect(site.asked.map(({ reason }) => reason)).toEqual(["initial", "initial"]);
  expect(await site.details("token-refreshed")).toEqual([]);
});

test.describe("Messages are ignored", () => {
  test("when they come from the page itself, another frame, or a frame that has navigated elsewhere", async ({
    site,
    page,
  }) => {
    const forge = `<script>parent.postMessage(${JSON.stringify(expired)}, "*")</script>`;
    await page.route("**/forging", (route) => route.fulfill({ contentType: "text/html", body: forge }));
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>`);
    await site.waitForEvent("ready");
    await page.evaluate((message) => postMessage(message, "*"), expired);
    await page.evaluate(async () => {
      const stranger = document.createElement("iframe");
      stranger.src = "/forging";
      const loaded = new Promise((resolve) => stranger.addEventListener("load", resolve));
      document.body.append(stranger);
      await loaded;
    });
    const frame = await site.frame();
    await frame.evaluate((to) => location.assign(to), `${site.origin}/forging`);
    // A frame that has loaded another page is mounted again. After that its message has been handled.
    await site.waitForEvent("ready", 2);

    expect(site.asked.map(({ reason }) => reason)).toEqual(["initial", "initial"]);
    expect(await site.details("token-refreshed")).toEqual([]);
  });

  test("when they come from the right frame but are malformed or name another service", async ({ site }) => {
    await openReady(site);
    for (const message of [
      { type: "platform.embed.token-expired" },
      { type: "platform.embed.token-expired", service: "tasks" },
      { type: "platform.embed.token-expired", service: 1 },
      { type: "platform.embed.navigate", service: "files", path: {} },
      { type: "platform.embed.own-the-page", service: "files" },
      { type: "__proto__", service: "files" },
    ])
      await site.frameSays(message);
    await site.frameSays({ type: "platform.embed.navigate", service: "files", path: "/last" });
    await site.waitForEvent("navigate");

    expect(site.asked).toHaveLength(1);
    expect(await site.events()).toEqual(["loading", "ready", "navigate"]);
  });
});
