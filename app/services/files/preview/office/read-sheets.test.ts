import { strToU8, unzipSync, zipSync } from "fflate";
import { writeOds } from "hucre/ods";
import { type Cell, type CellStyle, writeXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { compoundFile } from "../../../../../tests/support/files/compound-file";
import { black, contrast, parseColor, white } from "../../../../embed/appearance/color";
import { readOds } from "./read-ods";
import { readSheets, type SheetTable } from "./read-sheets";
import { readXlsx } from "./read-xlsx";
import type { Color } from "./sheet-colors";
import { MAX_COLUMNS, MAX_ROWS, MAX_SHEETS } from "./sheet-source";
import { MAX_UNPACKED_BYTES, type OfficeParts } from "./unpack";

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
    // Beside a day, months have another case in these languages.
    ["pl", "d mmmm yyyy", "14 marca 2026"],
    ["pl", "mmmm yyyy", "marzec 2026"],
    ["ru", "d mmmm yyyy", "14 марта 2026"],
    ["en", "yyyy-mm-dd hh:mm", "2026-03-14 09:30"],
    ["en", "[h]:mm", "1106289:30"],
    ["de", "m/d/yyyy", "3/14/2026"],
  ])("%s: a date as %s", async (language, numFmt, text) => {
    expect(texts(await firstSheet(await formatted(moment, numFmt), language))).toEqual([[text]]);
  });

  /** As Excel shows them, where LibreOffice does not differ. */
  test.each([
    ["0.00", "1.005", "1.01"],
    ["0.00", "0.285", "0.29"],
    ["#,##0.00", "1234.565", "1,234.57"],
    ["0.0%", "0.1245", "12.5%"],
    ["0", "9007199254740993", "9007199254740990"],
    ["General", "12345678901234", "12345678901234"],
    ["General", "-0", "0"],
    ["0.00E+00", "123456", "1.23E+05"],
    ["# ?/?", "0.75", " 3/4"],
    ["# ?/4", "0.99", "1    "],
    ["# ?/8", "-1.99", "-2    "],
    ["?/4", "0.99", "4/4"],
    ["0.###", "1", "1."],
    ["#,##0.00\\ [$€-407]", "1234.5", "1,234.50 €"],
    ['"$"#,##0.00_);("$"#,##0.00)', "-1234.5", "($1,234.50)"],
    ["[h]:mm", "7.020833333333333", "168:30"],
    ["[h]:mm", "0.354166666666667", "8:30"],
    ["[h]:mm", "-0.25", "-6:00"],
    ["[h]:mm", "-1.5", "-36:00"],
    ["[mm]", "1.5", "2160"],
    ["[h]:mm", "1.9999999", "48:00"],
    ["yyyy-mm-dd h:mm", "45351.99999999", "2024-03-01 0:00"],
    ["[$-407]d. mmmm yyyy", "45351", "29. Februar 2024"],
    ["[$-407]d/m/yy", "45351", "29.2.24"],
    ["[$-C0A]d \\d\\e mmmm", "45351", "29 de febrero"],
    ["[$-419]d mmmm yyyy", "45351", "29 февраля 2024"],
    ['[$-FC19]dd\\ mmmm\\ yyyy\\ "г.";@', "45351", "29 февраля 2024 г."],
    ["[$-419]mmmm yyyy", "45351", "Февраль 2024"],
    ["[$-pl-PL]d mmmm yyyy", "45351", "29 lutego 2024"],
    ["[$-es-ES]d mmmm", "45351", "29 febrero"],
    ["[$-81A]d. mmmm", "45351", "29. februar"],
    ["h:mm a/p", "0.75", "6:00 P"],
    ["[$-107041E]d mmm yyyy", "45351", "29 ก.พ. 2567"],
    // Dates of Excel's own 1900, and after it.
    ["yyyy-mm-dd", "1", "1900-01-01"],
    ["yyyy-mm-dd", "59", "1900-02-28"],
    ["yyyy-mm-dd", "60", "1900-02-29"],
    ["yyyy-mm-dd", "61", "1900-03-01"],
    // Where Excel shows nothing but signs, and where numfmt does not know the years: the plain value.
    ["h:mm", "-0.25", "-0.25"],
    ["yyyy-mm-dd", "2958466", "2958466"],
    ["[$-411]ggge", "45351", "2024-02-29"],
    ["[$-1170401]d mmm yyyy", "45351", "2024-02-29"],
    ["0 nonsense [", "42", "42"],
  ])("%s of %s is %s", async (format, value, text) => {
    const bytes = await withFormat(format, `<v>${value}</v>`);
    expect(texts(await firstSheet(bytes))).toEqual([[text]]);
  });

  test.each([
    ["yyyy-mm-dd", "43889", "2024-02-29"],
    ["yyyy-mm-dd", "0", "1904-01-01"],
    ["h:mm", "-0.25", "-6:00"],
    ["[h]:mm", "1.5", "36:00"],
    ["[h]:mm", "-1.5", "-36:00"],
  ])("in a workbook that counts from 1904, %s of %s is %s", async (format, value, text) => {
    const bytes = await withFormat(format, `<v>${value}</v>`, { date1904: true });
    expect(texts(await firstSheet(bytes))).toEqual([[text]]);
  });

  test.each([
    [14, "de", "14.03.2026"],
    [14, "en-CA", "2026-03-14"],
    [14, "en-GB", "14/03/2026"],
    [22, "de", "14.03.2026, 09:30"],
    [14, "ja", "2026/03/14"],
    [44, "de", " $46.095,40 "],
  ])("the format with number %s, which a file does not describe, in %s", async (id, language, text) => {
    const bytes = await withFormat(id, "<v>46095.3958333333</v>");
    expect(texts(await firstSheet(bytes, language))).toEqual([[text]]);
  });

  test("a date as a text of its own type, and an error", async () => {
    const dated = await withFormat("d mmm yyyy", "<v>2024-02-29T12:00:00Z</v>", { type: "d" });
    expect(texts(await firstSheet(dated))).toEqual([["29 Feb 2024"]]);
    const failed = await withFormat("0.00", "<v>#DIV/0!</v>", { type: "e" });
    expect((await firstSheet(failed)).rows[0]?.cells[0]).toMatchObject({ text: "#DIV/0!", align: "center" });
  });

  test("texts without the readings beside them, and with the characters that XML does not allow", async () => {
    const text = "<is><r><t>課</t></r><r><t>長_x0007_</t></r><rPh sb='0' eb='1'><t>カ</t></rPh></is>";
    expect(texts(await firstSheet(await withFormat("General", text, { type: "inlineStr" })))).toEqual([
      ["課長\u0007"],
    ]);
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

describe("sheets of LibreOffice", () => {
  const decimals = 'number:decimal-places="2" number:min-decimal-places="2" number:min-integer-digits="1"';
  const formats: Record<string, string> = {
    clock:
      '<number:time-style style:name="F"><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>',
    duration:
      '<number:time-style style:name="F" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>',
    date: '<number:date-style style:name="F"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>',
    month:
      '<number:date-style style:name="F" number:language="de" number:country="DE"><number:month number:style="long" number:textual="true"/><number:text> </number:text><number:year number:style="long"/></number:date-style>',
    era: '<number:date-style style:name="F"><number:era/><number:year number:calendar="gengou"/></number:date-style>',
    currency: `<number:currency-style style:name="F"><number:number ${decimals} number:grouping="true"/><number:text> </number:text><number:currency-symbol>€</number:currency-symbol></number:currency-style>`,
    percent:
      '<number:percentage-style style:name="F"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>',
    scientific: `<number:number-style style:name="F"><number:scientific-number ${decimals} number:min-exponent-digits="2"/></number:number-style>`,
    fraction:
      '<number:number-style style:name="F"><number:fraction number:min-integer-digits="0" number:min-numerator-digits="1" number:min-denominator-digits="1"/></number:number-style>',
    brackets: `<number:number-style style:name="P"><number:number ${decimals}/></number:number-style><number:number-style style:name="F"><number:text>(</number:text><number:number ${decimals}/><number:text>)</number:text><style:map style:condition="value()&gt;=0" style:apply-style-name="P"/></number:number-style>`,
    "percent sign":
      '<number:number-style style:name="F"><number:number number:decimal-places="0" number:min-integer-digits="1"/><number:text> %</number:text></number:number-style>',
    optional:
      '<number:number-style style:name="F"><number:number number:decimal-places="3" number:min-decimal-places="0" number:min-integer-digits="1"/><number:text> kg.</number:text></number:number-style>',
    engineering:
      '<number:number-style style:name="F"><number:scientific-number number:decimal-places="1" number:min-decimal-places="1" number:min-integer-digits="1" number:min-exponent-digits="1" number:exponent-interval="3"/></number:number-style>',
    "not for texts":
      '<number:date-style style:name="P"><number:day/><number:text>-</number:text><number:month number:textual="true"/></number:date-style><number:text-style style:name="F"><number:text-content/><style:map style:condition="value()&lt;=1.7976931348623157E+308" style:apply-style-name="P"/></number:text-style>',
    phone:
      '<number:number-style style:name="F"><number:number number:decimal-places="0" number:min-integer-digits="9"><number:embedded-text number:position="4">-</number:embedded-text></number:number></number:number-style>',
    possessive:
      '<number:date-style style:name="F" number:language="pl" number:country="PL"><number:day/><number:text> </number:text><number:month number:style="long" number:textual="true"/></number:date-style>',
    weeks:
      '<number:number-style style:name="P"><number:number number:decimal-places="0" number:min-integer-digits="1"/><number:text> days</number:text></number:number-style><number:number-style style:name="F"><number:text>weeks</number:text><style:map style:condition="value()&lt;7" style:apply-style-name="P"/></number:number-style>',
    plain: "",
  };
  const cell = (attributes: string, text = "x") =>
    `<table:table-cell table:style-name="C" ${attributes}><text:p>${text}</text:p></table:table-cell>`;
  const float = (value: number) => `office:value-type="float" office:value="${value}"`;
  const time = (value: string) => `office:value-type="time" office:time-value="${value}"`;
  const date = (value: string) => `office:value-type="date" office:date-value="${value}"`;
  const book = (body: string, styles = "") =>
    zipSync({
      mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
      "content.xml": strToU8(
        `<office:document-content><office:automatic-styles>${styles}<style:style style:name="C" style:family="table-cell" style:data-style-name="F"/></office:automatic-styles><office:body><office:spreadsheet>${body}</office:spreadsheet></office:body></office:document-content>`,
      ),
    }) as Bytes;
  const sheetOf = (rows: string, attributes = 'table:name="S"') =>
    `<table:table ${attributes}>${rows}</table:table>`;
  const rowOf = (text: string, attributes = "") =>
    `<table:table-row ${attributes}>${cell('office:value-type="string"', text)}</table:table-row>`;
  const firstOf = async (bytes: Bytes) => (await readSheets(bytes, "ods", "en")).sheets[0] as SheetTable;

  test.each([
    ["clock", time("PT16H30M00S"), "16:30"],
    ["duration", time("PT168H30M00S"), "168:30"],
    ["duration", time("-PT1H30M00S"), "-1:30"],
    ["date", date("2026-11-02"), "02.11.2026"],
    ["date", date("1900-01-15"), "15.01.1900"],
    ["month", date("2026-03-02"), "März 2026"],
    // The format is not known, but the file has what its program has shown.
    ["era", date("2024-02-29"), "x"],
    ["era", date("2024-02-29"), "02/29/2024", "###"],
    ["phone", float(123456789), "12345-6789", "12345-6789"],
    ["phone", float(123456789), "123456789", "###"],
    ["percent sign", float(12), "12 %"],
    ["optional", float(1), "1 kg."],
    ["optional", float(1.25), "1.25 kg."],
    ["engineering", float(123456), "123.5E+3"],
    ["not for texts", date("2024-02-29"), "29-Feb"],
    ["possessive", date("2024-02-29"), "29 lutego"],
    ["currency", float(1234.565), "1,234.57 €"],
    ["percent", float(0.19), "19.0%"],
    ["scientific", float(123456), "1.23E+05"],
    ["fraction", float(0.75), " 3/4"],
    ["brackets", float(-5), "(5.00)"],
    ["weeks", float(3), "3 days"],
    ["weeks", float(12), "weeks"],
    ["plain", float(12345678901234), "12345678901234"],
    ["plain", date("2026-11-02T08:30:00"), "11/02/2026, 08:30\u202fAM"],
    ["plain", date("no date"), "x"],
    ["plain", 'office:value-type="boolean" office:boolean-value="true"', "TRUE"],
  ])("%s: %s is %s", async (format, attributes, text, shown = "x") => {
    const sheet = await firstOf(
      book(sheetOf(`<table:table-row>${cell(attributes, shown)}</table:table-row>`), formats[format]),
    );
    expect(texts(sheet)).toEqual([[text]]);
  });

  test("a formula without a format is shown as what it refers to", async () => {
    const formula = (value: number, shown: string) =>
      `<table:table-cell table:formula="of:=[.A9]" ${float(value)}><text:p>${shown}</text:p></table:table-cell>`;
    const cells = [
      formula(45351.5, "2024-02-29 12:00"),
      formula(1, "TRUE"),
      formula(0.25, "25%"),
      formula(1 / 3, "0.333333333333333"),
      formula(12345678901234, "1.23E+013"),
      formula(7, "###"),
    ];
    const sheet = await firstOf(book(sheetOf(`<table:table-row>${cells.join("")}</table:table-row>`)));
    expect(texts(sheet)).toEqual([["2024-02-29 12:00", "TRUE", "25%", "0.333333333", "12345678901234", "7"]]);
  });

  test("the format of a column, and of a style's parent", async () => {
    const parent = '<style:style style:name="D" style:family="table-cell" style:parent-style-name="C"/>';
    const column = '<table:table-column table:default-cell-style-name="D"/>';
    const row = `<table:table-row><table:table-cell ${float(0.19)}/></table:table-row>`;
    const sheet = await firstOf(book(sheetOf(column + row), `${formats.percent}${parent}`));
    expect(texts(sheet)).toEqual([["19.0%"]]);
  });

  test("rows of groups and headings, and repeated ones; no comments, drawings and hidden sheets", async () => {
    const hidden =
      '<style:style style:name="T" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const rows = [
      `<table:shapes><draw:frame><table:table><table:table-row><table:table-cell><text:p>drawn</text:p></table:table-cell></table:table-row></table:table></draw:frame></table:shapes>`,
      `<table:table-header-rows>${rowOf("head")}</table:table-header-rows>`,
      `<table:table-row-group>${rowOf("outer")}<table:table-row-group>${rowOf("inner", 'table:number-rows-repeated="2"')}</table:table-row-group></table:table-row-group>`,
      rowOf("away", 'table:visibility="collapse"'),
      `<table:table-row-group table:display="false">${rowOf("folded")}</table:table-row-group>`,
      rowOf("<text:s text:c='2'/>last").replace(
        "<text:p>",
        "<office:annotation><text:p>comment</text:p></office:annotation><text:p>",
      ),
    ];
    const { sheets } = await readSheets(
      book(sheetOf(rowOf("secret"), 'table:name="H" table:style-name="T"') + sheetOf(rows.join("")), hidden),
      "ods",
      "en",
    );
    expect(sheets.map(({ name }) => name)).toEqual(["S"]);
    expect(sheets[0]?.rows.map(({ number, cells }) => [number, cells[0]?.text])).toEqual([
      [1, "head"],
      [2, "outer"],
      [3, "inner"],
      [4, "inner"],
      [7, "  last"],
    ]);
  });

  test("a sheet of pictures is not empty, and a comment is no picture", async () => {
    const frame = "<table:shapes><draw:frame><draw:image/></draw:frame></table:shapes>";
    const inCell = "<table:table-row><table:table-cell><draw:frame/></table:table-cell></table:table-row>";
    const comment =
      "<table:table-row><table:table-cell><office:annotation><draw:g/></office:annotation></table:table-cell></table:table-row>";
    const pictured = async (inside: string) => (await firstOf(book(sheetOf(inside))))?.hasPictures;
    expect(await pictured(frame)).toBe(true);
    expect(await pictured(inCell)).toBe(true);
    expect(await pictured(comment)).toBe(false);
  });

  test("a file with a password", async () => {
    const manifest = strToU8("<manifest:manifest><manifest:encryption-data/></manifest:manifest>");
    const bytes = zipSync({ "META-INF/manifest.xml": manifest, "content.xml": new Uint8Array(9) }) as Bytes;
    const refusal = await readSheets(bytes, "ods", "en").catch((error) => error.refusal);
    expect(refusal).toBe("protected");
  });
});

test("a sheet of pictures is not empty", async () => {
  const parts = unzipSync(await xlsx([{ name: "A", rows: [[]] }]));
  const read = async (rest: string) => {
    const xml = `<worksheet xmlns:r="r"><sheetData/>${rest}</worksheet>`;
    const book = zipSync({ ...parts, "xl/worksheets/sheet1.xml": strToU8(xml) }) as Bytes;
    return (await readSheets(book, "xlsx", "en")).sheets[0];
  };
  expect(await read('<drawing r:id="rId1"/>')).toMatchObject({ rows: [], hasPictures: true });
  expect(await read('<legacyDrawing r:id="rId1"/>')).toMatchObject({ rows: [], hasPictures: false });
});

describe("parts of a workbook that are no sheets", () => {
  const sheetsOf = async (bytes: Bytes) =>
    (await readSheets(bytes, "xlsx", "en")).sheets.map(({ name, hasCells }) => [name, hasCells]);
  const withSecond = async (type: string, part: string) => {
    const parts = unzipSync(
      await xlsx([
        { name: "A", rows: [[1]] },
        { name: "B", rows: [[2]] },
      ]),
    );
    const path = "xl/_rels/workbook.xml.rels";
    const relations = new TextDecoder().decode(parts[path]);
    const changed = relations.replace(/\/worksheet"(?=[^>]*sheet2|(?<=sheet2[^>]*))/, `/${type}"`);
    if (type !== "worksheet") expect(changed).not.toBe(relations);
    return zipSync({
      ...parts,
      [path]: strToU8(changed),
      "xl/worksheets/sheet2.xml": strToU8(part),
    }) as Bytes;
  };

  test.each([
    ["a chart", "chartsheet", "<chartsheet><drawing/></chartsheet>"],
    ["a macro sheet", "xlMacrosheet", "<xm:macrosheet/>"],
    ["a sheet that is cut off", "worksheet", "<worksheet><sheetData><row><c><v>1</v>"],
  ])("%s is named, and the other sheets are shown", async (_, type, part) => {
    expect(await sheetsOf(await withSecond(type, part))).toEqual([
      ["A", true],
      ["B", false],
    ]);
  });

  test("a sheet whose part is missing is named", async () => {
    const { "xl/worksheets/sheet2.xml": _, ...rest } = unzipSync(await withSecond("worksheet", "<a/>"));
    expect(await sheetsOf(zipSync(rest) as Bytes)).toEqual([
      ["A", true],
      ["B", false],
    ]);
  });

  test("a part that cannot be read is read once, however many sheets name it", async () => {
    const parts = unzipSync(await withSecond("worksheet", "<worksheet><sheetData><row>"));
    const sheet = /<sheet [^>]*name="B"[^>]*>/;
    const book = new TextDecoder().decode(parts["xl/workbook.xml"]);
    parts["xl/workbook.xml"] = strToU8(book.replace(sheet, (all) => all.repeat(9))) as Bytes;
    const path = "xl/worksheets/sheet2.xml";
    const part = parts[path];
    let reads = 0;
    const get = () => {
      reads++;
      return part;
    };
    Object.defineProperty(parts, path, { get });
    expect(readXlsx(parts as OfficeParts, "en").sheets.filter(({ grid }) => grid === null)).toHaveLength(9);
    expect(reads).toBe(1);
  });

  test("a workbook without sheets is damaged", async () => {
    const parts = unzipSync(await withSheetData(""));
    const book = strToU8("<workbook><sheets/></workbook>");
    const read = readSheets(zipSync({ ...parts, "xl/workbook.xml": book }) as Bytes, "xlsx", "en");
    expect(await read.catch((error) => error.refusal)).toBe("damaged");
  });

  test("a sheet that the archive cuts off is damaged, and not shown as if it were whole", async () => {
    const parts = unzipSync(await withSheetData("<row><c><v>1</v></c></row>".repeat(9)));
    const path = "xl/worksheets/sheet1.xml";
    const cut = (parts[path] as Uint8Array).slice(0, 120);
    const read = readSheets(zipSync({ ...parts, [path]: cut }) as Bytes, "xlsx", "en");
    expect(await read.catch((error) => error.refusal)).toBe("damaged");
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

  test("fifty sheets that are one part of the file", async () => {
    const parts = unzipSync(await withSheetData(`<row><c><v>7</v></c></row>${"<a/>".repeat(500_000)}`));
    const path = "xl/workbook.xml";
    const book = new TextDecoder().decode(parts[path]);
    const same = book.replace(/<sheet [^>]*>/, (sheet) => sheet.repeat(MAX_SHEETS));
    const started = performance.now();
    const { sheets } = await readSheets(zipSync({ ...parts, [path]: strToU8(same) }), "xlsx", "en");
    expect(sheets.map((sheet) => texts(sheet))).toEqual(Array(MAX_SHEETS).fill([["7"]]));
    // Once, it takes half a second.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("cells that LibreOffice's format repeats in several sheets", () => {
    const cell =
      '<table-cell table:number-columns-repeated="99" office:value-type="float" office:value="1"/>';
    const table = `<table>${`<table-row>${cell}</table-row>`.repeat(MAX_ROWS + 10)}</table>`;
    const content = `<spreadsheet>${table.repeat(6)}</spreadsheet>`;
    const { sheets } = readOds({ "content.xml": strToU8(content) as Bytes }, "en");
    const cells = sheets.flatMap(({ grid }) => grid?.rows.map((row) => row?.cells.length ?? 0) ?? []);
    expect(cells.reduce((sum, each) => sum + each, 0)).toBe(2_000_000);
    expect(sheets.map(({ grid }) => grid?.cut)).toEqual(Array(6).fill(true));
    const fifth = sheets[4]?.grid?.rows.length ?? 0;
    expect(fifth).toBeLessThan(MAX_ROWS);
  }, 30_000);

  test("more sheets of LibreOffice's format than are shown", () => {
    const content = `<spreadsheet>${"<table/>".repeat(MAX_SHEETS + 10)}</spreadsheet>`;
    const { sheets, cut } = readOds({ "content.xml": strToU8(content) as Bytes }, "en");
    expect([sheets.length, cut]).toEqual([MAX_SHEETS, true]);
  });

  test("a number format without end, and an alignment that is the name of a method", async () => {
    const long = await withFormat("0".repeat(100_000), "<v>1.5</v>");
    expect(texts(await firstSheet(long))).toEqual([["1.5"]]);
    const parts = unzipSync(await formatted(1, "0"));
    const path = "xl/styles.xml";
    const styles = new TextDecoder().decode(parts[path]);
    const aligned = styles.replace(
      /(<cellXfs[\s\S]*?<xf [^>]*?)\/?>/g,
      '$1><alignment horizontal="constructor"/></xf><xf>',
    );
    expect(aligned).not.toBe(styles);
    const sheet = await firstSheet(zipSync({ ...parts, [path]: strToU8(aligned) }));
    expect(structuredClone(sheet.rows[0]?.cells[0]?.align)).toBe("end");
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

  test("a file with a password, one of another format, and bytes that are no workbook", async () => {
    expect(await refusal(compoundFile(["EncryptedPackage"]))).toBe("protected");
    expect(await refusal(compoundFile(["Workbook"]))).toEqual({ olderFormatOf: "Excel" });
    expect(await refusal(strToU8("%PDF-1.7\n") as Bytes)).toEqual({ contentFormat: "PDF" });
    expect(await refusal(strToU8("a,b\n") as Bytes)).toBe("damaged");
    expect(await refusal(zipSync({ "a.txt": strToU8("a") }), "ods")).toBe("damaged");
  });
});

interface CellOptions {
  date1904?: boolean;
  type?: string;
}

/** A workbook with a cell of this number format at A1. @param format a code, or the number of one */
async function withFormat(
  format: string | number,
  content: string,
  { date1904 = false, type = "n" }: CellOptions = {},
): Promise<Bytes> {
  const parts = unzipSync(await withSheetData(`<row><c s="1" t="${type}">${content}</c></row>`));
  const code = String(format).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const declared =
    typeof format === "string" ? `<numFmts><numFmt numFmtId="200" formatCode="${code}"/></numFmts>` : "";
  const id = typeof format === "string" ? 200 : format;
  const styles = `<styleSheet>${declared}<cellXfs><xf numFmtId="0"/><xf numFmtId="${id}"/></cellXfs></styleSheet>`;
  const book = `<workbook xmlns:r="r"><workbookPr date1904="${date1904}"/><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>`;
  return zipSync({ ...parts, "xl/styles.xml": strToU8(styles), "xl/workbook.xml": strToU8(book) });
}

/** A workbook whose sheet has these rows, as XML. */
async function withSheetData(rows: string, head = ""): Promise<Bytes> {
  const parts = unzipSync(await xlsx([{ name: "A", rows: [[1]] }]));
  const path = "xl/worksheets/sheet1.xml";
  const xml = `${head}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
  return zipSync({ ...parts, [path]: strToU8(xml) }, { level: 1 });
}
