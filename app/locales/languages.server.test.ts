import { describe, expect, it } from "vitest";
import { chooseLanguage, tagsIn } from "./choose-language.server";
import { languages, pageLanguage } from "./languages.server";
import { createTranslate, type English } from "./translate";

const known = ["en-XA", "ar", "en", "fr", "he", "pt-BR", "zh-Hans"];
const sectionIn = (section: string, asked: string) => pageLanguage(section, { asked }).sentences;

describe("a language is chosen", () => {
  it.each([
    [["fr-CA"], "fr", "fr-CA"],
    [["FR"], "fr", "fr"],
    [["fr-u-ca-buddhist"], "fr", "fr"],
    [["en-GB"], "en", "en-GB"],
    [["tlh", "fr-CH"], "fr", "fr-CH"],
    [["en-Cyrl"], "en", "en"],
    [["pt"], "pt-BR", "pt"],
    [["pt-PT"], "pt-BR", "pt-PT"],
    [["zh"], "zh-Hans", "zh"],
    [["zh-CN"], "zh-Hans", "zh-CN"],
    [["zh-Hans-SG"], "zh-Hans", "zh-Hans-SG"],
    [["zh-TW", "zh", "en"], "zh-Hans", "zh"],
    [["zh-TW"], "en", "en"],
    [["iw"], "he", "he"],
    [["ar-EG"], "ar", "ar-EG"],
    [["en-XA"], "en-XA", "en-XA"],
    [["en-XC"], "en", "en-XC"],
  ])("for %j: %s, with the dates of %s", (wanted, tag, locale) => {
    expect(chooseLanguage(wanted, known)).toEqual({ tag, locale });
  });

  it.each(["tlh", "", "frr", "constructor", "fr_CA", "x".repeat(1000), "</script>"])(
    "English for %j",
    (tag) => {
      expect(chooseLanguage([tag], known)).toEqual({ tag: "en", locale: "en" });
    },
  );

  it("by what the browser wants most, unless one is asked for", () => {
    const wanted = tagsIn("tlh, en;q=0.4, fr-CH;q=0.9, *;q=0.1, de;q=0");
    expect(wanted).toEqual(["tlh", "fr-CH", "en"]);
    expect(tagsIn(null)).toEqual([]);
    const accepted = "de-XX;q=0, fr-CH, en;q=0.4";
    expect(pageLanguage("files", { asked: null, accepted })).toMatchObject({ asked: null, locale: "fr-CH" });
    expect(pageLanguage("files", { asked: "EN-gb", accepted })).toMatchObject({
      asked: "en-GB",
      locale: "en-GB",
      dir: "ltr",
    });
  });

  it("of those that nobody speaks in tests alone", () => {
    const asked = { asked: "ar-XB" };
    expect(pageLanguage("files", asked, { pseudo: true })).toMatchObject({ locale: "ar-XB", dir: "rtl" });
    expect(sectionIn("files", "ar-XB")).toEqual(sectionIn("files", "ar"));
    const { sentences } = pageLanguage("files", { asked: "en-XA" }, { pseudo: true });
    expect(sentences.downloadFile).toMatch(/^Ðöŵñļöáð \{name\}·{6,}$/);
  });
});

describe("a section", () => {
  it("is of the language, and of English where a sentence is missing", () => {
    const french = sectionIn("files", "fr");
    expect(french.upload).toBe(languages.fr?.files?.upload);
    expect(sectionIn("files", "tlh")).toEqual(sectionIn("files", "en"));
  });

  it("is empty for a service without sentences", () => {
    for (const name of ["tasks", "constructor"]) expect(sectionIn(name, "fr")).toEqual({});
  });
});

describe("a sentence", () => {
  const french = createTranslate<English["files"]>(sectionIn("files", "fr"), "fr");
  const english = createTranslate<English["files"]>(sectionIn("files", "en"), "en");

  it("agrees with its number", () => {
    expect([0, 1, 2].map((count) => french("items", { count }))).toEqual([
      "0 élément",
      "1 élément",
      "2 éléments",
    ]);
    expect([0, 1, 12_000].map((count) => english("items", { count }))).toEqual([
      "0 items",
      "1 item",
      "12,000 items",
    ]);
  });

  it("names one thing alone, in languages without a singular, too", () => {
    const japanese = createTranslate<English["files"]>(sectionIn("files", "ja"), "ja");
    const titleOf = (count: number) => japanese("changes.deleteTitle", { count, name: "a.txt" });
    expect(titleOf(1)).toContain("a.txt");
    expect(titleOf(2)).not.toContain("a.txt");
  });

  it("takes values as they are, whatever is in them", () => {
    expect(english("select", { name: "{name} $& $1" })).toBe("Select {name} $& $1");
  });

  it("keeps a name from another direction apart", () => {
    expect(english("select", { name: "تقرير.pdf" })).toBe("Select \u2068تقرير.pdf\u2069");
  });

  it("is typed by its placeholders", () => {
    // @ts-expect-error there is no such sentence
    expect(english("nothing")).toBe("nothing");
    // @ts-expect-error the name is missing
    english("select");
    // @ts-expect-error the number is a number
    english("items", { count: "2" });
  });
});
