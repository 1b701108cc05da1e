import { Client } from "pg";
import { escapeHtml } from "../../../app/email/escape-html";
import {
  asJson,
  callApi,
  type DemoBackend,
  type DemoContext,
  type DemoPage,
  type DemoResponse,
} from "../page";

/** A region without a cluster. */
const OTHER_REGION = "eu-central-1";
const PATH = "/api/cluster/databases";
/** SQLSTATE of a login that does not exist, or has another password. */
const REFUSED_LOGIN = "28P01";
/** Time limit of a statement in the query box, milliseconds. */
const QUERY_TIMEOUT_MS = 5_000;
const MAX_ROWS = 50;

export const databasesPage: DemoPage = {
  path: "/databases",
  label: "Databases",
  title: "Databases",
  lead: "One for each branch, made in the region where the branch is. Connect to it, and delete it: for a week it comes back.",
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
        <thead><tr><th>Name</th><th>Region</th><th>Status</th><th>Size</th><th>Created</th><td></td></tr></thead>
        <tbody id="databases"></tbody>
      </table>
    </div>
    <section id="opened" aria-labelledby="opened-name" hidden>
      <h2 id="opened-name" tabindex="-1"></h2>
      <h3>Logins</h3>
      <p>Each reaches this database and no other. A password is shown once.</p>
      <ul id="logins"></ul>
      <p class="actions"><button type="button" id="add-login">Make a login</button></p>
      <pre id="login-url" tabindex="0" aria-label="The new login" hidden></pre>
      <form id="query">
        <h3>Query box of this demo</h3>
        <p>Northwind's server runs it with a login of its own. Your product would not offer this.</p>
        <label>SQL <textarea name="sql" rows="3" spellcheck="false">SELECT current_database(), current_user;</textarea></label>
        <p class="actions"><button>Run</button></p>
        <p id="query-outcome" role="status"></p>
        <div class="table" tabindex="0" role="region" aria-label="Result of the query" hidden><table id="query-result"></table></div>
      </form>
      <form id="delete">
        <h3>Delete</h3>
        <label>Type the name of the database <input name="confirm" required autocomplete="off"></label>
        <p class="actions"><button>Delete the database</button></p>
      </form>
    </section>
  </section>
  <aside class="card code" aria-label="How this page is made">
    <h2>What Northwind's server sends</h2>
    <pre tabindex="0"><code>${escapeHtml(requestLines(clusterRegion))}</code></pre>
    <p>Create one twice and see that nothing is made twice. Sizes come with <code>npm run databases -- refresh</code>.</p>
  </aside>
</div>
<script type="module" src="/databases.js"></script>`,
  backend: {
    "GET /my-databases": async (backend) => {
      const path = `${PATH}?companyId=${encodeURIComponent(backend.companyId)}`;
      const lists = [await callApi(backend, path), await callApi(backend, `${path}&status=deleted`)];
      const failed = lists.find(({ status }) => status !== 200);
      const databases = () => lists.flatMap(({ body }) => readObject(String(body)).databases);
      return failed ?? asJson(200, { databases: databases() });
    },
    "POST /my-databases": async (backend, body) => {
      const { name, region, maxCapacityAcu } = readObject(body);
      // The company that is signed in, never one that the browser names.
      const wanted = { companyId: backend.companyId, name, region, maxCapacityAcu };
      return name === undefined ? asJson(400, { error: "Say a name." }) : callApi(backend, PATH, wanted);
    },
    "POST /my-databases/delete": ofOwn((backend, path, { confirm }) =>
      callApi(backend, path, { confirm }, "DELETE"),
    ),
    "POST /my-databases/restore": ofOwn((backend, path) => callApi(backend, `${path}/restore`, {})),
    "POST /my-databases/logins": ofOwn((backend, path) => callApi(backend, `${path}/credentials`)),
    "POST /my-databases/add-login": ofOwn((backend, path) =>
      callApi(backend, `${path}/credentials`, { name: "made on the demo's page" }),
    ),
    "POST /my-databases/rotate-login": ofOwn((backend, path, { user }) =>
      callApi(backend, `${path}/credentials/${encodeURIComponent(String(user))}/rotate`, {}),
    ),
    "POST /my-databases/remove-login": ofOwn((backend, path, { user }) =>
      callApi(backend, `${path}/credentials/${encodeURIComponent(String(user))}`, undefined, "DELETE"),
    ),
    "POST /my-databases/query": ofOwn(answerQuery),
  },
};

/** The login of the query box for each database, by the path of the database. Only this process has its password. */
const queryUrls = new Map<string, string>();

async function answerQuery(
  backend: DemoBackend,
  path: string,
  { sql }: Record<string, unknown>,
): Promise<DemoResponse> {
  for (const isRetry of [false, true]) {
    let url = queryUrls.get(path);
    if (url === undefined) {
      const made = await callApi(backend, `${path}/credentials`, { name: "the demo's query box" });
      if (made.status !== 201) return made;
      url = String(readObject(String(made.body)).url);
      queryUrls.set(path, url);
    }
    try {
      return asJson(200, await runQuery(url, String(sql)));
    } catch (error) {
      // Its login may have been removed on this page.
      const isRefused = Object(error).code === REFUSED_LOGIN && !isRetry;
      if (!isRefused) return asJson(400, { error: error instanceof Error ? error.message : "It failed." });
      queryUrls.delete(path);
    }
  }
  return asJson(502, { error: "The database refused a new login." });
}

interface QueryResult {
  columns: string[];
  /** at most 50, as text; null for NULL */
  rows: (string | null)[][];
  /** a sentence for a person */
  summary: string;
}

/**
 * Runs SQL with one of the database's own logins.
 * @param url of a credential, as the API returned it
 * @throws what PostgreSQL says
 */
async function runQuery(url: string, sql: string): Promise<QueryResult> {
  const client = new Client({
    connectionString: url,
    statement_timeout: QUERY_TIMEOUT_MS,
    query_timeout: 2 * QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
  });
  // A login that is removed ends its connection; the query then says so.
  client.on("error", () => {});
  await client.connect();
  try {
    const answer = await client.query({ text: sql, rowMode: "array" });
    // Several statements have several results.
    const { fields, rows, command, rowCount } = [answer].flat().at(-1) ?? answer;
    const shown = rows.slice(0, MAX_ROWS) as unknown[][];
    return {
      columns: fields.map(({ name }) => name),
      rows: shown.map((row) => row.map(asText)),
      summary:
        rows.length > MAX_ROWS
          ? `The first ${MAX_ROWS} of ${rows.length} rows.`
          : `${command ?? "Nothing"}: ${rowCount ?? 0} rows.`,
    };
  } finally {
    await client.end();
  }
}

function asText(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

type Handler = (backend: DemoBackend, path: string, body: Record<string, unknown>) => Promise<DemoResponse>;

/** Passes a request on if the database is one of the company that is signed in. */
function ofOwn(handle: Handler): NonNullable<DemoPage["backend"]>[string] {
  return async (backend, text) => {
    const body = readObject(text);
    const path = `${PATH}/${encodeURIComponent(String(body.id))}`;
    const found = await callApi(backend, path);
    if (found.status === 200 && readObject(String(found.body)).companyId !== backend.companyId)
      return asJson(404, { error: "There is no such database." });
    return found.status === 200 ? handle(backend, path, body) : found;
  };
}

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

POST ${PATH}/{id}/credentials
{ "name": "reports" }

DELETE ${PATH}/{id}
{ "confirm": "branch_montreal" }

POST ${PATH}/{id}/restore`;
}
