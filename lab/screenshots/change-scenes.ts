import type { FrameLocator, Page } from "@playwright/test";
import type { Listing } from "../../app/services/files/place/contract/storage-contract.server";
import { choose, clickIcon, LIST, press, respond, row, type Scene } from "./scene";

/** Mocks the response of the move endpoint, so that the bucket does not change. */
const answer = (members: object) => (page: Page) =>
  page.route("**/api/embed/storage/move", (route) =>
    route.fulfill({ json: { done: 0, failed: [], conflicts: [], cursor: null, ...members } }),
  );
/** Removes an item from the folder's listing, although it is still in the bucket. */
const listWithout = (name: string) => (page: Page) =>
  page.route("**/api/embed/storage/list", async (route) => {
    const response = await route.fetch();
    const { folders, files, ...rest }: Listing = await response.json();
    const stays = (entry: { name: string }) => entry.name !== name;
    await route.fulfill({
      response,
      json: { ...rest, folders: folders.filter(stays), files: files.filter(stays) },
    });
  });
/** Moves a file into another folder, by the dialog. */
async function moveInto(frame: FrameLocator): Promise<void> {
  await choose(frame, "Welcome.md", "folderMove");
  await frame.locator("[role=treeitem]").nth(1).click();
  await frame.locator("dialog[open] .button--primary").click();
}

export const changeScenes: Scene[] = [
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
      await press(frame, "Welcome.md", "F2");
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
      await choose(frame, "Welcome.md", "folderMove");
      await frame.locator("[role=treeitem]").nth(2).waitFor();
    },
  },
  {
    name: "delete-question",
    until: LIST,
    // As of a bucket that keeps no versions.
    before: (page) =>
      page.route("**/api/embed/storage/delete", (route) =>
        route.fulfill({ json: { done: 0, failed: [], cursor: null, undo: null, undoable: false } }),
      ),
    async act(frame) {
      await press(frame, "Data", "Space");
      await press(frame, "Data", "Delete");
      await frame.locator("dialog[open] .button--danger").waitFor();
    },
  },
  {
    name: "clipboard",
    until: LIST,
    async act(frame) {
      await press(frame, "Welcome.md", "Control+x");
      await frame.locator(".clipboard").waitFor();
    },
  },
  {
    name: "moved",
    until: LIST,
    async before(page) {
      await answer({ done: 1 })(page);
      await listWithout("Welcome.md")(page);
    },
    async act(frame) {
      await moveInto(frame);
      await frame.locator(".toast").waitFor();
      await frame.locator(row("Welcome.md")).waitFor({ state: "detached" });
    },
  },
  {
    name: "deleted",
    until: LIST,
    async before(page) {
      await listWithout("Data")(page);
      await page.route("**/api/embed/storage/delete", (route) =>
        route.fulfill({ json: { done: 1, failed: [], cursor: null, undo: "undo", undoable: true } }),
      );
    },
    async act(frame) {
      await press(frame, "Data", "Space");
      await press(frame, "Data", "Delete");
      await frame.locator(".toast").waitFor();
      await frame.locator(row("Data")).waitFor({ state: "detached" });
    },
  },
  {
    name: "undone",
    until: LIST,
    async before(page) {
      await page.route("**/api/embed/storage/delete", (route) =>
        route.fulfill({ json: { done: 1, failed: [], cursor: null, undo: "undo", undoable: true } }),
      );
      await page.route("**/api/embed/storage/restore", (route) =>
        route.fulfill({ json: { restored: 1, failed: [], cursor: null } }),
      );
    },
    async act(frame, page) {
      await press(frame, "Data", "Space");
      await press(frame, "Data", "Delete");
      await frame.locator(".toast").waitFor();
      const restored = page.waitForResponse("**/api/embed/storage/restore");
      await press(frame, "Welcome.md", "Control+z");
      await restored;
      await frame.locator(".toast").waitFor();
    },
  },
  {
    name: "conflict-question",
    until: LIST,
    before: answer({ conflicts: [{ name: "Welcome.md", key: "Welcome.md" }] }),
    async act(frame) {
      await moveInto(frame);
      await frame.locator("dialog[open] .conflicts td").first().waitFor();
    },
  },
  {
    name: "conflict-each",
    until: LIST,
    before: answer({
      conflicts: ["Welcome.md", "Terms.md"].map((name) => ({ name, key: name })),
    }),
    async act(frame) {
      await frame.locator(`${row("Welcome.md")} input`).click();
      await frame.locator(`${row("Terms.md")} input`).click();
      await moveInto(frame);
      await frame.locator("dialog[open] .dialog__check input").check();
      await frame.locator("dialog[open] .conflicts select").first().waitFor();
    },
  },
  {
    name: "change-failed",
    until: LIST,
    before: answer({ failed: [{ key: "Welcome.md", code: "upload_conflict" }] }),
    async act(frame) {
      await moveInto(frame);
      await frame.locator(".change-failures").waitFor();
    },
  },
  {
    name: "change-running",
    until: LIST,
    before: respond("move", "never"),
    async act(frame) {
      await moveInto(frame);
      await frame.locator(".download__progress").waitFor();
    },
  },
];
