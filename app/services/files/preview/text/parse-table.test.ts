import { describe, expect, test, vi } from "vitest";
import { MAX_COLUMNS, MAX_ROWS, parseTable } from "./parse-table";

test.each([
  [
    "commas",
    "a,b\n1,2\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "semicolons, with commas in numbers",
    "a;b\r\n1,5;2,5",
    [
      ["a", "b"],
      ["1,5", "2,5"],
    ],
  ],
  [
    "tabs",
    "a\tb\n1\t2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "bars",
    "a|b\n1|2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "what Excel names",
    "sep=;\na;b,c\n1;2",
    [
      ["a", "b,c"],
      ["1", "2"],
    ],
  ],
  [
    "the ends of lines of an old Mac",
    "a,b\r1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
])("cells are divided by %s", (_, text, rows) => {
  expect(parseTable(text).rows).toEqual(rows);
});

test("a quoted cell holds delimiters, lines and quotes", () => {
  expect(parseTable('name,note\n"Smith, A.","said ""hi""\nthen left"\n').rows).toEqual([
    ["name", "note"],
    ["Smith, A.", 'said "hi"\nthen left'],
  ]);
});

test("a quote inside a cell is a letter, and one that never ends hides nothing", () => {
  expect(parseTable('a,5" pipe\nb,"open\nc,d').rows).toEqual([
    ["a", '5" pipe'],
    ["b", '"open'],
    ["c", "d"],
  ]);
});

test("empty cells are kept, empty lines are not", () => {
  expect(parseTable("a,,c\n\n,,\n").rows).toEqual([
    ["a", "", "c"],
    ["", "", ""],
  ]);
  expect(parseTable("").rows).toEqual([]);
});

test("rows and columns beyond what a screen can hold are left out, and it says so", () => {
  const long = parseTable("a,b\n".repeat(MAX_ROWS + 5));
  expect(long).toMatchObject({ cut: true, columns: 2 });
  expect(long.rows).toHaveLength(MAX_ROWS);
  const wide = parseTable(`${"a,".repeat(MAX_COLUMNS)}b`);
  expect(wide).toMatchObject({ cut: true, columns: MAX_COLUMNS });
  expect(wide.rows[0]).toHaveLength(MAX_COLUMNS);
  expect(parseTable("a,b\n1,2").cut).toBe(false);
});

test.each([",", ";,|\t"])(
  "of a row of a million delimiters, no more cells are looked at than are shown: %j",
  (delimiters) => {
    const trim = vi.spyOn(String.prototype, "trim");
    const table = parseTable(delimiters.repeat(1_000_000 / delimiters.length));
    const looks = trim.mock.calls.length;
    trim.mockRestore();
    expect(table.cut).toBe(true);
    expect(looks).toBeLessThan(10_000);
  },
);

test("a text that ends each row with a delimiter keeps its headings", () => {
  expect(parseTable("a;b\n1;2;\n3;4;\n")).toMatchObject({
    titles: [],
    hasHeadings: true,
    rows: [
      ["a", "b"],
      ["1", "2", ""],
      ["3", "4", ""],
    ],
  });
});

describe("lines before the table are its title", () => {
  const statement = `"Kontoauszug"
"Konto DE00 0000 0000 0000 0000 00"

"Buchungstag";"Empfänger";"Verwendungszweck";"Betrag"
"01.11.2026";"Müller, Hans";"Rechnung 1, November";"-12,50"
"02.11.2026";"Stadtwerke";"Strom, Gas";"-80,00"
`;
  test.each([
    [
      "of a bank",
      statement,
      ["Kontoauszug", "Konto DE00 0000 0000 0000 0000 00"],
      ["Buchungstag", "Empfänger", "Verwendungszweck", "Betrag"],
      2,
    ],
    [
      "of a report with decimal commas",
      "   Bericht\n\nDatum;Kunde;Betrag\n01.11.2026;Müller GmbH;1.234,50\n02.11.2026;Weber;10,00\n",
      ["Bericht"],
      ["Datum", "Kunde", "Betrag"],
      2,
    ],
    [
      "above tabs",
      "Sales report\nRegion\tQ1\tQ2\nNorth\t1\t2\nSouth\t3\t4\n",
      ["Sales report"],
      ["Region", "Q1", "Q2"],
      2,
    ],
    [
      "with a comma",
      "Sales, all regions\nRegion;Q1;Q2\nNorth;1;2\n",
      ["Sales, all regions"],
      ["Region", "Q1", "Q2"],
      1,
    ],
    [
      "of names and values",
      "Konto:;DE00\nZeitraum:;November\n\nTag;Text;Art;Betrag\n1;a;b;2\n3;c;d;4\n",
      ["Konto:  DE00", "Zeitraum:  November"],
      ["Tag", "Text", "Art", "Betrag"],
      2,
    ],
    [
      "that is filled up with delimiters",
      "Sales report,,,\nfrom,2026,,\n,,,\nRegion,Q1,Q2,Q3\nNorth,1,2,3\n",
      ["Sales report", "from  2026"],
      ["Region", "Q1", "Q2", "Q3"],
      1,
    ],
  ])("%s", (_, text, titles, headings, rows) => {
    const table = parseTable(text);
    expect(table).toMatchObject({ titles, hasHeadings: true, columns: headings.length, cut: false });
    expect(table.rows[0]).toEqual(headings);
    expect(table.rows).toHaveLength(rows + 1);
  });
});

test.each([
  ["words above numbers", "a,b\n1,2\n", true],
  ["years above numbers", "Region,2025,2026\nNorth,1,2\n", true],
  ["only words", "name,town\nAda,London\n", true],
  ["an index without a name", ",value\n0,5\n1,6\n", true],
  ["numbers from the start", "1,2\n3,4\n", false],
  ["values from the start", "2026-11-01,Tea,3.50\n2026-11-02,Coffee,4.00\n", false],
])("a table of %s", (_, text, hasHeadings) => {
  const table = parseTable(text);
  expect(table).toMatchObject({ titles: [], hasHeadings });
  expect(table.rows).toHaveLength(text.trim().split("\n").length);
});

test.each([
  ["words", "name\nAda\nGrace\n"],
  ["numbers with decimal commas", "Preis\n1,50\n2,30\n10,00\n"],
  ["names with commas", "Kunde\nMüller, Hans\nMeier, Eva\n"],
])("one column of %s stays one", (_, text) => {
  expect(parseTable(text)).toMatchObject({
    columns: 1,
    titles: [],
    rows: text
      .trim()
      .split("\n")
      .map((line) => [line]),
  });
});

test("cells with lines count as one row, also when the layout is found", () => {
  const text = 'Report\n\nname;note\n"Ada";"line one, two\n\nline two"\n"Grace";"x"\n';
  expect(parseTable(text)).toMatchObject({
    titles: ["Report"],
    rows: [
      ["name", "note"],
      ["Ada", "line one, two\n\nline two"],
      ["Grace", "x"],
    ],
  });
});

test("a short table below more lines of a title, which have a cell each beside their name", () => {
  const text = [
    "Umsatzanzeige;Datei erstellt am: 01.02.2024 10:11",
    "",
    "IBAN;DE12 3456 7890",
    "Kontoname;Girokonto",
    "Bank;Musterbank",
    "Kunde;Max Müller",
    "Saldo;1.234,56;EUR",
    "",
    "Buchung;Empfänger;Buchungstext;Betrag;Währung",
    "31.01.2024;Markt;Lastschrift;-45,67;EUR",
    "30.01.2024;Arbeitgeber;Gehalt;2.500,00;EUR",
    "29.01.2024;Vermieter;Überweisung;-900,00;EUR",
  ].join("\r\n");
  const { titles, rows, columns } = parseTable(text);
  expect(titles).toHaveLength(6);
  expect(rows[0]).toEqual(["Buchung", "Empfänger", "Buchungstext", "Betrag", "Währung"]);
  expect([rows.length, columns]).toEqual([4, 5]);
});

test("a single row that is longer than the table does not make it a title", () => {
  const { titles, rows } = parseTable("a;b\n1;2\n3;4\n5;6;7;8;9;10;11;12;13;14\n");
  expect([titles, rows[0]?.slice(0, 2)]).toEqual([[], ["a", "b"]]);
});
