import type { StackInfo } from "../../local/stack-info";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { test as base } from "./explorer-support";

export { expect } from "./explorer-support";

/** The test's own app with a faulty store. */
export const test = base.extend<{ endOfFaults: undefined }, { faulty: FaultyStore; stack: StackInfo }>({
  // Before the next test makes its bucket.
  endOfFaults: [
    async ({ faulty }, use) => {
      await use(undefined);
      faulty.intercept = null;
    },
    { auto: true },
  ],
  faulty: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      const faulty = await startFaultyStore(JSON.parse(process.env.TEST_STACK ?? "null"));
      await use(faulty);
      await faulty.close();
    },
    { scope: "worker" },
  ],
  stack: [
    async ({ faulty }, use) => {
      await use((await faulty.startApp()).stack);
    },
    { scope: "worker" },
  ],
});
