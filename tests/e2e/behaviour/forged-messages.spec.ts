/** Messages of other windows, and messages with members that are not what they should be: to the frame and to the element, in a browser. */
import type { Frame, Page } from "@playwright/test";
import type { FrameMessage, HostMessage } from "../../../embed-element/protocol";
import { expect, test } from "../fixtures";
import { EMBED_TAG, type Integrator, pageWith, startIntegrator } from "../integrator";

const service = "files";
const file = { bucket: "b", key: "k", name: "n", size: 1, contentType: "text/plain" };
/** One message of each type. */
const frameMessages: { [Type in FrameMessage["type"]]: Extract<FrameMessage, { type: Type }> } = {
  "platform.embed.token-expired": { type: "platform.embed.token-expired", service },
  "platform.embed.visible": { type: "platform.embed.visible", service },
  "platform.embed.ready": {
    type: "platform.embed.ready",
    version: 1,
    service,
    expiresAt: 1,
    opensFolders: true,
  },
  "platform.embed.error": {
    type: "platform.embed.error",
    version: 1,
    service,
    code: "forged",
    path: "/forged",
  },
  "platform.embed.resize": { type: "platform.embed.resize", height: 9 },
  "platform.embed.navigate": { type: "platform.embed.navigate", service, path: "/forged" },
  "platform.embed.folder-opened": { type: "platform.embed.folder-opened", service, id: 1, code: "forged" },
  "platform.embed.before-upload": {
    type: "platform.embed.before-upload",
    service,
    id: 1,
    files: [{ name: "n", size: 1, type: "text/plain", folderPath: "/" }],
  },
  "platform.embed.upload-progress": {
    type: "platform.embed.upload-progress",
    service,
    files: 1,
    filesDone: 1,
    size: 1,
    sent: 1,
  },
  "platform.embed.upload-complete": {
    type: "platform.embed.upload-complete",
    service,
    bucket: "b",
    key: "k",
    size: 1,
    checksum: "AAAAAA==",
    checksumAlgorithm: "CRC32",
  },
  "platform.embed.upload-failed": {
    type: "platform.embed.upload-failed",
    service,
    name: "n",
    code: "denied",
  },
  "platform.embed.download-complete": {
    type: "platform.embed.download-complete",
    service,
    bucket: "b",
    files: 1,
    size: 1,
  },
  "platform.embed.change": {
    type: "platform.embed.change",
    service,
    bucket: "b",
    action: "delete",
    items: [{ key: "k" }],
    done: 1,
    failed: [],
  },
  "platform.embed.done": { type: "platform.embed.done", service, files: [file] },
  "platform.embed.selection": { type: "platform.embed.selection", service, items: [file], count: 1 },
  "platform.embed.choose": { type: "platform.embed.choose", service, items: [file] },
  "platform.embed.choose-cancel": { type: "platform.embed.choose-cancel", service },
  "platform.embed.file-action": {
    type: "platform.embed.file-action",
    service,
    id: 1,
    action: "a",
    items: [file],
  },
};
const configure: HostMessage = {
  type: "platform.embed.configure",
  theme: "dark",
  locale: "fr",
  appearance: {
    accent: "#ff0000",
    background: "#000000",
    text: "#ffffff",
    radius: 1,
    font: "serif",
    density: "compact",
  },
  texts: { handInTitle: "forged", handInText: "forged" },
  answersBeforeUpload: true,
  picker: { mode: "file", accept: ".pdf" },
  fileActions: [{ id: "a", label: "forged", icon: "M5 12h14", for: "file", accept: ".pdf" }],
};
const hostMessages = (token: string): { [Type in HostMessage["type"]]: HostMessage } => ({
  "platform.embed.token-refreshed": { type: "platform.embed.token-refreshed", token },
  "platform.embed.token-unavailable": { type: "platform.embed.token-unavailable", retryable: false },
  "platform.embed.configure": configure,
  "platform.embed.upload-decisions": {
    type: "platform.embed.upload-decisions",
    id: 1,
    decisions: [{ index: 0, outcome: "refused", name: "n", reason: "forged" }],
  },
  "platform.embed.open-folder": { type: "platform.embed.open-folder", id: 1, path: "/docs" },
  "platform.embed.file-action-progress": {
    type: "platform.embed.file-action-progress",
    id: 1,
    state: "failed",
    progress: 0.5,
    text: "forged",
  },
});

/** Adds the names of all events of the element to `window.dispatched`. */
const recorder = `<script>
  window.dispatched = [];
  const dispatch = EventTarget.prototype.dispatchEvent;
  EventTarget.prototype.dispatchEvent = function (event) {
    if (event.type.startsWith("platform-embed-")) dispatched.push(event.type);
    return dispatch.call(this, event);
  };
</script>`;
const dispatched = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { dispatched: string[] }).dispatched.filter((type) => !/resize/.test(type)),
  );

/** A page with the element, and with a frame that its own scripts can reach: those of the element are in a shadow tree. */
async function open(
  page: Page,
  integrator: Integrator,
  stack: Parameters<typeof pageWith>[0],
): Promise<Frame> {
  const { url } = await integrator.issue();
  const plain = `<iframe id="plain" title="Plain" src="${url}"></iframe>`;
  integrator.pages.set("/", pageWith(stack, recorder + EMBED_TAG + plain));
  await page.goto(integrator.origin);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  const frame = await frameIn(page, "#plain");
  // It has taken over from the server's rendering.
  await expect.poll(() => frame.url()).not.toContain("t=");
  return frame;
}

async function frameIn(page: Page, selector: string): Promise<Frame> {
  const frame = await (await page.locator(selector).elementHandle())?.contentFrame();
  if (!frame) throw new Error("The page has no such frame.");
  return frame;
}

/** Counts the messages that arrive at a window, so that a test knows when all are there. */
const countMessages = (target: Page | Frame) =>
  target.evaluate(() => {
    const counted = Object.assign(window, { arrived: 0 });
    addEventListener("message", () => counted.arrived++);
  });
const arrived = (target: Page | Frame) =>
  target.evaluate(() => (window as unknown as { arrived: number }).arrived);

test.use({ initialObjects: { "docs/inside.txt": "x", "a.txt": "x" } });

test("frame and element obey no other window: one beside, one that was opened, the one that has opened the page", async ({
  allowedConsole,
  context,
  integrator,
  page,
  stack,
}) => {
  allowedConsole.push(/favicon/);
  const stranger = await startIntegrator(stack);
  for (const site of [stranger, integrator])
    site.pages.set("/blank", `<!doctype html><title>Blank</title><link rel="icon" href="data:,">`);
  const { token } = await stranger.issue();
  const messages = [...Object.values(hostMessages(token)), ...Object.values(frameMessages)];

  /** Opens the page with its frame, and sees that it is as it was when all messages have arrived. */
  const attack = async (
    embedding: Page,
    forge: (frame: Frame) => Promise<{ post(messages: readonly unknown[]): Promise<void> }>,
  ) => {
    const frame = await open(embedding, integrator, stack);
    const { post } = await forge(frame);
    const html = frame.locator("html");
    const state = async () => ({
      theme: await html.getAttribute("data-theme"),
      language: await html.getAttribute("lang"),
      style: await html.getAttribute("style"),
      text: await frame.locator("main").first().innerText(),
      events: await dispatched(embedding),
      element: await embedding.locator("platform-embed").evaluate((tag) => tag.outerHTML),
      asked: integrator.asked.length,
    });
    const before = await state();
    for (const target of [frame, embedding]) await countMessages(target);
    await post(messages);
    for (const target of [frame, embedding])
      await expect.poll(() => arrived(target)).toBeGreaterThanOrEqual(messages.length);
    expect(await state()).toEqual(before);
    // It still has its own token, and obeys its own page.
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByRole("row", { name: "a.txt", exact: true })).toBeVisible();
    await embedding.evaluate(() =>
      window.frames[0]?.postMessage({ type: "platform.embed.configure", theme: "dark" }, "*"),
    );
    await expect(html).toHaveAttribute("data-theme", "dark");
  };
  const postFrom = (from: Page | Frame, path: "parent" | "opener" | "opened") => ({
    post: (all: readonly unknown[]) =>
      from.evaluate(
        ([all, path]) => {
          const windows = window as unknown as Record<string, Window>;
          const embedding = windows[path] as Window;
          for (const message of all) {
            embedding.postMessage(message, "*");
            embedding.frames[0]?.postMessage(message, "*");
          }
        },
        [all, path] as const,
      ),
  });

  for (const site of [stranger, integrator]) {
    await attack(page, async () => {
      await page.evaluate((src) => {
        const beside = document.createElement("iframe");
        beside.src = src;
        const loaded = new Promise((resolve) => beside.addEventListener("load", resolve));
        document.body.append(beside);
        return loaded.then(() => {});
      }, `${site.origin}/blank`);
      const beside = page.frames().find((each) => each.url() === `${site.origin}/blank`);
      if (!beside) throw new Error("There is no frame beside it.");
      return postFrom(beside, "parent");
    });

    await attack(page, async () => {
      const popup = page.waitForEvent("popup");
      await page.evaluate((url) => void window.open(url), `${site.origin}/blank`);
      const opened = await popup;
      await opened.waitForLoadState();
      return postFrom(opened, "opener");
    });

    const opener = await context.newPage();
    await opener.goto(`${site.origin}/blank`);
    const popup = opener.waitForEvent("popup");
    await opener.evaluate((url) => {
      Object.assign(window, { opened: window.open(url) });
    }, `${integrator.origin}/blank`);
    await attack(await popup, async () => postFrom(opener, "opened"));
  }
  await stranger.close();
});

/** Runs in a page. Posts each message with each of its members, however deep, replaced by each of these values. */
function postWithWrongMembers([messages, where]: readonly [readonly unknown[], "frame" | "parent"]): number {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const values: unknown[] = [
    ...[null, undefined, true, false, 0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 10n],
    ...["", "x", "<img src=x onerror=alert(1)>", "__proto__", "\ud800", "/../..", "y".repeat(100_000)],
    ...[[], [null], [[]], cycle, new Date(), /x/, new Map(), new Uint8Array(4)],
    ...[{}, { toString: 1, valueOf: 1 }, { length: 1e9 }, { type: "x" }],
  ];
  const target = where === "frame" ? (window.frames[0] as Window) : window.parent;
  let posted = 0;
  const post = (message: unknown) => {
    posted++;
    target.postMessage(message, "*");
  };
  const changed = function* (value: unknown): Generator<unknown> {
    // The other boolean is no wrong value: without another token, a session ends.
    yield* values.filter((one) => typeof value !== "boolean" || typeof one !== "boolean");
    if (Array.isArray(value)) {
      for (const inside of changed(value[0])) yield [inside];
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value))
        for (const inside of changed(member)) yield { ...value, [name]: inside };
    }
  };
  for (const message of messages) for (const one of changed(message)) post(one);
  return posted;
}

test("messages with members of any other kind break nothing, even if the right window sends them", async ({
  allowedConsole,
  integrator,
  page,
  stack,
}) => {
  test.slow();
  // What the element tells developers of errors that the frame reports, and languages that there are none of.
  allowedConsole.push(
    /^<platform-embed> /,
    /Failed to load resource: (the server responded with a status of 4|net::ERR_CONNECTION_RESET)/,
  );
  const frame = await open(page, integrator, stack);
  const { token } = await integrator.issue();
  await countMessages(frame);
  const toFrame = await page.evaluate(postWithWrongMembers, [
    Object.values(hostMessages(token)),
    "frame",
  ] as const);
  await expect.poll(() => arrived(frame), { timeout: 30_000 }).toBeGreaterThanOrEqual(toFrame);
  const plain = {
    theme: "light",
    locale: "en",
    appearance: {},
    texts: null,
    picker: null,
    fileActions: null,
  } as const;
  await page.evaluate((message) => window.frames[0]?.postMessage(message, "*"), {
    type: "platform.embed.configure",
    ...plain,
  } satisfies HostMessage);
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "light");
  await expect(frame.locator("html")).toHaveAttribute("lang", "en");
  await expect(frame.locator("img[src=x]")).toHaveCount(0);
  await page.evaluate((message) => window.frames[0]?.postMessage(message, "*"), {
    type: "platform.embed.open-folder",
    id: 2,
    path: "/",
  } satisfies HostMessage);
  await expect(frame.getByRole("row", { name: "a.txt", exact: true })).toBeVisible();
  await frame.getByRole("row", { name: "docs", exact: true }).dblclick();
  await expect(frame.getByRole("row", { name: "inside.txt", exact: true })).toBeVisible();

  await countMessages(page);
  const inside = await frameIn(page, "platform-embed iframe");
  const toElement = await inside.evaluate(postWithWrongMembers, [
    Object.values(frameMessages),
    "parent",
  ] as const);
  await expect.poll(() => arrived(page), { timeout: 30_000 }).toBeGreaterThanOrEqual(toElement);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  await page
    .locator("platform-embed")
    .evaluate((tag: HTMLElement & { navigate(path: string): Promise<void> }) => tag.navigate("/"));
  await expect(inside.getByRole("row", { name: "a.txt", exact: true })).toBeVisible();
});
