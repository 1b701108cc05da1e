import { expect, test } from "vitest";
import { MAX_COLUMNS, MAX_ROWS, parseTable } from "./table-view";

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
