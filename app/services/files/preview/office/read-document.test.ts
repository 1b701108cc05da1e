import { strToU8, type ZippableFile, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { compoundFile } from "../../../../../tests/support/files/compound-file";
import {
  link,
  listItem,
  paragraph,
  picture,
  run,
  table,
  wordFile,
} from "../../../../../tests/support/files/word-file";
import { MAX_MARKS } from "../../../../locales/visible-text";
import { MAX_LINE_LENGTH } from "../../screen/bounded-text";
import { type DocumentNode, MAX_ELEMENTS, readDocument, readHtml } from "./read-document";
import { writeXmlTree } from "./read-xml";
import { MAX_ENTRIES, MAX_UNPACKED_BYTES } from "./unpack";

/** One transparent pixel. */
const png = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);
const size = { width: 4, height: 3 };

/** The tree in a short form: `p(text)`. */
const outline = (nodes: DocumentNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : `${node.tag}(${outline(node.children)})`)).join(" ");

/** The texts of the paragraphs. */
const lines = (nodes: DocumentNode[]): string[] =>
  nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    const text = node.children.filter((child) => typeof child === "string").join("");
    return [...(text ? [text] : []), ...lines(node.children)];
  });

const elements = (nodes: DocumentNode[], tag: string): Exclude<DocumentNode, string>[] =>
  nodes.flatMap((node) =>
    typeof node === "string" ? [] : [...(node.tag === tag ? [node] : []), ...elements(node.children, tag)],
  );

test("alignment and indentation of paragraphs and headings are read, and those of lists are not", async () => {
  const jc = (value: string) => `<w:jc w:val="${value}"/>`;
  const ind = (attributes: string) => `<w:ind ${attributes}/>`;
  const body = [
    paragraph("Supply contract", "Title", jc("center")),
    paragraph("Prices", "Heading2", jc("right") + ind('w:left="720"')),
    paragraph("plain", "", jc("left")),
    paragraph("both", "", jc("both")),
    paragraph("indented", "", ind('w:left="720"')),
    paragraph("both of them", "", jc("end") + ind('w:start="360" w:end="360"')),
    paragraph("hanging", "", ind('w:left="720" w:hanging="720"')),
    paragraph("very far", "", ind('w:left="99999"')),
    paragraph("nonsense", "", jc("x'] => h1") + ind('w:left="-5"')),
    table([["a", "b"]]).replace("<w:p>", `<w:p><w:pPr>${jc("right")}</w:pPr>`),
    listItem("item", "bullets").replace("<w:pPr>", `<w:pPr>${jc("center")}`),
  ].join("");
  const { nodes } = await readDocument(wordFile({ body }));
  const layout = ["h1", "h2", "p", "li"].flatMap((tag) =>
    elements(nodes, tag).map(({ align, indent }) => [tag, align, indent].filter(Boolean).join(" ")),
  );
  expect(layout).toEqual([
    "h1 center",
    "h2 end",
    "p",
    "p justify",
    "p 2",
    "p end 1",
    "p",
    "p 8",
    "p",
    "p end",
    "p",
    "li",
  ]);
});

test("headings, lists, tables, pictures and links are read", async () => {
  const file = wordFile({
    body: [
      paragraph("Agreement", "Title"),
      paragraph("Prices", "Heading2"),
      paragraph(run("All prices are ") + run("net", "<w:b/>") + link("site", "see here")),
      listItem("One", "bullets"),
      listItem("First", "numbers"),
      table([
        ["Item", "Price"],
        ["Crate", "4.50"],
      ]),
      picture("plan.png", "Plan of the quay", size),
    ].join(""),
    pictures: { "plan.png": png },
    outside: { site: { type: "hyperlink", target: "https://example.com/?a=1&b=2" } },
  });
  const { nodes, images, cut } = await readDocument(file);
  expect(outline(nodes)).toBe(
    "h1(Agreement) h2(Prices) p(All prices are  strong(net) a(see here)) ul(li(One)) ol(li(1. First)) " +
      "table(thead(tr(th(p(Item)) th(p(Price)))) tbody(tr(td(p(Crate)) td(p(4.50))))) p(img())",
  );
  expect(elements(nodes, "a")[0]?.href).toBe("https://example.com/?a=1&b=2");
  expect(elements(nodes, "img")[0]).toMatchObject({ image: 0, alt: "Plan of the quay" });
  expect(images).toMatchObject([{ type: "image/png" }]);
  expect(images[0]?.bytes).toBeInstanceOf(ArrayBuffer);
  expect(new Uint8Array(images[0]?.bytes ?? new ArrayBuffer())).toEqual(png);
  expect(cut).toBe(false);
});

describe("numbers of paragraphs", () => {
  const ns = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const level = (index: number, format: string, text: string, more = "", start = 1) =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const item = (list: number, level: number, text: string, mark = "") =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>${mark}</w:pPr>${run(text)}</w:p>`;
  /** One abstract list of these levels, and lists that have it: the first as it is, others with what they override. */
  const linesOf = async (levels: string, body: string, overrides: string[] = [], styles?: string) => {
    const lists = ["", ...overrides].map(
      (override, index) => `<w:num w:numId="${index + 1}"><w:abstractNumId w:val="1"/>${override}</w:num>`,
    );
    const numbering = `<w:numbering ${ns}><w:abstractNum w:abstractNumId="1">${levels}</w:abstractNum>${lists.join("")}</w:numbering>`;
    const entries = {
      "word/numbering.xml": strToU8(numbering),
      ...(styles ? { "word/styles.xml": strToU8(`<w:styles ${ns}>${styles}</w:styles>`) } : {}),
    };
    const { nodes } = await readDocument(wordFile({ body, entries }));
    return lines(nodes);
  };
  const decimal = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)");

  test("count on after other paragraphs, and levels start anew", async () => {
    const body = [
      item(1, 0, "A"),
      item(1, 1, "B"),
      item(1, 2, "C"),
      paragraph("between"),
      item(1, 1, "D"),
      item(1, 2, "E"),
      item(1, 0, "F"),
      item(1, 1, "G"),
    ];
    expect(await linesOf(decimal, body.join(""))).toEqual([
      "1. A",
      "1.1 B",
      "(a) C",
      "between",
      "1.2 D",
      "(a) E",
      "2. F",
      "2.1 G",
    ]);
  });

  test("of lists with the same levels go on, unless a list says where it starts", async () => {
    const body = [
      item(1, 0, "A"),
      item(2, 0, "B"),
      item(3, 0, "C"),
      item(3, 0, "D"),
      item(3, 1, "E"),
      item(1, 0, "F"),
    ];
    const start = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>';
    expect(await linesOf(decimal, body.join(""), ["", start])).toEqual([
      "1. A",
      "2. B",
      "7. C",
      "8. D",
      "8.1 E",
      "9. F",
    ]);
  });

  test("have the format of a list that overrides it", async () => {
    const override = `<w:lvlOverride w:ilvl="0">${level(0, "upperRoman", "§ %1")}</w:lvlOverride>`;
    expect(await linesOf(decimal, item(2, 0, "A"), [override])).toEqual(["§ I A"]);
  });

  test("of a level whose levels above are not used", async () => {
    expect(await linesOf(decimal, item(1, 1, "A") + item(1, 0, "B") + item(1, 1, "C"))).toEqual([
      "1.1 A",
      "2. B",
      "2.1 C",
    ]);
  });

  test("of legal clauses are decimal, and of levels that never start anew go on", async () => {
    const levels =
      level(0, "upperRoman", "Article %1.") +
      level(1, "lowerLetter", "%1.%2", '<w:isLgl/><w:lvlRestart w:val="0"/>');
    const body = [item(1, 0, "A"), item(1, 1, "B"), item(1, 0, "C"), item(1, 1, "D")];
    expect(await linesOf(levels, body.join(""))).toEqual(["Article I. A", "1.1 B", "Article II. C", "2.2 D"]);
  });

  test.each([
    ["lowerRoman", 3, "iii. a"],
    ["upperRoman", 1994, "MCMXCIV. a"],
    ["upperLetter", 26, "Z. a"],
    ["lowerLetter", 28, "bb. a"],
    ["decimalZero", 9, "09. a"],
    ["ordinal", 22, "22nd. a"],
    ["russianLower", 3, "в. a"],
    ["none", 1, ". a"],
    ["bullet", 1, "a"],
    ["unheardOf", 4, "4. a"],
  ])("%s from %s is %s", async (format, start, line) => {
    expect(await linesOf(level(0, format, "%1.", "", start), item(1, 0, "a"))).toEqual([line]);
  });

  test("of headings, and of styles that are based on a numbered one", async () => {
    const numbered = (id: string, name: string, properties: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${properties}</w:style>`;
    const styles =
      numbered("Heading1", "heading 1", '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>') +
      numbered(
        "Heading2",
        "heading 2",
        '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>',
      ) +
      numbered("Clause", "Clause", '<w:basedOn w:val="Heading2"/>');
    const none = '<w:numPr><w:numId w:val="0"/></w:numPr>';
    const body = [
      paragraph("A", "Heading1"),
      paragraph("B", "Heading2"),
      paragraph("C", "Clause"),
      paragraph("D", "Heading1", none),
      paragraph("E", "Heading1"),
    ];
    expect(await linesOf(decimal, body.join(""), [], styles)).toEqual([
      "1. A",
      "1.1 B",
      "1.2 C",
      "D",
      "2. E",
    ]);
  });

  test("leave out paragraphs that are hidden", async () => {
    const vanish = "<w:rPr><w:vanish/></w:rPr>";
    const hidden = item(1, 0, "secret", vanish).replace("<w:r>", `<w:r>${vanish}`);
    expect(await linesOf(decimal, item(1, 0, "A") + hidden + item(1, 0, "B"))).toEqual(["1. A", "2. B"]);
  });
});

describe("text that Word shows", () => {
  const show = async (body: string) => outline((await readDocument(wordFile({ body }))).nodes);
  const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;

  test("and not what is hidden, by itself or by a style", async () => {
    const body =
      run("a") + run("b", "<w:vanish/>") + run("c", '<w:vanish w:val="0"/>') + run("d", "<w:webHidden/>");
    expect(await show(paragraph(body))).toBe("p(acd)");
    const ns = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const style = `<w:style w:type="character" w:styleId="Parent"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="character" w:styleId="Secret"><w:basedOn w:val="Parent"/></w:style>`;
    const { nodes } = await readDocument(
      wordFile({
        body: paragraph(run("a") + run("b", '<w:rStyle w:val="Secret"/>')),
        entries: { "word/styles.xml": strToU8(`<w:styles ${ns}>${style}</w:styles>`) },
      }),
    );
    expect(outline(nodes)).toBe("p(a)");
  });

  test("of simple fields, and of fields in fields", async () => {
    expect(
      await show(
        `<w:p>${run("see ")}<w:fldSimple w:instr=" REF x "><w:r><w:t>clause 4</w:t></w:r></w:fldSimple></w:p>`,
      ),
    ).toBe("p(see clause 4)");
    const inner =
      field("begin") + instruction(" MERGEFIELD x ") + field("separate") + run("inner") + field("end");
    const outer =
      field("begin") +
      instruction(" IF ") +
      inner +
      instruction(" = 1 ") +
      field("separate") +
      run("yes") +
      field("end");
    expect(await show(paragraph(outer + run(".")))).toBe("p(yes.)");
  });

  test("above words, and in a forced direction", async () => {
    const ruby = `<w:r><w:ruby><w:rt>${run("かん")}</w:rt><w:rubyBase>${run("漢")}</w:rubyBase></w:ruby></w:r>`;
    expect(await show(paragraph(ruby + run("字")))).toBe("p(ruby(漢 rt(かん)) 字)");
    expect(
      await show(`<w:p><w:bdo w:val="rtl">${run("a")}</w:bdo><w:dir w:val="rtl">${run("ב")}</w:dir></w:p>`),
    ).toBe("p(aב)");
  });

  test("that was inserted, deleted or moved, paragraphs and rows included", async () => {
    const deleted = (text: string) => `<w:del w:id="1"><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
    const body = `<w:p>${run("from ")}${deleted("500")}<w:ins w:id="2">${run("700")}</w:ins></w:p>`;
    expect(await show(body)).toBe("p(from  del(500) ins(700))");
    const whole = `<w:p><w:pPr><w:rPr><w:del w:id="3"/></w:rPr></w:pPr>${deleted("gone")}</w:p>`;
    expect(await show(whole + paragraph("next"))).toBe("p(del(gone)) p(next)");
    const row = `<w:tbl><w:tr><w:trPr><w:del w:id="4"/></w:trPr><w:tc><w:p>${deleted("cell")}</w:p></w:tc></w:tr></w:tbl>`;
    expect(await show(row)).toContain("del(cell)");
    const moved = `<w:p><w:moveFrom w:id="5">${run("a")}</w:moveFrom><w:moveTo w:id="6">${run("b")}</w:moveTo></w:p>`;
    expect(await show(moved)).toBe("p(del(a) ins(b))");
  });

  test("in equations, in one line", async () => {
    const text = (value: string) => `<m:r><m:t>${value}</m:t></m:r>`;
    const equation = [
      `<m:sSup><m:e>${text("x")}</m:e><m:sup>${text("2")}</m:sup></m:sSup>${text("=")}`,
      `<m:f><m:num>${text("a+b")}</m:num><m:den>${text("2")}</m:den></m:f>${text("+")}`,
      `<m:rad><m:deg/><m:e>${text("c")}</m:e></m:rad>${text("+")}`,
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${text("i=1")}</m:sub><m:sup>${text("n")}</m:sup><m:e>${text("i")}</m:e></m:nary>`,
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${text("y")}</m:e></m:d>`,
    ];
    expect(await show(`<w:p><m:oMathPara><m:oMath>${equation.join("")}</m:oMath></m:oMathPara></w:p>`)).toBe(
      "p(x^2=(a+b)/2+√c+∑_(i=1)^n i[y])",
    );
  });

  test("in a box, once", async () => {
    const box = (around: string, text: string) =>
      `<${around}><w:txbxContent>${paragraph(text)}</w:txbxContent></${around}>`;
    const drawing = `<w:drawing><wp:inline>${box("wps:txbx", "drawn")}</wp:inline></w:drawing>`;
    expect(await show(`<w:p><w:r>${drawing}</w:r></w:p>`)).toContain("p(drawn)");
    const both = `<mc:AlternateContent><mc:Choice>${drawing}</mc:Choice><mc:Fallback>${drawing}</mc:Fallback></mc:AlternateContent>`;
    expect((await show(`<w:p><w:r>${both}</w:r></w:p>`)).match(/drawn/g)).toHaveLength(1);
  });
});

test("markup in the text stays text", async () => {
  const text = '<img src=x onerror=alert(1)> & "quotes"';
  const { nodes } = await readDocument(wordFile({ body: paragraph(text) }));
  expect(nodes).toEqual([{ tag: "p", children: [text] }]);
});

describe("what could do harm is left out", () => {
  test("links that run scripts", async () => {
    const outside = {
      script: { type: "hyperlink", target: "javascript:alert(1)" },
      data: { type: "hyperlink", target: "data:text/html,<script>alert(1)</script>" },
      file: { type: "hyperlink", target: "file:///etc/passwd" },
    } as const;
    const body = Object.keys(outside).map((id) => paragraph(link(id, id)));
    const { nodes } = await readDocument(wordFile({ body: body.join(""), outside }));
    expect(elements(nodes, "a").map(({ href }) => href)).toEqual([undefined, undefined, undefined]);
  });

  test("pictures at an address, and drawings", async () => {
    const { nodes, images } = await readDocument(
      wordFile({
        body: picture("tracker", "Linked", size) + picture("drawing.svg", "Drawn", size),
        pictures: {
          "drawing.svg": strToU8('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        },
        outside: { tracker: { type: "image", target: "https://tracker.example/pixel.png" } },
      }),
    );
    expect(images).toEqual([]);
    expect(elements(nodes, "img")).toMatchObject([{ alt: "Linked" }, { alt: "Drawn" }]);
    expect(JSON.stringify(nodes)).not.toContain("tracker.example");
  });

  test("the styles with which a file would change the conversion", async () => {
    const file = wordFile({
      body: paragraph("Text"),
      entries: { "mammoth/style-map": strToU8("p => script:fresh") },
    });
    expect(outline((await readDocument(file)).nodes)).toBe("p(Text)");
  });

  test("elements and attributes that are not known", () => {
    const html = '<script>alert(1)</script><p onclick="run()" style="x"><iframe src="x">in</iframe></p>';
    expect(readHtml(html)).toEqual({ nodes: ["alert(1)", { tag: "p", children: ["in"] }], cut: false });
  });

  test("entities of a document type", async () => {
    const xml =
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY b "bbbbbbbbbb">]>' +
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>a&x;&b;</w:t></w:r></w:p></w:body></w:document>';
    const read = readDocument(wordFile({ body: "", entries: { "word/document.xml": strToU8(xml) } }));
    const text = await read.then(
      ({ nodes }) => outline(nodes),
      (error) => error.refusal,
    );
    expect(text).not.toMatch(/root:|bbbbb/);
  });
});

describe("what would cost too much is refused or cut", () => {
  const refusal = (bytes: Uint8Array<ArrayBuffer>) =>
    readDocument(bytes).then(
      () => "shown",
      (error) => error.refusal,
    );

  test("an archive that unpacks to more than is read", async () => {
    const entries = { "word/extra.xml": new Uint8Array(MAX_UNPACKED_BYTES) };
    const file = wordFile({ body: paragraph("a"), entries });
    expect(file.length).toBeLessThan(100_000);
    expect(await refusal(file)).toBe("too-complex");
  });

  test("an archive that lies about the size of its parts", async () => {
    const file = wordFile({ body: paragraph("a".repeat(5_000_000)) });
    expect(await refusal(withDeclaredSizes(file, 100))).toBe("damaged");
  });

  test("an archive that lies about the size of parts that are only stored", async () => {
    const half: ZippableFile = [new Uint8Array(MAX_UNPACKED_BYTES / 2 + 1), { level: 0 }];
    const file = wordFile({ body: paragraph("a"), entries: { "word/one.xml": half, "word/two.xml": half } });
    expect(await refusal(withDeclaredSizes(file, 100))).toBe("too-complex");
  });

  const attributes = Array.from({ length: 990 }, (_, index) => ` a${index}=""`).join("");
  test.each<[string, string]>([
    ["attributes", `<w:comments xmlns:w="w">${`<w:comment${attributes}/>`.repeat(1_100)}</w:comments>`],
    ["references", `<w:comments xmlns:w="w">${"&lt;".repeat(1_000_001)}</w:comments>`],
    ["line ends of Windows", `<w:comments xmlns:w="w">${"\r\n".repeat(1_000_001)}</w:comments>`],
  ])("a part with a million %s", async (_, xml) => {
    const file = wordFile({ body: paragraph("a"), entries: { "word/comments.xml": strToU8(xml) } });
    expect(file.length).toBeLessThan(100_000);
    expect(await refusal(file)).toBe("too-complex");
  });

  test("a text of a million line breaks is written no longer than it was", () => {
    const text = "a\n\t".repeat(1_000_000);
    const tree = { name: "t", fullName: "w:t", attributes: { a: "\n" }, children: [text] };
    expect(writeXmlTree(tree)).toBe(`<w:t a="&#10;">${text}</w:t>`);
  });

  test("an archive with too many entries", async () => {
    const many = Object.fromEntries(Array.from({ length: MAX_ENTRIES + 1 }, (_, index) => [`${index}`, png]));
    expect(await refusal(zipSync(many))).toBe("too-complex");
  });

  test("parts that are not read do not count", async () => {
    const entries = { "word/vbaProject.bin": new Uint8Array(MAX_UNPACKED_BYTES + 1) };
    expect(await refusal(wordFile({ body: paragraph("a"), entries }))).toBe("shown");
  });

  test("a document with too many elements is cut", async () => {
    const { nodes, cut } = await readDocument(wordFile({ body: paragraph("a").repeat(MAX_ELEMENTS + 10) }));
    expect(cut).toBe(true);
    expect(elements(nodes, "p").length).toBeLessThanOrEqual(MAX_ELEMENTS + 1);
  });

  test("a document of millions of empty elements", async () => {
    const file = wordFile({ body: `<w:p>${"<w:r/>".repeat(7_000_000)}</w:p>` });
    expect(file.length).toBeLessThan(100_000);
    expect(await refusal(file)).toBe("too-complex");
  });

  test("a letter with more marks than a browser can lay out, and a paragraph without end", async () => {
    const { nodes } = await readDocument(
      wordFile({ body: paragraph(`a${"\u0301".repeat(100_000)}`) + paragraph("ab לא 12 ".repeat(10_000)) }),
    );
    const [marked, long] = nodes as { children: (string | { tag: string })[] }[];
    expect(marked?.children).toEqual([`a${"\u0301".repeat(MAX_MARKS)}`]);
    const texts = long?.children.filter((child) => typeof child === "string") ?? [];
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(texts.join("")).toBe("ab לא 12 ".repeat(10_000));
  });

  test("tables in tables end", async () => {
    const depth = 20_000;
    const deep = `${"<w:tbl><w:tr><w:tc>".repeat(depth)}${paragraph("in")}${"</w:tc></w:tr></w:tbl>".repeat(depth)}`;
    expect(await refusal(wordFile({ body: deep }))).toBe("too-complex");
  });

  test("a picture of a pixel and of ten megabytes, in ten places", async () => {
    const large = new Uint8Array(10_000_000);
    large.set(png);
    const { images } = await readDocument(
      wordFile({ body: picture("a.png", "", size).repeat(10), pictures: { "a.png": large } }),
    );
    const bytes = images.reduce((sum, image) => sum + image.bytes.byteLength, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_UNPACKED_BYTES);
  });

  test("a note that is referred to a hundred times is written once", async () => {
    const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const notes = `<w:footnotes ${w}><w:footnote w:id="2">${paragraph("note")}</w:footnote></w:footnotes>`;
    const reference = '<w:r><w:footnoteReference w:id="2"/></w:r>';
    const { nodes } = await readDocument(
      wordFile({
        body: paragraph(reference.repeat(100)),
        entries: { "word/footnotes.xml": strToU8(notes) },
      }),
    );
    expect(lines(nodes).filter((line) => line.includes("note"))).toHaveLength(1);
  });

  test("numbers of a list with a text without end", async () => {
    const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const level = (text: string) => `<w:lvl w:ilvl="0"><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbered = async (text: string) => {
      const lists = `<w:numbering ${w}><w:abstractNum w:abstractNumId="1">${level(text)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
      const item = paragraph(run("item"), "", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
      const file = wordFile({ body: item, entries: { "word/numbering.xml": strToU8(lists) } });
      return outline((await readDocument(file)).nodes);
    };
    expect(await numbered("%1.")).toContain("0. item");
    expect((await numbered("%1".repeat(500))).length).toBeLessThan(200);
    expect((await numbered("%1&amp;".repeat(100_000))).length).toBeLessThan(200);
  });

  test("an address of a link without end", async () => {
    const target = (length: number) => `https://a.example/${"a".repeat(length)}`;
    const file = wordFile({
      body: link("near", "near") + link("far", "far"),
      outside: {
        near: { type: "hyperlink", target: target(1_000) },
        far: { type: "hyperlink", target: target(1_000_000) },
      },
    });
    const { nodes } = await readDocument(file);
    expect(elements(nodes, "a").map(({ href }) => href)).toEqual([target(1_000), undefined]);
  });

  test("sums in the limits of sums", async () => {
    const depth = 40;
    const sum = `<m:oMath>${"<m:nary><m:sub>".repeat(depth)}<m:r><m:t>x</m:t></m:r>${"</m:sub></m:nary>".repeat(depth)}</m:oMath>`;
    expect(outline((await readDocument(wordFile({ body: `<w:p>${sum}</w:p>` }))).nodes)).toContain("∫_(∫_(");
  });

  test("elements with more attributes, or deeper in each other, than any program writes", async () => {
    const attributes = Array.from({ length: 2_000 }, (_, index) => ` a${index}=""`).join("");
    expect(await refusal(wordFile({ body: `<w:p${attributes}/>` }))).toBe("too-complex");
    const deep = `${"<w:sdt>".repeat(2_000)}${"</w:sdt>".repeat(2_000)}`;
    expect(await refusal(wordFile({ body: deep }))).toBe("too-complex");
  });

  test("a picture of a few bytes and of many pixels", async () => {
    const huge = png.slice();
    new DataView(huge.buffer).setUint32(16, 60_000);
    new DataView(huge.buffer).setUint32(20, 60_000);
    const { images } = await readDocument(
      wordFile({ body: picture("a.png", "", size), pictures: { "a.png": huge } }),
    );
    expect(images).toEqual([]);
  });

  test.each([
    ["a file of an older format", compoundFile(["WordDocument"]), { olderFormatOf: "Word" }],
    ["bytes that are no archive", strToU8("not a zip"), "damaged"],
    ["an archive of something else", zipSync({ "a.txt": strToU8("a") }), "damaged"],
  ])("%s", async (_, bytes, expected) => {
    expect(await refusal(bytes as Uint8Array<ArrayBuffer>)).toEqual(expected);
  });
});

/** Writes another unpacked size into each entry's headers. */
function withDeclaredSizes(archive: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const changed = archive.slice();
  const view = new DataView(changed.buffer);
  for (let at = 0; at + 30 < changed.length; at++) {
    const signature = view.getUint32(at, true);
    if (signature === 0x02014b50) view.setUint32(at + 24, size, true);
    if (signature === 0x04034b50) view.setUint32(at + 22, size, true);
  }
  return changed;
}
