import type { DemoPage } from "../page";

/** Every event as it happens, and the switches to make them happen: what integrators try before they write a line. */
export const playgroundPage: DemoPage = {
  path: "/playground",
  label: "Playground",
  title: "Playground",
  lead: "Switch the language here and the colours in the menu, let the token expire, let the back end fail, and see what the element says.",
  render: () => `
<div class="with-aside">
  <section class="card embed" aria-label="Files"><platform-embed service="files"></platform-embed></section>
  <aside class="card code" aria-label="Switches and events">
    <form id="switches" class="switches">
      <label>Language
        <select name="locale"><option value="">as the browser</option><option>en-CA</option><option>fr-CA</option><option>de</option></select>
      </label>
      <label>Height
        <select name="height"><option>fill</option><option>auto</option><option>320px</option></select>
      </label>
      <label>The next token lasts
        <select name="expires"><option value="">15 minutes</option><option value="60">1 minute</option><option value="10">10 seconds</option></select>
      </label>
      <label>The back end answers
        <select name="answer"><option value="">as it should</option><option value="503">503, for the moment</option><option value="401">401, the session is over</option><option value="never">nothing at all</option></select>
      </label>
      <p class="actions">
        <button type="button" value="expire">Let the token expire</button>
        <button type="button" value="refresh">Renew the token</button>
        <button type="button" value="reload">Mount again</button>
      </p>
    </form>
    <h2>Events</h2>
    <ol id="event-details" class="events" aria-label="Events" tabindex="0"></ol>
  </aside>
</div>
<script type="module" src="/playground.js"></script>`,
};
