import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    "no\u00a0break.txt",
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

it("a sentence shows the invisible characters of its values, and keeps the isolation of other sentences in it", () => {
  const t = createTranslate<{ ask: "Delete {name}?"; because: "{why}" }>(
    { ask: "Delete {name}?", because: "{why}" },
    "en",
  );
  expect(t("ask", { name: "a\u202egpj.exe" })).toBe("Delete a[U+202E]gpj.exe?");
  const inner = t("ask", { name: "שלום" });
  expect(inner).toBe("Delete \u2068שלום\u2069?");
  expect(t("because", { why: inner })).toBe(`\u2068${inner}\u2069`);
});
