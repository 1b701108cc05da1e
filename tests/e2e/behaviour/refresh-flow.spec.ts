import type { Frame, FrameLocator, Page } from "@playwright/test";
import { signEmbedToken, verifyEmbedToken } from "../../../app/embed/embed-token.server";
import type { StackInfo } from "../../../local/stack-info";
import { issueEmbedUrl, makeEmbedClient } from "../../support/app/embed-client";
import { expiredUrl, guideIframe, respondWith } from "../../support/integrator/guide-iframe";
import { expect, test } from "../fixtures";
import { type Integrator, startIntegrator } from "../integrator";

const ASKED = "platform.embed.token-expired";

test.use({
  initialObjects: { "docs/a.txt": "x", "docs/b.txt": "x" },
  // A frame without a valid token, what it tries, and a page whose server does not respond as it should.
  allowedConsole: [
    /server responded with a status of (401|403|503)|^Error: .embed-url responded with (401|503)/,
  ],
});

/** Opens the guide's page, which records the types of the frame's messages in `window.heard`. */
async function open(page: Page, integrator: Integrator): Promise<FrameLocator> {
  const recorder = `<script>
    window.heard = [];
    addEventListener("message", ({ data }) => heard.push(data.type));
  </script></head>`;
  integrator.pages.set("/", guideIframe().replace("</head>", recorder));
  await page.goto(integrator.origin);
  return page.frameLocator("iframe").first();
}

const heard = (page: Page, type: string): Promise<number> =>
  page.evaluate(
    (wanted) => (window as unknown as { heard: string[] }).heard.filter((each) => each === wanted).length,
    type,
  );

/** Posts a reply to the frame as the page does. */
const reply = (page: Page, token: unknown): Promise<void> =>
  page.evaluate(
    (token) => window.frames[0]?.postMessage({ type: "platform.embed.token-refreshed", token }, "*"),
    token,
  );

function frameOf(page: Page): Frame {
  const [, frame] = page.frames();
  if (!frame) throw new Error("The page has no frame.");
  return frame;
}

/** A valid token for another client's bucket, which this page may embed. */
async function tokenOfOther(stack: StackInfo, { origin }: Integrator): Promise<string> {
  return (await issueEmbedUrl(stack, await makeEmbedClient(stack, { origins: [origin] }))).token;
}

const row = (frame: FrameLocator, name: string) => frame.getByRole("row", { name, exact: true });
const timedOut = (frame: FrameLocator) => frame.getByRole("heading", { name: "Your session has timed out" });

test.describe("a token that expires", () => {
  test("while the customer looks on is replaced, and nothing changes on the screen", async ({
    integrator,
    page,
  }) => {
    integrator.asks = { expiresInSeconds: 5 };
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await row(frame, "b.txt").getByRole("checkbox").click();
    await expect.poll(() => integrator.asked.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await expect(row(frame, "b.txt")).toHaveAttribute("aria-selected", "true");
    await integrator.bucket.put("docs/later.txt", "x");
    await page.keyboard.press("Escape");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "later.txt")).toBeVisible();
    expect(await heard(page, "platform.embed.ready"), "the frame was never loaded again").toBe(1);
  });

  test("while the machine sleeps is replaced when it wakes", async ({ integrator, page }) => {
    await page.clock.install();
    integrator.asks = { expiresInSeconds: 900 };
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    // As when a lid was closed for two hours: each timer that was due fires once.
    await page.clock.fastForward("02:00:00");
    await expect.poll(() => integrator.asked.length).toBe(2);
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "a.txt")).toBeVisible();
    await expect(timedOut(frame)).toHaveCount(0);
  });

  test("after the customer has signed out takes the frame with it", async ({ integrator, page }) => {
    await page.clock.install();
    integrator.asks = { expiresInSeconds: 900 };
    const frame = await open(page, integrator);
    await expect(row(frame, "docs")).toBeVisible();
    integrator.respond = (response) => integrator.json(response, 401, {});
    await page.clock.fastForward("02:00:00");
    await expect(page.locator("iframe")).toHaveCount(0);
    await expect(page.locator("body")).toHaveText("Your session has ended. Reload the page to sign in.");
  });

  test("while the page cannot reply is asked for again when the customer comes back", async ({
    integrator,
    page,
  }) => {
    await page.clock.install();
    integrator.asks = { expiresInSeconds: 900 };
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    integrator.respond = (response) => integrator.json(response, 503, {});
    await page.clock.fastForward("02:00:00");
    await page.clock.fastForward(16_000);
    await expect(timedOut(frame)).toBeVisible();
    integrator.respond = integrator.grant;
    await frameOf(page).evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(timedOut(frame)).toHaveCount(0);
    await expect(row(frame, "a.txt")).toBeVisible();
  });
});

test.describe("a frame that is loaded with an expired token", () => {
  test("asks for another one, and shows the files", async ({ integrator, page, stack }) => {
    respondWith(integrator, await expiredUrl(integrator, stack));
    const frame = await open(page, integrator);
    await expect(row(frame, "docs")).toBeVisible();
    expect(integrator.asked).toHaveLength(2);
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    expect(frameOf(page).url()).not.toContain("t=");
  });

  test("stays refused until the page replies, and takes the reply whenever it comes", async ({
    integrator,
    page,
    stack,
  }) => {
    await page.clock.install();
    const expired = await expiredUrl(integrator, stack);
    respondWith(integrator, expired);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/embed-url", async (route) => {
      if (integrator.asked.length > 0) await released;
      await route.continue();
    });
    const frame = await open(page, integrator);
    await expect(frame.getByText("token_expired")).toBeVisible();
    await expect.poll(() => heard(page, ASKED)).toBe(1);
    // Longer than the frame waits before it gives up for the moment.
    await page.clock.fastForward(60_000);
    await expect(frame.getByText("token_expired")).toBeVisible();
    release();
    await expect(row(frame, "docs")).toBeVisible();
  });

  test("asks again when the customer comes back or the network does", async ({ integrator, page, stack }) => {
    await page.clock.install();
    respondWith(integrator, await expiredUrl(integrator, stack));
    await page.route("**/embed-url", (route) =>
      integrator.asked.length === 0 ? route.continue() : route.fulfill({ status: 503, json: {} }),
    );
    const frame = await open(page, integrator);
    await expect.poll(() => heard(page, ASKED)).toBe(1);
    await page.clock.fastForward(16_000);
    await page.unroute("**/embed-url");
    await frameOf(page).evaluate(() => dispatchEvent(new Event("online")));
    await expect(row(frame, "docs")).toBeVisible();
    expect(await heard(page, ASKED)).toBe(2);
  });

  test("is not led astray by replies that are no token, expired, or of another deployment", async ({
    integrator,
    page,
    stack,
  }) => {
    const expired = await expiredUrl(integrator, stack);
    respondWith(integrator, expired);
    // From now on the page itself does not reply.
    await page.route("**/embed-url", (route) =>
      integrator.asked.length === 0 ? route.continue() : undefined,
    );
    const frame = await open(page, integrator);
    await expect.poll(() => heard(page, ASKED)).toBe(1);
    const { token } = await integrator.issue();
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], 0);
    const foreign = signEmbedToken(payload, "another secret, of another deployment");
    const elsewhere = signEmbedToken(
      { ...payload, origins: ["https://another.example"] },
      stack.embedSigningSecret,
    );
    for (const refused of [
      null,
      1,
      "",
      "no token",
      new URL(expired).searchParams.get("t"),
      foreign,
      elsewhere,
    ])
      await reply(page, refused);
    await expect.poll(() => heard(page, ASKED), { message: "it goes on asking", timeout: 20_000 }).toBe(2);
    await expect(frame.getByText("token_expired")).toBeVisible();
    await reply(page, token);
    await reply(page, token);
    await expect(row(frame, "docs")).toBeVisible();
    await expect.poll(() => heard(page, "platform.embed.ready")).toBe(1);
  });

  test("stays refused in a page that the token does not allow, whatever it replies", async ({
    integrator,
    page,
    stack,
  }) => {
    const stranger = await startIntegrator(stack);
    const { url, token } = await integrator.issue();
    const asked = page.waitForRequest((request) => request.method() === "HEAD");
    respondWith(stranger, await expiredUrl(integrator, stack), url);
    const frame = await open(page, stranger);
    expect((await (await asked).response())?.status()).toBe(403);
    await expect(frame.getByText("token_expired")).toBeVisible();
    await reply(page, token);
    await expect(row(frame, "docs")).toHaveCount(0);
    await stranger.close();
  });
});

test.describe("a reply", () => {
  test("that comes after the frame has given up restores everything", async ({ integrator, page }) => {
    await page.clock.install();
    integrator.asks = { expiresInSeconds: 900 };
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await row(frame, "b.txt").getByRole("checkbox").click();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/embed-url", async (route) => {
      await released;
      await route.continue();
    });
    await page.clock.fastForward(890_000);
    await page.clock.fastForward(30_000);
    await page.clock.fastForward(30_000);
    await expect(timedOut(frame)).toBeVisible();
    release();
    await expect(timedOut(frame)).toHaveCount(0);
    await expect(row(frame, "b.txt")).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Escape");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "a.txt")).toBeVisible();
  });

  test("that comes twice, or is no token, changes nothing", async ({ integrator, page }) => {
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    const { token } = await integrator.issue();
    for (const each of [token, token, "no token", null, {}]) await reply(page, each);
    await integrator.bucket.put("docs/later.txt", "x");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "later.txt")).toBeVisible();
    expect(integrator.asked).toHaveLength(1);
  });

  test("with the token of another deployment or bucket shows nothing of either, and a right one goes on", async ({
    integrator,
    page,
    stack,
  }) => {
    const frame = await open(page, integrator);
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    await reply(page, await tokenOfOther(stack, integrator));
    // Neither token names a visitor, so another bucket is somebody else's.
    await expect(frame.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
    await expect(row(frame, "a.txt")).toHaveCount(0);
    // Issued later: the frame takes no token that expires before its own.
    const { token } = await integrator.issue();
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], 0);
    await reply(page, token);
    await expect(frame.getByRole("heading", { name: "Your session has ended" })).toHaveCount(0);
    await expect(row(frame, "a.txt")).toBeVisible();

    // The server refuses it, so the frame asks, and the guide's page replies.
    await reply(page, signEmbedToken(payload, "another secret, of another deployment"));
    await integrator.bucket.put("docs/later.txt", "x");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "later.txt")).toBeVisible();
    expect(integrator.asked).toHaveLength(2);
  });

  test("from another frame, which is of another origin, is ignored", async ({ integrator, page, stack }) => {
    const stranger = await startIntegrator(stack);
    stranger.pages.set("/", "<!doctype html><title>Stranger</title>");
    const frame = await open(page, integrator);
    await expect(row(frame, "docs")).toBeVisible();
    const token = await tokenOfOther(stack, integrator);
    await page.evaluate(async (origin) => {
      const beside = document.createElement("iframe");
      beside.src = origin;
      const loaded = new Promise((resolve) => beside.addEventListener("load", resolve));
      document.body.append(beside);
      await loaded;
    }, stranger.origin);
    const beside = page.frames().find((each) => each.url().startsWith(stranger.origin));
    await beside?.evaluate((data) => window.parent.frames[0]?.postMessage(data, "*"), {
      type: "platform.embed.token-refreshed",
      token,
    });
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row(frame, "docs")).toBeVisible();
    await expect(frame.getByText("You have no access to this folder")).toHaveCount(0);
    await stranger.close();
  });
});
