/** The stack of `npm run dev`, to which the console of `npm run docs -- --serve` sends requests. */
import { existsSync, readFileSync } from "node:fs";
import type { StackInfo } from "../local/stack-info";

/** Paths of the documentation's server that it passes to the stack. Browsers may not call the API from another origin. */
export const API_PATH = "/local/api";
export const PLATFORM_PATH = "/local/platform";

/** Returns undefined if no stack is running. */
export function readLocalStack(): StackInfo | undefined {
  const file = new URL(`../${process.env.LOCAL_STATE_DIR?.trim() || ".local"}/stack.json`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** For Vite's `server.proxy`. */
export function proxyToLocalStack() {
  const stack = readLocalStack();
  if (!stack) return undefined;
  const to = (target: string, path: string) => ({
    target,
    changeOrigin: true,
    rewrite: (url: string) => url.slice(path.length),
  });
  return {
    [API_PATH]: to(stack.apiBaseUrl, API_PATH),
    [PLATFORM_PATH]: to(stack.platformBaseUrl, PLATFORM_PATH),
  };
}
