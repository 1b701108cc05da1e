/** Sample e-mails, from minimal to complete, for tests of their appearance. */
import { renderCampaignEmail } from "../../../app/campaigns/campaign-email.server";
import { campaignJobSchema } from "../../../app/campaigns/campaign-job.server";
import type { EmailContent } from "../../../app/email/layout.server";
import { renderMarkdown } from "../../../app/email/markdown.server";
import { renderSimpleEmail, simpleEmailSchema } from "../../../app/email/simple-email.server";

const simple = (fields: object): Promise<EmailContent> =>
  renderSimpleEmail(simpleEmailSchema.parse({ to: "ada@example.com", ...fields }), undefined, renderMarkdown);

/** Base URL of the pictures. Tests intercept these requests and respond with a drawing. */
export const PICTURES = "https://pictures.example/";

export const everything =
  "Hi Ada,\nyour account is **ready** :tada:, with `code` and a [link](https://x.example).\n\n# What to do first\n\n1. Open the [portal](https://x.example)\n2. Upload your documents\n   - the contract\n   - the invoice\n\n" +
  "> The map is not the territory.\n>\n> Alfred Korzybski\n\nThen run it:\n\n" +
  `\`\`\`\nnpm install platform-embed-element\n  # ${"long line of code ".repeat(6)}\n\`\`\`\n\n---\n\n` +
  `| Item | Price | Delivery | Remarks |\n|---|--:|:-:|---|\n| Trail Pack 40 | € 129.00 | 2026-12-05 | ${"unbreakable".repeat(3)} |\n| Ridge Tent for two | € 1,349.00 | Monday | |\n\n${"unbreakable".repeat(14)}`;

export const simpleEmail = (changes: object = {}) =>
  simple({
    title: "A title that is long enough for two lines on a phone",
    description: everything,
    siteName: "Northwind Traders",
    button: { label: "Open the portal", url: "https://portal.northwind.example" },
    pdf: [
      "https://files.example/Getting%20started.pdf",
      `https://files.example/${"a-very-long-name-".repeat(6)}.pdf`,
    ],
    ...changes,
  });

export const shortEmail = (changes: object = {}) =>
  simple({ title: "Your invoice is ready", description: "It is in your files.", ...changes });

export const campaignEmail = (changes: object = {}) =>
  renderCampaignEmail(
    campaignJobSchema.parse({
      recipient: { email: "ada@example.com", name: "Ada", unsubscribeToken: "t" },
      campaignId: "spring",
      site: { subject: "Spring is here" },
      branding: {
        siteName: "Northwind",
        siteUrl: "https://northwind.example",
        logoUrl: `${PICTURES}logo.svg`,
        supportEmail: "help@northwind.example",
        postalAddress: "Northwind Traders Ltd.\n1 Harbour Road, Victoria BC",
      },
      reason: "You get this because you signed up at northwind.example.",
      featuredProducts: [
        {
          name: "Trail Pack 40",
          url: "https://northwind.example/p",
          imageUrl: `${PICTURES}pack.svg`,
          price: "€ 129.00",
        },
        { name: "Ridge Tent for two", url: "https://northwind.example/tent", price: "€ 349.00" },
        { name: "No link" },
      ],
      events: [
        { title: "Night hike", date: "2026-12-05T19:30", timeZone: "Europe/Berlin" },
        { title: "Map reading for beginners", date: "2027-03-06" },
        { title: "Repair café", date: "Sundays" },
      ],
      ...changes,
    }),
    { unsubscribing: { template: "{siteUrl}/unsubscribe?token={token}" }, renderMarkdown },
  );
