/** The time machine: versions of a file, deleted files, and folders as they were. */
import type { FrameLocator } from "@playwright/test";
import { choose, clickIcon, LIST, row, type Scene } from "./scene";

/** Opens the menu of the past, and chooses from it by the drawing. In narrow frames it is part of the folder's menu. */
async function fromMenu(frame: FrameLocator, icon: "trash" | "clock"): Promise<void> {
  const entry = frame.locator(`[role=menuitem]:has([href="#icon-${icon}"])`);
  const clock = frame.locator('.toolbar button:has([href="#icon-clock"])');
  if (await clock.isVisible()) await clock.click();
  else await frame.locator('.toolbar button:has([href="#icon-more"])').click();
  // Other entries with a clock come before it.
  await entry.last().click();
}

async function showDeleted(frame: FrameLocator): Promise<void> {
  await fromMenu(frame, "trash");
  await frame.locator(row("Trade fair 2026")).waitFor();
}

async function openCalendar(frame: FrameLocator): Promise<void> {
  await fromMenu(frame, "clock");
  await frame.locator("dialog[open] .moment__list input").first().waitFor();
}

/** Opens the dialog of the versions in a narrow frame, their list beside the files in a wide one. */
async function openVersions(frame: FrameLocator): Promise<void> {
  await choose(frame, "Terms.md", "clock");
  await frame.locator(".versions__entry").nth(2).waitFor();
}

export const historyScenes: Scene[] = [
  { name: "past-deleted", until: LIST, act: showDeleted },
  {
    name: "past-deleted-selection",
    until: LIST,
    async act(frame) {
      await showDeleted(frame);
      await frame.locator(`${row("Trade fair 2026")} input[type=checkbox]`).click();
    },
  },
  {
    name: "past-purge-question",
    until: LIST,
    async act(frame) {
      await showDeleted(frame);
      // In narrow frames it is in the folder's menu, before the deleted files.
      const button = frame.locator(".past-bar__purge");
      if (await button.isVisible()) await button.click();
      else {
        await frame.locator('.toolbar button:has([href="#icon-more"])').click();
        await frame.locator('[role=menuitem]:has([href="#icon-trash"])').first().click();
      }
      await frame.locator("[role=alertdialog] li").first().waitFor();
    },
  },
  {
    name: "past-none-deleted",
    folder: "/Videos",
    until: LIST,
    act: (frame) => fromMenu(frame, "trash"),
  },
  {
    name: "past-menu",
    until: LIST,
    minWidth: 1280,
    act: (frame) => clickIcon(frame, "clock"),
  },
  { name: "past-calendar", until: LIST, act: openCalendar },
  {
    name: "past-folder",
    until: LIST,
    async act(frame) {
      await openCalendar(frame);
      await frame.locator("dialog[open] .moment__list input").nth(1).check();
      await frame.locator("dialog[open] .button--primary").click();
      await frame.locator(".past-bar").waitFor();
      await frame.locator(LIST).waitFor();
    },
  },
  { name: "versions", until: LIST, act: openVersions },
  {
    name: "versions-compared",
    until: LIST,
    async act(frame) {
      await openVersions(frame);
      await frame.locator(".versions__entry").nth(1).locator(".versions__more").click();
      await frame.locator(".menu__item").nth(1).click();
      await frame.locator(".comparison [data-change]").first().waitFor();
    },
  },
];
