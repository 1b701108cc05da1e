import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

/** Chromium without its windows: a third less work for the processor, which is most of what browser tests take. */
const SHELL = "chromium-headless-shell";
/** Where Chromium and Chrome are found by name, and where they hide when they are not on the path. */
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"];
const places = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * A browser for the tests, and in a sentence where it comes from: `CHROMIUM_PATH`, Playwright's own, the system's, or one that
 * is installed now (Playwright's download where it can be reached, else the distribution's package).
 * @throws Error that says how to get one
 */
export function findChromium(log: (line: string) => void): string {
  const named = process.env.CHROMIUM_PATH?.trim();
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is ${named}, and there is no such file.`);
    log(`Browser: ${named}, from CHROMIUM_PATH.`);
    return named;
  }
  const found = lookAround();
  if (found !== null) {
    log(`Browser: ${found}.`);
    return found;
  }

  log("Browser: none here. Trying Playwright's download.");
  run("npx", ["playwright", "install", "chromium"]);
  const downloaded = lookAround();
  if (downloaded !== null) {
    log(`Browser: ${downloaded}, downloaded by Playwright.`);
    return downloaded;
  }
  if (onPath("apt-get") !== null) {
    const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
    log("Browser: the download did not work. Trying the distribution's package.");
    const install = (...words: string[]) => {
      const [command = "", ...rest] = [...asRoot, "apt-get", ...words];
      run(command, rest);
    };
    install("update");
    for (const browser of [SHELL, "chromium"]) {
      if (lookAround() === null)
        install("install", "-y", "--no-install-recommends", browser, "fonts-liberation");
    }
  }
  const installed = lookAround();
  if (installed === null) {
    throw new Error(
      "No Chromium was found and none could be installed. Install Chromium or Chrome, or set CHROMIUM_PATH to one.",
    );
  }
  log(`Browser: ${installed}, installed by the distribution.`);
  return installed;
}

function lookAround(): string | null {
  const own = chromium.executablePath();
  return existsSync(own) ? own : (onPath(SHELL) ?? findWholeChromium());
}

/** A browser with what the shell leaves out, like the back/forward cache; null where there is none. */
export function findWholeChromium(): string | null {
  const own = chromium.executablePath();
  if (existsSync(own)) return own;
  for (const name of names) {
    const path = onPath(name);
    if (path !== null) return path;
  }
  return places.find((path) => existsSync(path)) ?? null;
}

function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function run(command: string, args: string[]): void {
  spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 5 * 60_000,
  });
}
