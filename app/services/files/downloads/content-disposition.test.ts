import { expect, it } from "vitest";
import { contentDisposition } from "./content-disposition";

it.each([
  ["report.pdf", "report.pdf", "report.pdf"],
  ["a b~!.txt", "a b~!.txt", "a%20b~%21.txt"],
  ['a"b\\c%d.txt', "a_b_c_d.txt", "a%22b%5Cc%25d.txt"],
  ["été\n.txt", "_t__.txt", "%C3%A9t%C3%A9%0A.txt"],
])("%j is given exactly to today's browsers, and in ASCII to others", (name, ascii, encoded) => {
  for (const type of ["inline", "attachment"] as const) {
    expect(contentDisposition(type, name)).toBe(`${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`);
  }
});
