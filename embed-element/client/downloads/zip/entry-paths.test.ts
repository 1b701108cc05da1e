import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryPaths as entryPathsIn, safeName } from "./entry-paths";

const entryPaths = (paths: readonly string[]) => entryPathsIn(paths, "Long paths");

/** What Windows says of a name. Microsoft, "Naming Files, Paths, and Namespaces". */
function issueOnWindows(name: string): string | null {
  if (name === "" || Buffer.byteLength(name) > 255) return "length";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[<>:"/\\|?*\u0000-\u001f]/.test(name)) return "character";
  if (/[. ]$/.test(name)) return "end";
  const [stem = ""] = name.toUpperCase().split(".");
  const devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
  for (const digit of "0123456789¹²³") devices.push(`COM${digit}`, `LPT${digit}`);
  return devices.includes(stem.trimEnd()) ? "device" : null;
}

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
    ["photo\u202egpj.exe", "photo_gpj.exe"],
    ["a\u2067b\u2069.txt", "a_b_.txt"],
    ["می\u200cخواهم\u200f.pdf", "می\u200cخواهم\u200f.pdf"],
    ["CON.txt", "_CON.txt"],
    ["aux", "_aux"],
    ["nul .tar.gz", "_nul .tar.gz"],
    ["Lpt1", "_Lpt1"],
    ["com¹.a", "_com¹.a"],
    ["console.txt", "console.txt"],
    ["com10", "com10"],
    ["trailing dot.", "trailing dot_"],
    ["trailing . ", "trailing___"],
    [" lead", " lead"],
    ["...", "___"],
    [`${"x".repeat(244)}.txt`, `${"x".repeat(244)}.txt`],
    [`${"x".repeat(245)}.txt`, `${"x".repeat(244)}.txt`],
    [`${"é".repeat(300)}.txt`, `${"é".repeat(122)}.txt`],
    [`${"🙂".repeat(100)}`, "🙂".repeat(62)],
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
    // Windows compares upper case, macOS the full folding of Unicode.
    expect(entryPaths(["ας", "ασ", "Straße", "STRASSE", "\u017f", "s"])).toEqual([
      "ας",
      "ασ (1)",
      "Straße",
      "STRASSE (1)",
      "\u017f",
      "s (1)",
    ]);
  });

  it("are numbered on from the last number, however many become equal", { timeout: 3_000 }, () => {
    const paths = Array.from({ length: 6_000 }, (_, index) =>
      [...index.toString(2).padStart(15, "0")].map((bit) => (bit === "0" ? "?" : "*")).join(""),
    );
    const name = "_".repeat(15);
    const numbered = paths.map((_, index) => (index === 0 ? name : `${name} (${index})`));
    expect(entryPaths(paths)).toEqual(numbered);
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

  it("that Windows could not unpack are in a folder of their own", () => {
    const deep = `deep/${"d/".repeat(100)}`;
    const name = "n".repeat(210);
    expect(entryPaths([deep, `${deep}x.txt`, `deep/${"e/".repeat(100)}x.txt`, `docs/${name}.txt`])).toEqual([
      "Long paths/d/",
      "Long paths/x.txt",
      "Long paths/x (1).txt",
      `docs/${name.slice(0, 116)}.txt`,
    ]);
  });

  it("lead nowhere else and are there once, whatever the keys", () => {
    const segment = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "a",
        "A",
        "a.txt",
        "C:",
        "a\\b",
        "con",
        "NUL.x",
        "a.",
        "a ",
        "é".repeat(200),
      ),
      fc.string(),
      fc.string({ unit: "binary" }),
    );
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
        const files = entryPaths(paths).filter((path) => !path.endsWith("/"));
        for (const file of files) {
          expect(file).not.toMatch(/^\/|\\|^[a-z]:|\p{Cc}/iu);
          for (const segment of file.split("/")) expect(issueOnWindows(segment)).toBeNull();
          expect(file.length).toBeLessThanOrEqual(210);
        }
        expect(new Set(files.map((file) => file.normalize("NFC").toLowerCase())).size).toBe(files.length);
      }),
    );
  });
});
