import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { damagedOrOther, recognizeFormat } from "./recognize-format";

const zipOf = (...paths: string[]) =>
  zipSync(Object.fromEntries(paths.map((path) => [path, [strToU8("a"), { level: 0 }]])));
const openDocument = (type: string) => zipSync({ mimetype: [strToU8(type), { level: 0 }] });

test.each([
  ["%PDF-1.7", strToU8("%PDF-1.7"), "PDF"],
  ["a Word document", zipOf("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "Word"],
  ["a workbook", zipOf("docProps/app.xml", "xl/workbook.xml"), "Excel"],
  ["slides", zipOf("[Content_Types].xml", "ppt/presentation.xml"), "PowerPoint"],
  ["an OpenDocument text", openDocument("application/vnd.oasis.opendocument.text"), "ODT"],
  ["an OpenDocument sheet", openDocument("application/vnd.oasis.opendocument.spreadsheet"), "ODS"],
  ["a book", openDocument("application/epub+zip"), "EPUB"],
  ["another archive", zipOf("a.txt", "my/word/a.txt"), "ZIP"],
  ["a text in UTF-8", strToU8("Größe;Menge\n"), "text"],
  ["a text in Windows-1252", strToU8("Gr\xf6\xdfe;Menge\r\n", true), "text"],
  ["a text in UTF-16 with its mark", Uint8Array.from([0xff, 0xfe, 0x41, 0]), "text"],
  ["other bytes", Uint8Array.from([1, 2, 3, 0x80, 0]), null],
  ["nothing", new Uint8Array(), null],
])("%s", (_, bytes, format) => {
  expect(recognizeFormat(bytes)).toBe(format);
});

test("what a reader cannot read is damaged, or has another format", () => {
  expect(damagedOrOther(zipOf("word/document.xml"), "Word")).toBe("damaged");
  expect(damagedOrOther(zipOf("word/document.xml"), "Excel")).toEqual({ contentFormat: "Word" });
  expect(damagedOrOther(Uint8Array.from([1, 2, 3]), "Excel")).toBe("damaged");
});
