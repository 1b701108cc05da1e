import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Builder, By, Capabilities, type WebDriver, type WebElement } from "selenium-webdriver";
import { findFreePort } from "../support/machine/free-port";
import type { Engine, Key, Place } from "./engine";

/** WebDriver's names for keys. https://www.w3.org/TR/webdriver2/#keyboard-actions */
const keys: Record<Key, string> = {
  Enter: "\uE007",
  Escape: "\uE00C",
  ArrowDown: "\uE015",
  Backspace: "\uE003",
  Delete: "\uE017",
  F2: "\uE032",
  Tab: "\uE004",
};

export interface WebKitPaths {
  driver: string;
  browser: string;
  xvfb: string;
}

/** WebKitGTK's MiniBrowser on a virtual screen. @param folder its home, for downloads too */
export async function startWebKit({ driver, browser, xvfb }: WebKitPaths, folder: string): Promise<Engine> {
  const downloads = join(folder, "downloads");
  mkdirSync(downloads, { recursive: true });
  writeFileSync(join(folder, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const screen = await startScreen(xvfb);
  const port = await findFreePort();
  const service = spawn(driver, [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: "ignore",
    env: {
      ...process.env,
      DISPLAY: screen.display,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      LANGUAGE: "en",
      // The virtual screen has no graphics card.
      LIBGL_ALWAYS_SOFTWARE: "1",
      WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    },
  });
  const session = await connect(port, browser);
  const capabilities = await session.getCapabilities();
  return {
    name: "WebKit",
    version: String(capabilities.getBrowserVersion() ?? ""),
    downloads,
    async open(url) {
      await session.switchTo().defaultContent();
      await session.get(url);
    },
    async run(where, body, ...args) {
      await enter(session, where);
      return session.executeScript(body, ...args);
    },
    async click(selector) {
      await enter(session, "frame");
      await session.findElement(By.css(selector)).click();
    },
    async press(key) {
      await enter(session, "frame");
      await session.actions().sendKeys(keys[key]).perform();
    },
    async type(text) {
      await enter(session, "frame");
      await session.actions().sendKeys(text).perform();
    },
    async chooseFiles(selector, paths) {
      await enter(session, "frame");
      await session.findElement(By.css(selector)).sendKeys(paths.join("\n"));
    },
    async close() {
      await session.quit().catch(() => {});
      await stop(service);
      await stop(screen.process);
    },
  };
}

async function enter(session: WebDriver, where: Place): Promise<void> {
  await session.switchTo().defaultContent();
  if (where === "page") return;
  // The frame is in a shadow tree: the element's, which may be in the dialog's.
  const frame = await session.executeScript<WebElement>(`
    const find = (root) =>
      root.querySelector("iframe") ??
      [...root.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && find(shadowRoot)).find(Boolean);
    return find(document)`);
  await session.switchTo().frame(frame);
}

/** Waits until the driver listens. */
async function connect(port: number, binary: string): Promise<WebDriver> {
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary, args: ["--automation"] },
  });
  for (let attempt = 1; ; attempt++) {
    try {
      return await new Builder()
        .usingServer(`http://127.0.0.1:${port}`)
        .withCapabilities(capabilities)
        .build();
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** Xvfb chooses a free display number and prints it. */
async function startScreen(xvfb: string): Promise<{ display: string; process: ChildProcess }> {
  const child = spawn(xvfb, ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const output = child.stdio[3];
  if (!output || !("readable" in output)) throw new Error("Xvfb says nothing.");
  const lines = createInterface({ input: output as Readable });
  const [number] = await once(lines, "line", { signal: AbortSignal.timeout(20_000) });
  return { display: `:${number}`, process: child };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}
