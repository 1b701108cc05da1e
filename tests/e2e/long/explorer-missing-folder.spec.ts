import type { FrameLocator, Page } from "@playwright/test";
import type { PlatformEmbed } from "../../../embed-element/src/platform-embed";
import type { StackInfo } from "../../../local/stack-info";
import { expect, inBothThemes, test } from "../explorer-support";
import { EMBED_TAG, listening, pageWith, told } from "../integrator";
import { choose, files, violations } from "../upload-support";

/** The element writes each error to the console. */
const warnings = /^<platform-embed> (folder_not_found|scope_not_allowed|path_invalid): /;

const missing = (frame: FrameLocator) => frame.getByRole("heading", { name: "This folder does not exist" });
const here = (frame: FrameLocator) => frame.getByRole("heading", { level: 1 });
const row = (frame: FrameLocator, name: string) => frame.getByRole("row", { name, exact: true });

/** Calls `navigate(path)` of the page's element. Returns `shown`, or the code of the error. */
const navigate = async (page: Page, path: string): Promise<string | undefined> =>
  (await navigateAtOnce(page, [path]))[0];

/** Makes all calls in one turn, before any of them has a response. */
const navigateAtOnce = (page: Page, paths: string[]): Promise<string[]> =>
  page.locator("platform-embed").evaluate((element: PlatformEmbed, paths) => {
    const outcomes = paths.map((path) =>
      element.navigate(path).then(
        () => "shown",
        ({ code }: { code: string }) => code,
      ),
    );
    return Promise.all(outcomes);
  }, paths);

/** A page whose element wants to start at `path`, and that records the element's events. */
const pageStartingAt = (path: string, stack: StackInfo) =>
  pageWith(stack, listening.replace(EMBED_TAG, EMBED_TAG.replace(" service", ` path="${path}" service`)));

const codes = async (page: Page) => (await told(page, "error")).map(({ code }) => code);

test.describe("a folder that does not exist", () => {
  test("says so, and leads to the top folder", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const explorer = await openExplorer({ query: "&path=/gone/2026" });
    const { frame } = explorer;
    await expect(frame.getByRole("alert")).toContainText("This folder does not exist");
    await expect(here(frame)).toHaveText("2026");
    await inBothThemes(explorer, async () => expect(await violations(page)).toEqual([]));
    await frame.getByRole("button", { name: "Go to the top folder" }).click();
    await expect(row(frame, "docs")).toBeVisible();
    await expect(missing(frame)).toHaveCount(0);
  });

  test("is reported to the page once its frame is ready", async ({
    allowedConsole,
    integrator,
    openEmbed,
    page,
    stack,
  }) => {
    allowedConsole.push(warnings);
    integrator.pages.set("/", pageStartingAt("/gone", stack));
    const frame = await openEmbed();
    await expect(missing(frame)).toBeVisible();
    await expect
      .poll(() => told(page, "error"))
      .toMatchObject([
        {
          code: "folder_not_found",
          message: "Nothing in the bucket has this path: /gone",
          path: "/gone",
        },
      ]);
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  });

  const refusals = [
    ["/invoices", "scope_not_allowed", "The folder is outside of the token's scope: /invoices"],
    ["/docs/2026/", "path_invalid", /^This is not a folder path such as \/invoices\/2026: \/docs\/2026\/$/],
  ] as const;
  for (const [path, code, message] of refusals)
    test(`is reported if it is ${path}, and the token is for /docs`, async ({
      allowedConsole,
      integrator,
      openEmbed,
      page,
      stack,
    }) => {
      allowedConsole.push(warnings);
      await integrator.bucket.put("docs/2026/a.txt", "x");
      integrator.asks = { scope: { path: "/docs" } };
      integrator.pages.set("/", pageStartingAt(path, stack));
      const frame = await openEmbed();
      await expect(row(frame, "2026")).toBeVisible();
      await expect.poll(() => told(page, "error")).toMatchObject([{ code, path }]);
      expect((await told(page, "error"))[0]?.message).toMatch(message);
      await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
    });

  test("is noticed by a refresh when somebody else has deleted it", async ({
    allowedConsole,
    integrator,
    openEmbed,
    page,
    stack,
  }) => {
    allowedConsole.push(warnings);
    await integrator.bucket.put("docs/a.txt", "x");
    integrator.pages.set("/", pageWith(stack, listening));
    const frame = await openEmbed();
    await row(frame, "docs").dblclick();
    await expect(row(frame, "a.txt")).toBeVisible();
    await integrator.bucket.remove("docs/a.txt");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(missing(frame)).toBeVisible();
    await expect.poll(() => codes(page)).toEqual(["folder_not_found"]);

    // Somebody else has made it again.
    await integrator.bucket.put("docs/", "");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  });

  test("is made by an upload", async ({ integrator, openExplorer }) => {
    const { frame, names } = await openExplorer({ query: "&path=/new" });
    await expect(missing(frame)).toBeVisible();
    await choose(frame, files(10, "film.mp4"));
    await expect.poll(names).toEqual(["film.mp4"]);
    await expect.poll(() => integrator.bucket.list()).toEqual(["new/film.mp4"]);
  });
});

test.describe("a folder that the first upload makes", () => {
  const cases = [
    ["the folder of a new customer", { path: "/customers/7" }, "", "7"],
    ["the folder for uploads", { path: "/", uploadFolder: "/inbox/new" }, "&path=/inbox/new", "new"],
  ] as const;
  for (const [what, scope, query, name] of cases)
    test(`is ordinarily empty: ${what}`, async ({ openExplorer }) => {
      const explorer = await openExplorer({ scope, query });
      const { frame, names } = explorer;
      await expect(here(frame)).toHaveText(name);
      await expect(frame.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
      await frame.getByRole("button", { name: "Refresh" }).click();
      await expect(frame.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
      expect(await explorer.heard()).not.toContain("platform.embed.error");
      await choose(frame, files(10, "film.mp4"));
      await expect.poll(names).toEqual(["film.mp4"]);
    });

  test("has folders above it that are empty, too", async ({ openExplorer }) => {
    const { frame } = await openExplorer({
      scope: { path: "/", uploadFolder: "/inbox/new" },
      query: "&path=/inbox/new",
    });
    await frame.getByRole("navigation").getByRole("button", { name: "inbox" }).click();
    await expect(here(frame)).toHaveText("inbox");
    await expect(frame.getByRole("heading", { name: "This folder is empty" })).toBeVisible();
  });
});

test.describe("navigate()", () => {
  test.beforeEach(async ({ integrator, stack, allowedConsole }) => {
    allowedConsole.push(warnings);
    for (const key of ["docs/2026/a.txt", "photos/b.txt", "other/c.txt"])
      await integrator.bucket.put(key, "x");
    integrator.pages.set("/", pageWith(stack, listening));
  });

  test("resolves when the folder is listed", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    expect(await navigate(page, "/docs/2026")).toBe("shown");
    await expect(row(frame, "a.txt")).toBeVisible({ timeout: 1 });
    await expect(here(frame)).toHaveText("2026");
    expect((await told(page, "navigate")).map(({ path }) => path)).toEqual(["/docs/2026"]);
    // It is there already.
    expect(await navigate(page, "/docs/2026")).toBe("shown");
    expect(await told(page, "navigate")).toHaveLength(1);
  });

  test("adds no step to the browser's history, which is the page's", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    const before = await page.evaluate(() => history.length);
    await navigate(page, "/docs");
    await navigate(page, "/photos");
    expect(await page.evaluate(() => history.length)).toBe(before);
    await expect(row(frame, "b.txt")).toBeVisible();
  });

  test("rejects for a folder that does not exist, and shows that", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    expect(await navigate(page, "/gone")).toBe("folder_not_found");
    await expect(missing(frame)).toBeVisible();
    await expect.poll(() => codes(page)).toEqual(["folder_not_found"]);
    // It asks once more: the folder may have been made.
    expect(await navigate(page, "/gone")).toBe("folder_not_found");
    // A router that follows the element must not keep the address of a folder that is not there.
    expect(await told(page, "navigate")).toEqual([]);
    expect(await navigate(page, "/")).toBe("shown");
    expect((await told(page, "navigate")).map(({ path }) => path)).toEqual(["/"]);
  });

  test("rejects for a folder outside of the scope, and stays where it is", async ({
    integrator,
    openEmbed,
    page,
  }) => {
    integrator.asks = { scope: { path: "/docs" } };
    const frame = await openEmbed();
    for (const path of ["/other", "/", "/docs-old"])
      expect(await navigate(page, path), path).toBe("scope_not_allowed");
    for (const path of ["docs", "/docs/", ""]) expect(await navigate(page, path), path).toBe("path_invalid");
    await expect(row(frame, "2026")).toBeVisible();
    expect(await told(page, "navigate")).toEqual([]);
    // Nothing is resolved: it would be a folder below /docs.
    expect(await navigate(page, "/docs/../other")).toBe("folder_not_found");
  });

  test("rejects the earlier of two calls, and shows the later one's folder", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    const outcomes = await navigateAtOnce(page, ["/docs", "/", "/photos"]);
    expect(outcomes).toEqual(["replaced", "replaced", "shown"]);
    await expect(row(frame, "b.txt")).toBeVisible();
  });

  test("rejects when the visitor has opened another folder meanwhile", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    await page.route("**/api/embed/storage/list", async (route) => {
      if (!route.request().postData()?.includes('"/docs"')) await route.continue();
    });
    const outcome = navigate(page, "/docs");
    await expect(here(frame)).toHaveText("docs");
    await frame.getByRole("navigation").getByRole("button", { name: "Files" }).click();
    expect(await outcome).toBe("replaced");
    await expect(row(frame, "photos")).toBeVisible();
  });

  test("rejects with the reason why the folder cannot be listed", async ({
    allowedConsole,
    openEmbed,
    page,
  }) => {
    allowedConsole.push(/status of 503/, /^<platform-embed> unavailable: /);
    await openEmbed();
    await page.route("**/api/embed/storage/list", (route) =>
      route.fulfill({ status: 503, json: { error: "No.", code: "unavailable" } }),
    );
    expect(await navigate(page, "/docs")).toBe("unavailable");
  });

  test("is what a changed path does", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    await page.locator("platform-embed").evaluate((element) => element.setAttribute("path", "/docs/2026"));
    await expect(row(frame, "a.txt")).toBeVisible();
    await page.locator("platform-embed").evaluate((element) => element.setAttribute("path", "/gone"));
    await expect(missing(frame)).toBeVisible();
    await expect.poll(() => codes(page)).toEqual(["folder_not_found"]);
  });
});

test("end() leaves nothing of the folder, and stops what is running", async ({
  integrator,
  openEmbed,
  page,
  stack,
}) => {
  await integrator.bucket.put("secret.txt", "x");
  const frame = await openEmbed();
  await expect(row(frame, "secret.txt")).toBeVisible();
  const aborted: string[] = [];
  page.on("requestfailed", (request) => aborted.push(request.method()));
  await page.route(`${stack.objectStore.endpoint}/**`, () => {});
  const sending = page.waitForRequest((request) => request.method() === "PUT");
  await choose(frame, files(1_000_000, "film.mp4"));
  await sending;
  const later: string[] = [];
  await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.end());
  page.on("request", (request) => later.push(request.url()));
  await expect.poll(() => aborted).toEqual(["PUT"]);
  expect(page.frames()).toHaveLength(1);
  await expect(page.getByText("Your session has ended")).toBeVisible();
  expect(await page.content()).not.toContain("secret.txt");
  expect(later).toEqual([]);

  await page.unroute(`${stack.objectStore.endpoint}/**`);
  await page.locator("platform-embed").evaluate((element: PlatformEmbed) => element.reload());
  await expect(row(page.frameLocator("iframe"), "secret.txt")).toBeVisible();
});
