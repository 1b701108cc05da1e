import type { Page } from "@playwright/test";
import { signEmbedToken, verifyEmbedToken } from "../../../app/embed/embed-token.server";
import { expect, test } from "../fixtures";
import { type Integrator, listening, pageWith, startIntegrator, told } from "../integrator";

const state = (page: Page) => page.locator("platform-embed");

test.describe("After a refusal, <platform-embed>", () => {
  test.use({ allowedConsole: [/the server responded with a status of 401/] });

  test("continues in the same folder when a visitor whose session had ended signs in again", async ({
    integrator,
    page,
    stack,
  }) => {
    integrator.asks = { expiresInSeconds: 5 };
    integrator.pages.set("/", pageWith(stack, listening));
    await integrator.bucket.put("reports/a.txt", "a");
    await page.goto(integrator.origin);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    await page.frameLocator("platform-embed iframe").getByText("reports").dblclick();
    await expect(page.frameLocator("platform-embed iframe").getByText("a.txt")).toBeVisible();
    integrator.respond = (response) => void response.writeHead(401).end();
    await expect(page.getByText("Your session has ended")).toBeVisible({ timeout: 20_000 });
    await expect.poll(() => told(page, "session-expired")).toHaveLength(1);

    integrator.respond = integrator.grant;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.frameLocator("platform-embed iframe").getByText("a.txt")).toBeVisible();
    await page.frameLocator("platform-embed iframe").getByRole("button", { name: "Refresh" }).click();
    await expect(page.frameLocator("platform-embed iframe").getByText("a.txt")).toBeVisible();
  });

  test("comes back when the visitor reloads the frame, whose URL has no token any more", async ({
    integrator,
    openEmbed,
    page,
  }) => {
    await integrator.bucket.put("a.txt", "a");
    const frame = await openEmbed();
    await expect(frame.getByText("a.txt")).toBeVisible();
    // The listing is there before the script that takes the token out of the address.
    await expect.poll(() => page.frames().at(-1)?.url()).not.toContain("t=");
    await frame.locator("body").evaluate(() => location.reload());
    await expect.poll(() => integrator.asked.length).toBe(2);
    await expect(frame.getByText("a.txt")).toBeVisible();
  });
});

test.describe("When the frame reloads before its scripts have run, <platform-embed>", () => {
  // When a frame reloads itself, its own page is the referrer. So the platform does not know who embeds it, although the token is
  // valid. Once
  // the scripts have run, the address has no token any more.
  test.use({ allowedConsole: [/the server responded with a status of (401|403)/] });

  test("mounts it again instead of giving up", async ({ integrator, page, stack }) => {
    // Held scripts are never released, as if the first page's scripts had not run.
    let held = true;
    await page.route(`${stack.platformBaseUrl}/build/**/*.js`, (route) =>
      held ? undefined : route.continue(),
    );
    await integrator.bucket.put("a.txt", "a");
    await page.goto(integrator.origin);
    const frame = page.frameLocator("iframe");
    await expect(frame.getByText("a.txt")).toBeVisible();
    held = false;
    await frame.locator("body").evaluate(() => location.reload());
    await expect.poll(() => integrator.asked.length).toBe(2);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    await expect(frame.getByText("a.txt")).toBeVisible();
  });
});

test.describe("<platform-embed> reports the platform's refusal as", () => {
  test.use({
    allowedConsole: [/the server responded with a status of (401|403|404)|^<platform-embed> \w+_not_\w+:/],
  });

  const opens = async (page: Page, host: Integrator, body: string, stack: Parameters<typeof pageWith>[0]) => {
    host.pages.set("/", pageWith(stack, body));
    await page.goto(host.origin);
  };

  test("origin_not_allowed in a page whose origin is not on the list", async ({
    integrator,
    page,
    stack,
  }) => {
    const stranger = await startIntegrator(stack);
    const { url, expiresAt } = await integrator.issue();
    stranger.respond = (response) => void response.end(JSON.stringify({ url, expiresAt, service: "files" }));
    await opens(page, stranger, listening, stack);
    await expect
      .poll(() => told(page, "error"))
      .toMatchObject([{ code: "origin_not_allowed", retryable: false }]);
    await expect(page.getByRole("status")).toContainText("tell whoever runs it");
    await stranger.close();
  });

  test("service_not_enabled for a service that the platform does not offer yet", async ({
    integrator,
    page,
    stack,
  }) => {
    const url = `${stack.platformBaseUrl}/embed/tasks?t=x`;
    integrator.respond = (response) =>
      void response.end(JSON.stringify({ url, expiresAt: 1, service: "tasks" }));
    await opens(page, integrator, listening.replace('service="files"', 'service="tasks"'), stack);
    await expect.poll(() => told(page, "error")).toMatchObject([{ code: "service_not_enabled" }]);
  });

  test("nothing when a new token replaces the expired one of a cached page", async ({
    integrator,
    page,
    stack,
  }) => {
    await integrator.bucket.put("a.txt", "a");
    const { token } = await integrator.issue();
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], 0);
    const spent = signEmbedToken({ ...payload, exp: payload.iat - 1 }, stack.embedSigningSecret);
    const src = `${stack.platformBaseUrl}/embed/files?t=${spent}`;
    await opens(page, integrator, listening.replace("token-endpoint", `src="${src}" token-endpoint`), stack);
    await expect(page.frameLocator("platform-embed iframe").getByText("a.txt")).toBeVisible();
    expect(integrator.asked.length).toBe(1);
    expect(await told(page, "error")).toEqual([]);
  });
});
