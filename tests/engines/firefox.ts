import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ElementHandle, type Frame, launch, type Page } from "puppeteer-core";
import type { Engine, Place } from "./engine";

/**
 * Drives Firefox through WebDriver BiDi, which needs no separate driver.
 * @param folder for profile and downloads
 * @param preferences as `about:config` has them
 */
export async function startFirefox(
  executablePath: string,
  folder: string,
  preferences: Record<string, unknown> = {},
): Promise<Engine> {
  const downloads = join(folder, "downloads");
  await mkdir(downloads, { recursive: true });
  const browser = await launch({
    browser: "firefox",
    executablePath,
    headless: true,
    extraPrefsFirefox: {
      "browser.download.dir": downloads,
      "browser.download.folderList": 2,
      "browser.download.useDownloadDir": true,
      "browser.download.alwaysOpenPanel": false,
      "intl.accept_languages": "en-CA",
      ...preferences,
    },
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  return {
    name: "Firefox",
    version: await browser.version(),
    downloads,
    async open(url) {
      await page.goto(url);
    },
    run: (where, body, ...args) => evaluate(placeIn(page, where), body, args),
    async click(selector) {
      const element = await frameOf(page).$(selector);
      if (element === null) throw new Error(`The frame has no ${selector}.`);
      await element.click();
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    async chooseFiles(selector, paths) {
      const input = await frameOf(page).$(selector);
      if (input === null) throw new Error(`The frame has no ${selector}.`);
      await (input as ElementHandle<HTMLInputElement>).uploadFile(...paths);
    },
    close: () => browser.close(),
  };
}

const placeIn = (page: Page, where: Place) => (where === "page" ? page.mainFrame() : frameOf(page));

function frameOf(page: Page): Frame {
  const [frame] = page.mainFrame().childFrames();
  if (!frame) throw new Error("The page has no frame.");
  return frame;
}

function evaluate<Result>(frame: Frame, body: string, args: unknown[]): Promise<Result> {
  return frame.evaluate((text, values) => new Function(text)(...values), body, args) as Promise<Result>;
}
