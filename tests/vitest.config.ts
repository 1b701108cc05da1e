import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));
const seconds = 1_000;

/** `npm run test:unit`, `test:integration`, `test:engines`, `test:contract` and `test:production`. */
export default defineConfig({
  root,
  test: {
    // Left to itself it takes one fewer than there are cores; most of these tests wait for processes of their own.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "unit",
          root,
          include: ["{app,embed-element,local,prisma}/**/*.test.{ts,tsx}", "tests/repository/*.test.ts"],
          // Some start programs and PostgreSQL, which takes long where much else runs.
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        test: {
          name: "integration",
          root,
          include: ["tests/integration/**/*.test.ts"],
          // One built app and one local stack serve every file.
          globalSetup: ["tests/support/global-setup.ts"],
          setupFiles: ["tests/support/check-contract.ts"],
          // Most of their time is spent waiting for processes of their own.
          maxWorkers: 4,
          // The app's modules are loaded once in each worker. What a test changes of them it puts back, or makes anew.
          isolate: false,
          testTimeout: 30 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        test: {
          name: "production",
          root,
          include: ["tests/production/**/*.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
          testTimeout: 300 * seconds,
          hookTimeout: 300 * seconds,
          // What is measured here is measured by itself.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "engines",
          root,
          include: ["tests/engines/**/*.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
          testTimeout: 60 * seconds,
          hookTimeout: 120 * seconds,
        },
      },
      {
        test: {
          name: "contract",
          root,
          include: ["tests/contract/**/*.test.ts"],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
    ],
  },
});
