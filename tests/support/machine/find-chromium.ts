import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";
import { isCi } from "./installed";

/** Chromium without windows. It takes two thirds of an ordinary Chromium's processor time. */
const SHELL = "chromium-headless-shell";
const ordinaryNames = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge",
];
/** browsers that are installed outside PATH */
const ordinaryPaths = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * Returns the path of a browser for the tests, and logs which one it is and why. It looks in this order:
 *
 * 1. `CHROMIUM_PATH`
 * 2. Playwright's own
 * 3. the system's: developers get the faster headless shell, CI an ordinary browser, as users have
 * 4. a new installation: Playwright's download, or else the distribution's package
 * @throws Error that says how to get one
 */
export function findChromium(log: (line: string) => void): string {
  const named = process.env.CHROMIUM_PATH?.trim();
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is ${named}, which does not exist.`);
    log(`Browser: ${named}, from CHROMIUM_PATH.`);
    return named;
  }
  const found = findInstalled(log);
  if (found !== null) return found;

  log("Browser: none is installed. Trying Playwright's download.");
  run("npx", ["playwright", "install", "chromium"]);
  const downloaded = findInstalled(log);
  if (downloaded !== null) return downloaded;
  if (onPath("apt-get") !== null) {
    log("Browser: the download failed. Trying the distribution's package.");
    const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
    const aptGet = (...words: string[]) => {
      const [command = "", ...rest] = [...asRoot, "apt-get", ...words];
      run(command, rest);
    };
    aptGet("update");
    aptGet("install", "-y", "--no-install-recommends", "chromium", "fonts-liberation");
  }
  const installed = findInstalled(log);
  if (installed !== null) return installed;
  throw new Error(
    "No Chromium was found and none could be installed. Install Chromium or Chrome, or set CHROMIUM_PATH to one.",
  );
}

function findInstalled(log: (line: string) => void): string | null {
  const own = chromium.executablePath();
  if (existsSync(own)) {
    log(`Browser: ${own}, Playwright's own.`);
    return own;
  }
  const [shell, ordinary] = [onPath(SHELL), findOrdinaryChromium()];
  if (shell !== null && (ordinary === null || !isCi)) {
    log(`Browser: ${shell}, the fastest one. With CI=true the tests use an ordinary Chromium.`);
    return shell;
  }
  if (ordinary !== null) log(`Browser: ${ordinary}, an ordinary Chromium.`);
  return ordinary;
}

/**
 * Finds an ordinary browser, which has features that the headless shell lacks, such as the back/forward cache. Null if none is
 * installed.
 */
export function findOrdinaryChromium(): string | null {
  const own = chromium.executablePath();
  if (existsSync(own)) return own;
  for (const name of ordinaryNames) {
    const path = onPath(name);
    if (path !== null) return path;
  }
  return ordinaryPaths.find((path) => existsSync(path)) ?? null;
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
