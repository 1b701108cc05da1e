import type { DemoPage } from "../page";
import { embedTag, tokenEndpoint } from "./files";

/** Tokens that last ten seconds, and a list of the element's events, to watch the renewal. */
export const renewalPage: DemoPage = {
  path: "/renewal",
  label: "Token renewal",
  title: "Tokens of ten seconds",
  lead: "They are renewed while you work: the folder, the selection and a running upload stay. Add ?expires=30 for other lifetimes.",
  render({ query }) {
    const asked = new URLSearchParams(query);
    if (!asked.has("expires")) asked.set("expires", "10");
    return `
<div class="with-aside">
  <div class="card embed">${embedTag(tokenEndpoint(asked))}</div>
  <aside class="card code" aria-label="What the element tells this page">
    <h2>What the element tells this page</h2>
    <ol id="events" class="events"></ol>
  </aside>
</div>`;
  },
};
