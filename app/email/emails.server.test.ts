import { describe, expect, it } from "vitest";
import { renderCampaignEmail } from "../campaigns/campaign-email.server";
import { campaignJobSchema } from "../campaigns/campaign-job.server";
import {
  contrast,
  MIN_CONTROL_CONTRAST,
  MIN_TEXT_CONTRAST,
  parseColor,
  type Rgb,
} from "../embed/appearance/color";
import { MAX_HTML_BYTES } from "./layout.server";
import { renderMarkdown } from "./markdown.server";
import { renderSimpleEmail, simpleEmailSchema } from "./simple-email.server";
import { themeNames, themes } from "./themes";

const simple = (changes: object = {}, sender?: { name: string | undefined; address: string }) =>
  renderSimpleEmail(
    simpleEmailSchema.parse({ to: "ada@example.com", title: "Hello", description: "Some text", ...changes }),
    sender,
    renderMarkdown,
  );
const issues = (changes: object) => {
  const body = { to: "ada@example.com", title: "Hello", description: "Some text", ...changes };
  const { error } = simpleEmailSchema.safeParse(body);
  return error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
};
const job = {
  recipient: { email: "ada@example.com", name: "Ada", unsubscribeToken: "a/b c" },
  campaignId: "spring",
  site: { subject: "Spring is here" },
  branding: {
    siteName: "Northwind",
    siteUrl: "https://northwind.example/",
    logoUrl: "https://northwind.example/logo.png",
    supportEmail: "help@northwind.example",
  },
  featuredProducts: [{ name: "Trail <Pack>", url: "https://northwind.example/p?a=1&b=2" }],
  events: [{ title: "Night hike", date: "2026-12-05" }],
};
const TEMPLATE = "{siteUrl}/unsubscribe?token={token}";
const campaign = (changes: object = {}, template = TEMPLATE) =>
  renderCampaignEmail(campaignJobSchema.parse({ ...job, ...changes }), {
    unsubscribing: { template },
    renderMarkdown,
  });

const contrastOf = (one: string, other: string) => contrast(parseColor(one) as Rgb, parseColor(other) as Rgb);

describe("every e-mail", () => {
  it.each([...themeNames, "campaign" as const])("is built for real mail clients: %s", async (name) => {
    const { html } =
      name === "campaign"
        ? await campaign()
        : await simple({ theme: name, logoUrl: "https://x.example/l.png" });
    expect(html).toMatch(/^<!doctype html><html lang="en"/);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('<meta name="supported-color-schemes" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme: dark)");
    expect(html).toContain('<!--[if mso]><table role="presentation" width="600"');
    expect(html).toContain("max-width: 600px");
    expect(html).not.toMatch(/<script|<link|@import|{{|undefined/);
    expect(html.match(/<table/g)).toHaveLength(html.match(/<table [^>]*role="presentation"/g)?.length ?? 0);
    for (const image of html.match(/<img[^>]*>/g) ?? []) expect(image).toMatch(/ alt="[^"]+"/);
    expect(html.length).toBeLessThan(MAX_HTML_BYTES);
  });

  it("has a subject that no mail program decodes", async () => {
    const hidden = `=?UTF-8?B?${Buffer.from("\u202egpj.exe").toString("base64")}?=`;
    const shown = hidden.replace("=?", "= ?");
    expect((await simple({ title: "2 + 2 =?" })).subject).toBe("2 + 2 =?");
    const inValue = { site: { subject: "{{x}}" }, variables: { x: hidden } };
    for (const { subject, html } of [await simple({ title: hidden }), await campaign(inValue)]) {
      expect(subject).toBe(shown);
      expect(html).toContain(`<title>${hidden}</title>`);
    }
  });

  it.each([
    ["blue", "#3b82f6", "#1f2937", "#f6f9fc"],
    ["red", "#ef4444", "#991b1b", "#fef2f2"],
    ["black", "#000000", "#1f2937", "#f9fafb"],
    ["stone", "#78716c", "#44403c", "#fafaf9"],
  ] as const)("has the colours that are promised: %s", async (theme, primary, secondary, background) => {
    expect(themes[theme].light).toMatchObject({ primary, secondary, background });
    const { html } = await simple({ theme, siteName: "Northwind" });
    expect(html).toMatch(new RegExp(`class="bar"[^>]*background-color: ${primary}`));
    expect(html).toMatch(new RegExp(`<h1 class="title"[^>]*color: ${secondary}`));
    expect(html).toMatch(new RegExp(`class="page"[^>]*background-color: ${background}`));
  });

  it.each(themeNames)("can be read in its theme, in light and dark: %s", (theme) => {
    for (const palette of [themes[theme].light, themes[theme].dark]) {
      const { background, card, secondary, text, muted, accent, onAccent } = palette;
      const pairs = [
        [secondary, card],
        [text, card],
        [text, background],
        [muted, card],
        [muted, background],
        [accent, card],
        [onAccent, accent],
      ] as const;
      for (const [one, other] of pairs)
        expect(contrastOf(one, other), `${one} on ${other}`).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST);
      expect(contrastOf(accent, card), "the button").toBeGreaterThanOrEqual(MIN_CONTROL_CONTRAST);
    }
  });

  it("has no bar that dazzles in the dark, in no theme", async () => {
    for (const theme of themeNames) {
      const { primary } = themes[theme].dark;
      expect((await simple({ theme })).html).toContain(`.bar { background-color: ${primary} !important; }`);
      expect(contrastOf(primary, "#ffffff"), theme).toBeGreaterThan(2);
    }
    expect(contrastOf(themes.black.dark.primary, themes.black.dark.card)).toBeLessThan(MIN_CONTROL_CONTRAST);
  });
});

describe("a simple e-mail", () => {
  it("is blue unless told, and shows the logo, the attachments and the site", async () => {
    const { html, text } = await simple({
      logoUrl: "https://x.example/logo.png",
      siteName: 'North "&" Wind',
      pdf: ["https://files.example/a/Terms%20%26%20more.pdf?sig=1&x=2", "https://files.example/"],
    });
    expect(html).toContain(themes.blue.light.primary);
    expect(html).toMatch(
      /<img[^>]*src="https:\/\/x\.example\/logo\.png"[^>]*alt="North &quot;&amp;&quot; Wind"/,
    );
    expect(html).toMatch(
      /href="https:\/\/files\.example\/a\/Terms%20%26%20more\.pdf\?sig=1&amp;x=2"[^>]*>Terms &amp; more\.pdf</,
    );
    expect(html).toContain("PDF, opens on files.example");
    expect(html).toContain("Sent by North &quot;&amp;&quot; Wind");
    expect(text).toBe(
      'Hello\n\nSome text\n\nDocuments:\n- Terms & more.pdf (PDF): https://files.example/a/Terms%20%26%20more.pdf?sig=1&x=2\n- files.example (PDF): https://files.example/\n\nSent by North "&" Wind',
    );
  });

  it.each([
    ["its site", "Northwind", { name: "Platform", address: "no-reply@platform.example" }, "Northwind"],
    ["the sender", undefined, { name: "Platform", address: "no-reply@platform.example" }, "Platform"],
    [
      "the sender's address",
      "",
      { name: undefined, address: "no-reply@platform.example" },
      "no-reply@platform.example",
    ],
  ])("names %s in the footer, as mail programs show it", async (_, siteName, sender, shown) => {
    const { html, text } = await simple({ siteName }, sender);
    expect(html).toMatch(new RegExp(`<p class="footer-line"[^>]*>Sent by ${shown}</p>`));
    expect(text).toBe(`Hello\n\nSome text\n\nSent by ${shown}`);
  });

  it("has a button, where one is asked for", async () => {
    const button = { label: "Open <it>", url: "https://x.example/?a=1&b=2" };
    const { html, text } = await simple({ button });
    expect(html).toMatch(
      /<td class="button-cell"[^>]*mso-padding-alt: 14px 26px[^>]*><a class="button" href="https:\/\/x.example\/\?a=1&amp;b=2"/,
    );
    expect(text).toBe("Hello\n\nSome text\n\nOpen <it>: https://x.example/?a=1&b=2");
    expect(issues({ button: { label: "x", url: "javascript:1" } })[0]).toMatch(/^button.url: /);
    expect(issues({ button: { ...button, colour: "red" } })[0]).toMatch("colour");
  });

  it("does not let the name of a file turn the line around", async () => {
    expect((await simple({ pdf: ["https://x.example/%E2%80%AEfdp.exe"] })).text).toContain(
      "- [U+202E]fdp.exe (PDF)",
    );
  });

  it("has no control characters and direction overrides, in neither part", async () => {
    const email = await simple({
      description: "Pay\u202e tomorrow\u0007\u2028now &#8238;or &#x202D;never\r\nagain",
    });
    for (const part of [email.html, email.text]) {
      expect(part).not.toMatch(/[\u202d\u202e]/);
      expect(part).not.toMatch(/[^\P{Cc}\t\n]/u);
    }
    // A reference is text.
    expect(email.html).not.toMatch(/&#8238;|&#x202d;/i);
    expect(email.text).toMatch(/Pay tomorrow\nnow &#8238;or &#x202D;never\nagain/);
  });

  it("previews what it says", async () => {
    expect((await simple({ description: "**One** and\ntwo" })).html).toMatch(
      /class="preheader"[^>]*>One and two&#847;/,
    );
  });

  it("keeps a title to one line", async () => {
    expect((await simple({ title: "Hi\r\nBcc: eve@example.com" })).subject).toBe("Hi Bcc: eve@example.com");
  });

  it("takes everybody once", () => {
    const to = ["Ada@Example.com", "Ada@example.com", "bob@bücher.example"];
    const { to: recipients } = simpleEmailSchema.parse({ to, title: "t", description: "d" });
    expect(recipients).toEqual([
      { to: "Ada@Example.com", address: "Ada@example.com" },
      { to: "bob@bücher.example", address: "bob@xn--bcher-kva.example" },
    ]);
  });

  it("says what is wrong, all at once", () => {
    const wrong = {
      to: ["ada@example.com", "nobody"],
      title: " ",
      theme: "green",
      logoUrl: "ftp://x",
      pdf: ["javascript:1"],
    };
    expect(issues(wrong).map((issue) => issue.split(":")[0])).toEqual([
      "to.1",
      "title",
      "theme",
      "logoUrl",
      "pdf.0",
    ]);
    expect(issues({ to: [] })[0]).toMatch(/^to: /);
    expect(issues({ to: "nobody" })).toEqual(["to: must be an e-mail address, like ada@example.com"]);
    expect(issues({ to: 5 })).toEqual(["to: must be an e-mail address, or a list of 1 to 50 of them"]);
    expect(issues({ to: Array(51).fill("ada@example.com") })[0]).toMatch(/^to: /);
    expect(issues({ description: " \n" })).toEqual(["description: must not be blank"]);
    expect(issues({ description: "a".repeat(20_001) })[0]).toMatch("102 kB");
    expect(issues({ titel: "x" })[0]).toMatch("titel");
  });

  it("says its own words in the language that it is asked for, and runs its way", async () => {
    const he = await simple({ locale: "iw", siteName: "Northwind", pdf: ["https://files.example/a.pdf"] });
    expect(he.html).toMatch(/^<!doctype html><html lang="he" dir="rtl"/);
    expect(he.html).toContain("מסמך");
    expect((await simple({ locale: "fr", pdf: ["https://files.example/a.pdf"] })).text).toContain(
      "Document\u00a0:\n",
    );
    const sv = await simple({ locale: "sv", siteName: "N" });
    expect(sv.html).toMatch(/^<!doctype html><html lang="sv" dir="ltr"/);
    expect(sv.text).toContain("Sent by N");
    expect(issues({ locale: "no tag" })).toEqual(["locale: must be a BCP 47 language tag, like de or pt-BR"]);
    expect(issues({ locale: "e".repeat(36) })).toHaveLength(1);
    expect((await simple({ locale: "" })).html).toContain('<html lang="en" dir="ltr"');
  });

  it.each([
    ["Acme: שלום לכולם, הנה החדשות", "rtl"],
    ["مرحبًا", "rtl"],
    ["Hello שלום everybody", "ltr"],
    ["重要", "ltr"],
  ])("without a locale runs as most of its letters do: %s", async (title, dir) => {
    expect((await simple({ title, description: "1.", siteName: "Northwind" })).html).toContain(
      `<html lang="en" dir="${dir}"`,
    );
  });

  it("stays whole with the longest plain text, and says so when the HTML would be cut off", async () => {
    const longest = (await simple({ description: "word ".repeat(4_000) })).html;
    expect(Buffer.byteLength(longest)).toBeLessThan(MAX_HTML_BYTES);
    await expect(simple({ description: "a\n\n".repeat(2_000) })).rejects.toEqual(
      expect.objectContaining({
        code: "invalid_request",
        issues: [
          {
            path: "description",
            message: expect.stringMatching(/^makes the e-mail's HTML \d+ kB long; .* 102 kB/),
          },
        ],
      }),
    );
  });
});

describe("a campaign e-mail", () => {
  it("has everything the job says, in both parts", async () => {
    const { subject, html, text } = await campaign();
    expect(subject).toBe("Spring is here");
    expect(html).toContain("Hello Ada,");
    expect(html).toMatch(/href="https:\/\/northwind\.example\/p\?a=1&amp;b=2"[^>]*>Trail &lt;Pack&gt;</);
    expect(html).toContain("Saturday, December 5, 2026");
    expect(html).toContain('src="https://northwind.example/logo.png"');
    expect(html).toContain('href="mailto:help@northwind.example"');
    expect(html).toContain('href="https://northwind.example/unsubscribe?token=a%2Fb%20c"');
    expect(text).toBe(
      "Spring is here\n\nHello Ada,\n\n" +
        "Featured:\n- Trail <Pack>: https://northwind.example/p?a=1&b=2\n\n" +
        "Events:\n- Night hike: Saturday, December 5, 2026\n\n" +
        "Visit Northwind: https://northwind.example/\n\nQuestions? Write to help@northwind.example\n\n" +
        "Sent by Northwind\n\nUnsubscribe: https://northwind.example/unsubscribe?token=a%2Fb%20c",
    );
  });

  it("needs no more than the required members", async () => {
    const least = { recipient: { email: "ada@example.com" }, branding: { siteName: "N", logoUrl: "" } };
    const { html, text, headers } = await campaign({
      ...least,
      featuredProducts: undefined,
      events: undefined,
    });
    expect(html).toContain("Hello,");
    expect(text).toBe("Spring is here\n\nHello,\n\nSent by N");
    expect(headers).toEqual([]);
  });

  it("can be unsubscribed from with one click where the link is https", async () => {
    expect((await campaign()).headers).toEqual([
      { name: "List-Unsubscribe", value: "<https://northwind.example/unsubscribe?token=a%2Fb%20c>" },
      { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
    ]);
    expect((await campaign({}, "http://127.0.0.1/u/{token}")).headers).toEqual([
      { name: "List-Unsubscribe", value: "<http://127.0.0.1/u/a%2Fb%20c>" },
    ]);
    const hostile = await campaign({
      recipient: { email: "a@b.co", unsubscribeToken: "x>\r\nBcc: <eve@example.com" },
    });
    expect(hostile.headers[0]?.value).toMatch(/^<[!-;=?-~]+>$/);
  });

  it("is refused when there is a token and no place to unsubscribe at", async () => {
    await expect(campaign({ branding: { siteName: "N" } })).rejects.toThrow(
      expect.objectContaining({
        issues: [{ path: "branding.siteUrl", message: "is needed for the unsubscribe link" }],
      }),
    );
    expect(
      (await campaign({ branding: { siteName: "N" } }, "https://u.example/{token}")).headers,
    ).toHaveLength(2);
  });

  it("says so when the HTML would be cut off", async () => {
    const featuredProducts = Array.from({ length: 100 }, (_, index) => ({
      name: "n".repeat(300),
      url: `https://northwind.example/${index}/${"x".repeat(600)}`,
    }));
    await expect(campaign({ featuredProducts })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});
