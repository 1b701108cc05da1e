import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { languages } from "./languages.server";
import { createTranslate } from "./translate";
import { visibleText } from "./visible-text";

describe("the visible text of a name", () => {
  it.each([
    ["photo\u202egpj.exe", "photo[U+202E]gpj.exe"],
    ["\u200f123.exe", "[U+200F]123.exe"],
    ["a\u2067b\u2069.txt", "a[U+2067]b[U+2069].txt"],
    ["in\u200bvoice.pdf", "in[U+200B]voice.pdf"],
    ["in\u200cvoice\u200d.pdf", "in[U+200C]voice[U+200D].pdf"],
    ["a\u00adb\ufeffc\u2060d", "a[U+00AD]b[U+FEFF]c[U+2060]d"],
    ["two\nlines\u2028three\u0000", "two[U+000A]lines[U+2028]three[U+0000]"],
    ["a\ufe0f.txt", "a[U+FE0F].txt"],
    ["page 1\u200d.txt", "page 1[U+200D].txt"],
    ["\u200dfirst", "[U+200D]first"],
    ["in\u061cvoice.pdf", "in[U+061C]voice.pdf"],
    ["in\ufff9voice\ufffc.pdf", "in[U+FFF9]voice[U+FFFC].pdf"],
    ["tag \u{e0041}", "tag [U+E0041]"],
    ["no\u00a0break.txt", "no[U+00A0]break.txt"],
    ["Invoice 1\u00a0\u00a0.pdf", "Invoice 1[U+00A0][U+00A0].pdf"],
    ["\u2003first and last\u2800", "[U+2003]first and last[U+2800]"],
    ["a\u1680b\u2000c\u200ad\u205fe\u3000f", "a[U+1680]b[U+2000]c[U+200A]d[U+205F]e[U+3000]f"],
    [" first.txt", "[U+0020]first.txt"],
    ["last.txt  ", "last.txt[U+0020][U+0020]"],
    ["  ", "[U+0020][U+0020]"],
    ["docs /a.txt", "docs[U+0020]/a.txt"],
    ["last\u00a0 ", "last[U+00A0][U+0020]"],
    ["\u3164\u115f\u1160\uffa0\u{1d159}", "[U+3164][U+115F][U+1160][U+FFA0][U+1D159]"],
  ])("shows what cannot be seen: %j", (name, visible) => {
    expect(visibleText(name)).toBe(visible);
  });

  it.each([
    "Straße & Café (1).pdf",
    "قرارداد می\u200cخواهم.pdf",
    "क्\u200dष.txt",
    "👩\u200d👩\u200d👧 family.jpg",
    "❤\ufe0f\u200d🔥.png",
    "👍🏽.png",
    "1\ufe0f\u20e3.txt",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.txt",
    "葛\u{e0100}城.txt",
    "שלום.pdf",
    "\u200fשלום (2)\u200e.pdf",
    "سلام\u061c (2).pdf",
    "Screenshot 9.41\u202fAM.png",
    "Capture d’écran 2026-05-04\u00a0à 15.04.32.png",
    "Quoi\u202f? «\u00a0Rien\u00a0». 5\u00a0%.txt",
    "日本語\u3000資料.txt",
    "⠁⠃\u2800⠉.txt",
    "two  spaces.txt",
  ])("leaves what scripts and emoji need: %s", (name) => {
    expect(visibleText(name)).toBe(name);
  });

  it("has nothing that reverses text, and is its own visible text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const visible = visibleText(name);
        expect(visible).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{Cc}/u);
        expect(visibleText(visible)).toBe(visible);
      }),
    );
  });
});

it("leaves the dates and numbers of every language as Intl writes them", () => {
  const morning = new Date(2026, 0, 5, 9, 5);
  for (const language of [...Object.keys(languages), "es-CO", "en-AU", "fr-CA", "fi"]) {
    const time = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(morning);
    const number = new Intl.NumberFormat(language).format(1_234_567.5);
    const share = new Intl.NumberFormat(language, { style: "percent" }).format(0.5);
    const size = new Intl.NumberFormat(language, { style: "unit", unit: "megabyte" }).format(1_234);
    for (const text of [time, number, share, size]) expect(visibleText(text), language).toBe(text);
  }
});

it("a sentence shows the invisible characters of its values, and keeps the isolation of other sentences in it", () => {
  const t = createTranslate<{ ask: "Delete {name}?"; because: "{why}" }>(
    { ask: "Delete {name}?", because: "{why}" },
    "en",
  );
  expect(t("ask", { name: "a\u202egpj.exe" })).toBe("Delete a[U+202E]gpj.exe?");
  const inner = t("ask", { name: "שלום" });
  expect(inner).toBe("Delete \u2068שלום\u2069?");
  expect(t("because", { why: inner })).toBe(`\u2068${inner}\u2069`);
  expect(t("ask", { name: "a.txt " })).toBe("Delete a.txt[U+0020]?");
});

it("as many spaces as a ZIP archive's names may have are looked at once", () => {
  const name = `a${" ".repeat(65_000)}b`;
  expect(visibleText(name)).toBe(name);
  expect(visibleText("  a /b  c/ ")).toBe("[U+0020][U+0020]a[U+0020]/b  c/[U+0020]");
});
