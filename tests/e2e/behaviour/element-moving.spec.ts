import { expect, test } from "../element-support";

test.describe("Several elements on a page", () => {
  test("each talk to their own frame, even when two show the same service", async ({ site, page }) => {
    await site.open(`<platform-embed id="a" token-endpoint="/embed-url" scope='{"bucket":"a"}'></platform-embed>
      <platform-embed id="b" token-endpoint="/embed-url" scope='{"bucket":"b"}'></platform-embed>
      <platform-embed id="c" service="tasks" token-endpoint="/embed-url"></platform-embed>`);
    await site.waitForEvent("ready", 3);
    const frameOf = async (id: string) => {
      const handle = await page.locator(`#${id} iframe`).elementHandle();
      const frame = await handle?.contentFrame();
      if (!frame) throw new Error(`#${id} has no frame`);
      return frame;
    };
    const b = await frameOf("b");
    await b.evaluate(() => window.say({ type: "platform.embed.token-expired", service: "files" }));
    await site.waitForEvent("token-refreshed");
    const c = await frameOf("c");
    await c.evaluate(() => window.say({ type: "platform.embed.token-expired", service: "files" }));
    await c.evaluate(() => window.say({ type: "platform.embed.token-expired", service: "tasks" }));
    await site.waitForEvent("token-refreshed", 2);

    expect(site.asked.slice(3)).toEqual([
      { service: "files", scope: { bucket: "b" }, reason: "expired" },
      { service: "tasks", reason: "expired" },
    ]);
    const heard = async (id: string) =>
      (await frameOf(id)).evaluate(
        () => window.received.filter(({ type }) => String(type).includes("token")).length,
      );
    expect([await heard("a"), await heard("b"), await heard("c")]).toEqual([0, 1, 1]);
  });

  test("keep working when the script is loaded twice", async ({ site, page }) => {
    await site.open(`<platform-embed token-endpoint="/embed-url"></platform-embed>
      <script src="/platform-embed.js"></script>`);
    await site.waitForEvent("ready");
    await page.addScriptTag({ url: "/platform-embed.js" });

    expect(await page.evaluate(() => document.querySelector("platform-embed")?.state)).toBe("ready");
  });
});

test.describe("Moving and removing", () => {
  test("stops everything that the removed element started", async ({ site, page }) => {
    site.respond = () => {};
    await site.openTag();
    await expect.poll(() => site.asked.length).toBe(1);
    const aborted = page.waitForEvent("requestfailed");
    await page.locator("platform-embed").evaluate((element) => element.remove());
    await aborted;

    expect(await site.events()).toEqual(["loading"]);
  });

  test("requests one token when the element is moved before the first request", async ({ site, page }) => {
    await site.open(`<div id="there"></div>`);
    await page.evaluate(() => {
      const element = document.createElement("platform-embed");
      element.tokenEndpoint = "/embed-url";
      document.body.append(element);
      document.querySelector("#there")?.append(element);
      element.remove();
      document.body.append(element);
    });
    await site.waitForEvent("ready");

    expect(site.asked).toHaveLength(1);
  });

  test("mounts one new frame when the element is moved later, and renews its token once", async ({
    site,
    page,
  }) => {
    await site.open(`<div id="there"></div><platform-embed token-endpoint="/embed-url"></platform-embed>`);
    await site.waitForEvent("ready");
    await page.evaluate(() => {
      const element = document.querySelector("platform-embed");
      if (element) document.querySelector("#there")?.append(element);
    });
    await site.waitForEvent("ready", 2);
    await site.frameSays({ type: "platform.embed.token-expired", service: "files" });
    await site.waitForEvent("token-refreshed");

    expect(site.asked.map(({ reason }) => reason)).toEqual(["initial", "initial", "expired"]);
    await expect(page.locator("platform-embed iframe")).toHaveCount(1);
  });

  test("keeps the frame alive through moveBefore()", async ({ site, page, platform }) => {
    await site.open(`<div id="there"></div><platform-embed token-endpoint="/embed-url"></platform-embed>`);
    await site.waitForEvent("ready");
    await page.evaluate(() => {
      const there = document.querySelector("#there") as Element & {
        moveBefore(node: Node, child: null): void;
      };
      const element = document.querySelector("platform-embed");
      if (element) there.moveBefore(element, null);
    });
    await site.frameSays({ type: "platform.embed.token-expired", service: "files" });
    await site.waitForEvent("token-refreshed");

    expect(platform.requests).toHaveLength(1);
    expect(await site.events()).toEqual(["loading", "ready", "token-refreshed"]);
  });
});
