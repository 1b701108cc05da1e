import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { eventFormats, formatEvents, visitorCsv } from "./event-formats.server";
import type { StoredEvent } from "./stored-event.server";

const event = (name: string): StoredEvent => ({
  id: "019ab3f2-7c11-7a52-9d0e-2f5f4c1b7e10",
  type: "file.moved",
  occurredAt: "2026-11-24T17:05:09.120Z",
  companyId: name,
  clientId: null,
  visitor: { id: name, name },
  subject: { bucket: "b", key: name },
  data: { from: name },
  source: "service",
});

async function textOf(names: string[], format = eventFormats.csv) {
  const pages = (async function* () {
    yield names.map(event);
  })();
  let text = "";
  for await (const piece of formatEvents(pages, format)) text += piece;
  return text;
}

const formulas = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"].map((sign) => `${sign}1+1`);
const separators = [";", "\t", "|", ",", "\n", "\r", "\r\n"];
const between = ["", " ", '"', "'", '""', ' "', "'\"", "\t", ";", "\u00a0"];
const hostile = formulas.flatMap((formula) =>
  between.flatMap((text) => [
    text + formula,
    ...separators.flatMap((separator) => [`a${separator}${text}${formula}`, `${separator}${text}${formula}`]),
  ]),
);

describe.each([
  ["operators and backends", eventFormats.csv],
  ["visitors", visitorCsv],
])("the CSV of %s", (_, format) => {
  it.each([",", ";", "\t", "|"])("has no cell that is a formula, where %j separates", async (delimiter) => {
    const options = { delimiter, bom: true, relax_column_count: true, relax_quotes: true };
    const cells = parse(await textOf(hostile, format), options).flat();
    // Some programs take every separator and every line break for one, whatever stands in quotation marks.
    const pieces = (await textOf(hostile, format)).split(delimiter === "," ? /\r\n/ : /[\r\n]/);
    if (delimiter !== ",") cells.push(...pieces.flatMap((line) => line.split(delimiter)));
    expect(cells.length).toBeGreaterThan(hostile.length);
    expect(cells.filter((cell) => /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell))).toEqual([]);
  });

  it("begins with a byte order mark, by which Excel knows UTF-8", async () => {
    expect(await textOf([], format)).toMatch(/^\ufeffid,type,/);
  });
});

it("leaves all other values of a CSV as they are", async () => {
  const harmless = ["a=1", "a-b", "a;b", "it's", "'quoted'", "2026-11-24", "a, -b", "docs/é 💥.txt", '"'];
  const rows = parse(await textOf(harmless), { columns: true, bom: true }) as Record<string, string>[];
  expect(rows.map(({ key }) => key)).toEqual(harmless);
});

it("can be read back exactly, by the rule of the contract", async () => {
  const names = [...hostile, "'=1", "''=1", "a;'=1", "'a", ";';=", "\t\t\t=", "a\n\n=1"];
  const rows = parse(await textOf(names), { columns: true, bom: true }) as Record<string, string>[];
  const read = (value = "") =>
    value.replace(/(?<=^|[;|\t\r\n])'(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "");
  expect(rows.map(({ key }) => read(key))).toEqual(names);
  expect(rows.map(({ data }) => JSON.parse(read(data)).from)).toEqual(names);
});

it.each(["\t", "\n", "\t'"])("takes a time that grows with the length of a text of %j", async (blank) => {
  const started = performance.now();
  await textOf([blank.repeat(60_000)]);
  // The square of the length takes ten seconds.
  expect(performance.now() - started).toBeLessThan(2_000);
});
