import { escapeHtml } from "../../../app/email/escape-html";
import { asJson, callApi, type DemoContext, type DemoPage } from "../page";

/** A region without a cluster. */
const OTHER_REGION = "eu-central-1";
const PATH = "/api/cluster/databases";

export const databasesPage: DemoPage = {
  path: "/databases",
  label: "Databases",
  title: "Databases",
  lead: "One for each branch, made in the region where the branch is. A region without a cluster keeps it pending.",
  render: ({ clusterRegion }: DemoContext) => `
<div class="with-aside">
  <section class="card databases" aria-label="Databases">
    <form id="new-database" class="fields">
      <label>Name <input name="name" required maxlength="63" placeholder="Branch Montreal" autocomplete="off"></label>
      <label>Region
        <select name="region">
          <option value="${escapeHtml(clusterRegion)}">${escapeHtml(clusterRegion)}, which has a cluster</option>
          <option value="${OTHER_REGION}">${OTHER_REGION}, which has none</option>
        </select>
      </label>
      <label>Capacity at most, in ACU <input name="maxCapacityAcu" type="number" min="0" step="1" placeholder="no limit"></label>
      <p class="actions"><button>Create the database</button></p>
    </form>
    <p id="outcome" role="status"></p>
    <div class="table" tabindex="0" role="region" aria-label="List of databases">
      <table>
        <thead><tr><th>Name</th><th>Region</th><th>Status</th><th>Size</th><th>Created</th></tr></thead>
        <tbody id="databases"></tbody>
      </table>
    </div>
  </section>
  <aside class="card code" aria-label="How this page is made">
    <h2>What Northwind's server sends</h2>
    <pre tabindex="0"><code>${escapeHtml(requestLines(clusterRegion))}</code></pre>
    <p>Create one twice and see that nothing is made twice. Sizes come with <code>npm run databases -- refresh</code>.</p>
  </aside>
</div>
<script type="module" src="/databases.js"></script>`,
  backend: {
    "GET /my-databases": (backend) =>
      callApi(backend, `${PATH}?companyId=${encodeURIComponent(backend.companyId)}`),
    "POST /my-databases": async (backend, body) => {
      const { name, region, maxCapacityAcu } = readObject(body);
      // The company that is signed in, never one that the browser names.
      const wanted = { companyId: backend.companyId, name, region, maxCapacityAcu };
      return name === undefined ? asJson(400, { error: "Say a name." }) : callApi(backend, PATH, wanted);
    },
  },
};

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function requestLines(region: string): string {
  return `POST ${PATH}
Authorization: Bearer …
Content-Type: application/json

{
  "companyId": "demo-company",
  "name": "Branch Montreal",
  "region": "${region}"
}

GET ${PATH}?companyId=demo-company`;
}
