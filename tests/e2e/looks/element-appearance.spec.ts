import type { Page } from "@playwright/test";
import { expect, type HostSite, type ScriptedPlatform, test } from "../element-support";

const CONFIGURE = "platform.embed.configure";

/** A page that styles the tag with a class. */
const styled = (css: string) =>
  `<style>${css}</style><platform-embed token-endpoint="/embed-url"></platform-embed>`;

const portal = `
  html { --brand: rebeccapurple; }
  html.night { --brand: rgb(250, 204, 21); }
  platform-embed {
    --platform-embed-accent: var(--brand);
    --platform-embed-background: light-dark(#fefce8, #1c1917);
    --platform-embed-radius: 1rem;
    --platform-embed-font: Inter, "Segoe UI", sans-serif;
  }
  .dense platform-embed { --platform-embed-density: compact; }`;

/** Returns the appearance that the frame received last. */
const told = async (site: HostSite) => (await site.frameHeard(CONFIGURE)).at(-1)?.appearance;
const setClass = (page: Page, name: string) =>
  page.evaluate((value) => {
    document.documentElement.className = value;
  }, name);
/** Returns the appearance in the frame's address. */
const asked = ({ requests }: ScriptedPlatform) => {
  const { t, locale, ...rest } = Object.fromEntries(requests[0]?.url.searchParams ?? []);
  return rest;
};

const light = {
  accent: "rgb(102, 51, 153)",
  background: "rgb(254, 252, 232)",
  radius: 16,
  font: 'Inter, "Segoe UI", sans-serif',
};

test("the page's custom properties are sent in the frame's URL and in its configuration", async ({
  platform,
  site,
}) => {
  await site.open(styled(portal));
  await site.waitForEvent("ready");
  expect(asked(platform)).toEqual({ ...light, radius: "16" });
  await expect.poll(() => told(site)).toEqual(light);
});

test("a page without custom properties sends none", async ({ platform, site }) => {
  await site.openTag();
  await site.waitForEvent("ready");
  expect(asked(platform)).toEqual({});
  await expect.poll(() => told(site)).toEqual({});
});

test("changes are noticed: a class, the system's theme, a style sheet, becoming visible again", async ({
  page,
  site,
}) => {
  await site.open(styled(portal));
  await site.waitForEvent("ready");
  await expect.poll(() => told(site)).toEqual(light);
  await setClass(page, "night");
  await expect.poll(() => told(site)).toEqual({ ...light, accent: "rgb(250, 204, 21)" });
  await setClass(page, "dense");
  await expect.poll(() => told(site)).toEqual({ ...light, density: "compact" });
  await setClass(page, "");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => told(site)).toEqual({ ...light, background: "rgb(28, 25, 23)" });
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(() => told(site)).toEqual(light);

  await page.addStyleTag({ content: "platform-embed { --platform-embed-text: teal }" });
  await expect.poll(() => told(site)).toEqual({ ...light, text: "rgb(0, 128, 128)" });

  const embed = page.locator("platform-embed");
  await embed.evaluate((element) => {
    element.toggleAttribute("hidden", true);
  });
  await setClass(page, "night");
  await embed.evaluate((element) => {
    element.toggleAttribute("hidden", false);
  });
  await expect.poll(async () => (await told(site)) as object).toMatchObject({ accent: "rgb(250, 204, 21)" });
});

test("a change that is undone before the browser has drawn it is noticed too", async ({ page, site }) => {
  await site.open(styled(portal));
  await site.waitForEvent("ready");
  await expect.poll(() => told(site)).toEqual(light);
  // A busy browser reports a transition before the transition has moved. Undone then, it is cancelled, and no other one runs.
  await page.locator("platform-embed").evaluate((element) => {
    const canvas = element.shadowRoot?.querySelector("canvas") as HTMLCanvasElement;
    const undo = () => document.documentElement.classList.remove("night");
    canvas.addEventListener("transitionrun", undo, { once: true });
    document.documentElement.classList.add("night");
    for (const transition of canvas.getAnimations()) transition.pause();
  });
  await expect.poll(async () => (await site.frameHeard(CONFIGURE)).length).toBeGreaterThan(2);
  expect(await told(site)).toEqual(light);
});

test("the appearance property overrides CSS, member by member, until it is removed", async ({
  page,
  site,
}) => {
  await site.open(styled(portal));
  await site.waitForEvent("ready");
  const set = (value: object | null) =>
    page.locator("platform-embed").evaluate((element, appearance) => {
      Object.assign(element, { appearance });
    }, value);
  await set({ accent: "oklch(0.6 0.1 180)", radius: 0, density: "compact" });
  await expect
    .poll(() => told(site))
    .toEqual({ ...light, accent: "oklch(0.6 0.1 180)", radius: 0, density: "compact" });
  const count = (await site.frameHeard(CONFIGURE)).length;
  // Frameworks pass an equal object on every render. It must not send a new message.
  await set({ accent: "oklch(0.6 0.1 180)", radius: 0, density: "compact" });
  await set(null);
  await expect.poll(() => told(site)).toEqual(light);
  expect(await site.frameHeard(CONFIGURE)).toHaveLength(count + 1);
});

test("the element's own states are legible in the page's colours", async ({ page, site }) => {
  site.respond = (response) => {
    response.writeHead(401).end("{}");
  };
  const part = (name: string) => page.locator(`platform-embed [part="${name}"]`);
  await site.open(
    styled("platform-embed { --platform-embed-background: #1e1b4b; --platform-embed-accent: #facc15 }"),
  );
  await site.waitForEvent("session-expired");
  await expect(part("overlay")).toHaveCSS("background-color", "rgb(30, 27, 75)");
  const channelsOf = (name: string) =>
    part(name).evaluate((element) => {
      const context = document.createElement("canvas").getContext("2d");
      if (!context) throw new Error("no canvas");
      context.fillStyle = getComputedStyle(element).color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    });
  expect(Math.min(...(await channelsOf("title")))).toBeGreaterThan(220);
  await expect(part("button")).toHaveCSS("background-color", "rgb(250, 204, 21)");
  expect(Math.max(...(await channelsOf("button")))).toBe(0);
});
