/**
 * Makes the demo's Word and Excel files: `npx tsx tests/support/files/make-demo-samples.ts`. The HEIC photo is another one of the demo's
 * photos, encoded once with libheif's `heif-enc -q 60`.
 */
import { writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { type Cell, writeXlsx } from "hucre/xlsx";
import { link, listItem, paragraph, picture, run, table, wordFile } from "./word-file";

const folder = new URL("../../../local/demo-files/", import.meta.url);

function contract(): Uint8Array {
  const bold = (text: string) => run(text, "<w:b/>");
  const centred = '<w:jc w:val="center"/>';
  return wordFile({
    body: [
      paragraph("Supply contract", "Title", centred),
      paragraph(
        run("between ") +
          bold("Harbour Supplies Ltd.") +
          run(", “the supplier”, and ") +
          bold("Quay & Sons GmbH") +
          run(", “the customer”."),
        "",
        centred,
      ),
      paragraph("1. What is supplied", "Heading1"),
      paragraph("The supplier delivers packing material to the customer’s warehouse at the quay."),
      listItem("Crates and pallets, as in the table of prices", "bullets"),
      listItem("Covers, cut to size", "bullets"),
      listItem("Labels in Latin, Greek and Japanese script (ラベル)", "bullets"),
      paragraph("2. Prices", "Heading1"),
      table([
        ["Item", "Unit", "Price in euros"],
        ["Crate, 60 × 40 cm", "piece", "14.50"],
        ["Pallet, 120 × 80 cm", "piece", "22.00"],
        ["Cover, waterproof", "metre", "3.75"],
      ]),
      paragraph(
        run("Prices are ") +
          run("net", "<w:i/>") +
          run(" and hold until 31 December 2026. The list is at ") +
          link("list", "example.com/prices") +
          run("."),
      ),
      paragraph("3. Delivery", "Heading1"),
      listItem("The customer orders in writing.", "numbers"),
      listItem("The supplier delivers within five working days, to the gate that the plan shows.", "numbers"),
      listItem("The customer checks the goods within three days.", "numbers"),
      picture("plan.png", "Plan of the quay: gate 2 is between the crane and the warehouse.", {
        width: 14,
        height: 7,
      }),
      paragraph("4. End", "Heading1"),
      paragraph("Either side may end this contract with three months’ notice, in writing."),
      paragraph("Hamburg, 12 January 2026", "", '<w:jc w:val="right"/>'),
    ].join(""),
    pictures: { "plan.png": plan() },
    outside: { list: { type: "hyperlink", target: "https://example.com/prices" } },
  });
}

type Rgb = readonly [number, number, number];

/** A plan of the quay, drawn as rectangles. */
function plan(): Uint8Array {
  const [width, height] = [560, 280];
  const pixels = new Uint8Array(width * height * 3);
  const fill = (left: number, top: number, right: number, bottom: number, color: Rgb) => {
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) pixels.set(color, (y * width + x) * 3);
  };
  fill(0, 0, width, height, [233, 229, 219]);
  fill(0, 190, width, height, [86, 132, 168]);
  fill(0, 184, width, 190, [120, 116, 108]);
  fill(40, 40, 220, 130, [178, 98, 70]);
  fill(300, 60, 470, 130, [205, 164, 84]);
  fill(244, 120, 276, 184, [74, 122, 88]);
  fill(500, 30, 512, 184, [60, 64, 72]);
  fill(430, 30, 540, 42, [60, 64, 72]);
  return png(width, height, pixels);
}

/** @param pixels red, green and blue, a byte each */
function png(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.alloc(1), pixels.subarray(y * width * 3, (y + 1) * width * 3)]),
  );
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const items = [
  ["C-60", "Crate, 60 × 40 cm", 14.5, 120, 0.05],
  ["C-80", "Crate, 80 × 60 cm", 19.9, 80, 0.05],
  ["P-120", "Pallet, 120 × 80 cm", 22, 200, 0.1],
  ["V-10", "Cover, waterproof", 3.75, 1_500, 0],
  ["L-1", "Labels, 1000 pieces", 18.4, 35, 0],
  ["S-3", "Straps, 3 m", 2.15, 640, 0.08],
] as const;

async function priceList(): Promise<Uint8Array> {
  const money = '#,##0.00 "€"';
  const solid = (rgb: string) => ({ type: "pattern", pattern: "solid", fgColor: { rgb } }) as const;
  const head = { font: { bold: true, color: { rgb: "FFFFFF" } }, fill: solid("1F4E78") };
  const sum = { font: { bold: true }, fill: solid("DDEBF7") };
  const prices = new Map<string, Partial<Cell>>();
  const set = (row: number, column: number, cell: Partial<Cell>) => prices.set(`${row},${column}`, cell);
  set(0, 0, { value: "Price list 2026", style: { font: { bold: true, size: 14 } } });
  set(1, 0, { value: "Valid from" });
  set(1, 1, {
    value: new Date(Date.UTC(2026, 0, 1)),
    style: { numFmt: "d mmmm yyyy", alignment: { horizontal: "left" } },
  });
  ["Number", "Item", "Price", "Ordered", "Discount", "Total"].forEach((value, column) => {
    set(2, column, {
      value,
      style: { ...head, ...(column > 1 ? { alignment: { horizontal: "right" } } : {}) },
    });
  });
  items.forEach(([number, name, price, ordered, discount], index) => {
    const row = index + 3;
    set(row, 0, { value: number });
    set(row, 1, { value: name });
    set(row, 2, { value: price, style: { numFmt: money } });
    set(row, 3, { value: ordered, style: { numFmt: "#,##0" } });
    set(row, 4, { value: discount, style: { numFmt: "0%", font: { color: { rgb: "C00000" } } } });
    const line = row + 1;
    set(row, 5, {
      formula: `C${line}*D${line}*(1-E${line})`,
      formulaResult: price * ordered * (1 - discount),
      style: { numFmt: money },
    });
  });
  const last = items.length + 3;
  for (let column = 1; column < 5; column++) set(last, column, { value: null, style: sum });
  set(last, 0, { value: "Sum", style: sum });
  set(last, 5, {
    formula: `SUM(F4:F${last})`,
    formulaResult: items.reduce(
      (sum, [, , price, ordered, discount]) => sum + price * ordered * (1 - discount),
      0,
    ),
    style: { ...sum, numFmt: money },
  });

  const months = ["January", "February", "March", "April", "May", "June"];
  const deliveries = months.map((_, index) => new Date(Date.UTC(2026, index, 5 + index)));
  const delivered = new Map<string, Partial<Cell>>(
    deliveries.map((value, index) => [`${index + 1},1`, { value, style: { numFmt: "m/d/yyyy" } }]),
  );
  ["Month", "Delivery", "Pallets"].forEach((value, column) => {
    delivered.set(`0,${column}`, { value, style: head });
  });
  return writeXlsx({
    sheets: [
      {
        name: "Prices",
        rows: Array.from({ length: last + 1 }, () => Array(6).fill(null)),
        cells: prices,
        columns: [12, 26, 12, 12, 11, 16].map((width) => ({ width })),
        merges: [{ startRow: 0, endRow: 0, startCol: 0, endCol: 5 }],
        freezePane: { rows: 3 },
      },
      {
        name: "Deliveries",
        rows: [
          ["Month", "Delivery", "Pallets"],
          ...months.map((month, index) => [month, deliveries[index] ?? null, 18 + index * 7]),
        ],
        cells: delivered,
        columns: [14, 14, 10].map((width) => ({ width })),
        freezePane: { rows: 1 },
      },
    ],
  });
}

writeFileSync(new URL("Contracts/Supply contract.docx", folder), contract());
writeFileSync(new URL("Data/Price list 2026.xlsx", folder), await priceList());
