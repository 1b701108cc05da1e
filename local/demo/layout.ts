import { escapeHtml } from "../../app/email/escape-html";
import type { DemoContext, DemoPage } from "./page";
import { demoPages } from "./pages";

/** The layout of the "Northwind" portal: a menu on the left, the page beside it. */
export function renderLayout(page: DemoPage, context: DemoContext): string {
  const links = demoPages.map(
    ({ path, label }) =>
      `<a href="${path}"${path === page.path ? ' aria-current="page"' : ""}>${escapeHtml(label)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Northwind customer portal</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo.css">
<script type="module" src="/demo.js"></script>
<script src="${escapeHtml(context.platformBaseUrl)}/platform-embed.js" defer></script>
</head>
<body>
<header class="side">
  <a class="brand" href="/"><span aria-hidden="true">N</span> Northwind</a>
  <nav aria-label="Portal">${links.join("")}</nav>
  <fieldset class="themes">
    <legend>Colours</legend>
    <label><input type="radio" name="theme" value="auto" checked>Auto</label>
    <label><input type="radio" name="theme" value="light">Light</label>
    <label><input type="radio" name="theme" value="dark">Dark</label>
  </fieldset>
</header>
<main>
  <div class="heading"><h1>${escapeHtml(page.title)}</h1><p>${escapeHtml(page.lead)}</p></div>
  ${page.render(context)}
</main>
</body>
</html>
`;
}
