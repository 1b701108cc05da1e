import type en from "./en.json";
import { visiblePart, visibleText } from "./visible-text";

/** Every sentence in English. All other languages have the same structure. */
export type English = typeof en;

/** The plural forms of a sentence, by CLDR's plural categories. */
export type Forms = { readonly [Category in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Sentences by name, as a page gets them. */
export interface Sentences {
  readonly [name: string]: string | Sentences;
}

/** The sentences of another language; a missing one is in English. It may have one form where English has several, or the reverse. */
export type Translation<Section = English> = {
  readonly [Name in keyof Section]?: Section[Name] extends string | Forms
    ? string | Forms
    : Translation<Section[Name]>;
};

/** The key of a sentence in its section: `preview.close`. */
export type KeyOf<Section> = {
  [Name in keyof Section & string]: Section[Name] extends string | Forms
    ? Name
    : `${Name}.${KeyOf<Section[Name]>}`;
}[keyof Section & string];

type SentenceAt<Section, Key> = Key extends keyof Section
  ? Section[Key]
  : Key extends `${infer Name}.${infer Rest}`
    ? Name extends keyof Section
      ? SentenceAt<Section[Name], Rest>
      : never
    : never;

type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;

type PlaceholdersOf<Sentence> = Sentence extends Forms
  ? "count" | PlaceholdersIn<Sentence[keyof Sentence]>
  : PlaceholdersIn<Sentence>;

type ValuesFor<Names extends string> = [Names] extends [never]
  ? []
  : [values: { [Name in Names]: Name extends "count" ? number : string | number }];

/**
 * Returns a sentence with its values filled in. Numbers are formatted for the language; `count` selects the plural form. Control characters are
 * shown escaped, and an empty `name` or `folder` as the section's sentence `noName`.
 */
export type Translate<Section> = <Key extends KeyOf<Section>>(
  key: Key,
  ...values: ValuesFor<PlaceholdersOf<SentenceAt<Section, Key>>>
) => string;

/** Isolates text of another direction: FIRST STRONG ISOLATE to POP DIRECTIONAL ISOLATE. */
export const isolated = (text: string) => `\u2068${text}\u2069`;
/** A value may be another sentence, in which `isolated` has isolated a value. */
function visibleValue(value: string): string {
  const parts = value.split(/([\u2068\u2069])/);
  if (parts.length === 1) return visibleText(value);
  return parts.map((part, index) => (index % 2 ? part : visiblePart(part))).join("");
}
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/**
 * @param locale for numbers and plural rules, a BCP 47 tag
 * @param showValue how the texts are written that are filled in
 */
export function createTranslate<Section>(
  sentences: Sentences,
  locale: string,
  showValue: (value: string) => string = visibleValue,
): Translate<Section> {
  const number = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);
  const { noName } = sentences;
  // Languages without a singular need the form `one`, too: some sentences name a single thing ("Delete “a.txt”?").
  const categoryOf = (count: unknown) => (count === 1 ? "one" : rules.select(Number(count)));
  return (key: string, values: Record<string, string | number> = {}) => {
    const found = sentences[key] ?? sentenceAt(sentences, key);
    const form = typeof found === "object" ? (found[categoryOf(values.count)] ?? found.other) : found;
    const text = typeof form === "string" ? form : key;
    if (!text.includes("{")) return text;
    const mixes = (value: string) => rightToLeft.test(text) || rightToLeft.test(value);
    return text.replace(/\{(\w+)\}/g, (_, placeholder: string) => {
      const value = values[placeholder] ?? "";
      if (typeof value === "number") return number.format(value);
      const isUnnamed = value === "" && (placeholder === "name" || placeholder === "folder");
      const shown = isUnnamed && typeof noName === "string" ? noName : showValue(value);
      return mixes(shown) ? isolated(shown) : shown;
    });
  };
}

/** @param key names separated by full stops */
function sentenceAt(sentences: Sentences, key: string): string | Sentences | undefined {
  let found: string | Sentences | undefined = sentences;
  for (const name of key.split(".")) found = typeof found === "object" ? found[name] : undefined;
  return found;
}
