import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The app's and the engine's unit tests, for the mutation tester: it runs every project of a configuration, so this one has no others. */
export default defineConfig({
  root,
  resolve: { alias: { "platform-embed-element/client": `${root}embed-element/client/index.ts` } },
  test: {
    include: ["{app,embed-element/client}/**/*.test.{ts,tsx}"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
