import type { PlatformEmbed } from "../../embed-element/src/platform-embed";
import { expect, type HostSite, test } from "./element-support";

const expired = { type: "platform.embed.token-expired", service: "files" } as const;

/** Like `openReady`, with a clock that only `runFor` moves. */
async function openReadyWithStoppedClock(site: HostSite): Promise<void> {
  const { clock } = site.page;
  await clock.install({ time: 0 });
  await clock.pauseAt(1_000);
  await openReady(site);
  // Past the second that must lie between a token and the frame's wish for the next.
  await clock.runFor(1_000);
}

async function openReady(site: HostSite): Promise<void> {
  await site.openTag();
  await site.waitForEvent("ready");
}

test.describe("A renewal", () => {
  test("hands the new token to the frame, at its exact origin, and reloads nothing", async ({
    site,
    platform,
  }) => {
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

  test("is one request, however often the frame asks", async ({ site }) => {
    await openReady(site);
    const release = holdAnswers(site);
    for (let time = 0; time < 5; time += 1) await site.frameSays(expired);
    await expect.poll(() => site.asked.length).toBe(2);
    release();
    await site.waitForEvent("token-refreshed");

    expect(site.asked).toHaveLength(2);
  });

  test("cannot be asked for more than about once a second by the frame", async ({ site, page }) => {
    await openReadyWithStoppedClock(site);
    await site.frameSays(expired);
    await site.waitForEvent("token-refreshed");
    for (let time = 0; time < 5; time += 1) await site.frameSays(expired);
    expect(site.asked).toHaveLength(2);

    await page.clock.runFor(1_000);
    await site.waitForEvent("token-refreshed", 2);
    expect(site.asked).toHaveLength(3);
  });

  test("can be asked for by a script, which learns how it went", async ({ site, page }) => {
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
    await expect(element).toHaveAttribute("state", "ready");
  });

  for (const minutes of [-5, 5]) {
    test(`works on a computer whose clock is ${minutes} minutes off`, async ({ site, page }) => {
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
    expect(await page.locator("platform-embed").getAttribute("state")).toBe("ready");

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

    await expect(page.locator("platform-embed")).toHaveAttribute("state", "ready");
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
    await expect(page.getByText("token_endpoint_failed")).toBeVisible();
    expect(await site.frameHeard("platform.embed.token-unavailable")).toMatchObject([{ retryable: false }]);

    site.respond = site.grant;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator("platform-embed")).toHaveAttribute("state", "ready");
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

test.describe("Once the element is removed", () => {
  test("nothing waits or asks any more", async ({ site, page }) => {
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

test.describe("Forged messages", () => {
  test("from the page itself, from another frame and from a frame that has moved on are ignored", async ({
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
    // A frame that has loaded something else is mounted again, which also means that its message has come and gone.
    await site.waitForEvent("ready", 2);

    expect(site.asked.map(({ reason }) => reason)).toEqual(["initial", "initial"]);
    expect(await site.details("token-refreshed")).toEqual([]);
  });

  test("of the right frame, but malformed or of another service, are ignored", async ({ site }) => {
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

/** Lets the endpoint answer nobody until the returned function is called. */
function holdAnswers(site: HostSite): () => void {
  const waiting: (() => void)[] = [];
  site.respond = (response, request) => waiting.push(() => site.grant(response, request));
  return () => {
    for (const go of waiting) go();
  };
}
