import { codeBlock, type DemoContext, type DemoPage } from "../page";
import { embedTag } from "./files";

/** What an applicant may do: add files to one folder, and see nothing that is in it. */
export const handInScope = (bucket: string) => ({
  bucket,
  view: "hand-in" as const,
  uploadFolder: "/Applications",
  limits: { fileTypes: ["image/*", ".pdf", ".docx"], maxFileBytes: 20_000_000 },
});

/** People who apply for a job at Northwind hand in their papers. */
export const handInPage: DemoPage = {
  path: "/hand-in",
  label: "Hand in",
  title: "Apply",
  lead: "Strangers hand in files, and see neither the folder nor each other. Then look into Applications, under Files.",
  render: (context) => `
<div class="with-aside">
  <div class="card embed">${embedTag("/hand-in-url")}</div>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    ${codeBlock("On the page", PAGE_LINES)}
    ${codeBlock("In its script", SCRIPT_LINES)}
    ${codeBlock("On its server, which holds the API key", serverLines(context))}
    <p id="outcome" role="status">When the applicant has finished, the page hears of it.</p>
  </aside>
</div>
<script type="module" src="/handin.js"></script>`,
};

const PAGE_LINES = `<platform-embed service="files"
  token-endpoint="/hand-in-url"></platform-embed>`;

/** The same as in assets/handin.js. */
const SCRIPT_LINES = `embed.texts = {
  handInTitle: "Apply at Northwind",
  handInText: "Your CV, please, and …" };
embed.addEventListener("platform-embed-done",
  ({ detail }) => count(detail.files));`;

function serverLines({ bucket }: DemoContext): string {
  return `scope: () => ({
  bucket: "${bucket}",
  view: "hand-in",
  uploadFolder: "/Applications",
  limits: {
    fileTypes: ["image/*", ".pdf", ".docx"],
    maxFileBytes: 20_000_000 } }),`;
}
