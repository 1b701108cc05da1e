import { escapeHtml } from "../../app/email/escape-html";
import type { DeadLetter, Messages } from "./messages";

/** dead letters on the page */
const MAX_SHOWN = 100;

/** Shows how many messages are open and delivered, and which were given up and why. */
export function renderPage({ open, delivered, deadLetters }: Messages): string {
  const shown = [...deadLetters.values()].reverse().slice(0, MAX_SHOWN);
  const left = deadLetters.size - shown.length;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Local queue</title>
    <link rel="icon" href="data:,">
    <style>
      :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
      body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
      dl { display: flex; flex-wrap: wrap; gap: 2rem }
      dt { opacity: 0.75 }
      dd { margin: 0; font-size: 1.5rem }
      article { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: 0.75rem 0 }
      h3 { margin: 0; font-size: 1rem }
      p { margin: 0.25rem 0 }
      pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
      form { margin-top: 0.75rem }
      button { font: inherit; min-height: 2.75rem; padding: 0 1rem }
    </style>
  </head>
  <body>
    <main>
      <h1>Local queue</h1>
      <dl>
        <div><dt>Open</dt><dd>${open}</dd></div>
        <div><dt>Delivered</dt><dd>${delivered}</dd></div>
        <div><dt>Given up</dt><dd>${deadLetters.size}</dd></div>
      </dl>
      <p><a href="/">Refresh</a></p>
      <h2>Given up</h2>
      ${shown.length === 0 ? "<p>None. This list shows messages that the job endpoint has refused permanently, or that have failed too often.</p>" : ""}
      ${shown.map(renderLetter).join("")}
      ${left > 0 ? `<p>And ${left} more.</p>` : ""}
    </main>
  </body>
</html>
`;
}

function renderLetter({ id, destination, body, attempts, status, responseText, at }: DeadLetter): string {
  const what = status === null ? "No response" : `Response ${status}`;
  return `<article>
        <h3>${what} after ${attempts === 1 ? "one attempt" : `${attempts} attempts`}</h3>
        <p><time>${at}</time>, to ${escapeHtml(destination)}</p>
        <pre>${escapeHtml(responseText.slice(0, 2_000))}</pre>
        <details><summary>The message</summary><pre>${escapeHtml(Buffer.from(body).toString().slice(0, 10_000))}</pre></details>
        <form method="post" action="/dead-letters/${id}/deliver"><button>Deliver again</button></form>
      </article>`;
}
