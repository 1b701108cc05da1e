import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

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

/** The frame on the screen, without its scripts. */
async function openEarly(page: Page, integrator: { origin: string }) {
  const release = await holdScripts(page);
  await page.goto(integrator.origin, { waitUntil: "commit" });
  const frame = page.frameLocator("iframe");
  const element = page.locator("platform-embed");
  const takeOver = async () => {
    await expect(element).toHaveJSProperty("state", "loading");
    release();
    await expect(element).toHaveJSProperty("state", "ready");
  };
  const row = (name: string) => frame.getByRole("row", { name, exact: true });
  await expect(row("docs")).toBeVisible();
  await expect(page.locator("platform-embed iframe")).toHaveJSProperty("inert", false);
  return { frame, row, takeOver };
}

test.beforeEach(async ({ integrator }) => {
  await integrator.bucket.put("docs/inside.txt", "x");
  for (const name of ["apple.txt", "banana.txt"]) await integrator.bucket.put(name, name);
});

test("rows are on the screen before any script has arrived, and a folder clicked then is opened", async ({
  page,
  integrator,
}) => {
  const { frame, row, takeOver } = await openEarly(page, integrator);
  await expect(page.getByText("Loading…")).toHaveCount(0);
  // Impatience.
  await row("docs").click();
  await row("docs").click();
  await expect(frame.locator("html")).toHaveCSS("cursor", "progress");
  await takeOver();
  await expect(row("inside.txt")).toBeVisible();
  await expect(frame.locator("html")).not.toHaveCSS("cursor", "progress");
});

test("what is typed into the filter early stays and filters", async ({ page, integrator }) => {
  const { frame, row, takeOver } = await openEarly(page, integrator);
  await frame.getByRole("textbox").pressSequentially("ban");
  await takeOver();
  await expect(row("apple.txt")).toHaveCount(0);
  await expect(row("banana.txt")).toBeVisible();
  await expect(frame.getByRole("textbox")).toHaveValue("ban");
});

test("boxes ticked and keys pressed early count, each once and in their order", async ({
  page,
  integrator,
}) => {
  const { frame, row, takeOver } = await openEarly(page, integrator);
  await row("apple.txt").getByRole("checkbox").click();
  await row("docs").focus();
  for (const key of ["ArrowDown", "ArrowDown", " "]) await page.keyboard.press(key);
  await takeOver();
  await expect(row("apple.txt")).toHaveAttribute("aria-selected", "true");
  await expect(row("banana.txt")).toHaveAttribute("aria-selected", "true");
  await expect(row("docs")).toHaveAttribute("aria-selected", "false");
  await expect(row("banana.txt")).toBeFocused();
  await expect(frame.getByText("2 selected")).toBeVisible();
});
