import type { en } from "./en";

/** Every sentence in English, which all other languages follow. */
export type English = typeof en;

/** The forms of a sentence by the number in it, named by CLDR's plural categories. */
export type Forms = { readonly [Category in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Sentences by name, as they are handed to a page. */
export interface Sentences {
  readonly [name: string]: string | Sentences;
}

/** The sentences of another language: what is missing is said in English. One form may do where English has two, or the reverse. */
export type Translation<Section = English> = {
  readonly [Name in keyof Section]?: Section[Name] extends string | Forms
    ? string | Forms
    : Translation<Section[Name]>;
};

/** What names a sentence in its section: `preview.close`. */
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

/** The sentence of that name with its values in it. Numbers are written as the language writes them; `count` chooses the form. */
export type Translate<Section> = <Key extends KeyOf<Section>>(
  key: Key,
  ...values: ValuesFor<PlaceholdersOf<SentenceAt<Section, Key>>>
) => string;

/** Marks text whose direction is its own: FIRST STRONG ISOLATE to POP DIRECTIONAL ISOLATE. */
export const isolated = (text: string) => `\u2068${text}\u2069`;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** @param locale whose numbers are written and whose plural rules hold, a BCP 47 tag */
export function createTranslate<Section>(sentences: Sentences, locale: string): Translate<Section> {
  const number = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);
  // One thing alone has its name in some sentences ("Delete “a.txt”?"), in languages without a singular, too.
  const categoryOf = (count: unknown) => (count === 1 ? "one" : rules.select(Number(count)));
  return (key: string, values: Record<string, string | number> = {}) => {
    const found = sentences[key] ?? sentenceAt(sentences, key);
    const form = typeof found === "object" ? (found[categoryOf(values.count)] ?? found.other) : found;
    const text = typeof form === "string" ? form : key;
    if (!text.includes("{")) return text;
    const mixes = (value: string) => rightToLeft.test(text) || rightToLeft.test(value);
    return text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? "";
      if (typeof value === "number") return number.format(value);
      return mixes(value) ? isolated(value) : value;
    });
  };
}

/** @param key names the sections on the way, with a full stop between them */
function sentenceAt(sentences: Sentences, key: string): string | Sentences | undefined {
  let found: string | Sentences | undefined = sentences;
  for (const name of key.split(".")) found = typeof found === "object" ? found[name] : undefined;
  return found;
}
