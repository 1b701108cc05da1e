/** Shared helpers of the transfer drills: a site whose browsers reach the store over a bad network, browsers, and files. */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium, type Page } from "@playwright/test";
import { startObjectStore } from "../../local/object-store";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, startIntegrator } from "../../tests/e2e/integrator";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { chromiumArgs } from "../../tests/support/machine/chromium-args";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { type BadNetwork, startBadNetwork } from "../../tests/support/network/bad-network";
import { bytesOf } from "./seed";

export const MB = 1_000_000;
const PIECE_BYTES = 8 * MB;
/** Short, so that tokens expire during a transfer. */
const TOKEN_LIFETIME_SECONDS = 10;

export interface Site {
  network: BadNetwork;
  integrator: Integrator;
  /** stops the store for this many milliseconds */
  stopStore(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts an app and an integrator with their own store. Both the browsers and the app reach the store over a bad network. */
export async function startSite(stack: StackInfo, dataDir: string): Promise<Site> {
  const { region, accessKeyId, secretAccessKey } = stack.objectStore;
  const startStore = (port: number) =>
    startObjectStore({ port, dataDir, region, accessKeyId, secretAccessKey });
  let store = await startStore(0);
  const network = await startBadNetwork(store.endpoint);
  const behind = { ...stack, objectStore: { ...stack.objectStore, endpoint: network.endpoint } };
  const app = await startBuiltApp(behind, { RATE_LIMIT_PER_TOKEN: "1000000", RATE_LIMIT_PER_KEY: "1000000" });
  const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
  const integrator = await startIntegrator({ ...behind, apiBaseUrl: app.apiBaseUrl, platformBaseUrl });
  integrator.asks = { expiresInSeconds: TOKEN_LIFETIME_SECONDS };
  // The element asks again. A rejection that nobody handles would end this process, and with it the other drills.
  integrator.respond = (response, request) =>
    integrator.grant(response, request).catch((error: unknown) => {
      console.error(error);
      integrator.json(response, 502, { error: "The platform did not issue a URL." });
    });
  return {
    network,
    integrator,
    async stopStore(milliseconds) {
      const { port } = new URL(store.endpoint);
      await store.close();
      await sleep(milliseconds);
      store = await startStore(Number(port));
    },
    async close() {
      await integrator.close();
      await app.close();
      await network.close();
      await store.close();
    },
  };
}

/** @param offset milliseconds by which the browser's clock is ahead */
export async function openBrowser(profile: string, integrator: Integrator, offset = 0): Promise<Page> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(() => {}),
    headless: true,
    args: chromiumArgs,
  });
  await context.addInitScript((ahead: number) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + ahead;
  }, offset);
  const page = await context.newPage();
  await page.goto(integrator.origin);
  await page.locator("platform-embed:state(ready)").waitFor();
  return page;
}

export const picker = (page: Page) => page.frameLocator("iframe").locator("input[type=file]").first();

export interface MadeFile {
  path: string;
  name: string;
  size: number;
  sha256: string;
}

/** Makes a file with bytes that the seed determines, piece by piece, so that this process can do other things meanwhile. */
export async function makeFile(folder: string, name: string, size: number, seed: number): Promise<MadeFile> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const bytes = bytesOf(seed, Math.min(PIECE_BYTES, size - at), "file", name, at);
    hash.update(bytes);
    await appendFile(path, bytes);
  }
  return { path, name, size, sha256: hash.digest("hex") };
}
