import { describe, expect, it } from "vitest";
import { chooseLanguage, languages, pageLanguage, sentencesOf, tagsIn } from "./languages.server";
import { createTranslate, type English } from "./translate";

describe("a language is chosen", () => {
  it.each([
    [["fr-CA"], "fr", "fr-CA"],
    [["FR"], "fr", "fr"],
    [["fr-u-ca-buddhist"], "fr", "fr"],
    [["en-GB"], "en", "en-GB"],
    [["tlh", "fr-CH"], "fr", "fr-CH"],
    [["en-Cyrl"], "en", "en"],
  ])("for %j: %s, with the dates of %s", (wanted, tag, locale) => {
    expect(chooseLanguage(wanted)).toEqual({ tag, locale });
  });

  it.each(["tlh", "", "frr", "constructor", "fr_CA", "x".repeat(1000), "</script>"])(
    "English for %j",
    (tag) => {
      expect(chooseLanguage([tag])).toEqual({ tag: "en", locale: "en" });
    },
  );

  it("by what the browser wants most, unless one is asked for", () => {
    const wanted = tagsIn("tlh, en;q=0.4, fr-CH;q=0.9, *;q=0.1, de;q=0");
    expect(wanted).toEqual(["tlh", "fr-CH", "en"]);
    expect(tagsIn(null)).toEqual([]);
    expect(pageLanguage("files", null, wanted).locale).toBe("fr-CH");
    expect(pageLanguage("files", "en", wanted)).toMatchObject({ asked: "en", locale: "en", dir: "ltr" });
  });
});

describe("a section", () => {
  it("is of the language, and of English where a sentence is missing", () => {
    const french = sentencesOf("files", "fr");
    expect(french.upload).toBe(languages.fr?.files?.upload);
    expect(sentencesOf("files", "tlh")).toEqual(sentencesOf("files", "en"));
  });

  it("is empty for a service without sentences", () => {
    for (const name of ["tasks", "constructor"]) expect(pageLanguage(name, "fr").sentences).toEqual({});
  });
});

describe("a sentence", () => {
  const french = createTranslate<English["files"]>(sentencesOf("files", "fr"), "fr");
  const english = createTranslate<English["files"]>(sentencesOf("files", "en"), "en");

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
