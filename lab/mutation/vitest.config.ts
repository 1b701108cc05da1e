import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The app's unit tests, for the mutation tester: it runs every project of a configuration, so this one has no others. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["app/**/*.test.{ts,tsx}"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
