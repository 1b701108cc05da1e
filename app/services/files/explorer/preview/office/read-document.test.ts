import { strToU8, type ZippableFile, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import {
  link,
  listItem,
  paragraph,
  picture,
  run,
  table,
  wordFile,
} from "../../../../../../tests/support/files/word-file";
import { MAX_MARKS } from "../../../../../locales/visible-text";
import { MAX_LINE_LENGTH } from "../../bounded-text";
import { type DocumentNode, MAX_ELEMENTS, readDocument, readHtml } from "./read-document";
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
    "h1(Agreement) h2(Prices) p(All prices are  strong(net) a(see here)) ul(li(One)) ol(li(First)) " +
      "table(thead(tr(th(p(Item)) th(p(Price)))) tbody(tr(td(p(Crate)) td(p(4.50))))) p(img())",
  );
  expect(elements(nodes, "a")[0]?.href).toBe("https://example.com/?a=1&b=2");
  expect(elements(nodes, "img")[0]).toMatchObject({ image: 0, alt: "Plan of the quay" });
  expect(images).toMatchObject([{ type: "image/png" }]);
  expect(images[0]?.bytes).toBeInstanceOf(ArrayBuffer);
  expect(new Uint8Array(images[0]?.bytes ?? new ArrayBuffer())).toEqual(png);
  expect(cut).toBe(false);
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
    ["a file of an older format", Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), "older-format"],
    ["bytes that are no archive", strToU8("not a zip"), "damaged"],
    ["an archive of something else", zipSync({ "a.txt": strToU8("a") }), "damaged"],
  ])("%s", async (_, bytes, expected) => {
    expect(await refusal(bytes as Uint8Array<ArrayBuffer>)).toBe(expected);
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
