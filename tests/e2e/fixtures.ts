import { test as base, expect, type FrameLocator, type Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { makeBucket, newBucketName, openBucket, type TestBucket } from "../support/files/bucket";
import { writeObjects } from "../support/files/many-objects";
import { type Integrator, startIntegrator } from "./integrator";

interface Fixtures {
  /** Texts by key that the integrator's bucket contains from the start. For many objects this is far faster than `bucket.put`. */
  initialObjects: Record<string, string>;
  integrator: Integrator;
  /** opens the integrator's page and returns its frame once it is ready; before that an overlay covers it */
  openEmbed: (path?: string) => Promise<FrameLocator>;
  /** console messages that are allowed in this test; any other error or warning fails it */
  allowedConsole: RegExp[];
}

export { expect };

/** Gives every test its own integrator. An unexpected console error fails the test. */
export const test = base.extend<Fixtures, { stack: StackInfo }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      await use(JSON.parse(process.env.TEST_STACK ?? "null"));
    },
    { scope: "worker" },
  ],

  initialObjects: [{}, { option: true }],

  integrator: async ({ stack, initialObjects }, use) => {
    const integrator = await startIntegrator(stack, await bucketWith(stack, initialObjects));
    await use(integrator);
    await integrator.close();
  },

  openEmbed: async ({ page, integrator }, use) => {
    await use(async (path = "/") => {
      await page.goto(integrator.origin + path);
      await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
      return page.frameLocator("iframe");
    });
  },

  // biome-ignore lint/correctness/noEmptyPattern: as above
  allowedConsole: async ({}, use) => {
    await use([]);
  },

  page: async ({ page, allowedConsole }, use) => {
    const unexpected = watchConsole(page, allowedConsole);
    await use(page);
    expect(unexpected, "what the browser's console said").toEqual([]);
  },
});

/** `count` files for `initialObjects`; each contains `x` if `file` returns only its key. */
export function manyFiles(
  count: number,
  file: (index: number) => string | [key: string, text: string],
): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const made = file(index);
      return typeof made === "string" ? [made, "x"] : made;
    }),
  );
}

async function bucketWith(stack: StackInfo, objects: Record<string, string>): Promise<TestBucket> {
  const keys = Object.keys(objects);
  const folder = process.env.TEST_OBJECTS_FOLDER;
  if (keys.length === 0 || !folder) return makeBucket(stack);
  const bucket = openBucket(stack.objectStore, newBucketName());
  writeObjects(folder, bucket.name, keys, (key) => objects[key] ?? "");
  return bucket;
}

function watchConsole(page: Page, allowed: RegExp[]): string[] {
  const unexpected: string[] = [];
  const report = (text: string) => {
    if (!allowed.some((pattern) => pattern.test(text))) unexpected.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") report(message.text());
  });
  page.on("pageerror", (error) => report(String(error)));
  return unexpected;
}
