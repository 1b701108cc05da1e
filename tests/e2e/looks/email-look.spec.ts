/**
 * The appearance of each e-mail: computed contrast on phone and desktop, in light and dark; accessibility; and the layout in Outlook for
 * Windows, which ignores unsupported styles.
 */
import { expect, type Page, test } from "@playwright/test";
import { themeNames } from "../../../app/email/themes";
import { campaignEmail, PICTURES, simpleEmail } from "../../support/email/sample-emails";
import { asInWord } from "../../support/email/word-engine";
import { findViolations } from "../find-violations";

const hebrew = {
  locale: "he",
  title: "Northwind: החשבון שלך מוכן",
  description:
    "שלום **עדה**,\n\n1. פתחו את [הפורטל](https://x.example)\n\n- קבצים\n\n> ציטוט\n\n```\nnpm install\n```",
};
const emails: Record<string, () => Promise<string> | string> = {
  ...Object.fromEntries(themeNames.map((theme) => [theme, async () => (await simpleEmail({ theme })).html])),
  hebrew: async () => (await simpleEmail(hebrew)).html,
  campaign: async () => (await campaignEmail()).html,
};

for (const [name, render] of Object.entries(emails)) {
  test(`${name}: text has AA contrast and nothing is cut off, on a phone and a desk, in light and dark`, async ({
    page,
  }) => {
    await showPictures(page);
    const html = await render();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 700]) {
        await page.setViewportSize({ width, height: 900 });
        await page.setContent(html);
        const texts = await measureTexts(page);
        expect(texts.length).toBeGreaterThan(8);
        expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        const column = await page.locator(".column").boundingBox();
        expect(column?.width).toBe(Math.min(width, 600));
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(
          background.match(/\d+/g)?.every((part) => (colorScheme === "dark" ? +part < 40 : +part > 240)),
        ).toBe(true);
      }
    }
    expect(await findViolations(page)).toEqual([]);
  });
}

test("in Outlook for Windows, lines do not merge and blocks keep their spacing", async ({ page }) => {
  await showPictures(page);
  for (const render of Object.values(emails)) {
    const html = await render();
    await page.setContent(html);
    const lines = await page.locator(".column").innerText();
    await page.setContent(asInWord(html));
    expect(await page.locator(".column").innerText()).toBe(lines);
    for (const [cell, inside] of [
      [".button-cell", "a"],
      [".quote", "blockquote"],
      [".block", "pre"],
      [".row", "table"],
    ] as const) {
      for (const one of await page.locator(cell).all()) {
        const [outer, inner] = [await one.boundingBox(), await one.locator(inside).first().boundingBox()];
        expect((inner?.y ?? 0) - (outer?.y ?? 0), cell).toBeGreaterThanOrEqual(12);
        expect((outer?.width ?? 0) - (inner?.width ?? 0), cell).toBeGreaterThanOrEqual(30);
      }
    }
  }
});

test("logos and product pictures keep a light background in dark mode, even if colours are inverted", async ({
  page,
}) => {
  await showPictures(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setContent((await campaignEmail()).html);
  for (const plate of [".plate", ".plate-cell"]) {
    const ground = page.locator(plate).first();
    await expect(ground).toHaveCSS("background-color", "rgb(255, 255, 255)");
    await expect(ground).toHaveCSS("background-image", /^linear-gradient\(rgb\(255, 255, 255\)/);
  }
});

test("in Hebrew, bullets, the quotation bar and file badges are on the right", async ({ page }) => {
  await page.setContent((await simpleEmail(hebrew)).html);
  const card = await page.locator(".card").boundingBox();
  const isRight = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return (box?.x ?? 0) > (card?.x ?? 0) + (card?.width ?? 0) / 2;
  };
  expect(await isRight(".badge")).toBe(true);
  await expect(page.locator(".list").first()).toHaveCSS("margin-right", "26px");
  await expect(page.locator(".quote")).toHaveCSS("border-right-width", "4px");
  await expect(page.locator(".quote")).toHaveCSS("border-left-width", "0px");
  expect(await page.locator(".title").evaluate((title) => getComputedStyle(title).direction)).toBe("rtl");
});

/** A dark logo and a dark product picture, which would be invisible on a dark card. */
async function showPictures(page: Page): Promise<void> {
  const body =
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" fill="#111827"/></svg>';
  await page.route(`${PICTURES}**`, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
}

/** Each visible text with its contrast to what is behind it, and what WCAG 2.2 asks for (1.4.3). */
function measureTexts(page: Page): Promise<{ text: string; ratio: number; needed: number }[]> {
  return page.evaluate(() => {
    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element): string => {
      for (let at: Element | null = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        const [, , , alpha = 1] = channels(backgroundColor);
        if (alpha === 1) return backgroundColor;
      }
      return "rgb(255, 255, 255)";
    };
    const found: { text: string; ratio: number; needed: number }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent?.trim() ?? "";
      const element = walker.currentNode.parentElement;
      if (text === "" || element === null || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const [light = 0, dark = 0] = [luminance(style.color), luminance(behind(element))].sort(
        (a, b) => b - a,
      );
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      found.push({
        text: text.slice(0, 40),
        ratio: Math.round(((light + 0.05) / (dark + 0.05)) * 100) / 100,
        needed: isLarge ? 3 : 4.5,
      });
    }
    return found;
  });
}
