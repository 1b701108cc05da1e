import type { FrameLocator, Locator, Page } from "@playwright/test";
import { scopeActions } from "../../app/services/files/place/actions";
import type { ChangeMessage } from "../../embed-element/protocol";
import type { OpenExplorer } from "./explorer-support";

export { violations } from "./find-violations";

/** A scope that allows all actions. */
export const everything = { actions: scopeActions };

export const menuItem = (frame: FrameLocator, name: string) =>
  frame.getByRole("menuitem", { name: new RegExp(`^${name}`) });

/** Delays the script that changes files until the returned function is called. */
export async function holdChanges(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/changes-panel-*.js", async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

/** Opens a row's menu by its button and chooses an item. */
export async function choose({ frame, row }: OpenExplorer, name: string, item: string): Promise<void> {
  await row(name).hover();
  await row(name)
    .getByRole("button", { name: `More for ${name}` })
    .click();
  await menuItem(frame, item).click();
}

/** Opens the menu of a version in a file's details, and chooses an item. */
export async function chooseOfVersion(frame: FrameLocator, version: Locator, item: string): Promise<void> {
  await version.getByRole("button", { name: /^More: / }).press("Enter");
  await menuItem(frame, item).press("Enter");
}

export const dialog = (frame: FrameLocator) => frame.getByRole("dialog");
export const question = (frame: FrameLocator) => frame.getByRole("alertdialog");
export const notices = (frame: FrameLocator) => frame.getByRole("region", { name: "Done" });
export const panel = (frame: FrameLocator) => frame.getByRole("region", { name: "Changes" });

/** Returns the change events that the integrator's page has received. */
export const told = (page: Page): Promise<ChangeMessage[]> =>
  page.evaluate(() => (window as unknown as { changes: ChangeMessage[] }).changes);

/** Records the change events of the integrator's page. Call it before the explorer is opened. */
export const listen = (page: Page) =>
  page.addInitScript(() => {
    if (window.parent !== window) return;
    const changes: unknown[] = [];
    Object.assign(window, { changes });
    addEventListener("message", ({ data }) => {
      if (data.type === "platform.embed.change") changes.push(data);
    });
  });
