import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../../app/email/escape-html";

export interface Picture {
  file: string;
  state: string;
  locale: string;
  theme: string;
  size: string;
  /** why the state was not reached */
  failure?: string;
}

const style = `
  body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; background: #eceef1; color: #1b1f24 }
  h2 { margin: 32px 0 8px } form { display: flex; gap: 16px; position: sticky; top: 0; padding: 8px 0; background: inherit }
  .row { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
  figure { margin: 0 } img { display: block; max-width: 420px; max-height: 480px; border: 1px solid #c4c9d0; background: #fff }
  figcaption { padding: 4px 0; color: #57606a } .failed { color: #b42318; max-width: 420px }`;

/** Makes `index.html`: the pictures of each state side by side, with filters. */
export function writeContactSheet(folder: string, pictures: readonly Picture[]): void {
  const states = [...new Set(pictures.map(({ state }) => state))];
  const kinds = ["locale", "theme", "size"] as const;
  const choice = (kind: (typeof kinds)[number]) => {
    const values = [...new Set(pictures.map((picture) => picture[kind]))];
    const options = ["all", ...values].map((value) => `<option>${escapeHtml(value)}</option>`).join("");
    return `<label>${kind} <select name="${kind}">${options}</select></label>`;
  };
  const figure = ({ file, locale, theme, size, failure }: Picture) =>
    `<figure data-locale="${escapeHtml(locale)}" data-theme="${theme}" data-size="${size}">` +
    `<a href="${encodeURIComponent(file)}"><img loading="lazy" src="${encodeURIComponent(file)}" alt=""></a>` +
    `<figcaption>${escapeHtml(`${locale}, ${theme}, ${size}`)}</figcaption>` +
    (failure ? `<p class="failed">${escapeHtml(failure)}</p>` : "") +
    "</figure>";
  const sections = states.map(
    (state) =>
      `<h2>${escapeHtml(state)}</h2><div class="row">${pictures
        .filter((picture) => picture.state === state)
        .sort((a, b) => a.file.localeCompare(b.file))
        .map(figure)
        .join("")}</div>`,
  );
  const script = `document.forms[0].addEventListener("change", (event) => {
    const chosen = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "all");
    for (const figure of document.querySelectorAll("figure"))
      figure.hidden = chosen.some(([kind, value]) => figure.dataset[kind] !== value);
  });`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title><style>${style}</style>
<h1>Every state, side by side</h1><form>${kinds.map(choice).join("")}</form>${sections.join("\n")}<script>${script}</script></html>`;
  writeFileSync(join(folder, "index.html"), page);
}
