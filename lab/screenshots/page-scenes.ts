import type { FrameLocator, Page } from "@playwright/test";
import type { Subscription } from "../../app/email/unsubscribing/subscription.server";
import { unsubscribePage } from "../../app/email/unsubscribing/unsubscribe-page.server";
import { demoPages } from "../../local/demo/pages";
import { LIST, type Scene } from "./scene";

/** A frame without the tag around it, at an address below `/embed/`. */
const framed =
  (address: string): Scene["body"] =>
  ({ platformBaseUrl }, { locale, theme }) =>
    `<iframe title="Files" referrerpolicy="strict-origin" src="${platformBaseUrl}/embed/${address}&locale=${locale}&theme=${theme}"></iframe>`;

const subscription: Subscription = {
  address: "ada@northwind.example",
  site: "northwind.example",
  siteName: "Northwind",
  locale: null,
};

/** The demo is in English only. */
const demoScenes = demoPages.map(
  ({ path }): Scene => ({
    name: `demo${path === "/" ? "" : path.replaceAll("/", "-")}`,
    address: ({ demoUrl }) => demoUrl + path,
    act: (_frame, page) => page.locator("main h1").waitFor(),
  }),
);

const unsubscribeScenes = (["ask", "done", "again", "wrong", "busy"] as const).map(
  (state): Scene => ({
    name: `unsubscribe-${state}`,
    html: ({ locale }) => {
      const headers = new Headers({ "Accept-Language": locale });
      return unsubscribePage(state, { headers }, state === "wrong" ? null : subscription).html;
    },
  }),
);

export const pageScenes: Scene[] = [
  { name: "element-error", tokenStatus: 500 },
  { name: "element-session-ended", tokenStatus: 401 },
  { name: "element-loading", tokenStatus: "never" },
  { name: "refused", body: framed("files?t=none"), until: "h1" },
  // In an integrator's colours, which its own address carries.
  {
    name: "refused-colours",
    body: framed("files?t=none&accent=%230f766e&background=%23fdf6ec&text=%233b2f25&radius=4"),
    until: "h1",
  },
  { name: "refused-not-enabled", body: framed("tasks?t=none"), until: "h1" },
  {
    name: "session-ended",
    until: LIST,
    async act(frame, page) {
      // As the tag says it.
      await page.locator("platform-embed").evaluate((element) => {
        const message = { type: "platform.embed.token-unavailable", retryable: false };
        element.shadowRoot?.querySelector("iframe")?.contentWindow?.postMessage(message, "*");
      });
      await frame.locator(".embed-state").waitFor();
    },
  },
  {
    name: "session-timed-out",
    until: LIST,
    expiresInSeconds: 900,
    before: (page) => page.clock.install(),
    async act(frame: FrameLocator, page: Page) {
      for (const wait of [860_000, 20_000, 30_000, 16_000, 16_000]) await page.clock.fastForward(wait);
      await frame.locator(".main__cover .embed-state").waitFor();
    },
  },
  {
    name: "choose-dialog",
    body: ({ platformBaseUrl }, { locale, theme }) =>
      `<main><h1>New message</h1><button>Attach</button></main><script type="module">
        import { chooseFiles } from "${platformBaseUrl}/platform-embed.choose.js";
        document.querySelector("button").onclick = () => chooseFiles({ tokenEndpoint: "/embed-url", locale: "${locale}", theme: "${theme}" });
      </script>`,
    async act(_frame, page) {
      await page.waitForLoadState("networkidle");
      await page.getByRole("button", { name: "Attach" }).click();
      await page.frameLocator("dialog iframe").locator(LIST).waitFor();
    },
  },
  ...unsubscribeScenes,
  ...demoScenes,
];
