import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { create, ts } from "@custom-elements-manifest/analyzer/index.js";
import { litPlugin } from "@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js";
import type { CustomElement, Declaration, Package } from "custom-elements-manifest/schema";

const source = fileURLToPath(new URL("src/platform-embed.ts", import.meta.url));

type ElementDeclaration = Extract<Declaration, { kind: "class" }> & CustomElement;

/** Makes the custom-elements manifest from the doc comments of the element's class. */
export function describeElement(): { manifest: Package; element: ElementDeclaration } {
  const path = "dist/src/index.js";
  const text = readFileSync(source, "utf8");
  const analyzed = create({
    modules: [ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)],
    plugins: litPlugin(),
    dev: false,
  });
  const element = analyzed.modules
    .flatMap(({ declarations = [] }) => declarations)
    .find((declaration): declaration is ElementDeclaration => "customElement" in declaration);
  if (!element) throw new Error(`There is no custom element in ${source}.`);

  // Leave out what only Lit or the browser calls.
  element.members = element.members?.filter(
    ({ name, privacy }) => privacy !== "private" && privacy !== "protected" && !name.endsWith("Callback"),
  );
  const { name } = element;
  const declaration = { name, module: path };
  const manifest: Package = {
    schemaVersion: analyzed.schemaVersion,
    modules: [
      {
        kind: "javascript-module",
        path,
        declarations: [element],
        exports: [
          { kind: "js", name, declaration },
          { kind: "custom-element-definition", name: element.tagName ?? "", declaration },
        ],
      },
    ],
  };
  return { manifest, element };
}

/** The API tables of the README, as Markdown. */
export function describeInMarkdown(element: ElementDeclaration): string {
  const fields = element.members?.filter((member) => member.kind === "field") ?? [];
  const methods = element.members?.filter((member) => member.kind === "method") ?? [];
  const attributes = new Map(element.attributes?.map(({ name, fieldName }) => [fieldName, name]));
  return [
    "### Attributes and properties",
    table(
      ["Attribute", "Property", "Type", "Default", ""],
      fields.map(({ name, type, default: value, description }) => [
        code(attributes.get(name)),
        code(name),
        code(type?.text),
        code(value === "undefined" || value === "null" ? "" : value),
        description,
      ]),
    ),
    "### Methods",
    table(
      ["Method", "Returns", ""],
      methods.map(({ name, return: result, description }) => [
        code(`${name}()`),
        code(result?.type?.text),
        description,
      ]),
    ),
    "### Events",
    table(
      ["Event", "Type", ""],
      (element.events ?? []).map(({ name, type, description }) => [code(name), code(type.text), description]),
    ),
    "### Slots",
    table(
      ["Slot", ""],
      (element.slots ?? []).map(({ name, description }) => [code(name), description]),
    ),
    "### CSS parts and custom properties",
    table(
      ["Part", ""],
      (element.cssParts ?? []).map(({ name, description }) => [code(name), description]),
    ),
    table(
      ["Property", "Default", ""],
      (element.cssProperties ?? []).map(({ name, default: value, description }) => [
        code(name),
        code(value),
        description,
      ]),
    ),
  ].join("\n\n");
}

function code(text = ""): string {
  return text && `\`${text}\``;
}

/** A Markdown table with aligned columns, as formatters write it. */
function table(head: string[], rows: (string | undefined)[][]): string {
  const lines = [head, ...rows].map((cells) =>
    cells.map((cell = "") => cell.replaceAll("|", "\\|").replaceAll("\n", " ")),
  );
  const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const [first, ...others] = lines.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [first ?? [], rule, ...others].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
