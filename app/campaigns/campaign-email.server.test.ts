import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../email/markdown.server";
import { themeNames } from "../email/themes";
import { validationMessages } from "../shared/validation-messages";
import { renderCampaignEmail } from "./campaign-email.server";
import { CAMPAIGN_JOB_PATH, campaignJobSchema, jobKeyOf, MAX_JOB_BYTES } from "./campaign-job.server";

const least = {
  recipient: { email: "Ada@Example.com" },
  campaignId: "spring",
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
};
const siteUrl = "https://northwind.example";
const products = [{ name: "Trail Pack", url: "https://northwind.example/p" }, { name: "Night <Lamp>" }];
const events = [
  { title: "Night hike", date: "2026-12-05" },
  { title: "Open <day>", date: "every Sunday" },
];
const parse = (changes: object) => campaignJobSchema.parse({ ...least, ...changes });
const render = (changes: object, template = "https://u.example/{token}") =>
  renderCampaignEmail(parse(changes), { unsubscribing: { template }, renderMarkdown });

/** The visible texts of one section of the e-mail. */
function textsIn(html: string, section: "preheader" | "card" | "footer"): string[] {
  const [, after = ""] = html.split(new RegExp(`class="${section}"[^>]*>`));
  const end = { preheader: "</div>", card: '<tr><td class="footer"', footer: "</table>" }[section];
  const [inner = ""] = after.split(end);
  return inner
    .replace(/<!--.*?-->/gs, "")
    .split(/<[^>]*>/)
    .map((text) => text.replace(/&#847;|&zwnj;|&nbsp;/g, "").trim())
    .filter((text) => text !== "");
}

const issuesOf = async (work: () => Promise<unknown>) => {
  try {
    await work();
    return [];
  } catch (error) {
    return (error as { issues: { path: string; message: string }[] }).issues;
  }
};

describe("a campaign e-mail", () => {
  it("shows only what the job has", async () => {
    const { html } = await render({});
    expect(textsIn(html, "card")).toEqual(["Northwind", "Spring", "Hello,"]);
    expect(textsIn(html, "footer")).toEqual(["Sent by Northwind"]);
    expect(textsIn(html, "preheader")).toEqual(["Hello,"]);
  });

  it("shows everything that a job can have", async () => {
    const { html } = await render({
      recipient: { ...least.recipient, name: "Ada", unsubscribeToken: "t" },
      branding: { siteName: "North & West", siteUrl, supportEmail: "help@northwind.example" },
      featuredProducts: products,
      events,
    });
    expect(textsIn(html, "card")).toEqual([
      "North &amp; West",
      "Spring",
      "Hello Ada,",
      "Featured",
      "Trail Pack",
      "northwind.example",
      "Night &lt;Lamp&gt;",
      "Events",
      "5",
      "Dec",
      "Night hike",
      "Saturday, December 5, 2026",
      "Open &lt;day&gt;",
      "every Sunday",
      "Visit North &amp; West",
    ]);
    expect(textsIn(html, "footer")).toEqual([
      "Questions? Write to",
      "help@northwind.example",
      "Sent by North &amp; West",
      "Unsubscribe",
    ]);
    expect(textsIn(html, "preheader")).toEqual(["Hello Ada, Trail Pack Night &lt;Lamp&gt;"]);
  });

  it.each([
    [
      "products",
      { featuredProducts: products },
      "Featured:\n- Trail Pack: https://northwind.example/p\n- Night <Lamp>",
    ],
    ["events", { events }, "Events:\n- Night hike: Saturday, December 5, 2026\n- Open <day>: every Sunday"],
  ])("greets with only %s, and lists them in the text", async (_, changes, list) => {
    const { html, text } = await render(changes);
    expect(textsIn(html, "card")).toContain("Hello,");
    expect(text).toBe(`Spring\n\nHello,\n\n${list}\n\nSent by Northwind`);
  });

  it("is in the language of the job, including dates", async () => {
    const { html, text } = await render({
      locale: "de-AT",
      recipient: { ...least.recipient, name: "Ada" },
      branding: { siteName: "Northwind", supportEmail: "help@northwind.example" },
      events,
    });
    expect(html).toContain('<html lang="de-AT" dir="ltr"');
    expect(textsIn(html, "card").slice(2, 4)).toEqual(["Guten Tag Ada,", "Veranstaltungen"]);
    expect(text).toContain("Veranstaltungen:\n- Night hike: Samstag, 5. Dezember 2026\n");
    expect(textsIn(html, "footer")).toEqual([
      "Fragen? Schreiben Sie an",
      "help@northwind.example",
      "Gesendet von Northwind",
    ]);
  });

  it("shows an event's time in its time zone, and refuses an unknown time zone", async () => {
    const events = [{ title: "Night hike", date: "2026-12-05T19:30", timeZone: "America/New_York" }];
    expect((await render({ events, locale: "fr" })).text).toContain(
      "- Night hike: samedi 5 décembre 2026 · 19:30 heure normale de l’Est nord-américain\n",
    );
    const wrong = { ...least, events: [{ title: "x", date: "2026-12-05", timeZone: "Mars/Olympus" }] };
    expect(campaignJobSchema.safeParse(wrong).error?.issues[0]?.path).toEqual(["events", 0, "timeZone"]);
  });

  it("shows pictures and prices of products, and the postal address and reason in the footer", async () => {
    const { html, text } = await render({
      theme: "stone",
      featuredProducts: [
        {
          name: "Tent",
          url: "https://northwind.example/t",
          imageUrl: "https://northwind.example/t.png",
          price: "€ 129",
        },
        { name: "Lamp", price: "€ 9", url: "", imageUrl: "" },
      ],
      branding: { siteName: "Northwind", postalAddress: "1 Harbour <Road>\r\n  Springfield" },
      reason: "You signed up & asked for it.",
    });
    expect(html).toMatch(/<img class="image" src="https:\/\/northwind.example\/t.png" alt="Tent" width="96"/);
    expect(html).toContain("1 Harbour &lt;Road&gt;<br>Springfield");
    expect(html).toContain("#78716c");
    expect(text).toContain("- Tent – € 129: https://northwind.example/t\n- Lamp – € 9\n");
    expect(text).toContain(
      "Sent by Northwind\n\n1 Harbour <Road>\nSpringfield\n\nYou signed up & asked for it.",
    );
  });

  it("lets each of the integrator's texts set its own direction, and adds space above the button", async () => {
    const { html } = await render({
      locale: "he",
      branding: { siteName: "Northwind", siteUrl, postalAddress: "1 Harbour Road." },
      featuredProducts: [{ name: "Tent (two)", price: "€ 129.00" }],
    });
    for (const line of ["Tent (two)", "€ 129.00", "1 Harbour Road."])
      expect(html.slice(0, html.indexOf(`>${line}<`))).toMatch(/<p class="[\w-]+" dir="auto"[^>]*$/);
    expect(html).toMatch(
      /<td class="after" height="16"[^<]*<\/td><\/tr><\/table><table[^>]*class="rows"[^>]*><tr><td class="action"/,
    );
  });

  it("names the products if they make it too long", async () => {
    const featuredProducts = Array.from({ length: 100 }, (_, at) => ({
      name: "n".repeat(300),
      url: `https://northwind.example/${at}/${"x".repeat(600)}`,
    }));
    expect(await issuesOf(() => render({ featuredProducts }))).toMatchObject([{ path: "featuredProducts" }]);
  });
});

describe("a campaign job", () => {
  it("is identified by its campaign and its recipient's address in lower case", () => {
    expect(jobKeyOf(parse({}))).toEqual({ campaignId: "spring", recipient: "ada@example.com" });
  });

  it.each(["\ud83d", "\ud83da", "a\ud83d"])(
    "refuses a lone surrogate in the token: %j",
    (unsubscribeToken) => {
      expect(
        campaignJobSchema.safeParse({ ...least, recipient: { ...least.recipient, unsubscribeToken } })
          .success,
      ).toBe(false);
    },
  );

  it("has one issue if a token is too long, whatever else is wrong with it", () => {
    const recipient = { ...least.recipient, unsubscribeToken: `\ud83d${"a".repeat(500)}` };
    expect(campaignJobSchema.safeParse({ ...least, recipient }).error?.issues).toHaveLength(1);
  });

  it("may be as large as an e-mail, and is delivered to the job endpoint's path", () => {
    const featuredProducts = Array.from({ length: 100 }, () => ({
      name: "n".repeat(300),
      url: `${siteUrl}/${"x".repeat(700)}`,
    }));
    expect(JSON.stringify(parse({ featuredProducts })).length).toBeLessThan(MAX_JOB_BYTES);
    expect(CAMPAIGN_JOB_PATH).toBe("/api/queue/send-email");
  });
});

describe("a campaign e-mail with words of its own", () => {
  const own = {
    recipient: { ...least.recipient, name: "Ada" },
    site: { subject: "{{name}}, spring is here" },
    branding: { siteName: "Northwind", siteUrl },
    body: "Dear {{first_name|friend}},\n\nyour code is **{{code}}**. [Shop]({{shop}}) or [read](https://x.example/?u={{id}}).",
    preheader: "A code for {{first_name|you}}",
    button: { label: "Use {{code}}", url: "https://x.example/use?c={{code}}" },
    variables: { first_name: "Ada", code: "A&B", shop: "https://shop.example/", id: 7 },
  };

  it("has them in place of our greeting, with variables filled", async () => {
    const { subject, html, text } = await render(own);
    expect(subject).toBe("Ada, spring is here");
    expect(textsIn(html, "preheader")).toEqual(["A code for Ada"]);
    expect(textsIn(html, "card")).toEqual([
      "Northwind",
      "Ada, spring is here",
      "Dear Ada,",
      "your code is",
      "A&amp;B",
      ".",
      "Shop",
      "or",
      "read",
      ".",
      "Use A&amp;B",
    ]);
    expect(html).toContain('href="https://x.example/use?c=A%26B"');
    expect(html).toContain('href="https://shop.example/"');
    expect(text).toBe(
      "Ada, spring is here\n\nDear Ada,\n\nyour code is A&B. Shop (https://shop.example/) or read (https://x.example/?u=7).\n\n" +
        "Use A&B: https://x.example/use?c=A%26B\n\nSent by Northwind",
    );
  });

  it("has products and events below them, and the link to the site if there is no other button", async () => {
    const { text } = await render({ ...own, button: undefined, featuredProducts: products });
    expect(text).toMatch(
      /\n\nFeatured:\n- Trail Pack.+\n.+\n\nVisit Northwind: https:\/\/northwind\.example\n/,
    );
  });

  it("has the body as its preview if there is no preheader", async () => {
    const { html } = await render({ ...own, preheader: "" });
    expect(textsIn(html, "preheader")[0]).toMatch(/^Dear Ada, your code is A&amp;B\./);
  });

  it.each(themeNames)("is in each language and theme: %s", async (theme) => {
    for (const locale of ["ar", "de", "en", "es", "fr", "he", "it", "ja", "nl", "pl", "pt-BR", "zh-Hans"]) {
      const { html } = await render({ ...own, theme, locale });
      expect(html).toContain(`<html lang="${locale}" dir="${["ar", "he"].includes(locale) ? "rtl" : "ltr"}"`);
      expect(textsIn(html, "card")).toContain("Dear Ada,");
    }
  });

  it("names everything that is missing, in every text", async () => {
    const issues = await issuesOf(() =>
      render({
        ...own,
        site: { subject: "{{a}}" },
        preheader: "{{b}}",
        body: "{{c}}",
        button: { label: "{{d}}", url: "https://x.example/{{e}}" },
        variables: { a: "", b: null },
      }),
    );
    expect(issues.map(({ path }) => path)).toEqual([
      "variables.a",
      "variables.b",
      "variables.d",
      "variables.e",
      "variables.c",
    ]);
  });

  it("names the body if that makes it too long", async () => {
    const body = "> a\n\n".repeat(1_500);
    expect(await issuesOf(() => render({ ...own, body }))).toMatchObject([{ path: "body" }]);
  });

  it("refuses names and values that cannot be variables", () => {
    const issueOf = (changes: object) =>
      campaignJobSchema
        .safeParse({ ...least, ...changes }, { error: validationMessages })
        .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    expect(issueOf({ variables: { "first name": "x" } })).toEqual([
      "variables.first name: is not a variable's name: it must begin with a letter, and have only letters, digits and _, at most 50",
    ]);
    expect(issueOf({ variables: { a: "x".repeat(2_001) } })).toEqual([
      "variables.a: must have at most 2000 characters",
    ]);
    expect(issueOf({ variables: { a: {} } })).toEqual(["variables.a: must be a text or a number"]);
    expect(issueOf({ body: " \n " })).toEqual(["body: must not be blank"]);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`v${at}`, "x"]));
    expect(issueOf({ variables: many })).toEqual(["variables: must be at most 100 variables"]);
  });

  it("has values on one line, without changes of direction", async () => {
    const variables = { ...own.variables, first_name: "A\u202Ed\u2066a\r\n\tL.\u0000", code: "1" };
    expect((await render({ ...own, variables })).text).toContain("Dear Ada L.,");
    const invisible = { ...own.variables, first_name: "\u200B\u2060" };
    expect((await render({ ...own, variables: invisible })).text).toContain("Dear friend,");
    const recipient = { ...least.recipient, name: "\u202A\u2067Ada" };
    expect((await render({ ...own, recipient })).subject).toBe("Ada, spring is here");
  });

  it("has the direction of its own words, not of the variables' names", async () => {
    const { html } = await render({ body: "{{first_name|}} שלום לך", site: { subject: "{{name|}} שלום" } });
    expect(html).toContain('dir="rtl"');
  });
});
