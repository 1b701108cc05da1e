import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { escapeHtml } from "../../app/email/escape-html";
import { themeNames } from "../../app/email/themes";
import type { StackInfo } from "../../local/stack-info";
import { simpleEmail } from "../support/email/sample-emails";
import { openRow } from "./scene";
import { themes } from "./scenes";

const folder = "docs/images";

/**
 * Takes the pictures of README and guides, in light and dark, with two device pixels per CSS pixel. They show the fonts of the machine,
 * which needs some with Japanese characters.
 */
export async function takePictures(stack: StackInfo, browser: Browser): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await takeExplorer(stack, browser);
  await takeThemes(browser);
}

/** Photos in the demo's portal. */
async function takeExplorer({ demoClient }: StackInfo, browser: Browser): Promise<void> {
  for (const theme of themes) {
    const context = await browser.newContext({
      viewport: { width: 1120, height: 736 },
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
    await openRow("Photos")(frame);
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

/** An e-mail in each of the themes, side by side. */
async function takeThemes(browser: Browser): Promise<void> {
  for (const colorScheme of themes) {
    const page = await browser.newPage({
      viewport: { width: 4 * 360 + 5 * 24, height: 760 },
      deviceScaleFactor: 2,
      colorScheme,
    });
    const frames: string[] = [];
    for (const theme of themeNames) {
      const { html } = await simpleEmail({
        title: "Your order has left",
        description: ORDER,
        theme,
        pdf: [INVOICE],
      });
      frames.push(
        `<iframe srcdoc="${escapeHtml(html)}" width="360" height="712" style="border: 0"></iframe>`,
      );
    }
    const ground = colorScheme === "dark" ? "#30363d" : "#d8dee6";
    await page.setContent(
      `<body style="margin: 0; padding: 24px; display: flex; gap: 24px; background: ${ground}">${frames.join("")}`,
    );
    await page.screenshot({
      path: join(folder, `email-${colorScheme}.jpg`),
      type: "jpeg",
      quality: 80,
    });
    await page.close();
  }
}

const INVOICE = "https://files.example/Invoice%201234.pdf";
const ORDER =
  "Hi Ada,\n\nyour **Trail Pack 40** left our warehouse this morning. It should be with you on *Thursday*.\n\n- Order 1234\n- [Follow your parcel](https://x.example)\n\n> Not at home? The driver leaves it with a neighbour.";
