import { expect, it } from "vitest";
import { startReport, wrong } from "./report";

/** What servers have answered: escape sequences, also with the one character that begins them in C1, and lines of a report. */
const hostile = "refused\u001b[2J\u009b2J\u0007\n✓ all is well\r\u007f";

function print(json: boolean): string {
  let printed = "";
  const report = startReport({
    json,
    stdout: {},
    env: {},
    print: (text) => {
      printed += `${text}\n`;
    },
  });
  report.add([{ check: "endpoint.status", ...wrong(hostile, hostile) }], "endpoint");
  report.end();
  return printed;
}

it("a report is its own lines alone, and nothing in it that a terminal would obey", () => {
  const shown = "refused\\u001b[2J\\u009b2J\\u0007 ✓ all is well \\u007f";
  expect(print(false).split("\n").slice(0, 3)).toEqual(["endpoint", `  ✗ ${shown}`, `      → ${shown}`]);
});

it("a report in JSON has what was answered, in characters that a terminal does not obey", () => {
  const printed = print(true);
  expect(printed).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(JSON.parse(printed)).toEqual([{ check: "endpoint.status", ...wrong(hostile, hostile) }]);
});
