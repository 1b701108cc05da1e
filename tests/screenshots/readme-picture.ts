import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { themes } from "./scenes";

const folder = "docs/images";

/** The README's picture, in light and dark: photos in the demo's portal, at two pixels for each of CSS. */
export async function takeReadmePicture({ demoClient }: StackInfo, browser: Browser): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const theme of themes) {
    const context = await browser.newContext({
      viewport: { width: 1120, height: 680 },
      deviceScaleFactor: 2,
      colorScheme: theme,
      locale: "en-CA",
      timezoneId: "America/Toronto",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const frame = page.frameLocator("platform-embed iframe");
    await page.goto(demoClient.origin);
    await page.locator("platform-embed:state(ready)").waitFor();
    await frame.getByRole("row", { name: "Photos", exact: true }).click();
    await frame.getByRole("button", { name: "Tiles" }).click();
    await frame.locator(".tile img").nth(5).waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({
      path: join(folder, `explorer-${theme}.jpg`),
      type: "jpeg",
      quality: 85,
      animations: "disabled",
    });
    await context.close();
  }
}
