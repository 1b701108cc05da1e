import { test as base, expect, type FrameLocator, type Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, startIntegrator } from "./integrator";

interface Fixtures {
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

  integrator: async ({ stack }, use) => {
    const integrator = await startIntegrator(stack);
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
