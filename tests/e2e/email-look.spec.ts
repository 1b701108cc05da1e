/** What a reader sees of each e-mail: contrast as the browser computed it, on a phone and on a desk, in light and dark. */
import { expect, type Page, test } from "@playwright/test";
import { renderCampaignEmail } from "../../app/campaigns/campaign-email.server";
import { campaignJobSchema } from "../../app/campaigns/campaign-job.server";
import { renderSimpleEmail, simpleEmailSchema } from "../../app/email/simple-email.server";
import { themeNames } from "../../app/email/themes";

const everything =
  "A [link](https://x.example), **bold**, `code`.\n\n# Heading\n\n1. one\n2. two\n\n- a\n\n> quoted [link](https://x.example)\n\n" +
  `\`\`\`\n${"long line of code ".repeat(12)}\n\`\`\`\n\n---\n\n${"unbreakable".repeat(20)}`;
const emails: Record<string, string> = Object.fromEntries(
  themeNames.map((theme) => [
    theme,
    renderSimpleEmail(
      simpleEmailSchema.parse({
        to: "ada@example.com",
        title: "A title that is long enough for two lines on a phone",
        description: everything,
        theme,
        siteName: "Northwind Traders",
        pdf: [`https://files.example/${"a-very-long-name-".repeat(8)}.pdf`],
      }),
    ).html,
  ]),
);
emails.campaign = renderCampaignEmail(
  campaignJobSchema.parse({
    recipient: { email: "ada@example.com", name: "Ada", unsubscribeToken: "t" },
    campaignId: "spring",
    site: { subject: "Spring is here" },
    branding: {
      siteName: "Northwind",
      siteUrl: "https://northwind.example",
      supportEmail: "help@northwind.example",
    },
    featuredProducts: [{ name: "Trail Pack", url: "https://northwind.example/p" }, { name: "No link" }],
    events: [
      { title: "Night hike", date: "2026-12-05" },
      { title: "Repair café", date: "Sundays" },
    ],
  }),
  "{siteUrl}/unsubscribe?token={token}",
).html;

for (const [name, html] of Object.entries(emails)) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [360, 700]) {
      test(`${name}, ${colorScheme}, ${width} px: text has AA contrast and nothing is cut off`, async ({
        page,
      }) => {
        await page.emulateMedia({ colorScheme });
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
      });
    }
  }
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
