import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, test } from "../element-support";

test.describe("<platform-embed> mounts", () => {
  test("a frame for a tag with a token endpoint", async ({ site, platform }) => {
    await site.openTag(`scope='{"bucket":"acme","path":"/invoices"}'`);
    await site.waitForEvent("ready");

    expect(site.asked).toEqual([
      { service: "files", scope: { bucket: "acme", path: "/invoices" }, reason: "initial" },
    ]);
    expect(platform.requests.map(({ url }) => url.pathname + url.search)).toEqual([
      "/embed/files?t=token-1&locale=en",
    ]);
    expect(await site.events()).toEqual(["loading", "ready"]);
    expect(await site.details("ready")).toEqual([{ service: "files", expiresAt: 2_000_000_000 }]);
  });

  test("an element without members of one letter, which a minifier would make", async ({ site, page }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    const members = await page.evaluate(() => {
      const element = customElements.get("platform-embed");
      return Object.getOwnPropertyNames(element?.prototype);
    });
    expect(members).toContain("navigate");
    expect(members.filter((name) => name.length < 3)).toEqual([]);
  });

  test("a frame with the scope that a framework set as the attribute's text", async ({ site, page }) => {
    await site.open("");
    await page.evaluate(() => {
      const element = document.createElement("platform-embed");
      Object.assign(element, { tokenEndpoint: "/embed-url", scope: '{"bucket":"acme"}' });
      document.body.append(element);
    });
    await site.waitForEvent("ready");
    expect(site.asked).toEqual([{ service: "files", scope: { bucket: "acme" }, reason: "initial" }]);
  });

  test("a frame with a fetchToken function that a framework sets after the first paint", async ({
    site,
    page,
  }) => {
    await site.open("<platform-embed></platform-embed>");
    await page.evaluate(async (url) => {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const element = document.querySelector("platform-embed");
      if (!element) throw new Error("no element");
      element.scope = { bucket: "acme" };
      element.fetchToken = async ({ service, scope, reason, signal }) => {
        Object.assign(window, { asked: { service, scope, reason, aborted: signal.aborted } });
        return { url, expiresAt: 1, service };
      };
    }, site.embedUrl());
    await site.waitForEvent("ready");

    expect(await page.evaluate("asked")).toEqual({
      service: "files",
      scope: { bucket: "acme" },
      reason: "initial",
      aborted: false,
    });
    expect(await site.details("error")).toEqual([]);
  });

  test("a src that the server rendered, without requesting a token", async ({ site, platform }) => {
    await site.openTag(`src="${site.embedUrl()}"`);
    await site.waitForEvent("ready");

    expect(site.asked).toEqual([]);
    expect(platform.requests).toHaveLength(1);
  });

  test("a frame with a new token when a cached src has expired", async ({ site, platform }) => {
    platform.opening = (service, token) => [
      token === "token-1"
        ? { type: "platform.embed.error", version: 1, service, code: "token_expired" }
        : { type: "platform.embed.ready", version: 1, service, expiresAt: 2 },
    ];
    await site.openTag(`src="${site.embedUrl()}"`);
    await site.waitForEvent("ready");

    expect(platform.requests.map(({ url }) => url.searchParams.get("t"))).toEqual(["token-1", "token-2"]);
    expect(await site.details("error")).toEqual([]);
  });

  test("a frame with a new token only once, when that token is refused too", async ({ site, platform }) => {
    platform.opening = (service) => [
      { type: "platform.embed.error", version: 1, service, code: "invalid_token" },
    ];
    await site.openTag();
    await site.waitForEvent("error");

    expect(platform.requests).toHaveLength(2);
    expect(await site.details("error")).toMatchObject([{ code: "invalid_token", retryable: false }]);
  });

  test("a frame with the first token that is not refused, when fresh ones are refused for some seconds", async ({
    site,
    platform,
  }) => {
    platform.opening = (service, token) => [
      token < "token-5"
        ? { type: "platform.embed.error", version: 1, service, code: "token_expired" }
        : { type: "platform.embed.ready", version: 1, service, expiresAt: 2 },
    ];
    await site.openTag();
    await site.waitForEvent("ready");

    expect(platform.requests).toHaveLength(5);
    expect(await site.details("error")).toEqual([]);
  });

  test("an error at last, when all fresh tokens are refused", async ({ site, platform }) => {
    platform.opening = (service) => [
      { type: "platform.embed.error", version: 1, service, code: "token_expired" },
    ];
    await site.openTag();
    await expect
      .poll(() => site.details("error"), { timeout: 25_000 })
      .toMatchObject([{ code: "token_expired", retryable: false }]);
    expect(platform.requests).toHaveLength(6);
  });

  test("an error at once when a src has expired and nobody can be asked for a token", async ({
    site,
    platform,
  }) => {
    platform.opening = (service) => [
      { type: "platform.embed.error", version: 1, service, code: "token_expired" },
    ];
    await site.open(`<platform-embed src="${site.embedUrl()}"></platform-embed>`);
    await site.waitForEvent("error");

    expect(platform.requests).toHaveLength(2);
  });

  test("the frame again when the visitor reloads it and its token is gone", async ({ site, platform }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    const frame = await site.frame();
    await frame.evaluate(() => location.reload());
    await site.waitForEvent("ready", 2);

    expect(platform.requests.at(-1)?.url.searchParams.get("t")).toBe("token-2");
  });

  test("a frame with the strictest attributes that the explorer works with", async ({ site, page }) => {
    await site.openTag(`frame-title="Invoices"`);
    await site.waitForEvent("ready");

    const iframe = page.locator("platform-embed iframe");
    await expect(iframe).toHaveAttribute("title", "Invoices");
    await expect(iframe).toHaveAttribute("referrerpolicy", "strict-origin");
    await expect(iframe).toHaveAttribute("allow", "fullscreen");
    await expect(iframe).toHaveAttribute(
      "sandbox",
      "allow-scripts allow-same-origin allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox",
    );
  });

  test("a frame that learns the page's origin although the page sends no referrer", async ({
    site,
    platform,
  }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>`, {
      "Referrer-Policy": "no-referrer",
    });
    await site.waitForEvent("ready");

    expect(platform.requests[0]?.referrer).toBe(`${site.origin}/`);
  });

  test("no new frame when a framework sets an equal scope and a new fetchToken", async ({
    site,
    page,
    platform,
  }) => {
    await site.openTag(`scope='{"bucket":"acme"}'`);
    await site.waitForEvent("ready");
    await page.evaluate(async () => {
      const element = document.querySelector("platform-embed");
      if (!element) throw new Error("no element");
      element.scope = { bucket: "acme" };
      element.fetchToken = () => Promise.reject(new Error("unused"));
      await element.updateComplete;
    });

    expect(await site.events()).toEqual(["loading", "ready"]);
    expect(platform.requests).toHaveLength(1);
  });

  test("another frame when the scope changes, without a history entry", async ({ site, page }) => {
    await site.openTag(`scope='{"bucket":"acme"}'`);
    await site.waitForEvent("ready");
    const before = await page.evaluate(() => history.length);
    await page.locator("platform-embed").evaluate((element) => {
      element.setAttribute("scope", '{"bucket":"other"}');
    });
    await site.waitForEvent("ready", 2);

    expect(site.asked.map(({ scope }) => scope)).toEqual([{ bucket: "acme" }, { bucket: "other" }]);
    expect(await page.evaluate(() => history.length)).toBe(before);
    await expect(page.locator("platform-embed iframe")).toHaveCount(1);
  });

  test("a lazy frame when it comes near the viewport", async ({ site, page }) => {
    await site.open(`<div id="above" style="height: 500vh"></div>
      <platform-embed token-endpoint="/embed-url" loading="lazy"></platform-embed>`);
    await site.waitForEvent("loading");
    expect(site.asked).toEqual([]);

    await page.locator("platform-embed").scrollIntoViewIfNeeded();
    await site.waitForEvent("ready");
  });

  test("a frame that late listeners can find out is ready", async ({ site, page }) => {
    await site.openTag();
    await site.waitForEvent("ready");

    const detail = await page.evaluate(() => document.querySelector("platform-embed")?.ready);
    expect(detail).toEqual({ service: "files", expiresAt: 2_000_000_000 });
  });

  test("a frame with theme and locale in its first URL, and sends it every later change", async ({
    site,
    page,
    platform,
  }) => {
    await site.openTag(`theme="dark" locale="fr-CA"`);
    await site.waitForEvent("ready");
    expect(platform.requests[0]?.url.search).toBe("?t=token-1&theme=dark&locale=fr-CA");

    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => {
      element.theme = "light";
      element.locale = "en";
    });
    await expect
      .poll(async () => (await site.frameHeard("platform.embed.configure")).at(-1))
      .toEqual({
        ...{ type: "platform.embed.configure", theme: "light", locale: "en", origin: site.origin },
        appearance: {},
        texts: null,
        answersBeforeUpload: true,
        picker: null,
        fileActions: null,
      });
  });

  test("a frame with the height that the page sets, or that of its content", async ({ site, page }) => {
    await site.open(
      `<div style="height: 700px"><platform-embed token-endpoint="/embed-url"></platform-embed></div>`,
    );
    await site.waitForEvent("ready");
    const element = page.locator("platform-embed");
    const height = async () => (await element.locator("iframe").boundingBox())?.height;
    expect(await height()).toBe(700);

    await element.evaluate((host) => host.setAttribute("height", "450px"));
    await expect.poll(height).toBe(450);

    await element.evaluate((host) => host.setAttribute("height", "auto"));
    await site.frameSays({ type: "platform.embed.resize", height: 812 });
    await expect.poll(height).toBe(812);

    await element.evaluate((host) => host.setAttribute("height", "fill"));
    await expect.poll(height).toBe(700);
  });

  test("a frame with the height that the page sets, even if the page styles the tag as a block", async ({
    site,
    page,
  }) => {
    await site.open(`<div style="display: grid; height: 640px">
      <platform-embed token-endpoint="/embed-url" style="display: block; min-height: 0"></platform-embed></div>`);
    await site.waitForEvent("ready");

    expect((await page.locator("platform-embed iframe").boundingBox())?.height).toBe(640);
  });

  test("a frame that never collapses when nothing sets its height", async ({ site, page }) => {
    await site.openTag();
    await site.waitForEvent("ready");

    expect((await page.locator("platform-embed iframe").boundingBox())?.height).toBe(320);
  });

  test("a frame, and forwards its events", async ({ site }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    const service = "files";
    await site.frameSays({ type: "platform.embed.navigate", service, path: "/invoices" });
    await site.frameSays({ type: "platform.embed.upload-complete", service, bucket: "b", key: "k", size: 3 });
    await site.frameSays({ type: "platform.embed.upload-failed", service, name: "n", code: "denied" });
    await site.waitForEvent("upload-failed");

    expect(await site.details("navigate")).toEqual([{ service, path: "/invoices" }]);
    expect(await site.details("upload-complete")).toEqual([{ service, bucket: "b", key: "k", size: 3 }]);
    expect(await site.details("upload-failed")).toEqual([{ service, name: "n", code: "denied" }]);
  });
});
