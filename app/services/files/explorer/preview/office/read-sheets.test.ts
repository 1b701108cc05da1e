import { strToU8, unzipSync, zipSync } from "fflate";
import { writeOds } from "hucre/ods";
import { type Cell, type CellStyle, writeXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { black, contrast, parseColor, white } from "../../../../../embed/appearance/color";
import { MAX_COLUMNS, MAX_ROWS, MAX_SHEETS, readSheets, type SheetTable } from "./read-sheets";
import type { Color } from "./sheet-colors";
import { MAX_UNPACKED_BYTES } from "./unpack";

type Workbook = Parameters<typeof writeXlsx>[0];
type Bytes = Uint8Array<ArrayBuffer>;

const xlsx = async (sheets: Workbook["sheets"]) => (await writeXlsx({ sheets })) as Bytes;
const firstSheet = async (bytes: Bytes, language = "en") => {
  const [sheet] = (await readSheets(bytes, "xlsx", language)).sheets;
  if (!sheet) throw new Error("There is no sheet.");
  return sheet;
};
const texts = (sheet: SheetTable) => sheet.rows.map(({ cells }) => cells.map((cell) => cell?.text ?? ""));

/** A cell at A1 with a number format. */
const formatted = (value: Cell["value"], numFmt: string) =>
  xlsx([{ name: "A", rows: [[value]], cells: new Map([["0,0", { value, style: { numFmt } }]]) }]);

describe("values are shown as people see them", () => {
  test.each([
    ["en", 1234.5, "#,##0.00", "1,234.50"],
    ["de", 1234.5, "#,##0.00", "1.234,50"],
    ["de", 1234.5, '#,##0.00 "€"', "1.234,50 €"],
    ["ar", 1234.5, '#,##0.00 "€"', "1,234.50 €"],
    ["en", 0.125, "0.0%", "12.5%"],
    ["en", -3, "0;(0)", "(3)"],
    ["en", 0.1 + 0.2, "General", "0.3"],
    ["en", 42, "not a [format", "42"],
    ["en", "A-7", "@", "A-7"],
  ])("%s: %s as %s", async (language, value, numFmt, text) => {
    expect(texts(await firstSheet(await formatted(value, numFmt), language))).toEqual([[text]]);
  });

  const moment = new Date(Date.UTC(2026, 2, 14, 9, 30));
  test.each([
    ["en", "d mmmm yyyy", "14 March 2026"],
    ["fr", "d mmmm yyyy", "14 mars 2026"],
    ["en", "yyyy-mm-dd hh:mm", "2026-03-14 09:30"],
    ["en", "[h]:mm", "1106289:30"],
    ["de", "m/d/yyyy", "14.03.2026, 09:30"],
  ])("%s: a date as %s", async (language, numFmt, text) => {
    expect(texts(await firstSheet(await formatted(moment, numFmt), language))).toEqual([[text]]);
  });

  test("formulas have the values with which they were stored", async () => {
    const cells = new Map<string, Partial<Cell>>([
      ["0,1", { formula: "A1*2", formulaResult: 6 }],
      ["0,2", { formula: "NOW()" }],
    ]);
    const sheet = await firstSheet(await xlsx([{ name: "A", rows: [[3, null, null]], cells }]));
    expect(texts(sheet)).toEqual([["3", "6", "=NOW()"]]);
  });

  test("numbers are at the end of their cells, unless the sheet says otherwise", async () => {
    const cells = new Map([["0,3", { value: 1, style: { alignment: { horizontal: "center" as const } } }]]);
    const sheet = await firstSheet(await xlsx([{ name: "A", rows: [["a", 1, true, 1]], cells }]));
    expect(sheet.rows[0]?.cells.map((cell) => cell?.align)).toEqual(["start", "end", "center", "center"]);
  });

  test("LibreOffice's format is read, too", async () => {
    const bytes = (await writeOds({
      sheets: [{ name: "Preise", rows: [["Kiste", 4.5, new Date(Date.UTC(2026, 0, 2))]] }],
    })) as Bytes;
    const { sheets } = await readSheets(bytes, "ods", "de");
    expect(sheets.map(({ name }) => name)).toEqual(["Preise"]);
    expect(texts(sheets[0] as SheetTable)).toEqual([["Kiste", "4,5", "02.01.2026"]]);
  });
});

describe("colours", () => {
  const solid = (color: Color) => ({ type: "pattern", pattern: "solid", fgColor: color }) as const;
  const colorsOf = async (styles: CellStyle[]) => {
    const cells = new Map(styles.map((style, row) => [`${row},0`, { value: "a", style }]));
    const sheet = await firstSheet(await xlsx([{ name: "A", rows: styles.map(() => ["a"]), cells }]));
    return sheet.rows.map(({ cells: [cell] }) => [cell?.fill, cell?.color]);
  };

  test("of cells and of their text, which is readable on its cell", async () => {
    const read = await colorsOf([
      { fill: solid({ rgb: "1F4E78" }), font: { color: { rgb: "FFFFFF" } } },
      { fill: solid({ rgb: "FFF2CC" }) },
      { fill: solid({ rgb: "000080" }) },
      { fill: solid({ rgb: "FFFF00" }), font: { color: { rgb: "FFFFFF" } } },
    ]);
    expect(read).toEqual([
      ["#1f4e78", "#ffffff"],
      ["#fff2cc", "#000000"],
      ["#000080", expect.stringMatching(/^#[0-9a-f]{6}$/)],
      ["#ffff00", expect.stringMatching(/^#[0-9a-f]{6}$/)],
    ]);
    for (const [fill = "", color = ""] of read)
      expect(contrast(parseColor(fill) ?? white, parseColor(color) ?? white)).toBeGreaterThan(4.5);
  });

  test("of text without a fill, in a shade for each theme", async () => {
    const [[fill, color = ""] = []] = await colorsOf([{ font: { color: { rgb: "0000FF" } } }]);
    const [, light = "", dark = ""] = /^light-dark\((#\w+), (#\w+)\)$/.exec(color) ?? [];
    expect([fill, light]).toEqual([undefined, "#0000ff"]);
    expect(contrast(parseColor(dark) ?? black, parseColor("#131417") ?? white)).toBeGreaterThan(4.5);
  });

  test("of the theme", async () => {
    const read = await colorsOf([
      { fill: solid({ theme: 4 }), font: { color: { theme: 0 } } },
      { fill: solid({ theme: 4, tint: 0.8 }), font: { color: { theme: 1 } } },
    ]);
    expect(read[0]?.[1]).toBe("#ffffff");
    expect(read[1]?.[1]).toBe("#000000");
    expect(read[0]?.[0]).not.toBe(read[1]?.[0]);
  });

  test("are the page's own where they are black or white, patterns, gradients, or no colours", async () => {
    const none = [undefined, undefined];
    const read = await colorsOf([
      { fill: solid({ rgb: "FFFFFF" }), font: { color: { rgb: "000000" } } },
      { fill: solid({ theme: 0 }), font: { color: { theme: 1 } } },
      { fill: { type: "pattern", pattern: "gray125", fgColor: { rgb: "FF0000" } } },
      { fill: { type: "gradient", stops: [{ position: 0, color: { rgb: "FF0000" } }] } },
      { fill: solid({ rgb: "url(x)" }), font: { color: { rgb: "x" } } },
    ]);
    expect(read).toEqual([none, none, none, none, none]);
  });

  test("of cells without text", async () => {
    const cells = new Map([["0,1", { style: { fill: solid({ rgb: "DDEBF7" }) } }]]);
    const sheet = await firstSheet(await xlsx([{ name: "A", rows: [["a", null, "c"]], cells }]));
    expect(sheet.rows[0]?.cells[1]).toMatchObject({ text: "", fill: "#ddebf7" });
  });
});

describe("the layout", () => {
  test("column widths, merged cells, frozen rows and bold text", async () => {
    const cells = new Map([["0,0", { value: "Prices", style: { font: { bold: true } } }]]);
    const sheet = await firstSheet(
      await xlsx([
        {
          name: "A",
          columns: [{ width: 30 }, { width: 500 }],
          rows: [
            ["Prices", null],
            ["Crate", 1],
          ],
          cells,
          merges: [{ startRow: 0, endRow: 0, startCol: 0, endCol: 1 }],
          freezePane: { rows: 1, columns: 1 },
        },
      ]),
    );
    expect(sheet.columns).toEqual([
      { name: "A", width: 30 },
      { name: "B", width: 60 },
    ]);
    expect(sheet.merges).toEqual([{ row: 0, rows: 1, column: 0, columns: 2 }]);
    expect(sheet.frozen).toEqual({ rows: 1, columns: 1 });
    expect(sheet.rows[0]?.cells[0]).toMatchObject({ bold: true });
  });

  test("hidden rows, columns and sheets are not shown, and the others keep their names", async () => {
    const bytes = await xlsx([
      { name: "Secret", rows: [["a"]], hidden: true },
      {
        name: "Open",
        columns: [{}, { hidden: true }, {}],
        rows: [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
        rowDefs: new Map([[1, { hidden: true }]]),
        merges: [{ startRow: 0, endRow: 2, startCol: 0, endCol: 1 }],
      },
    ]);
    const { sheets } = await readSheets(bytes, "xlsx", "en");
    expect(sheets.map(({ name }) => name)).toEqual(["Open"]);
    expect(sheets[0]?.columns.map(({ name }) => name)).toEqual(["A", "C"]);
    expect(sheets[0]?.rows.map(({ number }) => number)).toEqual([1, 3]);
    expect(sheets[0]?.merges).toEqual([{ row: 0, rows: 2, column: 0, columns: 1 }]);
  });
});

describe("what would cost too much is cut or refused", () => {
  const refusal = (bytes: Bytes, kind: "xlsx" | "ods" = "xlsx") =>
    readSheets(bytes, kind, "en").then(
      () => "shown",
      (error) => error.refusal,
    );

  test("a million cells: the first rows and columns are shown", async () => {
    const cell = "<c><v>7</v></c>";
    const rows = `<row>${cell.repeat(MAX_COLUMNS + 10)}</row>`.repeat(Math.ceil(1e6 / (MAX_COLUMNS + 10)));
    const sheet = await firstSheet(await withSheetData(rows));
    expect(sheet.cut).toBe(true);
    expect(sheet.columns.length).toBe(MAX_COLUMNS);
    expect(sheet.rows.length * MAX_COLUMNS).toBeLessThanOrEqual(300_000);
    expect(sheet.rows[0]?.cells[0]?.text).toBe("7");
  });

  test("two cells in opposite corners", async () => {
    const rows =
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
    const sheet = await firstSheet(await withSheetData(rows));
    expect(texts(sheet)).toEqual([["1"]]);
  });

  test("a sheet that ends at the last row and column that are shown is not cut", async () => {
    const rows = `<row r="${MAX_ROWS}"><c r="A${MAX_ROWS}"><v>1</v></c></row>`;
    expect(await firstSheet(await withSheetData(rows))).toMatchObject({ cut: false });
    const more = `<row r="${MAX_ROWS + 1}"><c r="A${MAX_ROWS + 1}"><v>1</v></c></row>`;
    expect(await firstSheet(await withSheetData(more))).toMatchObject({ cut: true });
  });

  test("repeated rows and columns of LibreOffice's format", async () => {
    const bytes = (await writeOds({ sheets: [{ name: "A", rows: [["a"]] }] })) as Bytes;
    const parts = unzipSync(bytes);
    const content = new TextDecoder().decode(parts["content.xml"]);
    const repeated = content
      .replace("<table:table-row", '<table:table-row table:number-rows-repeated="1000000"')
      .replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="16000"');
    expect(repeated).not.toBe(content);
    const read = readSheets(zipSync({ ...parts, "content.xml": strToU8(repeated) }), "ods", "en");
    const outcome = await read.then(
      ({ sheets }) => sheets.every(({ rows, columns }) => rows.length * columns.length <= 300_000),
      (error) => error.refusal,
    );
    expect([true, "too-complex", "damaged"]).toContain(outcome);
  });

  test("many sheets", async () => {
    const many = Array.from({ length: MAX_SHEETS + 1 }, (_, index) => ({ name: `S${index}`, rows: [[1]] }));
    const book = await readSheets(await xlsx(many), "xlsx", "en");
    expect(book.sheets.length).toBe(MAX_SHEETS);
    expect(book.cut).toBe(true);
  });

  test("an archive that unpacks to more than is read", async () => {
    const parts = unzipSync(await xlsx([{ name: "A", rows: [[1]] }]));
    expect(await refusal(zipSync({ ...parts, "xl/a.xml": new Uint8Array(MAX_UNPACKED_BYTES) }))).toBe(
      "too-complex",
    );
    expect(await refusal(zipSync({ ...parts, "xl/vbaProject.bin": new Uint8Array(1_000) }))).toBe("shown");
  });

  test("entities that grow", async () => {
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`);
    const head = `<!DOCTYPE a [<!ENTITY e0 "bomb">${entities.join("")}]>`;
    const bytes = await withSheetData('<row><c t="inlineStr"><is><t>&e20;</t></is></c></row>', head);
    const outcome = await readSheets(bytes, "xlsx", "en").then(
      ({ sheets }) => JSON.stringify(sheets).length < 10_000,
      (error) => error.refusal,
    );
    expect([true, "damaged"]).toContain(outcome);
  });

  test("a file with a password, and bytes that are no workbook", async () => {
    expect(await refusal(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1))).toBe("protected");
    expect(await refusal(strToU8("a,b\n") as Bytes)).toBe("damaged");
    expect(await refusal(zipSync({ "a.txt": strToU8("a") }), "ods")).toBe("damaged");
  });
});

/** A workbook whose sheet has these rows, as XML. */
async function withSheetData(rows: string, head = ""): Promise<Bytes> {
  const parts = unzipSync(await xlsx([{ name: "A", rows: [[1]] }]));
  const path = "xl/worksheets/sheet1.xml";
  const xml = `${head}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
  return zipSync({ ...parts, [path]: strToU8(xml) }, { level: 1 });
}
