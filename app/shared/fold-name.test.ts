import { describe, expect, it } from "vitest";
import { findMatches, foldName, nameMatcher } from "./fold-name";

describe("foldName", () => {
  it.each([
    ["case", "Report.PDF", "rEPORT.pdf"],
    ["accents", "Émile à Škoda.txt", "emile a skoda.TXT"],
    ["composed and decomposed", "Caf\u00e9", "Cafe\u0301"],
    ["composed Hangul and its letters", "한글", "한글".normalize("NFD")],
    ["full width and half width", "ＡＢＣ１２３　ｶﾅ", "abc123 カナ"],
    ["ligatures", "ﬁnal oﬀer", "final offer"],
    ["ß and ss", "Straße GROẞ", "STRASSE gross"],
    ["Turkish i, with and without a dot", "İstanbul ışık", "istanbul isik"],
    ["letters that do not come apart", "Łódź, Ærø, œuvre, đak", "lodz, aero, oeuvre, dak"],
    ["the end of a Greek word", "ΟΔΟΣ Οδός", "οδος ΟΔΟΣ"],
    ["Russian ё", "ещё", "еще"],
    ["points of Hebrew", "שָׁלוֹם", "שלום"],
    ["vowel signs and stretching of Arabic", "مُحَمَّـــد أحمد", "محمد احمد"],
    ["characters of no width", "soft\u00adhyphen \u200emark\ufe0f", "softhyphen mark"],
    ["the narrow space of screenshots", "9.41\u202fAM", "9.41 am"],
    ["typographic apostrophes", "l’été", "L'ETE"],
  ])("minds no %s", (_what, one, other) => {
    expect(foldName(one)).toBe(foldName(other));
    expect(foldName(foldName(one))).toBe(foldName(one));
  });

  it.each([
    ["か", "が"],
    ["ハ", "パ"],
    ["कि", "का"],
    ["ที่", "ที"],
    ["a", "b"],
    ["a.b", "a_b"],
  ])("keeps %s apart from %s", (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });
});

describe("nameMatcher", () => {
  const meets = (query: string, name: string) => nameMatcher(query)(name);

  it("finds a part of a name, and words in any order", () => {
    expect(meets(" port.p ", "Report.pdf")).toBe(true);
    expect(meets("2026 report", "annual_report-2026.pdf")).toBe(true);
    expect(meets("emile", "Émile.txt")).toBe(true);
    expect(meets("café", "Cafe\u0301 menu")).toBe(true);
    expect(meets("report 2025", "report 2026")).toBe(false);
  });

  it("is met by every name where nothing was typed", () => {
    for (const query of ["", "  ", "\u200d"]) expect(meets(query, "x")).toBe(true);
  });

  it("takes some of the words from the folders around it, but never all of them", () => {
    const isMatch = nameMatcher("invoices 1042");
    expect(isMatch("Invoice 1042.pdf", "Invoices/2026/")).toBe(true);
    expect(isMatch("1041.pdf", "Invoices/1042/")).toBe(false);
    expect(isMatch("Invoice 1042.pdf", "Contracts/")).toBe(false);
    expect(isMatch("Invoice 1042.pdf")).toBe(false);
  });
});

describe("findMatches", () => {
  const marked = (name: string, query: string) =>
    findMatches(name, query).map(([start, end]) => name.slice(start, end));

  it.each([
    ["Report.pdf", "PORT", ["port"]],
    ["annual_report-2026.pdf", "2026 report", ["report", "2026"]],
    ["E\u0301mile and e\u0301te\u0301.txt", "e", ["E\u0301", "e", "e\u0301", "e\u0301"]],
    ["\u00c9mile.txt", "emi", ["\u00c9mi"]],
    ["Stra\u00dfe.txt", "strass", ["Stra\u00df"]],
    ["Stra\u00dfe.txt", "stras", ["Stra\u00df"]],
    ["\ud83d\ude00 a\ud83d\ude00.jpg", "\ud83d\ude00", ["\ud83d\ude00", "\ud83d\ude00"]],
    ["\ud83d\ude00b.jpg", "b.", ["b."]],
    ["\ufb01le.txt", "fil", ["\ufb01l"]],
    ["aaa.txt", "aa", ["aa"]],
    ["Invoice 1042.pdf", "invoices 1042", ["1042"]],
    ["a.txt", " ", []],
  ])("of %j and %j", (name, query, expected) => {
    expect(marked(name, query)).toEqual(expected);
  });

  it("takes as long as the name is", () => {
    expect(findMatches("a".repeat(1_000), "a").length).toBe(1_000);
  });
});
