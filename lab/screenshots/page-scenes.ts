import { LIST, type Scene } from "./scene";

/** A frame without the tag around it, at an address below `/embed/`. */
const framed =
  (address: string): Scene["body"] =>
  ({ platformBaseUrl }, { locale, theme }) =>
    `<iframe title="Files" referrerpolicy="strict-origin" src="${platformBaseUrl}/embed/${address}&locale=${locale}&theme=${theme}"></iframe>`;

export const pageScenes: Scene[] = [
  { name: "element-error", tokenStatus: 500 },
  { name: "element-session-ended", tokenStatus: 401 },
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
];
