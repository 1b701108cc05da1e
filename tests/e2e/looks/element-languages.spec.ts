import type { Page } from "@playwright/test";
import { languagesModule } from "../../../embed-element/languages";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { version } from "../../../embed-element/standalone";
import { expect, type HostSite, test } from "../element-support";

const LANGUAGES = "**/platform-embed@*.languages.js";
const contentType = "text/javascript";

/** Serves the module with all languages beside the element's script. @returns the paths that were requested */
async function serveLanguages(page: Page): Promise<string[]> {
  const requested: string[] = [];
  await page.route(LANGUAGES, (route) => {
    requested.push(new URL(route.request().url()).pathname);
    return route.fulfill({ contentType, body: languagesModule() });
  });
  return requested;
}

const overlay = (page: Page) => page.getByRole("status");
const refuse = (status: number, body: object) => (site: HostSite) => {
  site.respond = (response) => site.json(response, status, body);
};

/** Each state with its cause and its French text. */
const states: [name: string, arrange: (site: HostSite) => unknown, title: string, detail: string][] = [
  [
    "an endpoint that fails for the moment",
    refuse(503, {}),
    "Le chargement n’a pas abouti",
    "Nous continuons d’essayer.",
  ],
  [
    "an endpoint that fails for good",
    refuse(404, {}),
    "Le chargement n’a pas abouti",
    "Rechargez la page. Si cela ne suffit pas, prévenez son responsable.",
  ],
  [
    "an endpoint that answers something else",
    refuse(200, { hello: "world" }),
    "Le chargement n’a pas abouti",
    "Rechargez la page. Si cela ne suffit pas, prévenez son responsable.",
  ],
  [
    "a platform that refused the endpoint",
    refuse(403, { code: "invalid_api_key" }),
    "Le chargement n’a pas abouti",
    "Rechargez la page. Si cela ne suffit pas, prévenez son responsable.",
  ],
  ["an ended session", refuse(401, {}), "Votre session est terminée", "Reconnectez-vous, puis réessayez."],
  [
    "a page that the platform refuses",
    ({ platform }) => {
      const code = "origin_not_allowed";
      platform.opening = (service) => [{ type: "platform.embed.error", version: 1, service, code }];
    },
    "Le chargement n’a pas abouti",
    "Rechargez la page. Si cela ne suffit pas, prévenez son responsable.",
  ],
  [
    "a lost connection",
    ({ page }) => page.addInitScript(() => Object.defineProperty(navigator, "onLine", { value: false })),
    "Vous êtes hors ligne",
    "Nous continuons d’essayer.",
  ],
];

test.describe("In French, the visitor reads what to do, without jargon, after", () => {
  for (const [name, arrange, title, detail] of states) {
    test(name, async ({ site, page }) => {
      await serveLanguages(page);
      if (name === "a lost connection") refuse(503, {})(site);
      await arrange(site);
      await site.openTag(`locale="fr"`);
      await expect(overlay(page)).toHaveText(`${title} ${detail} Réessayer`);
      await expect(overlay(page)).toHaveAttribute("lang", "fr");
      await expect(overlay(page)).toHaveAttribute("dir", "ltr");
    });
  }
});

test("the console and the event tell the integrator what to do", async ({ site, page }) => {
  const warning = page.waitForEvent("console", (message) => message.type() === "warning");
  refuse(404, {})(site);
  await site.openTag();
  const text = `The token endpoint responded with an error. ${new URL("/embed-url", page.url())} (status 404)`;
  expect((await warning).text()).toBe(`<platform-embed> token_endpoint_failed: ${text}`);
  expect(await site.details("error")).toMatchObject([{ code: "token_endpoint_failed", message: text }]);
  await expect(overlay(page)).toHaveText(
    "This could not be loaded Reload the page, or tell whoever runs it. Try again",
  );
});

for (const [locale, retry] of [
  ["ar", "إعادة المحاولة"],
  ["he", "ניסיון נוסף"],
] as const) {
  test(`${locale} runs from right to left, even in a page that does not`, async ({
    site,
    page,
  }, testInfo) => {
    await serveLanguages(page);
    refuse(404, {})(site);
    await site.openTag(`locale="${locale}"`);
    await expect(page.getByRole("button", { name: retry })).toBeVisible();
    await expect(overlay(page)).toHaveAttribute("dir", "rtl");
    await expect(overlay(page)).toHaveAttribute("lang", locale);
    await expect(page.locator("html")).toHaveJSProperty("dir", "");
    await page.screenshot({ path: testInfo.outputPath(`${locale}.png`) });
  });
}

/** Opens a page with these attributes of the document's language before the tag is inserted. */
async function openTagIn(site: HostSite, lang: string): Promise<void> {
  await site.open("");
  await site.page.evaluate((value) => {
    document.documentElement.lang = value;
    const tag = `<platform-embed token-endpoint="/embed-url"></platform-embed>`;
    document.querySelector("main")?.insertAdjacentHTML("beforeend", tag);
  }, lang);
}

test.describe("The language", () => {
  test("is the document's unless a locale is set, and the frame uses the same one", async ({
    site,
    page,
  }) => {
    const requested = await serveLanguages(page);
    site.platform.opening = () => [];
    await openTagIn(site, "de");
    await expect(overlay(page)).toHaveText("Wird geladen …");
    expect(requested).toEqual([`/platform-embed@${version}.languages.js`]);
    await expect.poll(() => site.platform.requests[0]?.url.searchParams.get("locale")).toBe("de");
  });

  test("is the browser's when the document sets none", async ({ site, page }) => {
    const requested = await serveLanguages(page);
    await page.addInitScript(() => Object.defineProperty(navigator, "language", { value: "ja-JP" }));
    site.respond = () => {};
    await openTagIn(site, "");
    await expect(overlay(page)).toHaveText("読み込み中…");
    expect(requested).toEqual([`/platform-embed@${version}.languages.js`]);
  });

  test("follows the locale attribute when it changes", async ({ site, page }) => {
    const requested = await serveLanguages(page);
    refuse(401, {})(site);
    await site.openTag(`locale="en-GB"`);
    await expect(overlay(page)).toContainText("Your session has ended");
    expect(requested, "English is built in").toEqual([]);

    const say = (locale: string) =>
      page.locator("platform-embed").evaluate((element: PlatformEmbed, value) => {
        element.locale = value;
      }, locale);
    await say("ar");
    await expect(overlay(page)).toContainText("انتهت جلستك");
    await say("fr");
    await expect(overlay(page)).toContainText("Votre session est terminée");
    await expect(overlay(page)).toHaveAttribute("dir", "ltr");
  });

  test("stays when the connection is lost, and contains the integrator's own texts", async ({
    site,
    page,
  }) => {
    await serveLanguages(page);
    await site.openTag(`locale="fr"`);
    await site.waitForEvent("ready");
    const frame = page.locator("platform-embed iframe");
    await expect(frame).toHaveAttribute("title", "Fichiers intégrés");
    const setTexts = () =>
      page.locator("platform-embed").evaluate((element: PlatformEmbed) => {
        element.texts = { offline: "Pas de réseau", filesTitle: "Vos contrats" };
        return element.updateComplete;
      });
    await setTexts();
    await expect(frame).toHaveAttribute("title", "Vos contrats");

    await page.context().setOffline(true);
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
    await expect(overlay(page)).toHaveText("Pas de réseau Nous continuons d’essayer. Réessayer");

    // Frameworks create a new object with the same messages on every render.
    const button = page.getByRole("button", { name: "Réessayer" });
    await button.focus();
    await setTexts();
    await expect(button).toBeFocused();
  });
});

test.describe("English replaces", () => {
  for (const locale of ["tlh", "not a tag", "../../fr", "x".repeat(200)]) {
    test(`an unknown language: ${locale.slice(0, 20)}`, async ({ site, page }) => {
      await serveLanguages(page);
      refuse(404, {})(site);
      await site.openTag(`locale="${locale}"`);
      await expect(overlay(page)).toContainText("This could not be loaded");
      await expect(overlay(page)).toHaveAttribute("lang", "en");
    });
  }

  // An uncaught error fails the test: see the fixture `site`.
  for (const [failure, response] of [
    ["is missing", { status: 404, json: { code: "not_found" } }],
    ["is a page", { contentType: "text/html", body: "<!doctype html>" }],
    ["is empty", { contentType, body: "" }],
    ["is something else", { contentType, body: `export const hello = "world";` }],
  ] as const) {
    test(`a language whose module ${failure}`, async ({ site, page }) => {
      await page.route(LANGUAGES, (route) => route.fulfill(response));
      refuse(404, {})(site);
      await site.openTag(`locale="fr"`);
      await expect(overlay(page)).toContainText("This could not be loaded");
      await expect(overlay(page)).toHaveAttribute("lang", "en");
    });
  }

  test("a language whose module does not load within two seconds", async ({ site, page }) => {
    await page.route(LANGUAGES, () => {});
    refuse(404, {})(site);
    await site.openTag(`locale="fr"`);
    await site.waitForEvent("error");
    await expect(overlay(page)).toContainText("This could not be loaded");
    await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
  });
});
