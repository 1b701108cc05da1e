import { parseThemeColors } from "hucre/ooxml";
import { getFormatFromId } from "numfmt";
import { daysOfDate, systemDateFormat } from "./format-value";
import { readXml, type XmlAttributes } from "./read-xml";
import type { Color } from "./sheet-colors";
import {
  emptyGrid,
  MAX_COLUMNS,
  MAX_MERGES,
  MAX_ROWS,
  MAX_SHEETS,
  PLAIN_STYLE,
  putCell,
  rowOf,
  type SourceBook,
  type SourceCell,
  type SourceGrid,
  type SourceMerge,
  type SourceSheet,
  type SourceStyle,
} from "./sheet-source";
import { asOfficeProblem, type OfficeParts, OfficeProblem } from "./unpack";

/**
 * Reads the visible sheets of an Excel workbook.
 * @param language of formats that a file names by their number, a BCP 47 tag
 * @throws OfficeProblem `damaged` if there is no workbook, or none of its sheets can be read
 */
export function readXlsx(parts: OfficeParts, language: string): SourceBook {
  const root = relationsOf(parts, "");
  const bookPath = root.find(({ type }) => type === "officeDocument")?.target;
  if (bookPath === undefined) throw new OfficeProblem("damaged");
  const book = readBook(parts[bookPath]);
  const relations = relationsOf(parts, bookPath);
  const partOf = (type: string) => {
    const relation = relations.find((each) => each.type === type);
    return relation && parts[relation.target];
  };
  const texts = readTexts(partOf("sharedStrings"));
  const styles = readStyles(partOf("styles"), language);
  const theme = partOf("theme");
  const visible = book.sheets.filter(({ isHidden }) => !isHidden);
  let isReadable = false;
  /** by path: what several sheets name is read once, also if it cannot be read (null) */
  const grids = new Map<string, SourceGrid | null>();
  const gridOf = (path: string) => {
    const known = grids.get(path);
    if (known !== undefined) return known;
    const grid = readGridOrNull(parts[path], texts, styles);
    grids.set(path, grid);
    return grid;
  };
  const sheets = visible.slice(0, MAX_SHEETS).map(({ name, id }): SourceSheet => {
    const relation = relations.find((each) => each.id === id);
    // Charts, dialogs and old macros have no cells that people see.
    const isOther = relation !== undefined && relation.type !== "worksheet";
    const grid = isOther || !relation ? null : gridOf(relation.target);
    isReadable ||= isOther || grid !== null;
    return { name, grid };
  });
  if (!isReadable) throw new OfficeProblem("damaged");
  return {
    sheets,
    dates: book.is1904 ? "1904" : "1900",
    themeColors: theme ? parseThemeColors(new TextDecoder().decode(theme)) : [],
    cut: visible.length > MAX_SHEETS,
  };
}

interface Relation {
  id: string;
  /** the last word of its address, such as `worksheet` */
  type: string;
  /** path in the archive */
  target: string;
}

/** The relationships of a part; of the whole file for an empty path. */
function relationsOf(parts: OfficeParts, path: string): Relation[] {
  const slash = path.lastIndexOf("/") + 1;
  const part = parts[`${path.slice(0, slash)}_rels/${path.slice(slash)}.rels`];
  const relations: Relation[] = [];
  if (!part) return relations;
  readXml(part, {
    onOpen(name, { Id = "", Type = "", Target = "", TargetMode }) {
      if (name !== "Relationship" || TargetMode === "External") return;
      const target = new URL(Target, `file:///${path}`).pathname.slice(1);
      relations.push({ id: Id, type: Type.slice(Type.lastIndexOf("/") + 1), target: decodeURI(target) });
    },
  });
  return relations;
}

interface BookSheet {
  name: string;
  /** of its relationship */
  id: string;
  isHidden: boolean;
}

function readBook(part: Uint8Array | undefined): { sheets: BookSheet[]; is1904: boolean } {
  const sheets: BookSheet[] = [];
  let is1904 = false;
  readXml(part, {
    onOpen(name, attributes) {
      if (name === "workbookPr") is1904 = isTrue(attributes.date1904);
      if (name !== "sheet") return;
      const { name: title = "", state } = attributes;
      const [, id = ""] = Object.entries(attributes).find(([key]) => key.endsWith(":id")) ?? [];
      sheets.push({ name: title, id, isHidden: state === "hidden" || state === "veryHidden" });
    },
  });
  return { sheets, is1904 };
}

const isTrue = (value: string | undefined) => value === "1" || value === "true";

/** The texts that cells name by their index. */
function readTexts(part: Uint8Array | undefined): string[] {
  const texts: string[] = [];
  if (!part) return texts;
  let text = "";
  let isRead = false;
  let isReading = 0;
  readXml(part, {
    onOpen(name) {
      if (name === "si") text = "";
      // The reading of Japanese words stands beside them.
      if (name === "rPh") isReading++;
      isRead = name === "t" && isReading === 0;
    },
    onText: (piece) => {
      if (isRead) text += piece;
    },
    onClose(name) {
      isRead = false;
      if (name === "rPh") isReading--;
      if (name === "si") texts.push(unescapeText(text));
    },
  });
  return texts;
}

/** Of a cell, as Excel allows. Of that, some hundreds are shown. */
const MAX_TEXT_LENGTH = 32_767;

/** Excel writes characters that XML does not allow as `_x000D_`. */
const unescapeText = (text: string) =>
  text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The currencies of these formats are those of the file's author, not of the reader. Programs that do not say which mean dollars. */
const CURRENCY_FORMATS = [5, 6, 7, 8, 42, 44];

const alignments = new Map<string | undefined, SourceStyle["align"]>([
  ["left", "start"],
  ["right", "end"],
  ["center", "center"],
  ["centerContinuous", "center"],
]);

/** Dates, of which some are those of Chinese, Japanese and Korean. ECMA-376, 18.8.30 */
const isDateFormat = (id: number) =>
  id === 14 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
const DATE_TIME_FORMAT = 22;

/** The format with a number that the file does not describe. */
function numberedFormat(id: number, language: string): string | null {
  if (isDateFormat(id) || id === DATE_TIME_FORMAT) return systemDateFormat(language, id === DATE_TIME_FORMAT);
  return getFormatFromId(id, CURRENCY_FORMATS.includes(id) ? "en" : language);
}

/** The styles that cells name by their index. */
function readStyles(part: Uint8Array | undefined, language: string): SourceStyle[] {
  const styles: SourceStyle[] = [];
  if (!part) return styles;
  const formats = new Map<string, string>();
  const fonts: Pick<SourceStyle, "isBold" | "isItalic" | "color">[] = [];
  const fills: Pick<SourceStyle, "fill">[] = [];
  /** the lists around an element: `fonts`, `fills` and `cellXfs` are not the only ones with fonts, fills and styles */
  let list = "";
  const formatOf = (id = "0") => formats.get(id) ?? numberedFormat(Number(id), language);
  readXml(part, {
    onOpen(name, attributes) {
      if (name === "numFmt") formats.set(attributes.numFmtId ?? "", attributes.formatCode ?? "");
      else if (/^(fonts|fills|cellXfs|cellStyleXfs|dxfs|borders)$/.test(name)) list = name;
      else if (list === "fonts") readFont(name, attributes, fonts);
      else if (list === "fills") readFill(name, attributes, fills);
      else if (list === "cellXfs" && name === "xf")
        styles.push({
          format: formatOf(attributes.numFmtId) ?? PLAIN_STYLE.format,
          ...fonts[Number(attributes.fontId)],
          ...fills[Number(attributes.fillId)],
        });
      else if (list === "cellXfs" && name === "alignment") {
        const style = styles.at(-1);
        const align = alignments.get(attributes.horizontal);
        if (style && align) style.align = align;
      }
    },
  });
  return styles;
}

type Font = Pick<SourceStyle, "isBold" | "isItalic" | "color">;

function readFont(name: string, attributes: XmlAttributes, fonts: Font[]): void {
  if (name === "font") fonts.push({});
  const font = fonts.at(-1);
  if (!font) return;
  const isOn = attributes.val === undefined || isTrue(attributes.val);
  if (name === "b" && isOn) font.isBold = true;
  if (name === "i" && isOn) font.isItalic = true;
  if (name === "color") font.color = colorOf(attributes);
}

/** Gradients and patterns are left out. */
function readFill(name: string, attributes: XmlAttributes, fills: { fill?: Color }[]): void {
  if (name === "fill") fills.push({});
  const fill = fills.at(-1);
  if (!fill) return;
  if (name === "patternFill" && attributes.patternType === "solid") fill.fill = {};
  if (name === "fgColor" && fill.fill) fill.fill = colorOf(attributes);
}

/** The numbered colours of old files are left out. */
function colorOf({ rgb, theme, tint }: XmlAttributes): Color {
  // The first of four bytes is the opacity, which programs ignore.
  if (rgb !== undefined) return { rgb: rgb.slice(-6) };
  return theme === undefined ? {} : { theme: Number(theme), tint: Number(tint ?? 0) };
}

function readGridOrNull(
  part: Uint8Array | undefined,
  texts: string[],
  styles: SourceStyle[],
): SourceGrid | null {
  try {
    return readGrid(part, texts, styles);
  } catch (error) {
    if (asOfficeProblem(error).refusal === "damaged") return null;
    throw error;
  }
}

/** What is read of a cell until it ends. */
interface OpenCell {
  row: number;
  column: number;
  type: string;
  style: SourceStyle;
  value: string;
  formula: string;
  hasValue: boolean;
}

function readGrid(part: Uint8Array | undefined, texts: string[], styles: SourceStyle[]): SourceGrid {
  const grid = emptyGrid();
  let row = -1;
  let column = -1;
  let cell: OpenCell | null = null;
  /** where text belongs */
  let reads: "value" | "formula" | null = null;
  let phonetic = 0;
  readXml(part, {
    onOpen(name, attributes) {
      reads = null;
      if (name === "row") {
        row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
        column = -1;
        if (isTrue(attributes.hidden) && row >= 0 && row < MAX_ROWS) rowOf(grid, row).isHidden = true;
      } else if (name === "c") {
        const place = placeOf(attributes.r ?? "");
        column = place?.column ?? column + 1;
        const style = styles[Number(attributes.s ?? 0)] ?? PLAIN_STYLE;
        const { t: type = "n" } = attributes;
        cell = { row: place?.row ?? row, column, type, style, value: "", formula: "", hasValue: false };
      } else if (name === "drawing") grid.hasPictures = true;
      else if (name === "rPh") phonetic++;
      else if (name === "f") reads = "formula";
      else if (name === "v" || name === "t") {
        reads = phonetic === 0 ? "value" : null;
        if (cell) cell.hasValue = true;
      } else readLayout(name, attributes, grid);
    },
    onText(text) {
      if (cell && reads === "value") cell.value += text;
      if (cell && reads === "formula") cell.formula += text;
    },
    onClose(name) {
      reads = null;
      if (name === "rPh") phonetic--;
      if (name !== "c" || !cell) return;
      putCell(grid, cell.row, cell.column, valueOfCell(cell, texts));
      cell = null;
    },
  });
  return grid;
}

function readLayout(name: string, attributes: XmlAttributes, grid: SourceGrid): void {
  switch (name) {
    case "sheetView":
      grid.direction = isTrue(attributes.rightToLeft) ? "rtl" : "ltr";
      break;
    case "pane":
      if (attributes.state?.startsWith("frozen"))
        grid.frozen = { rows: Number(attributes.ySplit) || 0, columns: Number(attributes.xSplit) || 0 };
      break;
    case "col": {
      const last = Math.min(Number(attributes.max), MAX_COLUMNS);
      const width = Number(attributes.width);
      for (let column = Number(attributes.min); column >= 1 && column <= last; column++)
        // Without a width, or with a damaged one, it has that of other columns.
        grid.columns[column - 1] = { ...(width >= 0 && { width }), isHidden: isTrue(attributes.hidden) };
      break;
    }
    case "mergeCell": {
      const merge = mergeOf(attributes.ref ?? "");
      if (merge && grid.merges.length < MAX_MERGES) grid.merges.push(merge);
      break;
    }
  }
}

/** `B3`. */
function placeOf(reference: string): { row: number; column: number } | null {
  const [, letters = "", digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference) ?? [];
  if (!digits) return null;
  const column = [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return { row: Number(digits) - 1, column: column - 1 };
}

/** `A1:B3`. */
function mergeOf(reference: string): SourceMerge | null {
  const [start, end] = reference.split(":").map(placeOf);
  if (!start || !end) return null;
  return { startRow: start.row, endRow: end.row, startColumn: start.column, endColumn: end.column };
}

function valueOfCell({ type, style, value, formula, hasValue }: OpenCell, texts: string[]): SourceCell {
  // Programs that do not compute store formulas without a value.
  if (formula && value === "" && type !== "str") return { value: `=${formula}`, style: PLAIN_STYLE };
  if (!hasValue) return { value: null, style };
  switch (type) {
    case "s":
      return { value: texts[Number(value)] ?? null, style };
    case "b":
      return { value: value === "1" || value === "true", style };
    case "e":
      return { value, style, isError: true };
    case "d":
      return { value: daysOfDate(value) ?? value, style };
    case "n":
      return { value: value.trim() === "" || Number.isNaN(Number(value)) ? value : Number(value), style };
    default:
      return { value: unescapeText(value), style };
  }
}
