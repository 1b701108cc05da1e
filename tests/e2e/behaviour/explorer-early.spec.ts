import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures";

/** Keeps the platform's scripts from arriving until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/build/**/*.js", async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test.beforeEach(async ({ integrator }) => {
  await integrator.bucket.put("docs/inside.txt", "x");
  for (const name of ["apple.txt", "banana.txt"]) await integrator.bucket.put(name, name);
});

test("rows are shown before any script runs, and controls are disabled until the scripts are ready", async ({
  page,
  integrator,
}) => {
  const release = await holdScripts(page);
  await page.goto(integrator.origin, { waitUntil: "commit" });
  const frame = page.frameLocator("iframe");
  const element = page.locator("platform-embed");
  const row = (name: string) => frame.getByRole("row", { name, exact: true });

  await expect(row("docs")).toBeVisible();
  await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", false);
  await expect(page.getByText("Loading…")).toHaveCount(0);
  await expect(element).toHaveJSProperty("state", "loading");

  const controls = frame.locator(".explorer").locator("button, input:not([type=file])");
  expect(await controls.count()).toBeGreaterThan(10);
  for (const control of await controls.all()) await expect(control).toBeDisabled();
  // Nor do names and rows look as if a click did something, and whoever waits for long is told so.
  await frame.getByText("docs", { exact: true }).hover({ force: true });
  const hovered = await frame
    .locator(":hover")
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).cursor).at(-1));
  expect(hovered).toBe("progress");
  await expect(row("docs")).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await expect(frame.getByText("Loading…")).toBeVisible();

  release();
  await expect(element).toHaveJSProperty("state", "ready");
  const search = frame.getByRole("searchbox");
  await expect(search).toBeEnabled();
  await expect(frame.getByText("Loading…")).toHaveCount(0);
  await search.fill("ban");
  await expect(row("apple.txt")).toHaveCount(0);
  await search.fill("");
  await row("apple.txt").getByRole("checkbox").click();
  await expect(frame.getByText("1 selected")).toBeVisible();
  await row("docs").dblclick();
  await expect(row("inside.txt")).toBeVisible();
});

test("a file that is dragged over the page before the scripts are ready is refused, and does not replace the page", async ({
  page,
  integrator,
}) => {
  const release = await holdScripts(page);
  await page.goto(integrator.origin, { waitUntil: "commit" });
  const frame = page.frameLocator("iframe");
  const row = frame.getByRole("row", { name: "apple.txt", exact: true });
  await expect(row).toBeVisible();
  /** Who has kept the browser from opening the file. */
  const dragFile = () =>
    row.evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "x.txt"));
      const event = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
      let isTaken = false;
      const look = () => {
        isTaken = event.defaultPrevented;
      };
      document.body.addEventListener("dragover", look, { once: true });
      element.dispatchEvent(event);
      if (isTaken) return "the explorer";
      return event.defaultPrevented ? "the page" : "nobody";
    });
  expect(await dragFile()).toBe("the page");
  release();
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  expect(await dragFile()).toBe("the explorer");
});
