/** A folder stays on the screen until the next one is there. If that takes long, a skeleton takes its place. */
import type { Page } from "@playwright/test";
import { expect, test } from "../explorer-support";

const LIST = "**/api/embed/storage/list";

/** Stops the timers of page and frame. */
const stopClock = (page: Page) => page.clock.pauseAt(Date.now() + 60_000);

test.beforeEach(async ({ integrator, page }) => {
  await integrator.bucket.put("docs/inside.txt", "x");
  await integrator.bucket.put("apple.txt", "x");
  await page.clock.install();
});

test("a folder that comes soon replaces the one on the screen without a skeleton", async ({
  openExplorer,
  page,
}) => {
  const { frame, row } = await openExplorer();
  await expect(row("docs")).toBeVisible();
  await frame.locator("body").evaluate((body) => {
    new MutationObserver(() => {
      if (body.querySelector(".skeleton")) body.dataset.hasShownSkeleton = "";
    }).observe(body, { childList: true, subtree: true });
  });
  await stopClock(page);
  await row("docs").dblclick();
  await expect(row("inside.txt")).toBeVisible();
  await expect(row("apple.txt")).toHaveCount(0);
  await expect(frame.locator("body")).not.toHaveAttribute("data-has-shown-skeleton");
});

test("a folder that takes long gives way to a skeleton after a moment", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer();
  await expect(row("docs")).toBeVisible();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(LIST, async (route) => {
    await released;
    await route.continue();
  });
  await stopClock(page);
  const requested = page.waitForRequest(LIST);
  await row("docs").dblclick();
  await requested;
  const main = frame.getByRole("main");
  const skeleton = frame.locator(".skeleton");
  const status = frame.locator("footer.status");
  await expect(main).toHaveAttribute("aria-busy", "true");
  await expect(row("apple.txt")).toBeVisible();
  await expect(skeleton).toHaveCount(0);
  await expect(status).not.toHaveText("Loading…");

  await page.clock.runFor(100);
  await expect(skeleton).toBeVisible();
  await expect(skeleton).toContainText("Loading…");
  await expect(row("apple.txt")).toHaveCount(0);
  await expect(status).toHaveText("Loading…");

  release();
  await expect(row("inside.txt")).toBeVisible();
  await expect(skeleton).toHaveCount(0);
  await expect(main).toHaveAttribute("aria-busy", "false");
});
