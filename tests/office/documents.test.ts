import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8 } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentNode, readDocument } from "../../app/services/files/preview/office/read-document";
import { paragraph, run, wordFile } from "../support/files/word-file";
import { notInstalled } from "../support/machine/installed";
import { convert, isInstalled, packages, pdfText } from "./libreoffice";

const ns = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const level = (index: number, format: string, text: string, start = 1) =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/><w:lvlJc w:val="left"/></w:lvl>`;

const item = (list: number, level: number, text: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${run(text)}</w:p>`;

/** @param overrides of lists after the first, which has none */
function numbered(levels: string, items: string[], overrides: string[] = []): Uint8Array {
  const lists = ["", ...overrides].map(
    (override, index) => `<w:num w:numId="${index + 1}"><w:abstractNumId w:val="1"/>${override}</w:num>`,
  );
  const xml = `<w:numbering ${ns}><w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>${levels}</w:abstractNum>${lists.join("")}</w:numbering>`;
  return wordFile({ body: items.join(""), entries: { "word/numbering.xml": strToU8(xml) } });
}

const decimal = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)");
const startAt = (start: number) =>
  `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="${start}"/></w:lvlOverride>`;
const outline = [0, 1, 2, 2, 1, 0, 1, 2, 0].map((each, index) => item(1, each, `t${index}`));
const formats = [
  "lowerRoman",
  "upperRoman",
  "lowerLetter",
  "upperLetter",
  "ordinal",
  "decimalZero",
  "russianLower",
  "hebrew2",
  "chineseCounting",
  "chineseCountingThousand",
  "japaneseCounting",
  "taiwaneseCounting",
  "taiwaneseCountingThousand",
];

const documents: Record<string, Uint8Array> = {
  levels: numbered(decimal, outline),
  "levels between paragraphs": numbered(
    decimal,
    outline.flatMap((each) => [each, paragraph("between")]),
  ),
  "lists that go on": numbered(decimal, [item(1, 0, "a"), item(2, 0, "b"), item(1, 0, "c")], [""]),
  "lists that start anew": numbered(
    decimal,
    [item(1, 0, "a"), item(2, 0, "b"), item(2, 1, "c"), item(1, 0, "d")],
    [startAt(5)],
  ),
  "a level without the one above": numbered(decimal, [item(1, 1, "a"), item(1, 0, "b"), item(1, 1, "c")]),
  "an override": numbered(
    decimal,
    [item(2, 0, "a"), item(2, 0, "b")],
    [`<w:lvlOverride w:ilvl="0">${level(0, "upperRoman", "§ %1")}</w:lvlOverride>`],
  ),
  ...Object.fromEntries(
    formats.map((format) => [
      format,
      numbered(
        level(0, format, "%1)", 9),
        Array.from({ length: 14 }, (_, index) => item(1, 0, `t${index}`)),
      ),
    ]),
  ),
  changes: wordFile({
    body: `<w:p>${run("from ")}<w:del w:id="1" w:author="a"><w:r><w:delText>500</w:delText></w:r></w:del><w:ins w:id="2" w:author="a">${run("700")}</w:ins></w:p>`,
  }),
};

let folder = "";

if (!isInstalled) test("documents have the text of LibreOffice", notInstalled(packages));

describe.runIf(isInstalled)("documents have the text of LibreOffice", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "documents-"));
    const paths = Object.keys(documents).map((name) => join(folder, `${name}.docx`));
    for (const path of paths)
      await writeFile(path, documents[path.slice(folder.length + 1, -".docx".length)] ?? "");
    await convert(paths, "txt:Text (encoded):UTF8", join(folder, "txt"));
    await convert([CONTRACT], "pdf", join(folder, "pdf"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(Object.keys(documents))("%s", async (name) => {
    const { nodes } = await readDocument(documents[name] as Uint8Array<ArrayBuffer>);
    const theirs = await readFile(join(folder, "txt", `${name}.txt`), "utf8");
    expect(linesOf(nodes).map(withoutSpace).filter(Boolean)).toEqual(
      theirs.replace("\uFEFF", "").split("\n").map(withoutSpace).filter(Boolean),
    );
  });

  test("a contract with numbers, hidden text and changes", async () => {
    const { nodes } = await readDocument(new Uint8Array(await readFile(CONTRACT)));
    const pages = pdfText(join(folder, "pdf", "contract-numbering-hidden-text.pdf"))
      .split("\n")
      .map(withoutSpace);
    const missing = linesOf(nodes)
      .map(withoutSpace)
      .filter((line) => line && !pages.includes(line));
    expect(missing).toEqual([
      // Notes have their numbers in brackets, and stand at the end with a link back. They are numbered by the list that they are.
      "Footnotehere[1]andon.",
      // The PDF has Hebrew as it is painted, from right to left.
      "שלוםעולם123(RTLparagraph)",
      // Cells are side by side on the page.
      "a",
      "b",
      "Thefootnotetext.↑",
    ]);
    expect(linesOf(nodes).join()).not.toContain("HIDDEN");
  });
});

const CONTRACT = join(import.meta.dirname, "files/contract-numbering-hidden-text.docx");

const withoutSpace = (text: string) => text.replace(/\s/g, "");

const paragraphs = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** The text of each paragraph, with everything in it but other paragraphs. */
function linesOf(nodes: DocumentNode[]): string[] {
  const lines = [""];
  const add = (node: DocumentNode): void => {
    if (typeof node === "string") {
      lines.push((lines.pop() ?? "") + node);
      return;
    }
    if (paragraphs.has(node.tag)) lines.push("");
    node.children.forEach(add);
  };
  nodes.forEach(add);
  return lines;
}
