import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";

/**
 * Watches which scripts the frame loads.
 * @param platformBaseUrl its origin
 * @returns the size of each once nothing is loaded any more, bytes, compressed
 */
export function watchScripts(page: Page, platformBaseUrl: string): () => Promise<number[]> {
  const scripts: Promise<Buffer>[] = [];
  page.on("requestfinished", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== platformBaseUrl || !pathname.startsWith("/build/") || !pathname.endsWith(".js")) return;
    scripts.push(request.response().then((response) => response?.body() ?? Buffer.alloc(0)));
  });
  return async () => {
    await page.waitForLoadState("networkidle");
    return (await Promise.all(scripts)).map((script) => gzipSync(script).length);
  };
}

/** @param sizes of the scripts, bytes, compressed */
export function expectFewScripts(sizes: readonly number[], maxFiles: number): void {
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.length).toBeLessThanOrEqual(maxFiles);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(110_000);
}
