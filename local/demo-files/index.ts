/** What the demo bucket holds at first: the files a customer of a wholesaler would find in its portal. */
import { type Colour, drawPng } from "./draw-png";
import { writePdf } from "./write-pdf";

export interface DemoFile {
  key: string;
  contentType: string;
  body: Buffer;
}

export function makeDemoFiles(): DemoFile[] {
  return [
    textFile("Welcome.md", "text/markdown", welcome),
    textFile("Meeting notes – Žofie & Łukasz.md", "text/markdown", notes),
    pdf("Contracts/Framework agreement 2026.pdf", "Framework agreement 2026", [
      "Between Northwind Traders and its customer.",
      "",
      "1. Orders are confirmed within one working day.",
      "2. Prices are those of the price list of the day.",
      "3. Either side may end this agreement with three months' notice.",
    ]),
    pdf("Contracts/Annex A (delivery terms).pdf", "Annex A: delivery terms", [
      "Delivery is free from 40 crates.",
      "Cold goods travel on Tuesdays and Thursdays.",
    ]),
    ...[7, 8, 9].map(invoice),
    textFile("Data/Price list.csv", "text/csv", priceList()),
    textFile("Data/Sales by region.csv", "text/csv", salesByRegion()),
    textFile("Data/orders.json", "application/json", orders()),
    png("Photos/Harbour at dusk.png", harbour),
    png("Photos/Café façade.png", facade),
    png("Photos/Warehouse 東京.png", warehouse),
    png("Photos/2026/Spring fair/Booth 12.png", booth),
  ];
}

function textFile(key: string, contentType: string, text: string): DemoFile {
  return { key, contentType: `${contentType}; charset=utf-8`, body: Buffer.from(text) };
}

function pdf(key: string, heading: string, lines: string[]): DemoFile {
  return { key, contentType: "application/pdf", body: writePdf(heading, lines) };
}

function png(key: string, colourAt: (x: number, y: number) => Colour): DemoFile {
  return { key, contentType: "image/png", body: drawPng(960, 600, colourAt) };
}

function invoice(month: number): DemoFile {
  const name = `2026-0${month} Invoice ${1034 + month}`;
  const crates = 12 + month * 3;
  return pdf(`Invoices/2026/${name}.pdf`, name.slice(8), [
    `${crates} crates of tea, at 48.00`,
    `${crates * 2} crates of apples, at 21.50`,
    "",
    `Total: ${(crates * 48 + crates * 2 * 21.5).toFixed(2)} CAD, within 30 days`,
  ]);
}

const welcome = `# Welcome to your files

Everything we share with you is in here: **contracts**, **invoices**, price lists and photos.

- Drop a file anywhere on this page to send it to us.
- Press Enter on a file to look at it, or Backspace to go up one folder.

Questions? We are at hello@northwind.example.
`;

const notes = `# Meeting notes

1. Łukasz sends the new price list by Friday.
2. Žofie checks the labels for 東京.
3. Next meeting: at the spring fair, booth 12. ☕
`;

const products = [
  "Green tea",
  "Black tea",
  "Apples, red",
  "Pears",
  "Crème fraîche",
  "Smørrebrød mix",
  "Müsli",
];

function priceList(): string {
  const rows = products.map(
    (name, index) => `NW-${100 + index},"${name}",${(8.5 + index * 3.25).toFixed(2)},CAD`,
  );
  return `${["article,name,price,currency", ...rows].join("\r\n")}\r\n`;
}

function salesByRegion(): string {
  const regions = ["Québec", "Ontario", "British Columbia", "Nova Scotia"];
  const rows = regions.flatMap((region, r) =>
    [1, 2, 3, 4].map((quarter) => `${region},2026-Q${quarter},${1200 + r * 340 + quarter * 95}`),
  );
  return `${["region,quarter,crates", ...rows].join("\r\n")}\r\n`;
}

function orders(): string {
  const list = products.map((product, index) => ({
    order: `SO-${20260 + index}`,
    product,
    crates: 4 + ((index * 7) % 11),
    shipped: index % 3 !== 0,
  }));
  return `${JSON.stringify({ customer: "Northwind Traders", orders: list }, null, 2)}\n`;
}

function blend(from: Colour, to: Colour, share: number): Colour {
  const part = Math.max(0, Math.min(1, share));
  return [0, 1, 2].map((i) => (from[i] ?? 0) + ((to[i] ?? 0) - (from[i] ?? 0)) * part) as Colour;
}

/** A sun over hills, mirrored in the water. */
function harbour(x: number, y: number): Colour {
  const horizon = 0.62;
  const height = y < horizon ? y : horizon - (y - horizon) * 1.4;
  const ripple = y < horizon ? 0 : Math.sin(y * 240) * 0.012;
  const hill = horizon - 0.09 - 0.06 * Math.sin(x * 9 + 1) - 0.03 * Math.sin(x * 23);
  const sun = Math.hypot((x - 0.68 + ripple) * 1.6, height - 0.36);
  if (height > hill) return blend([38, 44, 82], [62, 52, 96], (height - hill) * 8);
  const sky = blend([46, 58, 120], [255, 158, 110], height / horizon);
  return sun < 0.09 ? [255, 226, 168] : blend([255, 214, 150], sky, (sun - 0.09) * 4);
}

/** Windows in a warm wall, under an awning. */
function facade(x: number, y: number): Colour {
  if (y > 0.86) return blend([96, 92, 96], [60, 58, 64], (y - 0.86) * 7);
  if (y > 0.52 && y < 0.62) return Math.floor(x * 24) % 2 === 0 ? [196, 62, 58] : [248, 240, 230];
  const [column, row] = [(x * 6) % 1, (y * 4) % 1];
  const isWindow = column > 0.24 && column < 0.76 && row > 0.2 && row < 0.84 && y < 0.5;
  if (isWindow) return blend([120, 168, 196], [222, 240, 248], 1 - row + column * 0.3);
  if (y >= 0.62 && x > 0.1 && x < 0.9 && (x * 4) % 1 > 0.08)
    return blend([70, 48, 40], [196, 142, 84], 1 - y);
  return blend([240, 206, 150], [222, 176, 120], y);
}

/** Crates on shelves, in perspective. */
function warehouse(x: number, y: number): Colour {
  const depth = Math.max(Math.abs(x - 0.5), Math.abs(y - 0.5) * 0.9);
  const along = 1 / (depth + 0.06);
  const isFloor = Math.abs(y - 0.5) * 0.9 >= Math.abs(x - 0.5);
  if (isFloor) return y > 0.5 ? blend([70, 74, 82], [176, 180, 188], depth * 2) : [228, 232, 238];
  const crate = (Math.floor(along * 2) + Math.floor(((y - 0.5) / depth) * 2.5) + 12) % 3;
  const colours: Colour[] = [
    [214, 158, 92],
    [186, 128, 70],
    [232, 186, 120],
  ];
  return blend([52, 44, 44], colours[crate] ?? [0, 0, 0], depth * 2.2);
}

/** Banners and a round table. */
function booth(x: number, y: number): Colour {
  if (Math.hypot((x - 0.5) * 1.6, (y - 0.78) * 3.4) < 0.42) return [250, 246, 238];
  if (y > 0.74) return blend([120, 110, 140], [74, 68, 98], (y - 0.74) * 4);
  if (y < 0.12 + 0.03 * Math.sin(x * 40)) return [240, 110, 90];
  return (x * 5) % 1 < 0.5
    ? blend([38, 122, 128], [70, 164, 160], y)
    : blend([24, 92, 104], [48, 132, 138], y);
}
