import type { FrameLocator, Page } from "@playwright/test";
import type { FileAction } from "../../app/services/files/actions";
import type { StackInfo } from "../../local/stack-info";

export const locales = ["en", "de", "ja", "ar"];
export const themes = ["light", "dark"] as const;
export interface Size {
  name: string;
  width: number;
  height: number;
}
export const sizes: readonly Size[] = [
  { name: "360", width: 360, height: 640 },
  { name: "768", width: 768, height: 600 },
  { name: "1280", width: 1280, height: 800 },
  { name: "low", width: 1280, height: 300 },
];

/** A state, and the way to it. Nothing of it depends on the language: elements are found by what they are, files by their names. */
export interface Scene {
  name: string;
  /** what the token allows; everything, unless it says otherwise */
  actions?: readonly FileAction[];
  /** the highest folder that the token reaches */
  folder?: string;
  /** what the integrator's token endpoint responds with instead of a token */
  tokenStatus?: number;
  /** further attributes of the tag */
  attributes?: string;
  /** what stands on the page instead of the tag */
  body?(stack: StackInfo, look: { locale: string; theme: string }): string;
  before?(page: Page): Promise<unknown>;
  /** seen in the frame before anything is done there */
  until?: string;
  act?(frame: FrameLocator, page: Page): Promise<unknown>;
}

const LIST = '[data-row="0"]';
const row = (name: string) => `[data-row][aria-label="${name}"]`;
const openRow = (name: string) => (frame: FrameLocator) => frame.locator(`${row(name)} .row__stem`).click();
/** Clicks the toolbar's button with that drawing: their names are in the page's language. */
const clickIcon = (frame: FrameLocator, icon: string) =>
  frame.locator(`.toolbar button:has([href="#icon-${icon}"])`).click();
/** Opens a file and waits until something of its preview is seen. */
const preview =
  (name: string, within: string, seen: string): Scene["act"] =>
  async (frame) => {
    for (const folder of within.split("/").filter(Boolean)) {
      await frame.locator(`${row(folder)} .row__stem`).click();
      await frame.locator(`${row(folder)}`).waitFor({ state: "detached" });
    }
    await frame.locator(`${row(name)} .row__stem`).click();
    await frame.locator(`dialog[open] ${seen}`).first().waitFor();
  };
/** Has requests to an address of ours end as said, from then on. */
const respond = (path: string, status: number | "never") => (page: Page) =>
  page.route(`**/api/embed/storage/${path}`, (route) =>
    status === "never"
      ? new Promise<void>(() => {})
      : route.fulfill({ status, json: { error: "No.", code: status === 503 ? "unavailable" : "internal" } }),
  );

const states: Scene[] = [
  { name: "list", until: LIST },
  { name: "list-looking-only", until: LIST, actions: [] },
  {
    name: "list-selection",
    until: LIST,
    async act(frame) {
      await frame.locator('[data-row="0"] input').click();
      await frame.locator('[data-row="2"] input').click();
    },
  },
  {
    name: "list-nothing-matches",
    until: LIST,
    act: (frame) => frame.locator(".filter__input").fill("zzz"),
  },
  {
    name: "folder-deep",
    until: LIST,
    folder: "/Plans",
    async act(frame) {
      for (const name of [
        "North America",
        "Regional offices",
        "Canada",
        "Montréal, Québec",
        "Second quarter",
      ])
        await openRow(name)(frame);
      await frame.getByText("20270401").first().waitFor();
    },
  },
  { name: "folder-empty", until: LIST, act: openRow("Empty folder") },
  {
    name: "folder-loading",
    until: LIST,
    before: respond("list", "never"),
    async act(frame) {
      await openRow("Photos")(frame);
      await frame.locator("[aria-busy=true]").waitFor();
    },
  },
  { name: "folder-error", until: LIST, before: respond("list", 500), act: openRow("Photos") },
  {
    name: "offline",
    until: LIST,
    async act(frame, page) {
      await page.context().setOffline(true);
      await openRow("Photos")(frame);
    },
  },
  {
    name: "tiles",
    until: LIST,
    async act(frame) {
      await frame.locator(`${row("Photos")} .row__stem`).click();
      await frame.locator(row("Harbour at dusk.png")).waitFor();
      await clickIcon(frame, "tiles");
      await frame.locator(".tile img").first().waitFor();
    },
  },
  {
    name: "search-found",
    until: LIST,
    async act(frame) {
      await frame.locator(".filter__input").fill("invoice");
      await frame.locator(".row__where").first().waitFor();
    },
  },
  {
    name: "row-menu",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Photos")).click({ button: "right" });
      await frame.locator("[role=menuitem]").first().waitFor();
    },
  },
  {
    name: "rename",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Welcome.md")).focus();
      await frame.locator(row("Welcome.md")).press("F2");
      await frame.locator(".rename input").fill("Photos");
      await frame.locator(".rename input").press("Enter");
      await frame.locator(".rename__problem:not(:empty)").waitFor();
    },
  },
  {
    name: "new-folder",
    until: LIST,
    async act(frame) {
      await clickIcon(frame, "folderPlus");
      await frame.locator("dialog[open] input").waitFor();
    },
  },
  {
    name: "move-to",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Welcome.md")).click({ button: "right" });
      await frame.locator('[role=menuitem]:has([href="#icon-folderMove"])').click();
      await frame.locator("[role=treeitem]").nth(2).waitFor();
    },
  },
  {
    name: "delete-question",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Data")).focus();
      await frame.locator(row("Data")).press("Delete");
      await frame.locator("dialog[open] .button--danger").waitFor();
    },
  },
  {
    name: "clipboard",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Welcome.md")).focus();
      await frame.locator(row("Welcome.md")).press("Control+x");
      await frame.locator(".clipboard").waitFor();
    },
  },
  {
    name: "details",
    until: LIST,
    async act(frame) {
      await frame.locator(row("Welcome.md")).focus();
      await frame.locator(row("Welcome.md")).press("Alt+Enter");
      await frame.locator("dialog[open] dl").waitFor();
    },
  },
  {
    name: "shortcuts",
    until: LIST,
    async act(frame) {
      await frame.locator(LIST).focus();
      await frame.locator(LIST).press("?");
      await frame.locator("dialog[open] kbd").first().waitFor();
    },
  },
  {
    name: "uploads",
    until: LIST,
    before: (page) => page.route("**/*X-Amz-Signature*", () => new Promise<void>(() => {})),
    async act(frame) {
      const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("text") });
      await frame
        .locator("input[type=file]")
        .first()
        .setInputFiles([
          file("Welcome.md"),
          file("Quarterly report of the northern region.txt"),
          file("b.txt"),
        ]);
      await frame.locator(".upload").first().waitFor();
    },
  },
  { name: "preview-text", until: LIST, act: preview("Welcome.md", "", ".markdown") },
  { name: "preview-empty", until: LIST, act: preview("Empty.txt", "", "p") },
  { name: "preview-image", until: LIST, act: preview("Harbour at dusk.png", "Photos", "img") },
  { name: "preview-pdf", until: LIST, act: preview("Framework agreement 2026.pdf", "Contracts", "canvas") },
  { name: "preview-table", until: LIST, act: preview("Price list.csv", "Data", "table, pre") },
  { name: "preview-json", until: LIST, act: preview("orders.json", "Data", "pre, code, details") },
  { name: "element-error", tokenStatus: 500 },
  { name: "element-session-ended", tokenStatus: 401 },
  {
    name: "refused",
    body: (stack, { locale, theme }) =>
      `<iframe title="Files" referrerpolicy="strict-origin" src="${stack.platformBaseUrl}/embed/files?t=none&locale=${locale}&theme=${theme}"></iframe>`,
    until: "h1",
  },
];

export const scenes: readonly Scene[] = states;
