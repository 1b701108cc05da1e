/** The stack of `npm run dev`. With `npm run docs -- --serve`, the API console sends requests to it, and the home page embeds its files. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { StackInfo } from "../local/stack-info";

/** Paths of the documentation's server that it passes to the stack. Browsers may not call the API from another origin. */
export const API_PATH = "/local/api";
export const PLATFORM_PATH = "/local/platform";
/** The token endpoint of the demo. */
export const TOKEN_PATH = "/local/embed-url";

/** Returns undefined if no stack is running. */
export function readLocalStack(): StackInfo | undefined {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const file = resolve(root, process.env.LOCAL_STATE_DIR?.trim() || ".local", "stack.json");
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
    [TOKEN_PATH]: to(stack.demoUrl, "/local"),
  };
}
