import type { CDPSession, Frame, FrameLocator, Locator, Page } from "@playwright/test";
import type { EmbedTheme, HostMessage } from "../../embed-element/protocol";
import { SANDBOX } from "../../embed-element/src/iframe";
import { test as base, expect, manyFiles } from "./fixtures";

export interface OpenExplorer {
  frame: FrameLocator;
  grid: Locator;
  /** the row of a file or folder, by its name */
  row(name: string): Locator;
  /** the names in the list, from top to bottom */
  names(): Promise<string[]>;
  /** posts to the frame as the embedding page would */
  say(message: HostMessage): Promise<void>;
  /** the types of the messages that the frame has posted */
  heard(): Promise<string[]>;
}

interface Options {
  scope?: object;
  visitor?: object;
  /** added to the frame's address */
  query?: string;
  /** whether the page sends a new token when it is asked to */
  renews?: boolean;
  expiresInSeconds?: number;
}

export interface Fixtures {
  /** opens the explorer in a hand-written frame, so that the embedding page does only what a test says */
  openExplorer: (options?: Options) => Promise<OpenExplorer>;
}

export { expect, manyFiles };

/** `file 00.txt` to `file 29.txt`: more than a low frame shows. For `initialObjects`. */
export const thirtyFiles = manyFiles(30, (index) => `file ${String(index).padStart(2, "0")}.txt`);

export const test = base.extend<Fixtures>({
  openExplorer: async ({ integrator, page, stack }, use) => {
    await use(async ({ scope, visitor, query = "", renews = true, expiresInSeconds } = {}) => {
      integrator.asks = { scope, visitor, expiresInSeconds };
      const { url } = await integrator.issue();
      integrator.pages.set("/", framePage(`${url}${query}`, stack.platformBaseUrl, renews));
      await page.goto(integrator.origin);
      return explorerIn(page, stack.platformBaseUrl);
    });
  },
});

/** The frame is sandboxed as `<platform-embed>` sandboxes it. */
function framePage(url: string, platform: string, renews: boolean): string {
  return `<!doctype html><html lang="en"><title>Files</title><link rel="icon" href="data:," />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>body { margin: 0 } iframe { display: block; width: 100%; height: 100vh; border: 0 }</style>
    <iframe title="Files" referrerpolicy="strict-origin"
      sandbox="${SANDBOX}"
      src="${url}"></iframe>
    <script>
      window.heard = [];
      window.renews = ${renews};
      addEventListener("message", async (event) => {
        if (event.origin !== ${JSON.stringify(platform)}) return;
        heard.push(event.data.type);
        if (event.data.type !== "platform.embed.token-expired" || !window.renews) return;
        const issued = await (await fetch("/embed-url", { method: "POST" })).json();
        const token = new URL(issued.url).searchParams.get("t");
        event.source.postMessage({ type: "platform.embed.token-refreshed", token }, event.origin);
      });
    </script></html>`;
}

/** Changes the window's width, and waits until the frame has followed. */
export async function resize(page: Page, frame: FrameLocator, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 720 });
  await expect.poll(() => frame.locator("html").evaluate(() => innerWidth)).toBe(width);
}

async function explorerIn(page: Page, platform: string): Promise<OpenExplorer> {
  const frame = page.frameLocator("iframe");
  const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
  // It has taken over from the server's rendering.
  await expect.poll(heard, { intervals: [50] }).toContain("platform.embed.ready");
  return {
    frame,
    grid: frame.getByRole("grid"),
    row: (name) => frame.getByRole("row", { name, exact: true }),
    names: () =>
      frame
        .locator("[data-row]")
        .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? "")),
    say: (message) =>
      page.evaluate(([data, origin]) => window.frames[0]?.postMessage(data, origin), [
        message,
        platform,
      ] as const),
    heard,
  };
}

/** Looks at the same state in light and in dark: the embedding page has the theme changed, and no colour is on its way any more. */
export async function inBothThemes(
  { frame, say }: OpenExplorer,
  look: (theme: EmbedTheme) => Promise<void>,
): Promise<void> {
  const html = frame.locator("html");
  for (const theme of ["light", "dark"] as const) {
    await say({ type: "platform.embed.configure", theme });
    await expect(html).toHaveAttribute("data-theme", theme);
    await html.evaluate(() => {
      const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
      return Promise.allSettled(transitions.map(({ finished }) => finished)).then(() => {});
    });
    await look(theme);
  }
}

/** Shows the list of a tray, if it is not open yet, without moving pointer and focus. */
export const unfold = (frame: FrameLocator, region: string) =>
  frame
    .getByRole("region", { name: region })
    .locator(".tray__fold")
    .evaluate(
      (button) => button.getAttribute("aria-expanded") === "false" && (button as HTMLElement).click(),
    );

/** What a person who drags `dropped.txt` holds; it contains `dropped`. */
export const droppedFile = (frame: FrameLocator) =>
  frame.locator("body").evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  });

/** What one session has set, another cannot take back. */
const sessions = new WeakMap<Frame, Promise<CDPSession>>();

/** Lets what the frame sends through no faster than so many bytes a second; -1 for no limit. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const [, frame] = page.frames();
  if (!frame) throw new Error("The page has no frame.");
  const session = sessions.get(frame) ?? page.context().newCDPSession(frame);
  sessions.set(frame, session);
  await (await session).send("Network.enable");
  await (await session).send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}
