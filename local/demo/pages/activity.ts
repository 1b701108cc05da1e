import { codeBlock, type DemoPage } from "../page";
import { embedTag } from "./files";

/** What Northwind's staff see: the service `activity`. */
export const activityPage: DemoPage = {
  path: "/activity",
  label: "Activity",
  title: "Activity",
  lead: "Who did what with the files, for Northwind's staff. Change something under Files in another tab, and see it appear.",
  render: () => `
<div class="with-aside">
  <div class="card embed">${embedTag("/activity-url", "activity")}</div>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    ${codeBlock("On the page", PAGE_LINES)}
    ${codeBlock("On its server, which holds the API key", SERVER_LINES)}
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
