import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));
const seconds = 1_000;

// Print the seed of this run's property tests. The same seed gives the same cases.
process.env.FAST_CHECK_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
console.log(`FAST_CHECK_SEED=${process.env.FAST_CHECK_SEED}`);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
/** Vitest's default is one second, which a busy machine may need for a request to a provider that is repeated after a pause. */
const patient = { poll: { timeout: 15 * seconds } };
/**
 * Each worker loads the app's modules once. A test that changes a module's state restores it. Tests spend much of their time waiting for
 * other processes: six workers keep two cores busy.
 */
const manyFilesInAWorker = { isolate: false, maxWorkers: 6 };
/**
 * Files that wait long for other programs. Without the durations of an earlier run, as in CI, Vitest begins with the files that have the most
 * bytes, and these have few: one worker would be left with them at the end.
 */
const longest = [
  "local/dev-ends.test.ts",
  "local/dev.test.ts",
  "tests/integration/delete-databases.test.ts",
  "tests/integration/unwritable-output.test.ts",
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.includes(relative(root, moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
/** Vite does not read `paths` of tsconfig.json. */
const client = `${root}embed-element/client/`;
const resolve = {
  alias: {
    "platform-embed-element/client/archive": `${client}downloads/zip/archive-bytes.ts`,
    "platform-embed-element/client/node": `${client}world-node.ts`,
    "platform-embed-element/client": `${client}index.ts`,
  },
};
const fastCheck = "tests/support/vitest/fast-check.ts";

/** `npm run test:unit`, `test:integration`, `test:engines`, `test:contract`, `test:production`, `test:release`, `test:office` and `test:site`. */
export default defineConfig({
  root,
  test: {
    // Vitest's default is one worker fewer than there are cores, but most of these tests wait for other processes.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        test: {
          name: "unit",
          expect: patient,
          root,
          include: [
            "{app,embed-element,lab,local,prisma}/**/*.test.{ts,tsx}",
            "tests/repository/**/*.test.ts",
          ],
          setupFiles: [fastCheck],
          ...manyFilesInAWorker,
          // Some tests start programs and PostgreSQL, which takes long on a busy machine.
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        resolve,
        test: {
          name: "integration",
          expect: patient,
          root,
          include: ["tests/integration/**/*.test.ts"],
          // All files share one built app and one local stack.
          globalSetup: ["tests/support/vitest/global-setup.ts"],
          setupFiles: [fastCheck, "tests/support/vitest/check-contract.ts"],
          ...manyFilesInAWorker,
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        resolve,
        test: {
          name: "production",
          expect: patient,
          root,
          include: ["tests/production/**/*.test.ts"],
          globalSetup: ["tests/support/vitest/global-setup.ts"],
          testTimeout: 300 * seconds,
          hookTimeout: 300 * seconds,
          // These tests measure time, so they run one after the other.
          fileParallelism: false,
        },
      },
      {
        resolve,
        test: {
          name: "engines",
          expect: patient,
          root,
          include: ["tests/engines/**/*.test.ts"],
          globalSetup: ["tests/support/vitest/global-setup.ts"],
          testTimeout: 60 * seconds,
          hookTimeout: 120 * seconds,
        },
      },
      {
        resolve,
        test: {
          name: "office",
          expect: patient,
          root,
          include: ["tests/office/**/*.test.ts"],
          testTimeout: 60 * seconds,
          // LibreOffice converts some thirty files.
          hookTimeout: 600 * seconds,
          fileParallelism: false,
        },
      },
      {
        resolve,
        test: {
          name: "site",
          expect: patient,
          root,
          include: ["tests/site/**/*.test.ts"],
          testTimeout: 60 * seconds,
          // It builds the site.
          hookTimeout: 300 * seconds,
        },
      },
      {
        resolve,
        test: {
          name: "release",
          root,
          include: ["tests/release/**/*.test.ts"],
          // It unpacks the server's folder.
          testTimeout: 120 * seconds,
          // It installs and builds twice.
          hookTimeout: 1_200 * seconds,
        },
      },
      {
        resolve,
        test: {
          name: "contract",
          expect: patient,
          root,
          include: ["tests/contract/**/*.test.ts"],
          setupFiles: [fastCheck],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
    ],
  },
});
