import type { FrameLocator } from "@playwright/test";
import { clickIcon, LIST, openRow, press, respond, row, type Scene } from "./scene";

const DEEP = ["North America", "Regional offices", "Canada", "Montréal, Québec", "Second quarter"];
/** Opens a folder that shows only a message. */
const openAndRead = async (frame: FrameLocator, name = "Photos") => {
  await openRow(name)(frame);
  await frame.locator(".main .embed-state").waitFor();
};

export const folderScenes: Scene[] = [
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
    name: "list-selected-hovered",
    until: LIST,
    async act(frame) {
      await frame.locator('[data-row="0"] input').click();
      await frame.locator('[data-row="1"] input').click();
      await frame.locator('[data-row="1"]').hover();
    },
  },
  {
    name: "list-column-focused",
    until: LIST,
    minWidth: 900,
    async act(frame, page) {
      await frame.locator(".row--head .sort").first().focus();
      await page.keyboard.press("Tab");
    },
  },
  {
    name: "folder-menu",
    until: LIST,
    folder: "/Plans",
    async act(frame) {
      // Below the last row.
      const list = frame.locator(".list");
      const box = await list.boundingBox();
      const position = { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) - 20 };
      await list.click({ button: "right", position });
      await frame.locator("[role=menuitem]").first().waitFor();
    },
  },
  {
    name: "rectangle",
    until: LIST,
    folder: "/Plans",
    async act(frame, page) {
      const box = await frame.locator(".list").boundingBox();
      if (!box) return;
      const below = box.y + box.height - 20;
      await page.mouse.move(box.x + box.width * 0.7, below);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, below - 40);
      await page.mouse.move(box.x + box.width * 0.2, box.y + 70);
      await frame.locator(".rectangle").waitFor();
    },
  },
  {
    name: "list-nothing-matches",
    until: LIST,
    async act(frame) {
      await frame.locator(".filter__input").fill("zzz");
      await frame.locator(".embed-state button").first().waitFor();
    },
  },
  {
    name: "folder-deep",
    until: LIST,
    folder: "/Plans",
    async act(frame) {
      for (const name of DEEP) await openRow(name)(frame);
      await frame.getByText("20270401").first().waitFor();
    },
  },
  {
    name: "folder-empty",
    until: LIST,
    act: (frame) => openAndRead(frame, "Empty folder"),
  },
  {
    name: "folder-missing",
    until: LIST,
    before: (page) =>
      page.route("**/api/embed/storage/list", (route) =>
        route.fulfill({ json: { folders: [], files: [], nextCursor: null, exists: false } }),
      ),
    act: (frame) => openAndRead(frame),
  },
  {
    name: "folder-crumbs",
    until: LIST,
    folder: "/Plans",
    async act(frame) {
      for (const name of DEEP) await openRow(name)(frame);
      await frame.getByText("20270401").first().waitFor();
      const folded = frame.locator(".crumb--folded");
      if (await folded.isVisible()) await folded.click();
    },
  },
  {
    name: "folder-loading",
    until: LIST,
    before: respond("list", "never"),
    async act(frame) {
      await openRow("Photos")(frame);
      await frame.locator("[aria-busy=true]").waitFor();
    },
  },
  {
    name: "folder-error",
    until: LIST,
    before: respond("list", 500),
    act: (frame) => openAndRead(frame),
  },
  {
    name: "folder-unavailable",
    until: LIST,
    before: respond("list", 503),
    act: (frame) => openAndRead(frame),
  },
  {
    name: "folder-denied",
    until: LIST,
    before: respond("list", 403, "scope_not_allowed"),
    act: (frame) => openAndRead(frame),
  },
  {
    name: "refresh-failed",
    until: LIST,
    before: respond("list", 500),
    async act(frame) {
      await clickIcon(frame, "refresh");
      await frame.locator(".status__problem").waitFor();
    },
  },
  {
    name: "offline",
    until: LIST,
    async act(frame, page) {
      await page.context().setOffline(true);
      await openAndRead(frame);
    },
  },
  {
    name: "tiles",
    until: LIST,
    async act(frame) {
      await frame.locator(`${row("Photos")} [data-name]`).click();
      await frame.locator(row("Harbour at dusk.png")).waitFor();
      await clickIcon(frame, "tiles");
      await frame.locator(".tile img").nth(2).waitFor();
    },
  },
  {
    name: "tiles-selection",
    until: LIST,
    async act(frame) {
      await clickIcon(frame, "tiles");
      await frame.locator(`.tile${row("Archive")} input`).click();
      await frame.locator(`.tile${row("Data")} input`).click();
    },
  },
  {
    name: "upload-menu",
    until: LIST,
    async act(frame) {
      await frame.locator('.toolbar button:has([href="#icon-upload"])').click();
      await frame.locator("[role=menuitem]").first().waitFor();
    },
  },
  {
    name: "recent",
    until: LIST,
    async act(frame) {
      await press(frame, "Archive", "Alt+r");
      await frame.locator("dialog[open] .recent__file").first().waitFor();
    },
  },
  {
    name: "recent-empty",
    until: LIST,
    before: (page) =>
      page.route("**/api/embed/storage/recent", (route) =>
        route.fulfill({ json: { files: [], complete: true } }),
      ),
    async act(frame) {
      await press(frame, "Archive", "Alt+r");
      await frame.locator("dialog[open] .embed-state").waitFor();
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
    name: "details",
    until: LIST,
    async act(frame) {
      await press(frame, "Welcome.md", "Alt+Enter");
      await frame.locator(":is(dialog[open], .details-panel) dl").first().waitFor();
    },
  },
  {
    name: "details-picture",
    until: LIST,
    async act(frame) {
      await openRow("Photos")(frame);
      await press(frame, "Harbour at dusk.png", "Alt+Enter");
      await frame.locator(".details__picture img").waitFor();
    },
  },
  {
    name: "details-several",
    minWidth: 900,
    until: LIST,
    async act(frame) {
      await press(frame, "Welcome.md", "Alt+Enter");
      await frame.locator(":is(dialog[open], .details-panel) dl").first().waitFor();
      await frame.locator(`${row("Welcome.md")} input`).click();
      await frame.locator(`${row("Archive")} input`).click();
    },
  },
  {
    name: "list-thumbnails",
    until: LIST,
    async act(frame) {
      await openRow("Photos")(frame);
      await frame.locator(".row__thumbnail").nth(4).waitFor();
    },
  },
  {
    name: "list-long-names",
    until: LIST,
    folder: "/Long names",
  },
  {
    name: "shortcuts",
    until: LIST,
    async act(frame) {
      await press(frame, "Archive", "?");
      await frame.locator("dialog[open] .shortcuts__can").waitFor();
    },
  },
  {
    name: "search-busy",
    until: LIST,
    before: respond("search", "never"),
    act: (frame) => frame.locator(".filter__input").fill("invoice"),
  },
  {
    name: "search-failed",
    until: LIST,
    before: respond("search", 500),
    async act(frame) {
      await frame.locator(".filter__input").fill("invoice");
      await frame.locator(".search-bar--failed").waitFor();
    },
  },
  {
    name: "names-right-to-left",
    until: LIST,
    async act(frame) {
      await openRow("Letters")(frame);
      await frame.locator(row("To be written.txt")).waitFor();
    },
  },
  {
    name: "drop",
    until: LIST,
    async act(frame) {
      const dragged = await frame.locator("body").evaluateHandle(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["x"], "dropped.txt", { type: "text/plain" }));
        return transfer;
      });
      await frame.locator(".main").dispatchEvent("dragenter", { dataTransfer: dragged });
      await frame.locator(".drop").waitFor();
    },
  },
];
