import type { DemoPage } from "../page";

/** Shows each event as it happens, with switches that cause them, for integrators who want to try the element first. */
export const playgroundPage: DemoPage = {
  path: "/playground",
  label: "Playground",
  title: "Playground",
  lead: "Give the files the look of your own product and copy the code. Then let the token expire or the backend fail, and see what the element says.",
  render: () => `
<p class="presets" role="group" aria-label="Presets"></p>
<div class="with-aside playground">
  <div class="card embed"><platform-embed service="files"></platform-embed></div>
  <aside class="card code" aria-label="Switches and events">
    <h2>Look</h2>
    <form id="look" class="switches look">
      <label>Accent <span><input type="checkbox" name="has-accent" aria-label="Own accent"><input type="color" name="accent" value="#0f766e"></span></label>
      <label>Background <span><input type="checkbox" name="has-background" aria-label="Own background"><input type="color" name="background" value="#ffffff"></span></label>
      <label>Text <span><input type="checkbox" name="has-text" aria-label="Own text colour"><input type="color" name="text" value="#16181d"></span></label>
      <label>Radius <span><input type="range" name="radius" min="0" max="24" value="8"><output>8px</output></span></label>
      <label>Font
        <select name="font"><option value="">the platform's</option><option>Georgia, serif</option><option>Verdana, sans-serif</option><option>"Trebuchet MS", sans-serif</option><option>ui-rounded, system-ui</option><option>ui-monospace, monospace</option></select>
      </label>
      <label>Density
        <select name="density"><option value="">comfortable</option><option>compact</option></select>
      </label>
    </form>
    <h3>In CSS <button type="button" class="copy" data-copies="code-css">Copy</button></h3>
    <pre id="code-css" tabindex="0" aria-label="Code in CSS"></pre>
    <h3>In a script <button type="button" class="copy" data-copies="code-js">Copy</button></h3>
    <pre id="code-js" tabindex="0" aria-label="Code in a script"></pre>
    <h2 class="more">Language, height and failures</h2>
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
<script type="module" src="/playground.js"></script>
<script type="module" src="/look.js"></script>`,
};
