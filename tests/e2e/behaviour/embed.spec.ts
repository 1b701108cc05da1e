import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { signEmbedToken, verifyEmbedToken } from "../../../app/embed/embed-token.server";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, test } from "../fixtures";
import { EMBED_TAG, listening, pageWith, startIntegrator, told } from "../integrator";
import { expectFewScripts, watchScripts } from "../loaded-scripts";

const frameOf = (url: string) => `<iframe title="Files" src="${url}"></iframe>`;

test.describe("the embed in a page of another origin", () => {
  test("shows the files of its scope, and keeps its token out of the address bar", async ({
    integrator,
    openEmbed,
    page,
  }) => {
    await integrator.bucket.put("welcome.txt", "hello");
    await integrator.bucket.put("reports/2026.pdf", "%PDF-");
    const frame = await openEmbed();
    await expect(frame.getByText("welcome.txt")).toBeVisible();
    await expect(frame.getByText("reports")).toBeVisible();
    const [, embedded] = page.frames();
    expect(new URL(embedded?.url() ?? "").origin).not.toBe(integrator.origin);
    // The listing is there before the page's script is.
    await expect.poll(() => embedded?.url()).not.toContain("t=");
  });

  test("loads at most 110 kB of JavaScript, compressed, in at most twelve files", async ({
    openEmbed,
    page,
    stack,
  }) => {
    const scripts = watchScripts(page, stack.platformBaseUrl);
    await openEmbed();
    // HTTP/1.1 loads six files at a time, and on a slow network each further round costs half a second.
    expectFewScripts(await scripts(), 12);
  });

  test("stores exactly the bytes that were uploaded, and downloads them again", async ({
    integrator,
    openEmbed,
    page,
  }) => {
    const bytes = randomBytes(300_000);
    const frame = await openEmbed();
    const chosen = page.waitForEvent("filechooser");
    await frame.getByRole("button", { name: "Upload" }).first().click();
    await frame.getByRole("menuitem", { name: "Upload files" }).click();
    await (await chosen).setFiles({
      name: "données 1.bin",
      mimeType: "application/octet-stream",
      buffer: bytes,
    });
    await expect(frame.getByText("1 upload finished")).toBeVisible();
    expect((await integrator.bucket.get("données 1.bin"))?.equals(bytes)).toBe(true);

    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download données 1.bin" }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe("données 1.bin");
    expect((await readFile(await download.path())).equals(bytes)).toBe(true);
  });

  test("continues seamlessly when its token expires during an upload", async ({
    allowedConsole,
    integrator,
    openEmbed,
    page,
    stack,
  }) => {
    // A presigned URL expires with its token. So the store refuses the first attempt, and the explorer presigns again. On a busy
    // machine the next
    // token may come so late that the platform refuses a request too, which is then repeated.
    allowedConsole.push(/Failed to load resource: the server responded with a status of (401|403)/);
    integrator.asks = { expiresInSeconds: 5 };
    await integrator.bucket.put("reports/march/data.csv", "a,b");
    const frame = await openEmbed();
    await frame.getByText("reports").dblclick();
    await frame.getByText("march").dblclick();
    await expect(frame.getByText("data.csv")).toBeVisible();

    // The upload is held until the page's first token has expired and a new one has arrived.
    const first = await integrator.issue();
    await page.route(`${stack.objectStore.endpoint}/**`, async (route) => {
      if (route.request().method() === "PUT") {
        await expect
          .poll(() => Date.now() / 1000 > first.expiresAt && integrator.asked.length >= 2)
          .toBe(true);
      }
      await route.continue();
    });
    const chosen = page.waitForEvent("filechooser");
    await frame.getByRole("button", { name: "Upload" }).first().click();
    await frame.getByRole("menuitem", { name: "Upload files" }).click();
    await (await chosen).setFiles({
      name: "late.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("on time"),
    });
    await expect(frame.getByText("1 upload finished")).toBeVisible({ timeout: 20_000 });
    expect(String(await integrator.bucket.get("reports/march/late.txt"))).toBe("on time");

    // The same folder is still open, and requests now use the new token.
    await expect(frame.getByText("data.csv")).toBeVisible();
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByText("late.txt").first()).toBeVisible();
    expect(integrator.asked.length).toBeGreaterThanOrEqual(2);
  });

  test("leads back in when its session has ended and the visitor has signed in again", async ({
    allowedConsole,
    integrator,
    openEmbed,
    page,
  }) => {
    // A frame that reloads has no token any more.
    allowedConsole.push(/Failed to load resource: the server responded with a status of (401|403)/);
    await integrator.bucket.put("docs/a.txt", "x");
    const frame = await openEmbed();
    await frame.getByText("docs").dblclick();
    await expect(frame.getByText("a.txt")).toBeVisible();
    await page.locator("platform-embed iframe").evaluate((iframe: HTMLIFrameElement) => {
      const message = { type: "platform.embed.token-unavailable", retryable: false };
      iframe.contentWindow?.postMessage(message, "*");
    });
    await frame.getByRole("button", { name: "Reload" }).click();
    await expect(frame.getByText("a.txt")).toBeVisible();
  });

  test("goes on with its uploads when its session has ended and the visitor has signed in again", async ({
    allowedConsole,
    integrator,
    openEmbed,
    page,
    stack,
  }) => {
    // It sends 16 MiB, and starts again.
    test.setTimeout(90_000);
    allowedConsole.push(/Failed to load resource: the server responded with a status of 401/);
    integrator.pages.set("/", pageWith(stack, listening));
    const frame = await openEmbed();
    // No upload gets its first URL before the session has ended.
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: string[] = [];
    await page.route(/\/storage\/(presign-upload|multipart\/sign)$/, async (route) => {
      held.push(route.request().url().replace(/.*\//, ""));
      await isReleased;
      await route.continue();
    });
    const film = { name: "film.mp4", mimeType: "video/mp4", buffer: randomBytes(16 * 1024 ** 2) };
    const small = Array.from({ length: 10 }, (_, index) => `${index + 1}.txt`).map((name) => {
      return { name, mimeType: "text/plain", buffer: Buffer.from(name) };
    });
    await frame
      .locator("input[type=file]")
      .first()
      .setInputFiles([film, ...small]);
    // The film and seven of the small files have the eight places.
    await expect.poll(() => held.filter((what) => what === "presign-upload")).toHaveLength(7);
    await expect.poll(() => held).toContain("sign");
    await page.route("**/embed-url", (route) => route.fulfill({ status: 401, json: {} }));
    await page
      .locator("platform-embed")
      .evaluate((embed: PlatformEmbed) => embed.refreshToken().catch(() => {}));
    await expect(page.getByText("Your session has ended")).toBeVisible();
    release();
    // The film, which cannot be completed, and the three files that waited for one of the eight places.
    const failed = { name: "upload-failed", code: "session_ended", service: "files" };
    await expect.poll(() => told(page, "upload-failed")).toEqual([failed, failed, failed, failed]);

    await page.unroute("**/embed-url");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(frame.getByText("11 uploads finished")).toBeVisible();
    expect((await integrator.bucket.get("film.mp4"))?.equals(film.buffer)).toBe(true);
    expect(await integrator.bucket.list()).toHaveLength(11);
  });

  test("takes the height that its parent gives it", async ({ integrator, page, stack }) => {
    for (const [name, style] of Object.entries({
      grid: "display: grid; min-height: 700px",
      flex: "display: flex; height: 700px",
      block: "height: 700px",
    })) {
      integrator.pages.set(`/${name}`, pageWith(stack, `<div style="${style}">${EMBED_TAG}</div>`, ""));
      await page.goto(`${integrator.origin}/${name}`);
      await expect(page.frameLocator("iframe").getByRole("button", { name: "Upload" }).first()).toBeVisible();
      expect((await page.locator("iframe").boundingBox())?.height, name).toBe(700);
    }
  });

  test("keeps its icons even if a browser extension changed the page before its script ran", async ({
    allowedConsole,
    integrator,
    page,
    stack,
  }) => {
    // React's message when it renders the page again.
    allowedConsole.push(/Minified React error #4(18|23|25)/);
    await integrator.bucket.put("plain.txt", "x");
    for (const added of ["", "<p>of an extension</p>"]) {
      await page.unrouteAll();
      await page.route(`${stack.platformBaseUrl}/embed/files?*`, async (route) => {
        const response = await route.fetch();
        const html = (await response.text()).replace("<main", `${added}<main`);
        await route.fulfill({ response, body: html });
      });
      await page.goto(integrator.origin);
      await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
      const frame = page.frameLocator("iframe");
      await expect(frame.getByText("of an extension")).toHaveCount(0);
      for (const icon of ["icon-upload", "file-text"]) {
        await expect(frame.locator(`.icon-sheet #${icon} path[d^="M"]`).first()).toBeAttached();
      }
    }
  });

  test("shows its first listing without JavaScript", async ({ integrator, browser }) => {
    await integrator.bucket.put("readable.txt", "x");
    const { url } = await integrator.issue();
    integrator.pages.set("/", frameOf(url));
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(integrator.origin);
    await expect(page.frameLocator("iframe").getByText("readable.txt")).toBeVisible();
    await context.close();
  });
});

test.describe("the unauthorized state", () => {
  test.use({
    allowedConsole: [/Failed to load resource: the server responded with a status of (401|403|404)/],
  });

  test("is shown in a page whose origin is not on the token's list of origins", async ({
    integrator,
    page,
    stack,
  }) => {
    const stranger = await startIntegrator(stack);
    const { url } = await integrator.issue();
    stranger.pages.set("/", frameOf(url));
    await page.goto(stranger.origin);
    const frame = page.frameLocator("iframe");
    await expect(frame.getByRole("heading")).toHaveText("This page may not show this view");
    await expect(frame.getByText("origin_not_allowed")).toBeVisible();
    await stranger.close();
  });

  test("is shown when the embedding page is unknown", async ({ integrator, page }) => {
    const { url } = await integrator.issue();
    const answer = await page.goto(url);
    expect(answer?.status()).toBe(403);
    await expect(page.getByText("referrer_missing")).toBeVisible();
  });

  test("is shown for a token that has expired, was tampered with, or is for another service", async ({
    integrator,
    page,
    stack,
  }) => {
    const { token } = await integrator.issue();
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], 0);
    const sign = (changes: object) => signEmbedToken({ ...payload, ...changes }, stack.embedSigningSecret);
    const cases: [string, string][] = [
      [sign({ exp: payload.iat - 1 }), "token_expired"],
      [`${token.slice(0, -2)}AA`, "invalid_token"],
      [sign({ svc: "notif" }), "service_mismatch"],
      ["", "token_missing"],
    ];
    for (const [broken, code] of cases) {
      integrator.pages.set("/", frameOf(`${stack.platformBaseUrl}/embed/files?t=${broken}`));
      await page.goto(integrator.origin);
      await expect(page.frameLocator("iframe").getByText(code)).toBeVisible();
    }
  });

  test("says that notif and tasks are not enabled", async ({ integrator, page, stack }) => {
    for (const service of ["notif", "tasks"]) {
      integrator.pages.set("/", frameOf(`${stack.platformBaseUrl}/embed/${service}?t=x`));
      await page.goto(integrator.origin);
      await expect(page.frameLocator("iframe").getByText("service_not_enabled")).toBeVisible();
    }
  });
});
