import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, test } from "../fixtures";
import { EMBED_TAG, pageWith } from "../integrator";

/** Opens the pages that how-to guides show, so that readers copy code that works. */

/** The samples of a guide in a language, in their order; `""` is a sample without a language. */
function samplesOf(guide: string, language: string): string[] {
  const text = readFileSync(`docs/guide/${guide}.md`, "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code = ""]) =>
    found === language ? [code] : [],
  );
}

const elementOf = (page: Page) => page.locator("platform-embed");

test.describe("the guide for modals and tabs", () => {
  test.use({ initialObjects: { "Photos/quay.txt": "x", "readme.txt": "x" } });
  const [modal = "", tabs = ""] = samplesOf("modal-or-tab", "html");

  test("a modal loads the files when it opens, and keeps them when it closes", async ({
    page,
    stack,
    integrator,
  }) => {
    integrator.pages.set("/", pageWith(stack, modal));
    await page.goto(integrator.origin);
    const open = page.getByRole("button", { name: "Your files" });
    await expect(page.getByRole("button", { name: "Close" })).toBeHidden();
    expect(integrator.asked).toEqual([]);

    await open.click();
    await expect(elementOf(page)).toHaveJSProperty("state", "ready");
    const frame = page.frameLocator("iframe");
    await frame.getByRole("row").getByText("Photos").click();
    await frame.getByText("quay.txt").waitFor();
    await page.keyboard.press("Escape");
    await expect(page.locator("dialog")).toHaveJSProperty("open", true);

    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.locator("dialog")).toHaveJSProperty("open", false);
    await open.click();
    await expect(frame.getByText("quay.txt")).toBeVisible();
    expect(integrator.asked).toHaveLength(1);
  });

  test("a tab loads the files when it is shown, and keeps them when it is hidden", async ({
    page,
    stack,
    integrator,
  }) => {
    integrator.pages.set("/", pageWith(stack, tabs));
    await page.goto(integrator.origin);
    await expect(page.getByRole("button", { name: "Documents" })).toBeVisible();
    expect(integrator.asked).toEqual([]);

    const frame = page.frameLocator("iframe");
    await page.getByRole("button", { name: "Documents" }).click();
    await expect(elementOf(page)).toHaveJSProperty("state", "ready");
    await frame.getByRole("row").getByText("Photos").click();
    await frame.getByText("quay.txt").waitFor();
    await page.getByRole("button", { name: "Orders" }).click();
    await expect(elementOf(page)).toBeHidden();
    await page.getByRole("button", { name: "Documents" }).click();
    await expect(frame.getByText("quay.txt")).toBeVisible();
    expect(integrator.asked).toHaveLength(1);
  });
});

test("the guide for logging out removes the files before the server has responded", async ({
  page,
  stack,
  integrator,
}) => {
  integrator.pages.set("/", pageWith(stack, samplesOf("sign-out", "html")[0] ?? ""));
  await page.route("**/sign-out", () => {}); // never responds
  await page.goto(integrator.origin);
  await expect(elementOf(page)).toHaveJSProperty("state", "ready");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(elementOf(page)).toContainText("Your session has ended");
  // The browser tells of a removed frame a little later.
  await expect.poll(() => page.frames().length).toBe(1);
});

test("the guide for logging out continues in the same frame when the visitor has signed in again", async ({
  page,
  stack,
  integrator,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource: the server responded with a status of 401/);
  integrator.pages.set("/", pageWith(stack, samplesOf("sign-out", "html")[1] ?? ""));
  await page.goto(integrator.origin);
  const embed = elementOf(page);
  await expect(embed).toHaveJSProperty("state", "ready");
  const [, frame] = page.frames();
  await page.route("**/embed-url", (route) => route.fulfill({ status: 401, json: {} }));
  await embed.evaluate((element: PlatformEmbed) => element.refreshToken().catch(() => {}));
  await expect(embed).toHaveJSProperty("state", "ended");
  await page.unroute("**/embed-url");
  await page.getByRole("button", { name: "continue" }).click();
  await expect(embed).toHaveJSProperty("state", "ready");
  expect(page.frames()[1]).toBe(frame);
});

test.describe("the guide for dark mode", () => {
  const [, , byClass = "", byColorScheme = ""] = samplesOf("theming", "css");

  for (const [way, css] of Object.entries({ class: byClass, "color-scheme": byColorScheme })) {
    test(`follows the app's own switch by ${way}, whatever the system says`, async ({
      page,
      stack,
      integrator,
    }) => {
      integrator.pages.set("/", pageWith(stack, `<style>${css}</style>${EMBED_TAG}`));
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(integrator.origin);
        await expect(elementOf(page)).toHaveJSProperty("state", "ready");
        const root = page.frameLocator("iframe").locator("html");
        await expect(root).toHaveAttribute("data-theme", "light");
        for (const theme of ["dark", "light"]) {
          await page.evaluate((name) => (document.documentElement.className = name), theme);
          await expect(root).toHaveAttribute("data-theme", theme);
        }
      }
    });
  }
});

test("the guide for uploads says what has arrived, and what has not", async ({ page, stack, integrator }) => {
  integrator.asks = { scope: { bucket: integrator.bucket.name, limits: { fileTypes: [".pdf"] } } };
  integrator.pages.set("/", pageWith(stack, samplesOf("react-to-uploads", "html")[0] ?? ""));
  await page.goto(integrator.origin);
  await expect(elementOf(page)).toHaveJSProperty("state", "ready");
  const input = page.frameLocator("iframe").locator("input[type=file]").first();
  const news = page.locator("#news");
  await input.setInputFiles({ name: "a.pdf", mimeType: "application/pdf", buffer: Buffer.from("a") });
  await expect(news).toHaveText("Thank you. We have received a.pdf.");
  await input.setInputFiles({ name: "b.exe", mimeType: "", buffer: Buffer.from("b") });
  await expect(news).toHaveText("b.exe was not sent.");
});

test.describe("the guide for phones", () => {
  test.use({ viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true });

  test("fills the screen, and is no wider", async ({ page, stack, integrator }) => {
    const [whole = ""] = samplesOf("phone-or-webview", "html");
    integrator.pages.set("/", whole.replaceAll("https://embed.example.com", stack.platformBaseUrl));
    integrator.pages.set("/favicon.ico", "");
    await page.goto(integrator.origin);
    await expect(elementOf(page)).toHaveJSProperty("state", "ready");
    expect(await page.locator("iframe").boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test("the guide's content security policy is enough", async ({ page, stack, integrator }) => {
  const [name, value = ""] = (samplesOf("content-security-policy", "")[0] ?? "").trim().split(": ");
  expect(name).toBe("Content-Security-Policy");
  // `pageWith` has a style sheet and an icon of its own, which the guide's policy does not allow.
  const { platformBaseUrl } = stack;
  integrator.pages.set(
    "/",
    `<!doctype html><html lang="en"><title>Files</title><link rel="stylesheet" href="${platformBaseUrl}/platform-embed.css" /><script src="${platformBaseUrl}/platform-embed.js" defer></script>${EMBED_TAG}</html>`,
  );
  integrator.pages.set("/favicon.ico", "");
  integrator.headers = {
    "Content-Security-Policy": value.replaceAll("https://embed.example.com", platformBaseUrl),
  };
  await page.goto(integrator.origin);
  await expect(elementOf(page)).toHaveJSProperty("state", "ready");
});

test("the guide's policy with a nonce is enough, also for another language", async ({
  page,
  stack,
  integrator,
}) => {
  const [, value = ""] = (samplesOf("content-security-policy", "")[1] ?? "").trim().split(": ");
  const [script = ""] = samplesOf("content-security-policy", "html");
  const ofStack = (text: string) => text.replaceAll("https://embed.example.com", stack.platformBaseUrl);
  integrator.pages.set(
    "/",
    `<!doctype html><html lang="fr"><title>Files</title>${ofStack(script)}${EMBED_TAG}</html>`,
  );
  integrator.pages.set("/favicon.ico", "");
  integrator.headers = { "Content-Security-Policy": ofStack(value) };
  const languages = page.waitForResponse(/languages\.js$/);
  await page.goto(integrator.origin);
  await expect(elementOf(page)).toHaveJSProperty("state", "ready");
  expect((await languages).ok()).toBe(true);
});
