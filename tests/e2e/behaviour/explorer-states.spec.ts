import type { Page } from "@playwright/test";
import { expect, inBothThemes, test } from "../explorer-support";
import { findViolations } from "../find-violations";

const failures = /Failed to load resource: (net::ERR_INTERNET_DISCONNECTED|.*status of (403|500|503))/;
const LIST = "**/api/embed/storage/list";

test.describe("when the server refuses or fails:", () => {
  test.use({ allowedConsole: [failures] });

  /** Answers the next requests for a listing in the server's place. */
  const answerLists = (page: Page, status: number, code: string, headers = {}) =>
    page.route(LIST, (route) =>
      route.fulfill({
        status,
        headers: { "X-Request-Id": "request-1", ...headers },
        json: { error: "No.", code },
      }),
    );

  test("a denied folder says so, and offers the way back", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await answerLists(page, 403, "scope_not_allowed");
    await row("docs").dblclick();
    await expect(frame.getByRole("heading", { name: "You have no access to this folder" })).toBeVisible();
    await page.unroute(LIST);
    await frame.getByRole("main").getByRole("button", { name: "Up one folder" }).click();
    await expect(row("docs")).toBeFocused();
  });

  test("an unavailable store is asked again after its Retry-After", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await answerLists(page, 503, "unavailable", { "Retry-After": "2" });
    await row("docs").dblclick();
    await expect(frame.getByRole("heading", { name: "The files are not available right now" })).toBeVisible();
    await expect(frame.getByText(/Trying again in [12] sec/)).toBeVisible();
    await page.unroute(LIST);
    await expect(row("a.txt")).toBeVisible();
  });

  test("an internal error shows a request number", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await answerLists(page, 500, "internal");
    await row("docs").dblclick();
    await expect(frame.getByText("Request request-1")).toBeVisible();
    await page.unroute(LIST);
    await frame.getByRole("button", { name: "Try again" }).click();
    await expect(row("a.txt")).toBeVisible();
  });

  test("keyboard users hear of the error, can retry, and continue at the start of the list", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await answerLists(page, 500, "internal");
    await row("docs").focus();
    await page.keyboard.press("Enter");
    await expect(frame.getByRole("alert")).toContainText("Something went wrong");
    await page.keyboard.press("Tab");
    await expect(frame.getByRole("button", { name: "Try again" })).toBeFocused();
    await page.unroute(LIST);
    await page.keyboard.press("Enter");
    await expect(row("a.txt")).toBeFocused();

    await answerLists(page, 503, "unavailable", { "Retry-After": "60" });
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByRole("alert")).toHaveText("The files are not available right now");
    await expect(row("a.txt")).toBeVisible();
  });

  test("an automatic retry does not move the focus", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await answerLists(page, 503, "unavailable", { "Retry-After": "1" });
    await row("docs").dblclick();
    await frame.getByRole("button", { name: "Try now" }).focus();
    await page.unroute(LIST);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(LIST, async (route) => {
      await released;
      await route.continue();
    });
    await expect(frame.getByRole("button", { name: "Loading…" })).toBeFocused();
    release();
    await expect(row("a.txt")).toBeVisible();
  });

  test("the explorer recovers by itself when the connection is back", async ({
    context,
    integrator,
    openExplorer,
  }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    const { frame, row } = await openExplorer();
    await context.setOffline(true);
    await row("docs").dblclick();
    await expect(frame.getByRole("heading", { name: "You are offline" })).toBeVisible();
    await context.setOffline(false);
    await expect(row("a.txt")).toBeVisible();

    await context.setOffline(true);
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(frame.getByText("You are offline"), "below the list that is there").toBeVisible();
    await integrator.bucket.put("docs/meanwhile.txt", "x");
    await context.setOffline(false);
    await expect(row("meanwhile.txt")).toBeVisible();
    await expect(frame.getByText("You are offline")).toHaveCount(0);
  });
});

test.describe("a token that is not renewed", () => {
  test("shows a retry button, and everything is restored after the renewal", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await page.clock.install();
    for (const key of ["docs/a.txt", "docs/b.txt"]) await integrator.bucket.put(key, "x");
    const { frame, row, heard } = await openExplorer({ renews: false, expiresInSeconds: 900 });
    await row("docs").dblclick();
    await row("b.txt").getByRole("checkbox").click();
    const asked = async () =>
      (await heard()).filter((type) => type === "platform.embed.token-expired").length;
    await page.clock.fastForward(860_000);
    expect(await asked()).toBe(0);
    await page.clock.fastForward(20_000);
    await expect.poll(asked).toBe(1);
    await page.clock.fastForward(30_000);
    await expect.poll(asked, "the token has ended").toBe(2);
    await page.clock.fastForward(16_000);
    await expect(frame.getByRole("heading", { name: "Your session has timed out" })).toBeVisible();

    await page.evaluate(() => Object.assign(window, { renews: true }));
    await frame.getByRole("button", { name: "Try again" }).click();
    await expect(frame.getByRole("heading", { name: "Your session has timed out" })).toHaveCount(0);
    await expect(row("b.txt")).toHaveAttribute("aria-selected", "true");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await expect(row("a.txt")).toBeVisible();
    expect(await asked()).toBe(3);
  });

  test("ends the session if it never will be", async ({ integrator, openExplorer }) => {
    await integrator.bucket.put("a.txt", "x");
    const { frame, say, heard } = await openExplorer();
    await say({ type: "platform.embed.token-unavailable", retryable: false });
    await expect(frame.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
    await expect(frame.getByRole("alert")).toContainText("Your session has ended");
    await expect.poll(heard).toContain("platform.embed.error");
    await expect(frame.getByRole("button"), "nothing else would work").toHaveText(["Reload"]);
  });
});

test("an empty folder does not invite to upload where that is not allowed", async ({ openExplorer }) => {
  const { frame } = await openExplorer({ scope: { path: "/", uploadFolder: "/inbox" } });
  await expect(frame.getByRole("heading", { name: "This folder is empty" })).toBeVisible();
});

test.describe("axe passes", () => {
  for (const width of [360, 1280]) {
    test(`in light and dark at ${width} pixels`, async ({ integrator, openExplorer, page }) => {
      await page.setViewportSize({ width, height: 720 });
      await page.emulateMedia({ reducedMotion: "reduce" });
      for (const key of ["docs/a.txt", "b.pdf", "c.png", "d.txt"]) await integrator.bucket.put(key, "x");
      const explorer = await openExplorer();
      const { frame, row } = explorer;
      const check = (what: string) =>
        inBothThemes(explorer, async (theme) => {
          const violations = await findViolations(page, { include: "iframe" });
          const faults = violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`,
          );
          expect(faults, `${what}, ${theme}`).toEqual([]);
        });
      await row("d.txt").getByRole("checkbox").click();
      await frame
        .locator("input[type=file]")
        .first()
        .setInputFiles([
          { name: "d.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
          { name: "new.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
        ]);
      await expect(frame.getByRole("heading", { name: "1 upload needs attention" })).toBeVisible();
      await check("the list, with a selection and uploads");
      await frame.getByRole("button", { name: "Show less" }).click();
      await row("d.txt").press("Enter");
      await expect(frame.getByRole("dialog").getByText("x", { exact: true })).toBeVisible();
      await check("the preview");
      await page.keyboard.press("Escape");
      await frame.getByRole("searchbox", { name: "Search" }).fill("zebra");
      await expect(frame.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
      await check("a state");
    });
  }
});
