import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import { expect, type HostSite, test } from "../element-support";

const opensFolders = (service: string) => [
  { type: "platform.embed.ready", version: 1, service, expiresAt: 2_000_000_000, opensFolders: true },
];
const OPEN = "platform.embed.open-folder";
const opened = (id: unknown, code?: string) => ({
  type: "platform.embed.folder-opened",
  service: "files",
  id,
  code,
});

/** Calls `navigate(path)`, and returns a function that waits for its outcome: `shown`, or the code of the error. */
async function startNavigating({ page }: HostSite, path: string): Promise<() => Promise<string>> {
  const outcome = await page.evaluateHandle((path) => {
    const element = document.querySelector("platform-embed") as PlatformEmbed;
    return {
      ended: element.navigate(path).then(
        () => "shown",
        ({ name, code }: { name: string; code: string }) => `${name} ${code}`,
      ),
    };
  }, path);
  return () => outcome.evaluate(({ ended }) => ended);
}

const setPath = ({ page }: HostSite, path: string | null) =>
  page.locator("platform-embed").evaluate((element: PlatformEmbed, path) => {
    element.path = path;
  }, path);

test.describe("navigate()", () => {
  test.beforeEach(({ platform }) => {
    platform.opening = opensFolders;
  });

  test("asks the frame at its exact origin, and resolves when the folder is shown", async ({ site }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    const outcome = await startNavigating(site, "/invoices");
    await expect
      .poll(() => site.frameHeard(OPEN))
      .toEqual([{ type: OPEN, id: 1, path: "/invoices", origin: site.origin }]);
    // An answer to another question, of another shape, and one of another service.
    await site.frameSays(opened(7));
    await site.frameSays({ ...opened("1") });
    await site.frameSays({ ...opened(1), service: "tasks" });
    await site.frameSays({ ...opened(1), code: 404 });
    const later = await startNavigating(site, "/photos");
    await site.frameSays(opened(2));
    expect(await later()).toBe("shown");
    await site.frameSays(opened(1));
    expect(await outcome()).toBe("shown");
    expect(await site.details("error")).toEqual([]);
  });

  for (const [code, retryable] of [
    ["folder_not_found", false],
    ["scope_not_allowed", false],
    ["path_invalid", false],
    ["unavailable", true],
  ] as const)
    test(`rejects with the frame's ${code}, which is also an event`, async ({ site }) => {
      await site.openTag();
      await site.waitForEvent("ready");
      const outcome = await startNavigating(site, "/gone");
      await site.frameSays(opened(1, code));
      expect(await outcome()).toBe(`EmbedError ${code}`);
      expect(await site.details("error")).toEqual([
        { code, retryable, message: expect.stringMatching(/^[A-Z].+ \/gone$/), path: "/gone" },
      ]);
    });

  test("rejects without an event when another folder was opened meanwhile", async ({ site }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    const outcome = await startNavigating(site, "/a");
    await site.frameSays(opened(1, "replaced"));
    expect(await outcome()).toBe("EmbedError replaced");
    expect(await site.details("error")).toEqual([]);
  });

  test("rejects before the service is on the screen, and after it has ended", async ({
    site,
    platform,
    page,
  }) => {
    platform.opening = () => [];
    await site.openTag();
    expect(await (await startNavigating(site, "/a"))()).toBe("EmbedError not_ready");
    const [ready = {}] = opensFolders("files");
    await site.frame();
    await site.frameSays(ready);
    await site.waitForEvent("ready");
    const pending = await startNavigating(site, "/a");
    await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.end());
    expect(await pending()).toBe("EmbedError ended");
    expect(await (await startNavigating(site, "/a"))()).toBe("EmbedError ended");
  });

  test("rejects when the frame does not answer for 30 seconds", async ({ site, page }) => {
    await page.clock.install();
    await site.openTag();
    await site.waitForEvent("ready");
    const outcome = await startNavigating(site, "/a");
    await page.clock.fastForward(30_000);
    expect(await outcome()).toBe("EmbedError frame_timeout");
  });

  test("asks nothing of a frame that is older than this message", async ({ site, platform }) => {
    platform.opening = (service) => [
      { type: "platform.embed.ready", version: 1, service, expiresAt: 2_000_000_000 },
    ];
    await site.openTag();
    await site.waitForEvent("ready");
    expect(await (await startNavigating(site, "/a"))()).toBe("EmbedError not_supported");
    await setPath(site, "/b");
    await site.frameSays({ type: "platform.embed.navigate", service: "files", path: "/c" });
    await site.waitForEvent("navigate");
    expect(await site.frameHeard(OPEN)).toEqual([]);
  });
});

test.describe("A path that is set later", () => {
  test.beforeEach(({ platform }) => {
    platform.opening = opensFolders;
  });

  test("opens that folder, once, and not before the frame is ready", async ({ site, platform, page }) => {
    platform.opening = () => [];
    await site.openTag('path="/first"');
    await site.frame();
    await setPath(site, "/second");
    const [ready = {}] = opensFolders("files");
    await site.frameSays(ready);
    await site.waitForEvent("ready");
    const asked = async () => (await site.frameHeard(OPEN)).map(({ path }) => path);
    await expect.poll(asked).toEqual(["/second"]);
    await page.locator("platform-embed").evaluate((element) => element.setAttribute("path", "/third"));
    await expect.poll(asked).toEqual(["/second", "/third"]);
    await setPath(site, "/third");
    await setPath(site, null);
    await setPath(site, "/fourth");
    await expect.poll(asked).toEqual(["/second", "/third", "/fourth"]);
    expect(new URL(platform.requests[0]?.url ?? "").searchParams.get("path")).toBe("/first");
    expect(platform.requests).toHaveLength(1);
  });

  test("asks nothing when the visitor is there already", async ({ site }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    await site.frameSays({ type: "platform.embed.navigate", service: "files", path: "/photos" });
    await site.waitForEvent("navigate");
    await setPath(site, "/photos");
    await setPath(site, "/invoices");
    await expect
      .poll(async () => (await site.frameHeard(OPEN)).map(({ path }) => path))
      .toEqual(["/invoices"]);
  });

  test("that does not exist is an event", async ({ site }) => {
    await site.openTag();
    await site.waitForEvent("ready");
    await setPath(site, "/gone");
    await expect.poll(() => site.frameHeard(OPEN)).toHaveLength(1);
    await site.frameSays(opened(1, "folder_not_found"));
    await site.waitForEvent("error");
    expect(await site.details("error")).toMatchObject([{ code: "folder_not_found", retryable: false }]);
  });
});

test("A first folder that does not exist is an event, and the frame stays on the screen", async ({
  site,
  platform,
  page,
}) => {
  platform.opening = (service) => [
    ...opensFolders(service),
    { type: "platform.embed.error", version: 1, service, code: "folder_not_found", path: "/gone" },
  ];
  await site.openTag('path="/gone"');
  await site.waitForEvent("error");
  expect(await site.details("error")).toMatchObject([
    { code: "folder_not_found", retryable: false, message: "Nothing in the bucket has this path: /gone" },
  ]);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
});
