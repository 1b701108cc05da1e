import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryPaths, safeName } from "./entry-paths";

describe("a name", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["Café – 東京 🙂.txt", "Café – 東京 🙂.txt"],
    [".env", ".env"],
    ["..", "__"],
    [".", "_"],
    ["", "_"],
    ["a/b\\c", "a_b_c"],
    ["C:", "C_"],
    ['10:30 <"x">|?*', "10_30 __x_____"],
    ["a\u0000\n\u009fb", "a___b"],
    ["half \ud83d", "half _"],
  ])("%j is %j in an archive", (name, safe) => expect(safeName(name)).toBe(safe));
});

describe("the paths in an archive", () => {
  it("are those in the store where nothing is wrong with them", () => {
    const paths = ["a.txt", "docs/", "docs/a.txt", "docs/b/", "docs/b/a.txt"];
    expect(entryPaths(paths)).toEqual(paths);
  });

  it("are numbered where unpacking would replace one file by another", () => {
    expect(entryPaths(["docs/a.txt", "docs/A.TXT", "docs/a (1).txt"])).toEqual([
      "docs/a.txt",
      "docs/A (1).TXT",
      "docs/a (2).txt",
    ]);
    expect(entryPaths(["caf\u00e9", "cafe\u0301"])).toEqual(["caf\u00e9", "cafe\u0301 (1)"]);
    expect(entryPaths(["a:b", "a?b"])).toEqual(["a_b", "a_b (1)"]);
  });

  it("are one where two folders have one name, and number a name without an extension as a whole", () => {
    expect(entryPaths(["a:/x", "a:/", "a?/"])).toEqual(["a_/x", "a_/", "a_/"]);
    expect(entryPaths(["d/.env", "d/.ENV"])).toEqual(["d/.env", "d/.ENV (1)"]);
  });

  it("have no file where a folder is", () => {
    expect(entryPaths(["docs", "docs/a.txt", "Empty", "empty/"])).toEqual([
      "docs (1)",
      "docs/a.txt",
      "Empty (1)",
      "empty/",
    ]);
  });

  it("lead nowhere else and are there once, whatever the keys", () => {
    const segment = fc.oneof(fc.constantFrom("..", ".", "", "a", "A", "a.txt", "C:", "a\\b"), fc.string());
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
        const files = entryPaths(paths).filter((path) => !path.endsWith("/"));
        for (const file of files) {
          expect(file).not.toMatch(/^\/|\\|^[a-z]:|\p{Cc}/iu);
          for (const segment of file.split("/")) expect(["", ".", ".."]).not.toContain(segment);
        }
        expect(new Set(files.map((file) => file.normalize("NFC").toLowerCase())).size).toBe(files.length);
      }),
    );
  });
});
