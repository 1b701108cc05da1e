import { existsSync } from "node:fs";
import type { Engine } from "./engine";
import { startFirefox } from "./firefox";
import { startWebKit } from "./webkit";

export interface FoundEngine {
  name: string;
  /** null if it is not installed; `folder` is for its profile and downloads, `preferences` is Firefox's alone */
  start: ((folder: string, preferences?: Record<string, unknown>) => Promise<Engine>) | null;
  /** what has to be installed to have it tested */
  packages: string;
}

const first = (...paths: string[]) => paths.find((path) => existsSync(path));

/** The engines other than Chromium, as Debian installs them. */
export function findEngines(): [firefox: FoundEngine, webkit: FoundEngine] {
  const firefox = first("/usr/bin/firefox-esr", "/usr/bin/firefox");
  const driver = first("/usr/bin/WebKitWebDriver");
  const xvfb = first("/usr/bin/Xvfb");
  const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch as string] ?? process.arch;
  const browser = first(
    ...["4.1", "4.0"].map((version) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
  );
  return [
    {
      name: "Firefox",
      start: firefox ? (folder, preferences) => startFirefox(firefox, folder, preferences) : null,
      packages: "firefox-esr",
    },
    {
      name: "WebKit",
      start: driver && browser && xvfb ? (folder) => startWebKit({ driver, browser, xvfb }, folder) : null,
      packages: "webkit2gtk-driver and xvfb",
    },
  ];
}
