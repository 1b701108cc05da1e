import { directionOf } from "../../browse/decode-text";
import { extensionOf } from "../../browse/file-kind";

/** Extensions by the language of Highlight.js that colours them. */
const extensions: Record<string, string> = {
  bash: "sh bash zsh",
  c: "c h",
  cpp: "cc cpp hpp",
  csharp: "cs",
  css: "css",
  diff: "diff patch",
  go: "go",
  graphql: "graphql",
  ini: "ini conf cfg env toml",
  java: "java",
  javascript: "js jsx mjs cjs",
  json: "json jsonl ndjson",
  kotlin: "kt",
  lua: "lua",
  markdown: "md markdown",
  perl: "pl",
  php: "php",
  python: "py",
  r: "r",
  ruby: "rb",
  rust: "rs",
  scss: "scss",
  sql: "sql",
  swift: "swift",
  typescript: "ts tsx",
  xml: "html htm xml vue svelte",
  yaml: "yml yaml",
};

const languageByExtension = new Map(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(" ").map((extension) => [extension, language] as const),
  ),
);

/** The language that a file of this name is coloured as; null for none. */
export function codeLanguage(name: string): string | null {
  if (/^makefile$/i.test(name)) return "makefile";
  if (name === ".env") return "ini";
  return languageByExtension.get(extensionOf(name)) ?? null;
}

/** The direction of a file's text. Code is written from left to right. */
export function directionOfFile(name: string, text: string): "ltr" | "rtl" {
  const language = codeLanguage(name);
  return language === null || language === "markdown" ? directionOf(text) : "ltr";
}
