/**
 * The same e-mail written for each peer: all visible content, the preview text and the head for mail clients.
 */
import {
  Body,
  Column,
  Container,
  Head,
  Heading,
  Html,
  Img,
  Link,
  Markdown,
  Preview,
  Row,
  Section,
  Text,
} from "@react-email/components";
import { render, toPlainText } from "@react-email/render";
import mjml2html from "mjml";
import { createElement as h } from "react";

const text = { margin: "0 0 16px", fontSize: "16px", lineHeight: "26px", color: "#374151" };
const title1 = { margin: "0 0 20px", fontSize: "28px", lineHeight: "36px", color: "#1f2937" };
const title2 = { margin: "0 0 12px", fontSize: "14px", lineHeight: "20px", color: "#556070" };
const link = { color: "#1d4ed8", textDecoration: "underline" };
const page = { margin: 0, backgroundColor: "#f6f9fc" };
const bar = { height: "6px", backgroundColor: "#3b82f6" };
const card = { padding: "36px 40px 40px", backgroundColor: "#ffffff", border: "1px solid #dbe3ee" };
const row = { padding: "14px 16px", border: "1px solid #dbe3ee", borderRadius: "10px" };
const badge = { width: "44px", height: "44px", backgroundColor: "#dbeafe", textAlign: "center" };
const detail = { margin: 0, fontSize: "13px", color: "#556070" };
const foot = { padding: "24px", textAlign: "center", fontSize: "13px", color: "#556070" };
const dark = "@media (prefers-color-scheme: dark) { body { background: #0f172a !important } }";

const previewOf = ({ greeting }) => `${greeting} Your account is ready.`;

/** Plain elements only, the least work for React. */
function withElements(content) {
  const { title, siteName, logoUrl, greeting, steps, notes, closing, files } = content;
  const table = (props, ...rows) =>
    h(
      "table",
      { role: "presentation", width: "100%", cellPadding: 0, cellSpacing: 0, ...props },
      h("tbody", null, ...rows),
    );
  const cell = (style, ...inside) => h("tr", null, h("td", { style }, ...inside));
  const fileRow = ({ name, url, host }) =>
    cell(
      row,
      table(
        {},
        h(
          "tr",
          null,
          h("td", { style: badge }, "PDF"),
          h(
            "td",
            null,
            h("a", { href: url, style: link }, name),
            h("p", { style: detail }, `PDF on ${host}`),
          ),
        ),
      ),
    );
  const inside = table(
    { style: { maxWidth: "600px", margin: "0 auto" } },
    cell(bar),
    cell(
      card,
      h("img", { src: logoUrl, alt: siteName, height: 40 }),
      h("h1", { style: title1 }, title),
      h("p", { style: text }, greeting, h("br"), "Your account is ", h("strong", null, "ready"), "."),
      h(
        "ol",
        null,
        ...steps.map(({ label, url }) => h("li", { key: label }, h("a", { href: url, style: link }, label))),
      ),
      h("ul", null, ...notes.map((note) => h("li", { key: note }, note))),
      h("p", { style: text }, closing),
      h("h2", { style: title2 }, "Documents"),
      table({}, ...files.map(fileRow)),
    ),
    cell(foot, `Sent by ${siteName}`),
  );
  return h(
    "html",
    { lang: "en" },
    h(
      "head",
      null,
      h("meta", { name: "color-scheme", content: "light dark" }),
      h("title", null, title),
      h("style", null, dark),
    ),
    h(
      "body",
      { style: page },
      h("div", { style: { display: "none", maxHeight: 0, overflow: "hidden" } }, previewOf(content)),
      table({}, cell({ padding: "32px 12px" }, inside)),
    ),
  );
}

/** Written as in React Email's documentation. */
function withComponents(content, ...body) {
  const { title, siteName, logoUrl, files } = content;
  const fileRow = ({ name, url, host }) =>
    h(
      Section,
      { key: url, style: row },
      h(
        Row,
        null,
        h(Column, { style: badge }, "PDF"),
        h(
          Column,
          null,
          h(Link, { href: url, style: link }, name),
          h(Text, { style: detail }, `PDF on ${host}`),
        ),
      ),
    );
  return h(
    Html,
    { lang: "en" },
    h(
      Head,
      null,
      h("meta", { name: "color-scheme", content: "light dark" }),
      h("title", null, title),
      h("style", null, dark),
    ),
    h(
      Body,
      { style: page },
      h(Preview, null, previewOf(content)),
      h(
        Container,
        { style: { maxWidth: "600px" } },
        h(Section, { style: bar }),
        h(
          Section,
          { style: card },
          h(Img, { src: logoUrl, alt: siteName, height: 40 }),
          h(Heading, { style: title1 }, title),
          ...body,
          h(Heading, { as: "h2", style: title2 }, "Documents"),
          ...files.map(fileRow),
        ),
        h(Section, { style: foot }, `Sent by ${siteName}`),
      ),
    ),
  );
}

const bodyOf = ({ greeting, steps, notes, closing }) => [
  h(
    Text,
    { key: "greeting", style: text },
    greeting,
    h("br"),
    "Your account is ",
    h("strong", null, "ready"),
    ".",
  ),
  h(
    "ol",
    { key: "steps" },
    ...steps.map(({ label, url }) => h("li", { key: label }, h(Link, { href: url, style: link }, label))),
  ),
  h("ul", { key: "notes" }, ...notes.map((note) => h("li", { key: note }, note))),
  h(Text, { key: "closing", style: text }, closing),
];

export const elements = async (content) => ({ html: await render(withElements(content)) });

export const components = async (content) => ({
  html: await render(withComponents(content, ...bodyOf(content))),
});

/** With a text version, which React Email's documentation derives from the HTML. */
export async function markdown(content) {
  const styles = { p: text, link };
  const body = h(Markdown, { key: "body", markdownCustomStyles: styles }, content.markdown);
  const html = await render(withComponents(content, body));
  return { html, text: toPlainText(html) };
}

export async function mjml(content) {
  const { title, siteName, logoUrl, greeting, steps, notes, closing, files } = content;
  const { html } = await mjml2html(`<mjml lang="en">
    <mj-head><mj-title>${title}</mj-title><mj-preview>${previewOf(content)}</mj-preview><mj-attributes><mj-text font-size="16px" line-height="26px" color="#374151" /></mj-attributes></mj-head>
    <mj-body background-color="#f6f9fc" width="600px">
      <mj-section background-color="#3b82f6" padding="3px"></mj-section>
      <mj-section background-color="#ffffff"><mj-column>
        <mj-image src="${logoUrl}" alt="${siteName}" height="40px" align="left" />
        <mj-text font-size="28px" line-height="36px" color="#1f2937"><h1>${title}</h1></mj-text>
        <mj-text>${greeting}<br />Your account is <strong>ready</strong>.</mj-text>
        <mj-text><ol>${steps.map(({ label, url }) => `<li><a href="${url}">${label}</a></li>`).join("")}</ol></mj-text>
        <mj-text><ul>${notes.map((note) => `<li>${note}</li>`).join("")}</ul></mj-text>
        <mj-text>${closing}</mj-text>
        <mj-text><h2>Documents</h2></mj-text>
        <mj-table>${files.map(({ name, url, host }) => `<tr><td width="44">PDF</td><td><a href="${url}">${name}</a><p>PDF on ${host}</p></td></tr>`).join("")}</mj-table>
      </mj-column></mj-section>
      <mj-section><mj-column><mj-text align="center" font-size="13px">Sent by ${siteName}</mj-text></mj-column></mj-section>
    </mj-body></mjml>`);
  return { html };
}
