import type { FrameLocator, Page } from "@playwright/test";
import { fileActions } from "../../app/services/files/actions";
import type { ChangeMessage } from "../../embed-element/protocol";
import type { OpenExplorer } from "./explorer-support";
import { findViolations } from "./find-violations";

/** A token that may do everything. */
export const everything = { actions: fileActions };

export const menuItem = (frame: FrameLocator, name: string) =>
  frame.getByRole("menuitem", { name: new RegExp(`^${name}`) });

/** Keeps the code that changes files from arriving until the returned function is called. */
export async function holdChanges(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/changes-part-*.js", async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

/** Opens a row's menu by its button, and chooses from it. */
export async function choose({ frame, row }: OpenExplorer, name: string, item: string): Promise<void> {
  await row(name).hover();
  await row(name)
    .getByRole("button", { name: `More for ${name}` })
    .click();
  await menuItem(frame, item).click();
}

export const dialog = (frame: FrameLocator) => frame.getByRole("dialog");
export const question = (frame: FrameLocator) => frame.getByRole("alertdialog");
export const notices = (frame: FrameLocator) => frame.getByRole("region", { name: "Done" });
export const panel = (frame: FrameLocator) => frame.getByRole("region", { name: "Changes" });

/** What the page around has been told of changes. */
export const told = (page: Page): Promise<ChangeMessage[]> =>
  page.evaluate(() => (window as unknown as { changes: ChangeMessage[] }).changes);

/** Keeps what the page around is told of changes; call it before the explorer is opened. */
export const listen = (page: Page) =>
  page.addInitScript(() => {
    if (window.parent !== window) return;
    const changes: unknown[] = [];
    Object.assign(window, { changes });
    addEventListener("message", ({ data }) => {
      if (data.type === "platform.embed.change") changes.push(data);
    });
  });

/** What axe finds in the frame. */
export async function violations(page: Page): Promise<string[]> {
  const violations = await findViolations(page, { include: "iframe" });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
