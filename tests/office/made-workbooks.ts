import { strToU8, zipSync } from "fflate";

/** Number formats and the values that are shown in them, by the name of the workbook that has them. */
export const formats: Record<string, [format: string, values: number[]][]> = {
  numbers: [
    ["0", [0, -0.4, 2.5, -3.5, 1234567, 2 ** 53 + 2]],
    ["0.00", [1.005, 0.285, 1.255, 10.075, -1.005, 999.995]],
    ["#,##0", [0, 999, 1000, 1234567.5, -1234567]],
    ["#,##0.00", [1234565.565, -0.005, 0.004]],
    ["#,##0.0#", [1.5, 1.25, 1.256, 1000]],
    ["00000", [7, 12345, 123456]],
    ["0.0,", [1234567, 999]],
    ['0.0,,"M"', [1234567, 999999]],
    ["000-00-0000", [123456789, 12]],
    ["0\\ \\%", [12]],
    ["##0.0E+0", [123456, 0.00123, 12]],
    ["+0;-0", [5, -5]],
  ],
  percent: [
    ["0%", [0.125, 1, -0.5, 0.005]],
    ["0.0%", [0.1245, 0.19, 12]],
    ["0.00E+00", [123456, 0.00012, -9.999e5, 0]],
    ["0E+0", [15, 123456]],
  ],
  fractions: [
    ["# ?/?", [0.75, 2.5, 3, -1.25]],
    ["# ??/??", [0.3333333, 2.0625]],
    ["# ?/8", [2.375, 0.5, 0.99, -1.99]],
    ["# ??/100", [0.25, 1.5, 0.999]],
    ["?/4", [0.99]],
  ],
  currency: [
    ["#,##0.00\\ [$€-407]", [1234.5, -1234.5]],
    ["[$$-409]#,##0.00", [1234.5, -3]],
    ['"CHF" #,##0.00;[Red]-"CHF" #,##0.00', [5, -5]],
    ["0.00_);(0.00)", [5, -5]],
    ['_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', [1234.5, -1234.5, 0]],
    ["[$R$-416]\\ #,##0.00", [10]],
    ['0.00" kg"', [12.5, -12.5]],
  ],
  sections: [
    ["0;(0)", [3, -3, 0]],
    ['0;-0;"none"', [3, -3, 0]],
    ['[<100]0" s";[<1000]0.0" m";0" l"', [50, 500, 5000]],
    ['"+"0;"-"0;0', [3, -3, 0]],
  ],
  durations: [
    ["[h]:mm", [0.354166666666667, 1.5, 7.02083333333333, 0, -0.25, -1.5]],
    ["[hh]:mm:ss", [1.25, 0.0416666666666667]],
    ["[mm]:ss", [0.0527777777777778, 1]],
    ["h:mm", [0.75, 0.354166666666667]],
    ["hh:mm:ss", [0.5, 0.000011574074]],
    ["h:mm AM/PM", [0.25, 0.75, 0]],
    ["mm:ss.0", [0.0012345]],
    ["h:mm;@", [0.6]],
    ['[h]"h "mm"m"', [1.51]],
    ["[h]:mm;[Red]-[h]:mm", [2, -0.5]],
  ],
  dates: [
    ["yyyy-mm-dd", [61, 45351, 46328, 73050]],
    ["dd\\.mm\\.yyyy", [45351, 46328.75]],
    ["d\\ mmm\\ yyyy", [45351]],
    ["dddd, d mmmm yyyy", [45351]],
    ["mmm yy", [45351]],
    ["[$-407]d. mmmm yyyy", [45351, 45352]],
    ["[$-40C]dddd d mmmm", [45351]],
    ["yyyy-mm-dd hh:mm", [45351.5, 45351.99999999]],
    ["m/d/yy", [45351]],
    ["dd\\-mmm\\-yy;@", [45351]],
    ["[$-409]m/d/yy h:mm AM/PM;@", [45351.75]],
    ["[$-C0A]d \\d\\e mmmm \\d\\e yyyy", [45351]],
    // Beside a day, months have another case.
    ...["405", "40B", "415", "419", "41A", "41B", "422", "427"].map((language): [string, number[]] => [
      `[$-${language}]d. mmmm yyyy`,
      [45351, 45420],
    ]),
    ["[$-419]mmmm yyyy", [45351]],
    ["[$-81A]d. mmmm", [45351]],
  ],
};

/** A workbook with one sheet `S`: a row for each format, a column for each value. */
export function workbook(rows: [format: string, values: number[]][], date1904 = false): Uint8Array {
  const escapeXml = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const codes = rows.map(
    ([code], index) => `<numFmt numFmtId="${200 + index}" formatCode="${escapeXml(code)}"/>`,
  );
  const styles = rows.map(
    (_, index) => `<xf numFmtId="${200 + index}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>`,
  );
  const cells = rows.map(
    ([, values], row) =>
      `<row r="${row + 1}">${values.map((value, column) => `<c r="${"ABCDEFGH"[column]}${row + 1}" s="${row + 1}"><v>${value}</v></c>`).join("")}</row>`,
  );
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packages = "http://schemas.openxmlformats.org/package/2006";
  const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook ${main} xmlns:r="${office}"><workbookPr date1904="${date1904}"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/styles.xml": `<styleSheet ${main}><numFmts count="${rows.length}">${codes.join("")}</numFmts><fonts count="1"><font><sz val="11"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${rows.length + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><cols><col min="1" max="8" width="50" customWidth="1"/></cols><sheetData>${cells.join("")}</sheetData></worksheet>`,
  };
  return zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([path, xml]) => [
        path,
        strToU8(`<?xml version="1.0" encoding="UTF-8"?>${xml}`),
      ]),
    ),
  );
}
