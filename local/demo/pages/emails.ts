import { z } from "zod";
import { renderCampaignEmail } from "../../../app/campaigns/campaign-email.server";
import type { CampaignJob } from "../../../app/campaigns/campaign-job.server";
import { escapeHtml } from "../../../app/email/escape-html";
import { renderMarkdown } from "../../../app/email/markdown.server";
import { themeNames } from "../../../app/email/themes";
import { AppError, type InputIssue } from "../../../app/shared/app-error";
import { asJson, callApi, type DemoBackend, type DemoPage, type DemoResponse } from "../page";

const SAMPLE = `Hi Ada,
your account is **ready** :tada:. Here is what to do *first*:

1. Open the [customer portal](https://portal.northwind.example)
2. Upload your documents
3. Invite your team

Good to know:

- Files stay in **Canada**
- Support answers within a day 🙂`;

const names = [...themeNames, "campaign"] as const;

const formSchema = z.object({
  to: z.string(),
  title: z.string(),
  description: z.string(),
  siteName: z.string(),
  pdf: z.string(),
});
type Form = z.output<typeof formSchema>;

/** Every kind of e-mail side by side. The API previews the simple e-mails; the campaign, which has no preview, is rendered here. */
export const emailsPage: DemoPage = {
  path: "/emails",
  label: "E-mails",
  title: "E-mails",
  lead: "Each theme and a campaign, from one text. Send any of them, and read it in the mailbox.",
  render: ({ mailboxUrl }) => `
<form id="email" class="card fields">
  <label>To <input name="to" type="email" required value="ada@example.com"></label>
  <label>Title <input name="title" required maxlength="200" value="Welcome to Northwind, Ada"></label>
  <label>Site name <input name="siteName" maxlength="100" value="Northwind Traders"></label>
  <label>PDF link <input name="pdf" type="url" value="https://files.northwind.example/Getting%20started.pdf"></label>
  <label class="wide">Text, in Markdown <textarea name="description" rows="8" required>${escapeHtml(SAMPLE)}</textarea></label>
  <p id="outcome" role="status"></p>
  <p class="wide">What is sent arrives in the <a href="${escapeHtml(mailboxUrl)}" target="_blank" rel="noreferrer">mailbox</a>. The previews follow this page's colours.</p>
</form>
<div class="gallery">${names
    .map(
      (name) => `
  <section class="card" aria-label="${name}">
    <header><h2>${name}</h2><button type="button" data-send="${name}">Send</button></header>
    <div class="sent" data-sent="${name}" role="status"></div>
    <iframe data-preview="${name}" title="Preview: ${name}" sandbox=""></iframe>
  </section>`,
    )
    .join("")}
</div>
<script type="module" src="/emails.js"></script>`,
  backend: {
    "POST /email-previews": async (backend, body) =>
      withForm(body, async (form) => {
        const previews: Record<string, string> = {};
        for (const theme of themeNames) {
          const email = { ...simpleEmail(form), theme };
          const response = await callApi(backend, "/api/preview-simple-email", email);
          const { html, error, issues } = JSON.parse(String(response.body));
          if (response.status !== 200)
            return asJson(response.status, { error: issues?.map(describe).join(" ") ?? error });
          previews[theme] = html;
        }
        const campaign = await renderCampaignEmail(campaignJob(form), {
          unsubscribing: { template: "{siteUrl}/unsubscribe?token={token}" },
          renderMarkdown,
        });
        return asJson(200, { previews: { ...previews, campaign: campaign.html } });
      }),
    "POST /send-email": async (backend, body) =>
      withForm(body, (form, name) =>
        name === "campaign"
          ? publish(backend, campaignJob(form))
          : callApi(backend, "/api/send-simple-email", { ...simpleEmail(form), theme: name }),
      ),
  },
};

function simpleEmail({ to, title, description, siteName, pdf }: Form) {
  return { to, title, description, siteName, pdf: pdf === "" ? [] : [pdf] };
}

/** A new campaign each time, because a campaign is sent to the same person only once. */
function campaignJob({ to, title, siteName }: Form): CampaignJob {
  return {
    recipient: { email: to, name: "Ada Lovelace", unsubscribeToken: crypto.randomUUID() },
    campaignId: crypto.randomUUID(),
    site: { subject: title },
    branding: {
      siteName: siteName || "Northwind Traders",
      siteUrl: "https://northwind.example",
      supportEmail: "help@northwind.example",
    },
    featuredProducts: [
      { name: "Trail Pack 40", url: "https://northwind.example/trail-pack-40" },
      { name: "Ridge Tent for two", url: "https://northwind.example/ridge-tent" },
    ],
    events: [
      { title: "Map reading for beginners", date: "2027-03-06" },
      { title: "Night hike", date: "2027-04-17" },
    ],
  };
}

async function publish({ apiBaseUrl, queue }: DemoBackend, job: CampaignJob): Promise<DemoResponse> {
  const response = await fetch(`${queue.url}/v2/publish/${apiBaseUrl}/api/queue/send-email`, {
    method: "POST",
    headers: { Authorization: `Bearer ${queue.token}`, "Content-Type": "application/json" },
    body: JSON.stringify(job),
  }).catch(() => undefined);
  if (!response?.ok) return asJson(502, { error: "The queue did not take the campaign." });
  return asJson(200, { success: true });
}

async function withForm(
  body: string,
  work: (form: Form, name: string) => Promise<DemoResponse>,
): Promise<DemoResponse> {
  const sent = z.object({ name: z.string().default(""), form: formSchema }).safeParse(JSON.parse(body));
  if (!sent.success) return asJson(400, { error: "Fill in the form." });
  try {
    return await work(sent.data.form, sent.data.name);
  } catch (error) {
    // A campaign that the API would refuse as well.
    if (error instanceof AppError) return asJson(400, { error: error.message, issues: error.issues });
    throw error;
  }
}

function describe({ path, message }: InputIssue): string {
  return `${path}: ${message}.`;
}
