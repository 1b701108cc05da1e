import { daysOfDate, daysOfDuration, type RawValue, systemDateFormat } from "./format-value";
import { OdsFormats } from "./ods-formats";
import { readXml, type XmlAttributes } from "./read-xml";
import {
  emptyGrid,
  MAX_COLUMNS,
  MAX_MERGES,
  MAX_ROWS,
  MAX_SHEETS,
  PLAIN_STYLE,
  type SourceBook,
  type SourceCell,
  type SourceGrid,
  type SourceSheet,
  type SourceStyle,
} from "./sheet-source";
import { type OfficeParts, OfficeProblem } from "./unpack";

/** Of all sheets together. A few bytes can say that a cell is repeated in all rows and columns. */
const MAX_REPEATED_CELLS = 2_000_000;

/**
 * Reads the visible sheets of an OpenDocument spreadsheet.
 * @param language of dates that have no format, a BCP 47 tag
 * @throws OfficeProblem `protected`, or `damaged` if there is no sheet
 */
export function readOds(parts: OfficeParts, language: string): SourceBook {
  if (isEncrypted(parts["META-INF/manifest.xml"])) throw new OfficeProblem("protected");
  const styles = new OdsStyles();
  if (parts["styles.xml"])
    readXml(parts["styles.xml"], {
      onOpen: (name, attributes) => void styles.open(name, attributes),
      onText: (text) => styles.text(text),
      onClose: (name) => styles.close(name),
    });
  const reader = new ContentReader(styles, language);
  readXml(parts["content.xml"], {
    onOpen: (name, attributes) => reader.open(name, attributes),
    onText: (text) => reader.text(text),
    onClose: (name) => reader.close(name),
  });
  if (reader.sheets.length === 0) throw new OfficeProblem("damaged");
  return { sheets: reader.sheets, dates: "OpenDocument", themeColors: [], cut: reader.hasMoreSheets };
}

function isEncrypted(manifest: Uint8Array | undefined): boolean {
  let found = false;
  if (!manifest) return found;
  readXml(manifest, {
    onOpen(name) {
      if (name === "encryption-data") found = true;
    },
  });
  return found;
}

interface OdsStyle extends Partial<Omit<SourceStyle, "format">> {
  parent?: string;
  dataStyle?: string;
  /** of columns; characters */
  width?: number;
  /** of sheets */
  isHidden?: boolean;
  isRightToLeft?: boolean;
}

const alignments = new Map<string, SourceStyle["align"]>([
  ["start", "start"],
  ["left", "start"],
  ["end", "end"],
  ["right", "end"],
  ["center", "center"],
]);

class OdsStyles {
  readonly #formats = new OdsFormats();
  /** by family and name */
  readonly #styles = new Map<string, OdsStyle>();
  readonly #resolved = new Map<string, SourceStyle>();
  #open: OdsStyle | null = null;

  /** @returns whether the element belongs to a style */
  open(name: string, attributes: XmlAttributes): boolean {
    if (this.#formats.open(name, attributes)) return true;
    if (name === "style") {
      this.#open = {
        parent: attributes["style:parent-style-name"],
        dataStyle: attributes["style:data-style-name"],
      };
      this.#styles.set(`${attributes["style:family"]} ${attributes["style:name"]}`, this.#open);
    } else if (this.#open) readProperties(this.#open, attributes);
    return this.#open !== null;
  }

  text(text: string): void {
    this.#formats.text(text);
  }

  close(name: string): void {
    this.#formats.close(name);
    if (name === "style") this.#open = null;
  }

  of(family: "table" | "table-column", name: string | undefined): OdsStyle {
    return this.#styles.get(`${family} ${name}`) ?? {};
  }

  ofCell(name: string | undefined): SourceStyle {
    if (name === undefined) return PLAIN_STYLE;
    const known = this.#resolved.get(name);
    if (known) return known;
    // A style that is its own parent is left.
    this.#resolved.set(name, PLAIN_STYLE);
    const style = this.#styles.get(`table-cell ${name}`);
    if (!style) return PLAIN_STYLE;
    const { parent, dataStyle, width, isHidden, isRightToLeft, ...own } = style;
    const format = dataStyle === undefined ? {} : { format: this.#formats.codeOf(dataStyle) };
    const resolved = { ...this.ofCell(parent), ...own, ...format };
    this.#resolved.set(name, resolved);
    return resolved;
  }
}

function readProperties(style: OdsStyle, attributes: XmlAttributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    switch (name) {
      case "fo:font-weight":
        style.isBold = value === "bold" || Number(value) >= 600;
        break;
      case "fo:font-style":
        style.isItalic = value !== "normal";
        break;
      case "fo:color":
        style.color = { rgb: value.slice(1) };
        break;
      case "fo:background-color":
        style.fill = value === "transparent" ? undefined : { rgb: value.slice(1) };
        break;
      case "fo:text-align":
        style.align = alignments.get(value);
        break;
      case "style:column-width":
        style.width = charactersOf(value);
        break;
      case "table:display":
        style.isHidden = value === "false";
        break;
      case "style:writing-mode":
        style.isRightToLeft = value.startsWith("rl");
        break;
    }
  }
}

/** CSS pixels of a unit. */
const units: Record<string, number> = { in: 96, cm: 96 / 2.54, mm: 96 / 25.4, pt: 96 / 72, pc: 16, px: 1 };
/** Of a column, CSS pixels. */
const DIGIT_WIDTH = 7;
const CELL_SPACE = 14;

/** `0.889in` as a number of characters. */
function charactersOf(length: string): number | undefined {
  const [, number, unit = ""] = /^([\d.]+)([a-z]{2})$/.exec(length) ?? [];
  const pixels = Number(number) * (units[unit] ?? Number.NaN);
  return Number.isNaN(pixels) ? undefined : Math.max((pixels - CELL_SPACE) / DIGIT_WIDTH, 0);
}

/** What is in these is beside the cells: comments, drawings with tables of their own, and old values. */
const drawings = new Set(
  (
    "shapes frame custom-shape control g rect circle ellipse line polyline polygon path caption measure connector " +
    "regular-polygon"
  ).split(" "),
);
const asides = new Set([...drawings, ...["annotation", "forms", "tracked-changes", "scenario", "ruby-text"]]);

interface OpenRow {
  repeated: number;
  isHidden: boolean;
  styleName: string | undefined;
  cells: (SourceCell | undefined)[];
  /** columns so far */
  width: number;
  /** has a cell that is shown, or would be if the sheet were not cut */
  hasContent: boolean;
}

interface OpenCell {
  attributes: XmlAttributes;
  isCovered: boolean;
  paragraphs: string[];
}

class ContentReader {
  /** at most `MAX_SHEETS` */
  readonly sheets: SourceSheet[] = [];
  hasMoreSheets = false;
  #grid: SourceGrid | null = null;
  /** number of rows so far */
  #height = 0;
  #columnStyles: (string | undefined)[] = [];
  #row: OpenRow | null = null;
  #cell: OpenCell | null = null;
  #inParagraph = false;
  /** open elements of a group of rows that is folded, and of what is beside the cells */
  #folded = 0;
  #groups: boolean[] = [];
  #beside = 0;
  #repeatedCells = 0;

  constructor(
    readonly styles: OdsStyles,
    readonly language: string,
  ) {}

  open(name: string, attributes: XmlAttributes): void {
    if (this.#grid && this.#beside === 0 && drawings.has(name)) this.#grid.hasPictures = true;
    if (this.#beside > 0 || asides.has(name) || (name === "table" && this.#grid)) this.#beside++;
    else if (!this.#grid) {
      if (name === "table") this.#openTable(attributes);
      else this.styles.open(name, attributes);
    } else this.#openInTable(name, attributes, this.#grid);
  }

  text(text: string): void {
    if (!this.#grid) this.styles.text(text);
    else if (this.#inParagraph && this.#beside === 0) this.#append(text);
  }

  close(name: string): void {
    if (this.#beside > 0) this.#beside--;
    else if (!this.#grid) this.styles.close(name);
    else if (name === "table") this.#grid = null;
    else if (name === "table-row") this.#closeRow(this.#grid);
    else if (name === "table-row-group") this.#folded -= this.#groups.pop() ? 1 : 0;
    else if (name === "table-cell" || name === "covered-table-cell") this.#closeCell(this.#grid);
    else if (name === "p") this.#inParagraph = false;
  }

  #openTable(attributes: XmlAttributes): void {
    const { isHidden, isRightToLeft } = this.styles.of("table", attributes["table:style-name"]);
    this.#grid = emptyGrid();
    if (isRightToLeft) this.#grid.direction = "rtl";
    this.#height = 0;
    this.#columnStyles = [];
    if (isHidden) return;
    if (this.sheets.length === MAX_SHEETS) this.hasMoreSheets = true;
    else this.sheets.push({ name: attributes["table:name"] ?? "", grid: this.#grid });
  }

  #openInTable(name: string, attributes: XmlAttributes, grid: SourceGrid): void {
    switch (name) {
      case "table-column":
        this.#addColumns(attributes, grid);
        break;
      case "table-row-group": {
        const isFolded = attributes["table:display"] === "false";
        this.#groups.push(isFolded);
        this.#folded += isFolded ? 1 : 0;
        break;
      }
      case "table-row":
        this.#row = {
          repeated: repeatOf(attributes["table:number-rows-repeated"]),
          isHidden: isHidden(attributes) || this.#folded > 0,
          styleName: attributes["table:default-cell-style-name"],
          cells: [],
          width: 0,
          hasContent: false,
        };
        break;
      case "table-cell":
      case "covered-table-cell":
        this.#cell = { attributes, isCovered: name === "covered-table-cell", paragraphs: [] };
        break;
      case "p":
        this.#inParagraph = true;
        this.#cell?.paragraphs.push("");
        break;
      case "s":
        this.#append(" ".repeat(Math.min(repeatOf(attributes["text:c"]), MAX_SPACES)));
        break;
      case "tab":
        this.#append("\t");
        break;
      case "line-break":
        this.#append("\n");
        break;
    }
  }

  #append(text: string): void {
    const { paragraphs } = this.#cell ?? {};
    if (paragraphs?.length) paragraphs.push((paragraphs.pop() ?? "") + text);
  }

  #addColumns(attributes: XmlAttributes, grid: SourceGrid): void {
    const { width } = this.styles.of("table-column", attributes["table:style-name"]);
    const room = MAX_COLUMNS - grid.columns.length;
    for (let left = Math.min(repeatOf(attributes["table:number-columns-repeated"]), room); left > 0; left--) {
      grid.columns.push({ width, isHidden: isHidden(attributes) });
      this.#columnStyles.push(attributes["table:default-cell-style-name"]);
    }
  }

  #closeCell(grid: SourceGrid): void {
    const row = this.#row;
    const cell = this.#cell;
    this.#cell = null;
    if (!row || !cell) return;
    const { attributes, isCovered } = cell;
    const repeated = repeatOf(attributes["table:number-columns-repeated"]);
    const first = row.width;
    row.width += repeated;
    if (isCovered) return;
    this.#addMerge(attributes, first, grid);
    const own = attributes["table:style-name"] ?? row.styleName;
    /** of the columns that are kept */
    const end = this.#height < MAX_ROWS ? Math.min(row.width, MAX_COLUMNS) : first;
    for (let column = first; column < end; column++) {
      const value = this.#valueOf(cell, this.styles.ofCell(own ?? this.#columnStyles[column]));
      if (value.value === null && !value.style.fill) continue;
      if (this.#repeatedCells === MAX_REPEATED_CELLS) {
        grid.cut = true;
        break;
      }
      row.cells[column] = value;
      if (value.value !== null) row.hasContent = true;
      this.#repeatedCells++;
    }
    if (end < row.width && this.#valueOf(cell, PLAIN_STYLE).value !== null) grid.cut = true;
  }

  #addMerge(attributes: XmlAttributes, startColumn: number, grid: SourceGrid): void {
    const rows = repeatOf(attributes["table:number-rows-spanned"]);
    const columns = repeatOf(attributes["table:number-columns-spanned"]);
    if ((rows === 1 && columns === 1) || grid.merges.length >= MAX_MERGES) return;
    const startRow = this.#height;
    grid.merges.push({
      startRow,
      endRow: startRow + rows - 1,
      startColumn,
      endColumn: startColumn + columns - 1,
    });
  }

  #closeRow(grid: SourceGrid): void {
    const row = this.#row;
    this.#row = null;
    if (!row) return;
    const end = this.#height + row.repeated;
    if (row.isHidden || row.cells.length > 0) {
      // Repeated rows are one object.
      for (let index = this.#height; index < Math.min(end, MAX_ROWS); index++) grid.rows[index] = row;
      if (row.hasContent && end > MAX_ROWS) grid.cut = true;
    }
    this.#height = end;
  }

  #valueOf({ attributes, paragraphs }: OpenCell, style: SourceStyle): SourceCell {
    const type = attributes["office:value-type"];
    const text = paragraphs.length > 0 ? paragraphs.join("\n") : null;
    const isError = attributes["calcext:value-type"] === "error";
    // A formula without a format is shown in that of what it refers to, or as true and false.
    const isOfFormula =
      attributes["table:formula"] !== undefined &&
      style.format === PLAIN_STYLE.format &&
      !isNumber(text ?? "");
    // The file has what its program has shown. Of a number in a narrow column that is signs only.
    const isShown = text !== null && !/^#*$/.test(text) && type !== "string" && !isError;
    if (isShown && (style.format === "" || isOfFormula))
      return { value: text, style: { ...style, align: style.align ?? "end" } };
    switch (isError ? "error" : type) {
      case "float":
      case "currency":
      case "percentage":
        return { value: numberOf(attributes["office:value"]) ?? text, style };
      case "boolean":
        return { value: attributes["office:boolean-value"] === "true", style };
      case "date": {
        const value = daysOfDate(attributes["office:date-value"] ?? "");
        const hasTime = value !== null && value % 1 !== 0;
        return {
          value: value ?? text,
          style: this.#withFormat(style, systemDateFormat(this.language, hasTime)),
        };
      }
      case "time":
        return {
          value: daysOfDuration(attributes["office:time-value"] ?? "") ?? text,
          style: this.#withFormat(style, "[h]:mm:ss"),
        };
      default: {
        const formula = attributes["table:formula"];
        const value: RawValue = text ?? attributes["office:string-value"] ?? null;
        if (value === null && formula !== undefined)
          return { value: formulaText(formula), style: PLAIN_STYLE };
        return { value, style, isError };
      }
    }
  }

  /** @param otherwise the format if the style has none, or one that is not known */
  #withFormat(style: SourceStyle, otherwise: string): SourceStyle {
    const isKnown = style.format !== "" && style.format !== PLAIN_STYLE.format;
    return isKnown ? style : { ...style, format: otherwise };
  }
}

/** As programs write one in the general format: without groups. */
const isNumber = (text: string) => /^-?\d+([.,]\d+)?(E[+-]?\d+)?$/i.test(text);

const MAX_SPACES = 1_000;
/** Programs have this many rows, and fewer columns. */
const MAX_REPEATED = 1_048_576;

const repeatOf = (text: string | undefined) =>
  Math.min(Math.max(Number.parseInt(text ?? "1", 10) || 1, 1), MAX_REPEATED);

const isHidden = (attributes: XmlAttributes) =>
  attributes["table:visibility"] === "collapse" || attributes["table:visibility"] === "filter";

const numberOf = (text: string | undefined): number | null =>
  text === undefined || text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);

/** `of:=[.A1]*2` as `=A1*2`. */
const formulaText = (formula: string) =>
  formula
    .replace(/^\w+:(?==)/, "")
    .replace(/\[([^\]]*)\]/g, (_, reference: string) => reference.replace(/(^|:)\./g, "$1"));
