/** What an integrator asks for: hand-in pages, a picker, actions of its own, and files only once they are scanned. */
import type { FrameLocator, Page } from "@playwright/test";
import { clickIcon, LIST, openRow, press, row, type Scene } from "./scene";

const handIn = { view: "hand-in", uploadFolder: "/Inbox" };
const scanned = { actions: ["download"], requireTag: { key: "scan", value: "clean" } };

const handed = (name: string, bytes = 1_000) => ({
  name,
  mimeType: "application/pdf",
  buffer: Buffer.alloc(bytes, "x"),
});
const sent = async (frame: FrameLocator) => {
  const files = [handed("Application of Žofie.pdf"), handed("履歴書.pdf", 48_000)];
  await frame.locator("input[type=file]").first().setInputFiles(files);
  await frame.locator("[href='#icon-check']").nth(1).waitFor();
};

const withOwnActions = async (_frame: FrameLocator, page: Page) => {
  await page.locator("platform-embed").evaluate((element) => {
    Object.assign(element, {
      fileActions: [{ id: "sign", label: "Sign with Signwell…", for: "file", accept: ".pdf" }],
    });
  });
};

const HAND_IN = ".hand-in__main";

export const requestScenes: Scene[] = [
  {
    name: "checked-list",
    scope: scanned,
    until: LIST,
    async act(frame) {
      await press(frame, "Archive", "End");
      await frame.locator(".check-mark--blocked").waitFor();
    },
  },
  {
    name: "checked-tiles",
    scope: scanned,
    until: LIST,
    async act(frame) {
      await clickIcon(frame, "tiles");
      await frame.locator(`.tile${row("Archive")}`).waitFor();
      await press(frame, "Archive", "End");
      await frame.locator(".tile .check-mark--blocked").waitFor();
    },
  },
  { name: "hand-in", scope: handIn, until: HAND_IN },
  { name: "hand-in-sent", scope: handIn, until: HAND_IN, act: sent },
  {
    name: "hand-in-failed",
    scope: handIn,
    until: HAND_IN,
    before: (page) => page.route("**/*X-Amz-Signature*", (route) => route.fulfill({ status: 403 })),
    async act(frame) {
      await frame
        .locator("input[type=file]")
        .first()
        .setInputFiles([handed("Application.pdf")]);
      await frame.locator(".hand-in-row--failed").waitFor();
    },
  },
  {
    name: "hand-in-done",
    scope: handIn,
    until: HAND_IN,
    async act(frame) {
      await sent(frame);
      await frame.locator(".hand-in__foot button").last().click();
      await frame.locator("h1").waitFor();
    },
  },
  {
    name: "picker-file",
    attributes: 'picker="file" accept=".pdf"',
    until: LIST,
    async act(frame) {
      await openRow("Contracts")(frame);
      await frame.locator(row("Supply contract.docx")).waitFor();
      await openRow("Framework agreement 2026.pdf")(frame);
    },
  },
  { name: "picker-folder", attributes: 'picker="folder"', until: LIST },
  {
    name: "own-actions-menu",
    until: LIST,
    async act(frame, page) {
      await openRow("Contracts")(frame);
      await frame.locator(row("Supply contract.docx")).waitFor();
      await withOwnActions(frame, page);
      await frame.locator(row("Framework agreement 2026.pdf")).click({ button: "right" });
      await frame.getByRole("menuitem", { name: /Signwell/ }).waitFor();
    },
  },
  {
    name: "scanned-waiting",
    scope: scanned,
    until: LIST,
    async act(frame) {
      await openRow("Welcome.md")(frame);
      await frame.locator("dialog[open] [role=status]").waitFor();
    },
  },
  {
    name: "scanned-blocked",
    scope: scanned,
    until: LIST,
    async act(frame) {
      await openRow("Blocked.txt")(frame);
      await frame.locator("dialog[open] [role=alert]").waitFor();
    },
  },
];
