import { shortenText } from "../../screen/bounded-text";
import { attributeOf, childOf, elementsOf, readXmlTree, type XmlElement } from "./read-xml";

/** Word has nine levels. */
const LEVELS = 9;
/** Of a number with its words. It is written before each paragraph of the list. */
const MAX_LABEL_LENGTH = 100;

interface Level {
  start: number;
  format: string;
  /** `%1.%2)` */
  text: string;
  /** all its numbers are decimal */
  isLegal: boolean;
  /** the level, from 1, after whose paragraphs it starts anew; 0 for never */
  restart: number;
  suffix: string;
  /** of the paragraphs that have this level without saying so */
  styleId: string | undefined;
}

interface NumberedList {
  levels: (Level | undefined)[];
  /** Lists with the same one continue each other. */
  abstractId: string;
  /** where levels start anew with the first paragraph of this list */
  starts: (number | undefined)[];
}

/** What a paragraph or a style says about its number. */
export interface NumberReference {
  listId: string | undefined;
  /** from 0 */
  level: number | undefined;
}

/** Reads `w:numPr`. */
export function readNumberReference(properties: XmlElement | undefined): NumberReference | null {
  const numbers = childOf(properties, "numPr");
  if (!numbers) return null;
  const level = attributeOf(childOf(numbers, "ilvl"), "val");
  return {
    listId: attributeOf(childOf(numbers, "numId"), "val"),
    level:
      level === undefined ? undefined : Math.min(Math.max(Number.parseInt(level, 10) || 0, 0), LEVELS - 1),
  };
}

/** Numbers the paragraphs of a document, in their order. */
export class DocumentNumbering {
  readonly #lists: Map<string, NumberedList>;
  /** by abstract list; undefined for a level that has not been used since it started anew */
  readonly #counters = new Map<string, (number | undefined)[]>();
  readonly #started = new Set<string>();

  /** @param listOfStyle the list of a numbering style */
  constructor(part: Uint8Array | undefined, listOfStyle: (styleId: string) => string | undefined) {
    this.#lists = part ? readLists(readXmlTree(part), listOfStyle) : new Map();
  }

  /** The level that a style belongs to. */
  levelOfStyle(listId: string, styleId: string): number | undefined {
    const level = this.#lists.get(listId)?.levels.findIndex((each) => each?.styleId === styleId);
    return level === -1 ? undefined : level;
  }

  /** Counts a paragraph. @returns its number with the space after it; null for a bullet, and where there is none */
  next(listId: string, level: number): string | null {
    const list = this.#lists.get(listId);
    const current = list?.levels[level];
    if (!list || !current) return null;
    const counters = this.#countersOf(list);
    this.#startAnew(listId, list, level, counters);
    // A level that was passed over counts as used.
    for (let above = 0; above < level; above++) counters[above] ??= list.levels[above]?.start;
    const before = counters[level];
    counters[level] = before === undefined ? current.start : before + 1;
    for (let deeper = level + 1; deeper < LEVELS; deeper++) {
      const restart = list.levels[deeper]?.restart ?? deeper;
      if (restart !== 0 && level < restart) counters[deeper] = undefined;
    }
    if (current.format === "bullet") return null;
    const text = current.text.replace(/%([1-9])/g, (_, digit: string) => {
      const shown = list.levels[Number(digit) - 1];
      const count = counters[Number(digit) - 1] ?? shown?.start ?? 1;
      return shown ? numberText(count, current.isLegal ? "decimal" : shown.format) : "";
    });
    const label = shortenText(text, MAX_LABEL_LENGTH);
    return label === "" || current.suffix === "nothing" ? label : `${label} `;
  }

  #countersOf({ abstractId }: NumberedList): (number | undefined)[] {
    const counters = this.#counters.get(abstractId) ?? [];
    this.#counters.set(abstractId, counters);
    return counters;
  }

  #startAnew(
    listId: string,
    { starts }: NumberedList,
    level: number,
    counters: (number | undefined)[],
  ): void {
    for (let each = 0; each <= level; each++) {
      const id = `${listId} ${each}`;
      const start = starts[each];
      if (start === undefined || this.#started.has(id)) continue;
      this.#started.add(id);
      counters[each] = each === level ? start - 1 : undefined;
    }
  }
}

function readLists(
  root: XmlElement,
  listOfStyle: (styleId: string) => string | undefined,
): Map<string, NumberedList> {
  const abstracts = new Map<string, XmlElement>();
  const numbers = new Map<string, XmlElement>();
  for (const element of elementsOf(root)) {
    const id = attributeOf(element, element.name === "num" ? "numId" : "abstractNumId");
    if (id === undefined) continue;
    if (element.name === "abstractNum") abstracts.set(id, element);
    if (element.name === "num") numbers.set(id, element);
  }
  const abstractOf = (number: XmlElement | undefined): string | undefined =>
    attributeOf(childOf(number, "abstractNumId"), "val");
  const lists = new Map<string, NumberedList>();
  for (const [id, number] of numbers) {
    let abstractId = abstractOf(number);
    const link = attributeOf(childOf(abstracts.get(abstractId ?? ""), "numStyleLink"), "val");
    const linked = link === undefined ? undefined : listOfStyle(link);
    if (linked !== undefined) abstractId = abstractOf(numbers.get(linked)) ?? abstractId;
    const abstract = abstracts.get(abstractId ?? "");
    if (!abstract || abstractId === undefined) continue;
    const list: NumberedList = { levels: readLevels(abstract), abstractId, starts: [] };
    for (const override of elementsOf(number)) {
      if (override.name !== "lvlOverride") continue;
      const level = Number(attributeOf(override, "ilvl"));
      if (!(level >= 0 && level < LEVELS)) continue;
      Object.assign(list.levels, readLevels(override));
      const start = attributeOf(childOf(override, "startOverride"), "val");
      if (start !== undefined) list.starts[level] = Number.parseInt(start, 10) || 0;
    }
    lists.set(id, list);
  }
  return lists;
}

/** Sparse: an override has one level. */
function readLevels(parent: XmlElement): (Level | undefined)[] {
  const levels: (Level | undefined)[] = [];
  for (const element of elementsOf(parent)) {
    const index = Number(attributeOf(element, "ilvl") ?? 0);
    if (element.name !== "lvl" || !(index >= 0 && index < LEVELS)) continue;
    const settingOf = (name: string) => attributeOf(childOf(element, name), "val");
    const legal = childOf(element, "isLgl");
    levels[index] = {
      start: Number.parseInt(settingOf("start") ?? "0", 10) || 0,
      format: settingOf("numFmt") ?? "decimal",
      text: settingOf("lvlText") ?? "",
      isLegal: legal !== undefined && isOn(legal),
      restart: Number.parseInt(settingOf("lvlRestart") ?? String(index), 10),
      suffix: settingOf("suff") ?? "tab",
      styleId: settingOf("pStyle"),
    };
  }
  return levels;
}

/** Of an element such as `w:vanish`, which is on without a value. */
export function isOn(element: XmlElement): boolean {
  const value = attributeOf(element, "val");
  return value === undefined || !["0", "false", "off", "none"].includes(value);
}

/** Largest number that is written in Roman numerals or letters. */
const MAX_WRITTEN = 5_000;

/** A number as Word writes it. Formats that are not known are decimal, as Word's standard demands. */
function numberText(count: number, format: string): string {
  if (format === "none") return "";
  if (format === "decimalZero") return String(count).padStart(2, "0");
  if (format === "decimalFullWidth")
    return String(count).replace(/\d/g, (digit) => fullWidthDigits[Number(digit)] ?? digit);
  if (format === "numberInDash") return `- ${count} -`;
  if (format === "hex") return count.toString(16).toUpperCase();
  if (count < 1 || count > MAX_WRITTEN) return String(count);
  switch (format) {
    case "upperRoman":
      return roman(count);
    case "lowerRoman":
      return roman(count).toLowerCase();
    case "upperLetter":
      return repeated(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    case "lowerLetter":
      return repeated(count, "abcdefghijklmnopqrstuvwxyz");
    case "russianUpper":
      return repeated(count, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ");
    case "russianLower":
      return repeated(count, "абвгдежзиклмнопрстуфхцчшщыэюя");
    case "hebrew2":
      return repeated(count, "אבגדהוזחטיכלמנסעפצקרשת");
    case "chicago":
      return repeated(count, "*†‡§");
    case "ordinal":
      return `${count}${ordinalEndings[ordinals.select(count)] ?? "th"}`;
    case "decimalEnclosedCircle":
      return count <= 20 ? String.fromCodePoint(0x2460 + count - 1) : String(count);
    case "chineseCounting":
    case "chineseCountingThousand":
    case "japaneseCounting":
    case "taiwaneseCounting":
    case "taiwaneseCountingThousand":
      return inTens(count);
    default:
      return String(count);
  }
}

const fullWidthDigits = [..."０１２３４５６７８９"];
const chineseDigits = ["", ..."一二三四五六七八九"];

/** 十, 十一… 二十一: Chinese and Japanese write such numbers alike up to 99. */
function inTens(count: number): string {
  if (count > 99) return String(count);
  const [tens, ones] = [Math.floor(count / 10), count % 10];
  const ten = tens > 0 ? `${tens > 1 ? chineseDigits[tens] : ""}十` : "";
  return ten + chineseDigits[ones];
}

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const ordinalEndings: Partial<Record<Intl.LDMLPluralRule, string>> = {
  one: "st",
  two: "nd",
  few: "rd",
  other: "th",
};

/** A, B… Z, AA, BB… */
function repeated(count: number, letters: string): string {
  const all = [...letters];
  return (all[(count - 1) % all.length] ?? "").repeat(Math.ceil(count / all.length));
}

const romanDigits = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
] as const;

function roman(count: number): string {
  let rest = count;
  let text = "";
  for (const [value, digits] of romanDigits)
    while (rest >= value) {
      text += digits;
      rest -= value;
    }
  return text;
}
