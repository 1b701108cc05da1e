import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSheets } from "../../app/services/files/preview/office/read-sheets";
import { notInstalled } from "../support/machine/installed";
import { convert, convertToCsv, isInstalled, packages, readCsv } from "./libreoffice";
import { formats, workbook } from "./made-workbooks";

const SECONDS = "LibreOffice cuts seconds off, Excel rounds them";
const LEAP = "Excel has a 29 February 1900";
const CALENDAR = "Excel has no such date and fills the cell with signs, so the plain value is shown";
const GENERAL =
  "Excel shows eleven characters; so does LibreOffice where the column is narrow, but not in CSV";
const COMPUTED = "LibreOffice computes formulas, and we do not";

/** The cells of a workbook that differ from LibreOffice's, as `sheet!cell: theirs | ours`, with the reason. */
const differences: Record<string, [difference: string, reason: string][]> = {
  "made/durations.xlsx": [["S!B5: 00:00:00 | 00:00:01", SECONDS]],
  "LibreOffice's durations.ods": [["S!B5: 00:00:00 | 00:00:01", SECONDS]],
  "LibreOffice's durations.xlsx": [["S!B5: 00:00:00 | 00:00:01", SECONDS]],
  "number-formats.xlsx": [
    ["S1!B4: 1.23456789012346E+019 | 1.23457E+19", GENERAL],
    ["S1!B8: 0.333333333333333 | 0.333333333", GENERAL],
    ["S1!B19: 1900-02-28 | 1900-02-29", LEAP],
    ["S1!B20: 1900-02-27 | 1900-02-28", LEAP],
    ["S1!B22: 1899-12-31 | 1900-01-01", LEAP],
    ["S1!B23: 1899-12-30 | 1900-01-00", LEAP],
    ["S1!B25: 1899-12-29 | -1", CALENDAR],
    ["S1!B26: 18:00 | -0.25", CALENDAR],
    ["S1!B28: 10000-01-01 | 2958466", CALENDAR],
    ["S1!B29: 23:59:59 | 0:00:00", SECONDS],
    ["S1!B32: 1899-12-31 0:00 | 1900-01-01 0:00", LEAP],
    ["S1!B57: 100% | TRUE", "Excel shows a truth value as such in every number format"],
    ["S1!B74: 2 | =1+1", COMPUTED],
    ["S1!B75: int 007 text | ", COMPUTED],
    ["S1!B77: 1.5E+020 | 1.5E+20", "Excel writes exponents with two digits"],
    ["S1!B79: 1234567890.12345 | 1234567890", GENERAL],
    ["S1!B80: 3.14159265358979 | 3.141592654", GENERAL],
  ],
};

const files = join(import.meta.dirname, "files");
let folder = "";

if (!isInstalled) test("sheets have the texts of LibreOffice", notInstalled(packages));

describe.runIf(isInstalled)("sheets have the texts of LibreOffice", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sheets-"));
    const made = Object.entries(formats).map(
      ([name, rows]) => [join(folder, `${name}.xlsx`), workbook(rows)] as const,
    );
    const dated = (formats.dates ?? []).map(
      ([code, values]) =>
        [code, values.map((value) => value - 1_462).filter((value) => value > 0)] as [string, number[]],
    );
    const all = [...made, [join(folder, "dates-1904.xlsx"), workbook(dated, true)] as const];
    for (const [path, bytes] of all) await writeFile(path, bytes);
    const paths = all.map(([path]) => path);
    // LibreOffice's own files have its own words for the same formats.
    await convert(paths, "ods", join(folder, "ods"));
    await convert(paths, "xlsx:Calc MS Excel 2007 XML", join(folder, "xlsx"));
    for (const each of ["", "ods", "xlsx"])
      await convertToCsv(await workbooksIn(join(folder, each)), join(folder, "csv", each || "made"));
    for (const form of ["xlsx", "ods"])
      await convertToCsv(
        (await workbooksIn(files)).filter((path) => path.endsWith(form)),
        join(folder, "csv", `files-${form}`),
      );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const names = [...Object.keys(formats), "dates-1904"];
  const cases = [
    ...names.map((name) => [`made/${name}.xlsx`, `${name}.xlsx`, "made"] as const),
    ...names.map((name) => [`LibreOffice's ${name}.ods`, `ods/${name}.ods`, "ods"] as const),
    ...names.map((name) => [`LibreOffice's ${name}.xlsx`, `xlsx/${name}.xlsx`, "xlsx"] as const),
    ["timesheet-libreoffice.xlsx", "", "files-xlsx"] as const,
    ["timesheet-libreoffice.ods", "", "files-ods"] as const,
    ["number-formats.xlsx", "", "files-xlsx"] as const,
  ];

  test.each(cases)("%s", async (title, path, csv) => {
    const found = await compare(path ? join(folder, path) : join(files, title), join(folder, "csv", csv));
    expect(found).toEqual((differences[title] ?? []).map(([difference]) => difference));
  });
});

const workbooksIn = async (path: string) =>
  (await readdir(path)).filter((name) => /\.(xlsx|ods)$/.test(name)).map((name) => join(path, name));

/** The cells that differ. Hidden rows, columns and sheets are only in LibreOffice's CSV. */
async function compare(path: string, csvFolder: string): Promise<string[]> {
  const form = extname(path) === ".ods" ? "ods" : "xlsx";
  const { sheets } = await readSheets(new Uint8Array(await readFile(path)), form, "en");
  expect(sheets.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (const sheet of sheets) {
    const theirs = await readCsv(join(csvFolder, `${basename(path, extname(path))}-${sheet.name}.csv`));
    const columns = sheet.columns.map(({ name }) => name);
    for (const { number, cells } of sheet.rows)
      for (const [index, column] of columns.entries()) {
        const ours = (cells[index]?.text ?? "").trim();
        const shown = (theirs[number - 1]?.[column.charCodeAt(0) - 65] ?? "").trim();
        if (ours !== shown) found.push(`${sheet.name}!${column}${number}: ${shown} | ${ours}`);
      }
    expect(sheet.rows.length).toBeGreaterThan(0);
  }
  return found;
}
