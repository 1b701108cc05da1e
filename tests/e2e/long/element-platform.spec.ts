import type { Page } from "@playwright/test";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { findViolations } from "../find-violations";
import { expect, test } from "../fixtures";
import { listening, pageWith, told } from "../integrator";

const state = (page: Page) => page.locator("platform-embed");

async function upload(page: Page, name: string): Promise<void> {
  const frame = page.frameLocator("platform-embed iframe");
  const chosen = page.waitForEvent("filechooser");
  await frame.getByRole("button", { name: "Upload" }).first().click();
  await frame.getByRole("menuitem", { name: "Upload files" }).click();
  await (await chosen).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from("content") });
}

test.describe("<platform-embed> with the real platform", () => {
  test("tells the page what happens in the explorer", async ({ integrator, page, stack }) => {
    integrator.pages.set("/", pageWith(stack, listening));
    await integrator.bucket.put("reports/a.txt", "a");
    await page.goto(integrator.origin);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    await page.frameLocator("platform-embed iframe").getByText("reports").dblclick();
    await expect
      .poll(() => told(page, "navigate"))
      .toContainEqual(expect.objectContaining({ path: "/reports" }));
    await upload(page, "b.txt");
    await expect
      .poll(() => told(page, "upload-complete"))
      .toEqual([
        {
          name: "upload-complete",
          service: "files",
          bucket: integrator.bucket.name,
          key: "reports/b.txt",
          size: 7,
          // Of "content".
          checksum: "/sUwqQ==",
          checksumAlgorithm: "CRC32",
        },
      ]);
    expect((await told(page, "upload-progress")).at(-1)).toEqual({
      ...{ name: "upload-progress", service: "files" },
      ...{ files: 1, filesDone: 1, size: 7, sent: 7 },
    });
    await expect.poll(() => told(page, "ready")).toHaveLength(1);
    expect(await told(page, "error")).toEqual([]);
  });

  test("lets the page refuse and rename files before the upload, even if it takes a while to decide", async ({
    integrator,
    page,
    stack,
  }) => {
    integrator.pages.set(
      "/",
      pageWith(
        stack,
        `${listening}<script>
          window.asked = [];
          window.backend = new Promise((resolve) => (window.allow = resolve));
          document.addEventListener("platform-embed-before-upload", (event) => {
            const { service, name, size, type, folderPath, rename, refuse, waitUntil } = event.detail;
            asked.push({ service, name, size, type, folderPath });
            if (name === "secret.txt") event.preventDefault();
            if (name === "old.txt") refuse("<b>Too old</b> for this year.");
            if (name === "plain.txt") rename("2026 plain.txt");
            if (name === "slow.txt") waitUntil(backend.then(() => rename("checked.txt")));
          });
        </script>`,
      ),
    );
    await page.goto(integrator.origin);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    const frame = page.frameLocator("platform-embed iframe");
    const names = ["secret.txt", "old.txt", "plain.txt", "slow.txt", "as-it-is.txt"];
    await frame
      .locator("input[type=file]")
      .first()
      .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("content") })));
    const uploads = frame.getByRole("region", { name: "Uploads" });
    const line = (name: string) => uploads.getByRole("listitem").filter({ hasText: name });
    await expect(line("secret.txt")).toContainText("This page does not accept this file.");
    await expect(line("old.txt"), "as text").toContainText("<b>Too old</b> for this year.");
    await expect(uploads.getByRole("button", { name: "Retry" })).toHaveCount(0);
    await expect(frame.getByRole("row", { name: "2026 plain.txt" })).toBeVisible();
    await expect(frame.getByRole("row", { name: "as-it-is.txt" })).toBeVisible();
    await expect(line("slow.txt")).toContainText("Waiting");
    expect(await page.evaluate(() => (window as unknown as { asked: object[] }).asked)).toEqual(
      names.map((name) => ({ service: "files", name, size: 7, type: "text/plain", folderPath: "/" })),
    );
    await page.evaluate(() => (window as unknown as { allow(): void }).allow());
    await expect(frame.getByRole("row", { name: "checked.txt" })).toBeVisible();
    expect((await integrator.bucket.list()).sort()).toEqual([
      "2026 plain.txt",
      "as-it-is.txt",
      "checked.txt",
    ]);
    expect((await told(page, "upload-failed")).map(({ code }) => code)).toEqual(["refused", "refused"]);
  });

  test("keeps renewing tokens that last five seconds, in the same document", async ({
    integrator,
    page,
    stack,
  }) => {
    integrator.asks = { expiresInSeconds: 5 };
    integrator.pages.set("/", pageWith(stack, listening));
    await integrator.bucket.put("a.txt", "a");
    await page.goto(integrator.origin);
    const frame = page.frameLocator("platform-embed iframe");
    await frame.locator("body").evaluate(() => Object.assign(window, { sameDocument: true }));
    await expect.poll(async () => (await told(page, "token-refreshed")).length, { timeout: 25_000 }).toBe(3);

    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByText("a.txt")).toBeVisible();
    expect(await frame.locator("body").evaluate(() => "sameDocument" in window)).toBe(true);
    expect(await told(page, "error")).toEqual([]);
  });

  for (const minutes of [-5, 5]) {
    test(`renews on time when the computer's clock is ${minutes} minutes off`, async ({
      integrator,
      page,
      stack,
    }) => {
      integrator.asks = { expiresInSeconds: 5 };
      integrator.pages.set("/", pageWith(stack, listening));
      await integrator.bucket.put("a.txt", "a");
      await page.clock.install({ time: Date.now() + minutes * 60_000 });
      await page.goto(integrator.origin);
      await expect
        .poll(async () => (await told(page, "token-refreshed")).length, { timeout: 20_000 })
        .toBe(2);
      expect(integrator.asked.length, "one for the page and one for each renewal").toBe(3);

      await integrator.bucket.put("b.txt", "b");
      const frame = page.frameLocator("platform-embed iframe");
      await frame.getByRole("button", { name: "Refresh" }).click();
      await expect(frame.getByText("b.txt")).toBeVisible();
      expect(await told(page, "error")).toEqual([]);
    });
  }

  test("makes the browser ask before the visitor leaves a running upload", async ({
    openEmbed,
    page,
    stack,
  }) => {
    await page.route(`${stack.objectStore.endpoint}/**`, (route) =>
      route.request().method() === "PUT" ? undefined : route.continue(),
    );
    const frame = await openEmbed();
    const putting = page.waitForRequest((request) => request.method() === "PUT");
    await upload(page, "never.txt");
    await putting;
    await expect(frame.getByRole("region", { name: "Uploads" })).toBeVisible();
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.accept();
  });

  test("changes the colours and the language of an open explorer", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    const root = frame.locator("html");
    await expect(root).toHaveAttribute("data-theme", "auto");
    await state(page).evaluate((element: PlatformEmbed) => {
      element.theme = "dark";
      element.locale = "fr-CA";
    });
    await expect(root).toHaveAttribute("data-theme", "dark");
    await expect(root).toHaveAttribute("lang", "fr-CA");
  });

  test("ignores a hostile page: the explorer only accepts messages from the token's origins", async ({
    integrator,
    openEmbed,
    page,
  }) => {
    await integrator.bucket.put("a.txt", "a");
    await openEmbed();
    const frame = page.frameLocator("platform-embed iframe");
    await expect(frame.getByText("a.txt")).toBeVisible();
    // Another frame can reach the page's window, but it is not the explorer's parent.
    await page.evaluate(async () => {
      const stranger = document.createElement("iframe");
      stranger.srcdoc = "<p>stranger</p>";
      const loaded = new Promise((resolve) => stranger.addEventListener("load", resolve));
      document.body.append(stranger);
      await loaded;
      const explorer = document.querySelector("platform-embed")?.shadowRoot?.querySelector("iframe");
      const forge = (stranger.contentWindow as Window & { Function: FunctionConstructor }).Function(
        "target",
        `target.postMessage({ type: "platform.embed.token-unavailable", retryable: false }, "*");
         target.postMessage({ type: "platform.embed.token-refreshed", token: "forged" }, "*");`,
      );
      forge(explorer?.contentWindow);
    });
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByText("a.txt")).toBeVisible();
    await upload(page, "b.txt");
    await expect(frame.getByText("1 upload finished")).toBeVisible();
  });
});

test.describe("The demo's playground", () => {
  test("shows events live, switches colours and language, and lets the token expire", async ({
    page,
    stack,
  }) => {
    await page.goto(`${stack.demoUrl}/playground`);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    const root = page.frameLocator("platform-embed iframe").locator("html");
    await page.getByText("Dark", { exact: true }).click();
    await page.getByLabel("Language").selectOption("fr-CA");
    await expect(root).toHaveAttribute("data-theme", "dark");
    await expect(root).toHaveAttribute("lang", "fr-CA");

    await page.getByRole("button", { name: "Let the token expire" }).click();
    const events = page.locator("#event-details");
    await expect(events.getByText('"reason":"expired"')).toBeVisible();
    await expect(events.getByText("token-refreshed")).toHaveCount(2);
    await page.getByLabel("The back end answers").selectOption("401");
    await page.getByRole("button", { name: "Renew the token" }).click();
    await expect(page.getByText("Votre session est terminée")).toBeVisible();
    await expect(events.getByText("session-expired")).toBeVisible();

    const violations = await findViolations(page);
    expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
  });
});
