import { expect, it, test } from "vitest";
import { listFiles, textOf } from "../../tests/repository/files";
import en from "./en.json";
import { languages } from "./languages.server";
import type { Forms, Sentences } from "./translate";

/** The words that are the same in that language as in English. */
const alike: Record<string, string[]> = {
  de: ["Name", "Uploads", "Downloads", "PDF", "Text", "Video", "Audio", "Zoom", "Details", "Version (ETag)"],
  es: ["PDF", "Audio", "{count} byte"],
  ja: ["PDF"],
  fr: [
    "Actions",
    "Archive",
    "Audio",
    "Code",
    "Document",
    "Documents",
    "Image",
    "PDF",
    "Pause",
    "Type",
    "Version (ETag)",
    "Versions",
    "Zoom",
  ],
  it: ["PDF", "Video", "Audio", "File", "Password"],
  nl: [
    "{count} item",
    "Databases",
    "Details",
    "Document",
    "Downloads",
    "Help",
    "PDF",
    "Spreadsheet",
    "Uploads",
    "Video",
    "Audio",
    "{count} byte",
  ],
  pl: ["Folder", "PDF"],
  "pt-BR": ["PDF", "Uploads", "Downloads", "{count} byte"],
  "zh-Hans": ["PDF"],
};

/** What the typography of a language does not have; a word stands in place of each placeholder. */
const mistakes: Record<string, RegExp> = {
  ar: /[,;?%“”„]/,
  // A no-break space is before what is left out.
  de: /(?<!\u00a0)…|[”«»]/,
  en: /[«»„]/,
  // A question begins with a mark of its own.
  es: /^[^¿]*\?|^[^¡]*!|[“”„]/,
  // No-break spaces, narrow before ; ! and ?.
  fr: /(?<!\u202f)[;!?]|(?<!\u00a0)[:»]|«(?!\u00a0)|[“”„]/,
  // Prefixes are joined by a maqaf, not a hyphen.
  he: /\p{Script=Hebrew}-|[“”„«»]/u,
  it: /[«»„]/,
  ja: /[,:;!?()“”]|\.(?!\w)/,
  nl: /[“”„«»]/,
  pl: /[“«»]/,
  "pt-BR": /[«»„]/,
  "zh-Hans": /[,:;!?()「」]|\.(?!\w)/,
};
/** In no language: quotation marks of typewriters, dots for an ellipsis, spaces where none is to be seen. */
const untidy = /["']|\.\.\.|\s\s|^\s|\s$/;

type Leaf = string | Forms;
const isLeaf = (value: string | Sentences): value is Leaf =>
  typeof value === "string" || typeof value.other === "string";

/** Every sentence by its section and name. */
function sentencesIn(group: Sentences, path = ""): Map<string, Leaf> {
  const entries = Object.entries(group).flatMap(([name, value]) =>
    isLeaf(value) ? [[path + name, value] as const] : [...sentencesIn(value, `${path}${name}.`)],
  );
  return new Map(entries);
}

const english = sentencesIn(en);
const formsOf = (leaf: Leaf) => (typeof leaf === "string" ? [leaf] : Object.values(leaf));
const placeholdersIn = (leaf: Leaf) =>
  new Set(formsOf(leaf).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")));
/** No word in it: placeholders, punctuation, a unit of one letter. */
const saysNothing = (leaf: Leaf) =>
  formsOf(leaf).every((form) => !/\p{L}{2}/u.test(form.replace(/\{\w+\}/g, "")));
/** The categories of whole numbers as we write them: French and others have one more, for "a million of". */
const categoriesOf = (tag: string) => {
  const rules = new Intl.PluralRules(tag);
  return [...new Set(["other", ...Array.from({ length: 1001 }, (_, number) => rules.select(number))])].sort();
};

const others = Object.entries(languages).filter(([tag]) => tag !== "en");

it.each(others)("%s lacks no sentence", (_, language) => {
  const own = sentencesIn(language as Sentences);
  expect([...english.keys()].filter((key) => !own.has(key))).toEqual([]);
});

it.each(others)("%s has no sentence that English has not", (_, language) => {
  expect([...sentencesIn(language as Sentences).keys()].filter((key) => !english.has(key))).toEqual([]);
});

it.each(others)("%s leaves nothing in English", (tag, language) => {
  const own = [...sentencesIn(language as Sentences)];
  const same = own.filter(
    ([key, leaf]) =>
      // The keys of many keyboards are in English.
      !key.startsWith("files.keys.") &&
      !saysNothing(leaf) &&
      JSON.stringify(leaf) === JSON.stringify(english.get(key)),
  );
  const left = same.filter(([, leaf]) => !alike[tag]?.includes(formsOf(leaf)[0] ?? ""));
  expect(left.map(([key]) => key)).toEqual([]);
});

it.each(others)("%s has the placeholders of English", (_, language) => {
  for (const [key, leaf] of sentencesIn(language as Sentences)) {
    const expected = placeholdersIn(english.get(key) ?? "");
    const inEnglish = english.get(key) ?? "";
    const needed = placeholdersIn(typeof inEnglish === "string" ? inEnglish : inEnglish.other);
    // One form need not write its number: "another one", "ملف واحد".
    for (const name of placeholdersIn(leaf)) expect(expected, key).toContain(name);
    for (const name of needed) expect(formsOf(leaf).join(""), key).toContain(`{${name}}`);
    for (const [category, form] of Object.entries(typeof leaf === "string" ? { other: leaf } : leaf)) {
      const model = typeof inEnglish === "object" && category === "one" ? inEnglish.one : inEnglish;
      for (const name of placeholdersIn(typeof model === "object" ? model.other : (model ?? "")))
        if (name !== "count") expect(form, `${key}, ${category}`).toContain(`{${name}}`);
    }
  }
});

it.each(Object.entries(languages))("%s has its own punctuation", (tag, language) => {
  const texts = [...sentencesIn(language as Sentences).values()].flatMap(formsOf);
  const written = texts.map((text) => text.replace(/\{\w+\}/g, "x"));
  expect(written.filter((text) => untidy.test(text) || mistakes[tag]?.test(text))).toEqual([]);
});

it.each(others)("%s names the one thing that a sentence is about", (_, language) => {
  for (const [key, leaf] of sentencesIn(language as Sentences)) {
    const inEnglish = english.get(key) ?? "";
    if (typeof inEnglish === "string") continue;
    const one = typeof leaf === "string" ? leaf : (leaf.one ?? leaf.other);
    for (const name of placeholdersIn(inEnglish.one ?? ""))
      if (name !== "count") expect(one, key).toContain(`{${name}}`);
  }
});

it.each(others)("%s has the plural forms that it needs, and no other", (tag, language) => {
  const needed = categoriesOf(tag);
  for (const [key, leaf] of sentencesIn(language as Sentences)) {
    const inEnglish = english.get(key);
    const counts = placeholdersIn(inEnglish ?? "").has("count");
    if (typeof leaf === "object") {
      expect(counts, `${key} has a number that decides`).toBe(true);
      expect(Object.keys(leaf).sort(), key).toEqual(
        "one" in leaf ? [...new Set(["one", ...needed])].sort() : needed,
      );
    } else if (typeof inEnglish === "object") {
      expect(needed, `${key} has one form`).toEqual(["other"]);
    }
  }
});

it.each(Object.entries(languages))("%s names buttons by the words that are on them", (_, language) => {
  const own = sentencesIn(language as Sentences);
  const textOfKey = (key: string) => String(own.get(`files.${key}`)).toLowerCase();
  // Who says what they see, to a program that listens, presses that button (WCAG 2.5.3).
  const named = {
    download: "downloadFile",
    "uploads.pause": "uploads.pauseName",
    "uploads.resume": "uploads.resumeName",
    "uploads.retry": "uploads.retryName",
    "handIn.takeBack": "handIn.takeBackName",
  };
  for (const [words, name] of Object.entries(named)) expect(textOfKey(name)).toContain(textOfKey(words));
});

test("every sentence is said somewhere", () => {
  const sources = listFiles()
    .filter(
      (path) => /^(app|embed-element)\/.*(?<!\.test)\.tsx?$/.test(path) && !path.startsWith("app/locales/"),
    )
    .map(textOf)
    .join("\n");
  const composed = [...sources.matchAll(/`([\w.]*(?:\$\{[^}`]*\}[\w.]*)+)`/g)].map(([, text = ""]) => text);
  const named = composed
    .filter((text) => /\w/.test(text.replace(/\$\{[^}]*\}/g, "")))
    .map((text) => new RegExp(`^${text.replaceAll(".", "\\.").replace(/\$\{[^}]*\}/g, "\\w+")}$`));
  const ours = [...english.keys()].filter((path) => !path.startsWith("element."));
  const unused = ours.filter((path) => {
    const [, key = ""] = /^\w+\.(.*)$/.exec(path) ?? [];
    return (
      !new RegExp(`"${key}"|words\\.${key}\\b`).test(sources) && !named.some((pattern) => pattern.test(key))
    );
  });
  expect(unused).toEqual([]);
});
