import { escapeHtml } from "../../../app/email/escape-html";
import type { DemoPage } from "../page";
import { embedTag } from "./files";

/** What Northwind's staff see: the service `activity`. */
export const activityPage: DemoPage = {
  path: "/activity",
  label: "Activity",
  title: "Activity",
  lead: "Who did what with the files, for Northwind's staff. Change something under Files in another tab, and see it appear.",
  render: () => `
<div class="with-aside">
  <section class="card embed" aria-label="Activity">${embedTag("/activity-url", "activity")}</section>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    <div><h3>On the page</h3>
    <pre tabindex="0"><code>${escapeHtml(PAGE_LINES)}</code></pre></div>
    <div><h3>On its server, which holds the API key</h3>
    <pre tabindex="0"><code>${escapeHtml(SERVER_LINES)}</code></pre></div>
    <p>A customer's own admin would get <code>scope: () =&gt; ({ bucket, path: "/their-folder" })</code>. Customers see the history of a single file in its details.</p>
  </aside>
</div>`,
};

const PAGE_LINES = `<platform-embed service="activity"
  token-endpoint="/activity-url"></platform-embed>`;

const SERVER_LINES = `const handler = createEmbedHandler({
  apiBaseUrl, apiKey,
  service: "activity",
  // {} is everything of the company.
  scope: (_, req) =>
    req.user?.isStaff ? {} : null,
});
app.post("/activity-url",
  toNodeHandler(handler));`;
