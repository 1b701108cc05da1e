import type { FrameLocator, Page } from "@playwright/test";
import type { ScopeAction } from "../../app/services/files/place/actions";
import type { StackInfo } from "../../local/stack-info";

/** A state and the steps to reach it. The steps do not depend on the language: they find elements by role and icon, and files by name. */
export interface Scene {
  name: string;
  /** default `files` */
  service?: string;
  /** what the token allows; everything, unless it says otherwise */
  actions?: readonly ScopeAction[];
  /** the scope that is requested, instead of `actions` and `folder` */
  scope?: object;
  /** the highest folder that the token reaches */
  folder?: string;
  /** what the integrator's token endpoint responds with instead of a token; `never`: nothing */
  tokenStatus?: number | "never";
  /** the token's lifetime; it is not renewed then */
  expiresInSeconds?: number;
  /** the narrowest frame that has this state, CSS pixels */
  minWidth?: number;
  /** further attributes of the tag */
  attributes?: string;
  /** what stands on the page instead of the tag */
  body?(stack: StackInfo, look: { locale: string; theme: string }): string;
  /** a page that is not the integrator's, by its address */
  address?(stack: StackInfo): string;
  /** a page that is not the integrator's, as HTML */
  html?(look: { locale: string }): string;
  before?(page: Page): Promise<unknown>;
  /** seen in the frame before anything is done there */
  until?: string;
  act?(frame: FrameLocator, page: Page): Promise<unknown>;
}

export const LIST = '[data-row="0"]';
export const row = (name: string) => `[data-row][aria-label="${name}"]`;
export const openRow = (name: string) => (frame: FrameLocator) =>
  frame.locator(`${row(name)} [data-name]`).click();
/** Clicks the toolbar's button with that drawing, as their names are in the page's language. Narrow frames have it in the folder's menu. */
export async function clickIcon(frame: FrameLocator, icon: string): Promise<void> {
  const button = (name: string) => frame.locator(`.toolbar button:has([href="#icon-${name}"])`);
  if (await button(icon).isVisible()) return button(icon).click();
  await button("more").click();
  await frame.locator(`[role=menuitem]:has([href="#icon-${icon}"])`).click();
}
/** Chooses from a row's menu, by the drawing. */
export async function choose(frame: FrameLocator, name: string, icon: string): Promise<void> {
  await frame.locator(row(name)).click({ button: "right" });
  await frame.locator(`[role=menuitem]:has([href="#icon-${icon}"])`).click();
}
export const press = async (frame: FrameLocator, name: string, keys: string) => {
  await frame.locator(row(name)).focus();
  await frame.locator(row(name)).press(keys);
};
/** Has requests to one of our addresses end as said, from then on. */
export const respond =
  (path: string, status: number | "never", code = "internal") =>
  (page: Page) =>
    page.route(`**/api/embed/storage/${path}`, (route) =>
      status === "never"
        ? new Promise<void>(() => {})
        : route.fulfill({ status, json: { error: "No.", code: status === 503 ? "unavailable" : code } }),
    );
