import { demoCustomer } from "../customer";
import { codeBlock, type DemoContext, type DemoPage } from "../page";
import { embedTag } from "./files";

/** What a customer with little room may do in its folder. */
export const quotaScope = (bucket: string) => ({
  bucket,
  path: demoCustomer.path,
  actions: ["download", "upload", "organize", "delete"] as const,
  limits: { maxTotalBytes: demoCustomer.maxTotalBytes },
});

/** A customer with a quota. */
export const quotaPage: DemoPage = {
  path: "/quota",
  label: "Quota",
  title: `Files of ${demoCustomer.name}`,
  lead: `A customer with room for ${demoCustomer.maxTotalBytes / 1_000_000} MB. Drop a photo from your phone: it does not fit, and the explorer says what to do. Open this page in a second browser, too: each shows what the other one changes.`,
  render: (context) => `
<div class="with-aside">
  <div class="card embed">${embedTag("/quota-url")}</div>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    ${codeBlock("On the page", PAGE_LINES)}
    ${codeBlock("On its server, which holds the API key", serverLines(context))}
    ${codeBlock("Once, on the platform's machine", commandLines(context))}
    <p>The catalogue counts what the folder holds. With it, the explorer also shows the sizes of folders, and searches an index.</p>
  </aside>
</div>`,
};

const PAGE_LINES = `<platform-embed service="files"
  token-endpoint="/quota-url"></platform-embed>`;

const serverLines = ({ bucket }: DemoContext) => `scope: () => ({
  bucket: "${bucket}",
  path: "${demoCustomer.path}",
  actions: ["download", "upload",
    "organize", "delete"],
  limits: { maxTotalBytes: ${demoCustomer.maxTotalBytes} } }),`;

const commandLines = ({ bucket }: DemoContext) => `npm run catalogue -- add ${bucket}
CATALOGUE_MAX_LAG_SECONDS=60 # its setting`;
