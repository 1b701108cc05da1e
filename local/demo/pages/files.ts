import { escapeHtml } from "../../../app/email/escape-html";
import type { ScopeAction } from "../../../app/services/files/place/actions";
import { codeBlock, type DemoContext, type DemoPage } from "../page";
import { type DemoUser, demoUsers } from "../users";

/** A customer of Northwind may do everything with its files, but only an admin may delete versions of them for good. */
export const actionsOf = ({ isAdmin }: DemoUser): ScopeAction[] => [
  "download",
  "upload",
  "organize",
  "delete",
  "activity",
  "history",
  ...(isAdmin ? (["purge"] as const) : []),
];

/** The embed as a customer of Northwind sees it, and beside it all the code that Northwind had to write. */
export const filesPage: DemoPage = {
  path: "/",
  label: "Files",
  title: "Your files",
  lead: "Contracts, invoices and photos that we share. Drop a file to send it to us; rename, move and delete as you like. “Deleted files” has the folder “Trade fair 2026”, which somebody deleted yesterday, and the details of “Data/Price list.csv” have its older versions.",
  render: (context) => `
<p class="presets" role="group" aria-label="Your portal">
  <button type="button" data-folder="/Contracts">Contracts</button>
  <button type="button" data-folder="/Invoices">Invoices</button>
  <label>Signed in as <select id="user">${userOptions(context)}</select></label>
  <button type="button" id="session">Log out</button>
  ${context.query.has("scanned") ? '<a href="/">All files</a>' : '<a href="/?scanned">Only scanned files</a>'}
</p>
<div class="with-aside">
  <div class="card embed">${embedTag(tokenEndpoint(context.query))}</div>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    ${codeBlock("On the page", pageLines(context))}
    ${codeBlock("In its style sheet", STYLE_LINES)}
    ${codeBlock("In its script", SCRIPT_LINES)}
    ${codeBlock("On its server, which holds the API key", serverLines(context))}
    <p>The key never reaches the browser. Tokens are renewed in place before they expire: leave this page open and see.</p>
  </aside>
</div>
<script type="module" src="/files.js"></script>`,
};

const userOptions = ({ user }: DemoContext) =>
  demoUsers
    .map(({ id, name }) => `<option value="${id}"${id === user.id ? " selected" : ""}>${name}</option>`)
    .join("");

export function embedTag(endpoint: string, service = "files"): string {
  return `<platform-embed service="${service}" token-endpoint="${escapeHtml(endpoint)}"></platform-embed>`;
}

/** `?expires=10` on a page asks for tokens of ten seconds, `?scanned` for tokens that only reach scanned files. */
export function tokenEndpoint(query: URLSearchParams): string {
  const asked = new URLSearchParams();
  const expires = query.get("expires");
  if (expires) asked.set("expires", expires);
  if (query.has("scanned")) asked.set("scanned", "");
  return asked.size === 0 ? "/embed-url" : `/embed-url?${asked}`;
}

function pageLines({ platformBaseUrl }: DemoContext): string {
  return `<script src="${platformBaseUrl}/platform-embed.js"
  defer></script>
<platform-embed service="files"
  token-endpoint="/embed-url"></platform-embed>`;
}

/** The same as in assets/demo.css. */
const STYLE_LINES = `platform-embed {
  --platform-embed-accent: #0f5f59;
}`;

/** The same as in assets/files.js. */
const SCRIPT_LINES = `embed.navigate("/Invoices");
embed.end(); // Log out`;

function serverLines({ apiBaseUrl, bucket }: DemoContext): string {
  return `import { createEmbedHandler, toNodeHandler }
  from "platform-embed-element/server";

const handler = createEmbedHandler({
  apiBaseUrl: "${apiBaseUrl}",
  apiKey: process.env.EMBED_API_KEY,
  scope: (_, req) => req.user && {
    bucket: "${bucket}",
    actions: ["download", "upload",
      "organize", "delete", "activity",
      "history", ...(req.user.isAdmin
        ? ["purge"] : [])] },
  visitor: (_, req) => ({
    id: req.user.id, name: req.user.name }),
});
app.post("/embed-url", toNodeHandler(handler));`;
}
