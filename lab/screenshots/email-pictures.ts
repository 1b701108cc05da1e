import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { themeNames } from "../../app/email/themes";
import { campaignEmail, PICTURES, shortEmail, simpleEmail } from "../../tests/support/email/sample-emails";
import { asInWord } from "../../tests/support/email/word-engine";
import type { Picture } from "./contact-sheet";

/** What somebody would write in each of these languages; what is ours comes with the locale. */
const written: Record<string, { simple: object; campaign: object }> = {
  en: { simple: {}, campaign: {} },
  de: {
    simple: {
      title: "Ihre Rechnung für Dezember liegt bereit",
      description:
        "Guten Tag Frau Lovelace,\n\nIhre **Rechnung** ist in Ihren [Dateien](https://x.example).\n\n## Was Sie jetzt tun können\n\n1. Rechnung herunterladen\n2. An die Buchhaltungsabteilung weiterleiten\n   - mit Kostenstelle\n\n> Zahlbar innerhalb von dreißig Tagen.",
      button: { label: "Zum Kundenportal", url: "https://portal.northwind.example" },
    },
    campaign: { reason: "Sie erhalten diese E-Mail, weil Sie sich auf northwind.example angemeldet haben." },
  },
  ja: {
    simple: {
      title: "12月分の請求書をお届けします",
      description:
        "エイダ様\n\nいつもお世話になっております。**請求書**を[ファイル](https://x.example)に保存しました。\n\n## 次の手順\n\n1. 請求書をダウンロード\n2. 経理部へ転送\n   - 部門コードを添えて\n\n> お支払い期限は三十日以内です。",
      siteName: "ノースウィンド商会",
      button: { label: "ポータルを開く", url: "https://portal.northwind.example" },
    },
    campaign: {
      site: { subject: "春が来ました" },
      reason: "northwind.example にご登録いただいた方にお送りしています。",
    },
  },
  ar: {
    simple: {
      title: "فاتورة شهر ديسمبر جاهزة",
      description:
        "مرحبًا آدا،\n\n**الفاتورة** محفوظة في [ملفاتك](https://x.example).\n\n## ما العمل الآن\n\n1. نزّلي الفاتورة\n2. أرسليها إلى قسم المحاسبة\n   - مع رمز القسم\n\n> تُدفع خلال ثلاثين يومًا.",
      siteName: "شركة رياح الشمال",
      button: { label: "افتحي البوابة", url: "https://portal.northwind.example" },
    },
    campaign: { site: { subject: "حلّ الربيع" }, reason: "تصلك هذه الرسالة لأنك سجّلتِ في northwind.example." },
  },
};

/** How a mail client shows it: as it is written, with its colours turned over as some do in the dark, or, on a desk, laid out by Word. */
const views = [360, 700].flatMap((width) =>
  (["light", "dark", "inverted", "word"] as const)
    .filter((client) => client !== "word" || width === 700)
    .map((client) => ({ client, width })),
);
/** Pictures stay as they are, also those that lie behind something: what is in front of those stays too. */
const INVERTED = `html { filter: invert(1) hue-rotate(180deg); background: #fff }
[style*="linear-gradient"], img:not([style*="linear-gradient"] img) { filter: invert(1) hue-rotate(180deg) }`;

interface Email {
  state: string;
  locale: string;
  html: string;
}

/** Each theme in English, and the first theme in every language that there is something written in. */
async function emails(locales: readonly string[]): Promise<Email[]> {
  const found: Email[] = [];
  for (const locale of locales.filter((name) => name in written)) {
    const { simple, campaign } = written[locale] as (typeof written)[string];
    const isEnglishText = Object.keys(simple).length === 0;
    for (const theme of themeNames.slice(0, locale === "en" ? undefined : 1)) {
      const look = { theme, locale };
      const add = (state: string, { html }: { html: string }) => found.push({ state, locale, html });
      add(`email-simple-${theme}`, await simpleEmail({ ...simple, ...look }));
      add(`email-campaign-${theme}`, await campaignEmail({ ...campaign, ...look }));
      if (isEnglishText) add(`email-short-${theme}`, await shortEmail(look));
    }
  }
  return found;
}

/** Takes a picture of each e-mail, whole, as different mail clients show it. */
export async function takeEmails(
  folder: string,
  browser: Browser,
  { locales, isWanted }: { locales: readonly string[]; isWanted: (state: string) => boolean },
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const { state, locale, html } of (await emails(locales)).filter((email) => isWanted(email.state))) {
    for (const { client, width } of views) {
      const file = `${state}.${locale}.${client}.${width}.png`;
      const page = await browser.newPage({
        viewport: { width, height: 700 },
        colorScheme: client === "dark" ? "dark" : "light",
      });
      await page.route(`${PICTURES}**`, (route) =>
        route.request().url().endsWith("logo.svg")
          ? route.fulfill({ contentType: "image/svg+xml", body: LOGO })
          : route.fulfill({ contentType: "image/jpeg", body: readFileSync(PHOTO) }),
      );
      await page.setContent(client === "word" ? asInWord(html) : html, { waitUntil: "networkidle" });
      if (client === "inverted") await page.addStyleTag({ content: INVERTED });
      await page.screenshot({ path: join(folder, file), fullPage: true });
      await page.close();
      pictures.push({ file, state, locale, theme: client, size: String(width) });
    }
  }
  return pictures;
}

/** Dark, so that it is invisible without a light background. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><path d="M4 34 20 6l16 28Z" fill="#0f766e"/><text x="46" y="27" font-family="sans-serif" font-size="20" font-weight="700" fill="#111827">Northwind</text></svg>';
const PHOTO = "local/demo-files/Photos/Morning at the quay.jpg";
