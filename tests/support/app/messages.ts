/** What the messages of the server and of its commands name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The documents that texts in the code name, by their paths from the root, without anchors. Comments do not count. */
export function documentsInMessages(): string[] {
  const files = ["app", "prisma", "embed-element/doctor"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^generated\//.test(path))
      .map((path) => join(root, folder, path)),
  );
  const texts = files.flatMap((path) =>
    textsIn(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)),
  );
  const named = texts.flatMap((text) => text.match(/\bdocs\/[\w./@-]*\w/g) ?? []);
  return [...new Set(named)].sort();
}

function textsIn(node: ts.Node): string[] {
  const own = ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
  const texts = own ? [node.text] : [];
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child)));
  return texts;
}
