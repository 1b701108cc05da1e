/** What reads the files of strangers: each reader as its worker, or the page, calls it. */
import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { decodeText, decodeXml } from "../../app/services/files/browse/decode-text";
import { knownEncoding, sampleOf } from "../../app/services/files/browse/detect-encoding";
import { guessEncoding } from "../../app/services/files/browse/guess-encoding";
import { PREVIEW_LIMITS, readDrawing } from "../../app/services/files/browse/pictures/drawing/read-drawing";
import { imageSize } from "../../app/services/files/browse/pictures/image-size";
import { unpacksTooFar } from "../../app/services/files/browse/pictures/pdf-streams";
import {
  findDirectory,
  headerRange,
  MAX_END_BYTES,
  packedRange,
  readDirectory,
  unpackEntry,
} from "../../app/services/files/preview/archive/read-zip";
import { readDocument } from "../../app/services/files/preview/office/read-document";
import { readSheets } from "../../app/services/files/preview/office/read-sheets";
import { OfficeProblem } from "../../app/services/files/preview/office/unpack";
import { highlightCode } from "../../app/services/files/preview/text/highlight-code";
import { parseJson } from "../../app/services/files/preview/text/json-view";
import { parseTable } from "../../app/services/files/preview/text/parse-table";
import { readMarkdown } from "../../app/services/files/preview/text/read-markdown";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Format {
  /** the files that are changed */
  samples: readonly Uint8Array[];
  /** @returns what is shown, as another thread gets it. @throws Refused for what is not shown, and then a sentence says so */
  read(bytes: Bytes): unknown;
}

/** A file that is not shown, as its reader's worker says it. */
export class Refused extends Error {}

/** Of an error that the reader's worker knows, and says as a sentence. Any other one is shown as a lost connection. */
function refusing<Result>(read: (bytes: Bytes) => Result, isKnown: (error: unknown) => boolean) {
  return async (bytes: Bytes) => {
    try {
      return await read(bytes);
    } catch (error) {
      throw isKnown(error) ? new Refused(String(error)) : error;
    }
  };
}

const isProblem = (error: unknown) => error instanceof OfficeProblem;
const isTooMuch = (error: unknown) => error instanceof RangeError;
/** Workers that say of any error that the file is damaged. */
const isAny = () => true;

const demo = (...names: string[]) => names.map((name) => readFileSync(`local/demo-files/${name}`));
const hostile = (name: string) => readFileSync(`tests/support/files/hostile/${name}`);
const textOf = (bytes: Bytes) => new TextDecoder().decode(bytes);

export const formats: Record<string, Format> = {
  docx: {
    samples: [...demo("Contracts/Supply contract.docx"), hostile("marks.docx")],
    read: refusing(readDocument, isProblem),
  },
  xlsx: {
    samples: demo("Data/Price list 2026.xlsx"),
    read: refusing((bytes) => readSheets(bytes, "xlsx", "en"), isProblem),
  },
  ods: {
    samples: [timesheet()],
    read: refusing((bytes) => readSheets(bytes, "ods", "en"), isProblem),
  },
  zip: { samples: demo("Archive/Orders 2025.zip"), read: refusing(readArchive, isAny) },
  pdf: {
    samples: demo("Contracts/Framework agreement 2026.pdf", "Invoices/2026/2026-09 Invoice 1043.pdf"),
    read: unpacksTooFar,
  },
  svg: {
    samples: [...demo("Photos/Site plan.svg"), hostile("uses.svg")],
    read: refusing((bytes) => readDrawing(decodeXml(bytes), PREVIEW_LIMITS), isAny),
  },
  pictures: {
    samples: demo("Photos/Café façade.png", "Photos/From the phone.jpg", "Photos/2026/IMG_0412.heic"),
    read: imageSize,
  },
  text: {
    samples: demo("Letters/Brief an Herrn Müller.txt", "Letters/عقد التوريد 2026.txt"),
    read: readText,
  },
  csv: { samples: demo("Data/Sales by region.csv"), read: (bytes) => parseTable(textOf(bytes)) },
  json: { samples: demo("Data/orders.json"), read: (bytes) => parseJson(textOf(bytes)) },
  markdown: {
    samples: demo("Welcome.md"),
    read: refusing((bytes) => readMarkdown(textOf(bytes)), isTooMuch),
  },
  code: {
    samples: demo("Data/import_orders.py"),
    read: refusing((bytes) => highlightCode("python", textOf(bytes)), isTooMuch),
  },
};

/** The list of an archive, and of its files all that can be taken out. */
function readArchive(bytes: Bytes) {
  const directory = findDirectory(bytes.slice(-MAX_END_BYTES), bytes.length);
  const { entries } = readDirectory(bytes.slice(directory.start, directory.end), directory);
  for (const entry of entries.filter(({ obstacle }) => !obstacle)) {
    const header = headerRange(entry);
    try {
      const { start, end } = packedRange(bytes.slice(header.start, header.end), entry);
      unpackEntry(bytes.slice(start, end), entry);
    } catch {
      // Only this file is damaged.
    }
  }
  return entries;
}

function readText(bytes: Bytes) {
  const encoding = knownEncoding(bytes)?.encoding ?? guessEncoding(sampleOf(bytes));
  return encoding && decodeText(bytes, false, encoding);
}

/** A spreadsheet of OpenDocument with formats, dates, repeated and merged cells, and folded rows. */
function timesheet(): Uint8Array {
  const cell = (attributes: string, text: string) =>
    `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
  const content = `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:number="n" xmlns:style="s" xmlns:fo="f">
<office:automatic-styles>
<number:number-style style:name="N"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>
<number:number-style style:name="M"><number:text>-</number:text><number:number number:decimal-places="2"/><style:map style:condition="value()&gt;=0" style:apply-style-name="N"/></number:number-style>
<number:time-style style:name="H" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>
<style:style style:name="c" style:family="table-cell" style:data-style-name="M"><style:text-properties fo:color="#aa0000" fo:font-weight="bold"/></style:style>
<style:style style:name="h" style:family="table-cell" style:parent-style-name="c" style:data-style-name="H"/>
<style:style style:name="w" style:family="table-column"><style:table-column-properties style:column-width="1.2in"/></style:style>
</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Hours">
<table:table-column table:style-name="w" table:number-columns-repeated="3"/>
<table:table-row>${cell('table:number-columns-spanned="3" office:value-type="string"', "September")}<table:covered-table-cell table:number-columns-repeated="2"/></table:table-row>
<table:table-row-group table:display="false"><table:table-row>${cell('office:value-type="date" office:date-value="2026-09-01T08:30:00"', "1/9")}${cell('table:style-name="h" office:value-type="time" office:time-value="PT168H30M00S"', "168:30")}${cell('table:style-name="c" office:value-type="float" office:value="-1234.5"', "-1,234.50")}</table:table-row></table:table-row-group>
<table:table-row table:number-rows-repeated="3">${cell('table:number-columns-repeated="2" office:value-type="percentage" office:value="0.25"', "25%")}${cell('table:formula="of:=[.A1]*2" office:value-type="float" office:value="2"', "2")}</table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>`;
  return zipSync({ "content.xml": strToU8(content), "META-INF/manifest.xml": strToU8("<m:manifest/>") });
}
