import { readFile } from "node:fs/promises";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, test } from "../element-support";
import { findViolations } from "../find-violations";

test.describe("While the service is loading", () => {
  test("a skeleton covers the frame, and is announced to screen readers", async ({ site, page }) => {
    site.platform.opening = () => [];
    await site.openTag();
    await site.frame();

    await expect(page.getByRole("status")).toHaveText("Loading…");
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "loading");
    expect(await site.events()).toEqual(["loading"]);
    await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", true);
  });

  test("nothing covers a frame that shows its content but is not ready yet", async ({ site, page }) => {
    site.platform.opening = () => [];
    await site.openTag();
    await site.frameSays({ type: "platform.embed.visible", service: "files" });

    await expect(page.getByRole("status")).toBeEmpty();
    await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", false);
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "loading");
    expect(await site.events()).toEqual(["loading"]);
  });

  test("the page's own slotted content is shown instead, as in the other states", async ({ site, page }) => {
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

test.describe("Before the script has arrived", () => {
  test("the style sheet reserves the tag's space and hides the error slots", async ({ site, page }) => {
    const style = await readFile(new URL("../../../embed-element/style.css", import.meta.url), "utf8");
    await page.route("**/platform-embed.js", (route) => route.fulfill({ body: "" }));
    const slots = ["loading", "error", "ended"].map((name) => `<p slot="${name}">${name}</p>`).join("");
    await site.open(`<style>${style}</style><platform-embed>${slots}</platform-embed>`);

    const element = page.locator("platform-embed");
    expect(await element.boundingBox()).toMatchObject({ height: 320 });
    await expect(element).toHaveText("loading", { useInnerText: true });
  });

  test("a server-rendered tag is left unchanged, for frameworks that hydrate it", async ({ site, page }) => {
    await site.openTag();
    await site.waitForEvent("ready");

    const element = page.locator("platform-embed");
    expect(await element.evaluate((host) => host.outerHTML)).toBe(
      `<platform-embed service="files" token-endpoint="/embed-url"></platform-embed>`,
    );
    expect(await element.evaluate((host) => host.matches(":state(ready):state(auto):state(fill)"))).toBe(
      true,
    );
  });
});

test.describe("Every state", () => {
  test("passes axe, in light and in dark", async ({ site, page }) => {
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
        base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types lit-html`.replace(
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
