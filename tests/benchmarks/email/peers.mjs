/** The same e-mail written for each peer. Their lists and paragraphs come ready made: they have no Markdown to read. */
import { render } from "@react-email/render";
import mjml2html from "mjml";
import { createElement as h } from "react";

const text = { margin: "0 0 16px", fontSize: "16px", lineHeight: "26px", color: "#374151" };
const link = { color: "#1d4ed8", textDecoration: "underline" };
const row = { padding: "14px 16px", border: "1px solid #dbe3ee", borderRadius: "10px" };
const table = (props, ...rows) =>
  h(
    "table",
    { role: "presentation", width: "100%", cellPadding: 0, cellSpacing: 0, ...props },
    h("tbody", null, ...rows),
  );
const cell = (style, ...content) => h("tr", null, h("td", { style }, ...content));

export async function reactEmail({ title, siteName, logoUrl, greeting, steps, notes, closing, files }) {
  const card = table(
    { style: { maxWidth: "600px", margin: "0 auto" } },
    cell({ height: "6px", backgroundColor: "#3b82f6" }),
    cell(
      { padding: "36px 40px 40px", backgroundColor: "#ffffff", border: "1px solid #dbe3ee" },
      h("img", { src: logoUrl, alt: siteName, height: 40 }),
      h(
        "h1",
        { style: { margin: "0 0 20px", fontSize: "28px", lineHeight: "36px", color: "#1f2937" } },
        title,
      ),
      h("p", { style: text }, greeting, h("br"), "Your account is ", h("strong", null, "ready"), "."),
      h(
        "ol",
        null,
        ...steps.map(({ label, url }) => h("li", { key: label }, h("a", { href: url, style: link }, label))),
      ),
      h("ul", null, ...notes.map((note) => h("li", { key: note }, note))),
      h("p", { style: text }, closing),
      table({}, ...files.map(({ name, url }) => cell(row, h("a", { href: url, style: link }, name)))),
    ),
    cell({ padding: "24px", textAlign: "center", fontSize: "13px", color: "#556070" }, `Sent by ${siteName}`),
  );
  return render(
    h(
      "html",
      { lang: "en" },
      h("head", null, h("meta", { name: "color-scheme", content: "light dark" }), h("title", null, title)),
      h(
        "body",
        { style: { margin: 0, backgroundColor: "#f6f9fc" } },
        table({}, cell({ padding: "32px 12px" }, card)),
      ),
    ),
  );
}

export async function mjml({ title, siteName, logoUrl, greeting, steps, notes, closing, files }) {
  const { html } = await mjml2html(`<mjml lang="en">
    <mj-head><mj-title>${title}</mj-title><mj-attributes><mj-text font-size="16px" line-height="26px" color="#374151" /></mj-attributes></mj-head>
    <mj-body background-color="#f6f9fc" width="600px">
      <mj-section background-color="#3b82f6" padding="3px"></mj-section>
      <mj-section background-color="#ffffff"><mj-column>
        <mj-image src="${logoUrl}" alt="${siteName}" height="40px" align="left" />
        <mj-text font-size="28px" line-height="36px" color="#1f2937"><h1>${title}</h1></mj-text>
        <mj-text>${greeting}<br />Your account is <strong>ready</strong>.</mj-text>
        <mj-text><ol>${steps.map(({ label, url }) => `<li><a href="${url}">${label}</a></li>`).join("")}</ol></mj-text>
        <mj-text><ul>${notes.map((note) => `<li>${note}</li>`).join("")}</ul></mj-text>
        <mj-text>${closing}</mj-text>
        ${files.map(({ name, url }) => `<mj-text><a href="${url}">${name}</a></mj-text>`).join("")}
      </mj-column></mj-section>
      <mj-section><mj-column><mj-text align="center" font-size="13px">Sent by ${siteName}</mj-text></mj-column></mj-section>
    </mj-body></mjml>`);
  return html;
}
