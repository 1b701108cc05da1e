import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { StackInfo } from "../../../local/stack-info";
import { expect, test } from "../fixtures";
import { EMBED_TAG } from "../integrator";
import { bmp, wav } from "../sample-files";

interface Described {
  version: string;
  versions: Record<string, Record<"js" | "css", { path: string; integrity: string }>>;
}

/** The tags of an integrator who has chosen a version and its hashes. */
function pinned(stack: StackInfo, lang = "en", integrity?: string): string {
  const { version, versions }: Described = JSON.parse(readFileSync("public/platform-embed.json", "utf8"));
  const { js, css } = versions[version] ?? {};
  return `<!doctype html><html lang="${lang}"><title>Pinned</title><link rel="icon" href="data:," />
    <link rel="stylesheet" href="${stack.platformBaseUrl}${css?.path}" integrity="${css?.integrity}" crossorigin />
    <script src="${stack.platformBaseUrl}${js?.path}" integrity="${integrity ?? js?.integrity}" crossorigin async></script>
    ${EMBED_TAG}</html>`;
}

const state = (page: Page) => page.locator("platform-embed");

const pages: [policy: string, opener?: string][] = [
  ["require-corp"],
  ["require-corp", "same-origin"],
  ["credentialless"],
];
for (const [policy, opener] of pages) {
  test(`under Cross-Origin-Embedder-Policy: ${policy}${opener ? ", isolated," : ""} the pinned tag shows, plays and saves files`, async ({
    integrator,
    page,
    stack,
  }) => {
    const { bucket } = integrator;
    await bucket.put("a.bmp", bmp(64, 48), "image/bmp");
    await bucket.put("b.wav", wav(5), "audio/wav");
    await bucket.put("c.md", "# Readme", "text/markdown");
    integrator.headers = {
      "Cross-Origin-Embedder-Policy": policy,
      ...(opener && { "Cross-Origin-Opener-Policy": opener }),
    };
    integrator.pages.set("/", pinned(stack));
    await page.goto(integrator.origin);
    expect(await page.evaluate(() => window.crossOriginIsolated)).toBe(opener !== undefined);
    await expect(state(page)).toHaveJSProperty("state", "ready");
    const frame = page.frameLocator("iframe");
    const open = (name: string) => frame.locator(`[data-row][aria-label="${name}"]`).press("Enter");

    await frame.getByRole("button", { name: "Show as tiles" }).click();
    const tile = frame.getByRole("gridcell", { name: "a.bmp", exact: true });
    await expect(tile.locator("img")).toBeVisible();
    await open("a.bmp");
    await expect(frame.getByRole("status", { name: "Zoom" })).toBeVisible();
    await page.keyboard.press("Escape");
    await open("b.wav");
    await expect
      .poll(() => frame.locator("audio").evaluate((media: HTMLMediaElement) => media.duration))
      .toBe(5);
    await page.keyboard.press("Escape");
    // Laid out by a worker.
    await open("c.md");
    await expect(frame.getByRole("heading", { name: "Readme" })).toBeVisible();
    await page.keyboard.press("Escape");

    const saved = page.waitForEvent("download");
    await frame.locator('[data-row][aria-label="c.md"]').getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("c.md");
  });
}

test("the pinned tag uses the page's language, from a module of its own version", async ({
  integrator,
  page,
  stack,
}) => {
  integrator.headers = { "Cross-Origin-Embedder-Policy": "require-corp" };
  integrator.respond = () => {};
  integrator.pages.set("/", pinned(stack, "fr-CA"));
  const languages = page.waitForResponse(/languages\.js$/);
  await page.goto(integrator.origin);
  const { version }: Described = JSON.parse(readFileSync("public/platform-embed.json", "utf8"));
  expect((await languages).url()).toContain(`/platform-embed@${version}.languages.js`);
  await expect(state(page).getByRole("status")).toContainText("Chargement");
});

test.describe("a script tag with a wrong integrity hash", () => {
  test.use({ allowedConsole: [/integrity|Failed to find a valid digest/] });
  test("is not run", async ({ integrator, page, stack }) => {
    const other = `sha384-${Buffer.alloc(48).toString("base64")}`;
    integrator.pages.set("/", pinned(stack, "en", other));
    const refused = page.waitForEvent("console", (message) => message.type() === "error");
    await page.goto(integrator.origin);
    expect((await refused).text()).toContain("integrity");
    expect(await page.evaluate(() => customElements.get("platform-embed"))).toBeUndefined();
  });
});
