import { MAX_CODE_LENGTH } from "./format-value";
import type { XmlAttributes } from "./read-xml";

/** OpenDocument describes a number format by elements. This collects them and writes each format as Excel does. */
export class OdsFormats {
  readonly #formats = new Map<string, OdsFormat>();
  #open: OdsFormat | null = null;
  /** of an element that contains text */
  #text = "";

  /** @returns whether the element belongs to a number format */
  open(name: string, attributes: XmlAttributes): boolean {
    if (/^(number|currency|percentage|date|time|boolean|text)-style$/.test(name)) {
      const language = attributes["number:language"];
      this.#open = {
        codes: language && /^[a-z]{2,3}$/.test(language) ? [`[$-${language}]`] : [],
        maps: [],
        isKnown: true,
        isPercentage: name === "percentage-style",
        // A time of more than a day is shown in hours.
        isElapsed: attributes["number:truncate-on-overflow"] === "false",
      };
      this.#formats.set(attributes["style:name"] ?? "", this.#open);
      return true;
    }
    if (!this.#open) return false;
    this.#text = "";
    if (name === "map")
      this.#open.maps.push({
        condition: (attributes["style:condition"] ?? "").replace(/^value\(\)/, "").replace("!=", "<>"),
        format: attributes["style:apply-style-name"] ?? "",
      });
    else if (!containers.has(name)) this.#add(this.#open, codeOf(name, attributes, this.#open));
    return true;
  }

  text(text: string): void {
    this.#text += text;
  }

  close(name: string): void {
    if (!this.#open) return;
    if (name.endsWith("-style")) this.#open = null;
    else if (name === "text") this.#open.codes.push(quote(this.#text, this.#open.isPercentage));
    else if (name === "currency-symbol") this.#open.codes.push(this.#text === "" ? "" : `[$${this.#text}]`);
    else if (name === "fill-character") this.#open.codes.push(`*${this.#text}`);
    this.#text = "";
  }

  #add(format: OdsFormat, code: string | null): void {
    if (code === null) format.isKnown = false;
    else format.codes.push(code);
  }

  /** As Excel writes it; `General` for a format that is missing, and nothing for one that is too long or has parts that Excel does not have. */
  codeOf(name: string): string {
    const format = this.#formats.get(name);
    if (!format) return "General";
    if (format.maps.length > MAX_MAPS) return "";
    const parts = [...format.maps.map((map) => this.#formats.get(map.format)), format];
    if (parts.some((part) => !part?.isKnown)) return "";
    const codes = parts.map((part) => part?.codes.join("") ?? "");
    const conditions = format.maps.map(({ condition }) => condition).join();
    // Excel means these without saying so, and then writes no sign of its own for negative numbers.
    const isStandard = standardConditions.has(conditions);
    const code = codes
      .map(
        (part, index) =>
          (format.maps[index] && !isStandard ? `[${format.maps[index].condition}]` : "") + part,
      )
      .join(";");
    return code.length > MAX_CODE_LENGTH ? "" : code;
  }
}

interface OdsFormat {
  codes: string[];
  /** other formats for some numbers */
  maps: { condition: string; format: string }[];
  /** Excel has all parts of it */
  isKnown: boolean;
  isPercentage: boolean;
  isElapsed: boolean;
}

/** Excel has four parts of a format: for three kinds of numbers, and for texts. */
const MAX_MAPS = 3;

const standardConditions = new Set([
  ">=0",
  ">0,<0",
  ">0,<0,=0",
  ">=0,<0",
  // Every number: the format after it is for texts.
  "<=1.7976931348623157E+308",
]);

/** Their text is read when they end, or they say nothing about the text. */
const containers = new Set(["text", "currency-symbol", "fill-character", "text-properties"]);

/** @returns null for what Excel's formats do not have */
function codeOf(name: string, attributes: XmlAttributes, format: OdsFormat): string | null {
  const isLong = attributes["number:style"] === "long";
  const either = (short: string, long: string) => (isLong ? long : short);
  const elapsed = (code: string) => {
    if (!format.isElapsed) return code;
    format.isElapsed = false;
    return `[${code}]`;
  };
  const calendar = attributes["number:calendar"] ?? "gregorian";
  if (calendar === "buddhist" && name === "year") return either("bb", "bbbb");
  if (calendar !== "gregorian" && calendar !== "buddhist") return null;
  switch (name) {
    case "number":
      return numberCode(attributes);
    case "scientific-number": {
      const exponent = "0".repeat(count(attributes["number:min-exponent-digits"], 1));
      const number = numberCode(attributes);
      const [integers = ""] = /^[#0]*/.exec(number) ?? [];
      // Excel takes the number of digits before the point for the step of the exponent.
      const step = count(attributes["number:exponent-interval"], 1);
      return `${"#".repeat(Math.max(step - integers.length, 0))}${number}E+${exponent}`;
    }
    case "fraction":
      return fractionCode(attributes);
    case "text-content":
      return "@";
    case "boolean":
      return "General";
    case "year":
      return either("yy", "yyyy");
    case "month":
      return attributes["number:textual"] === "true" ? either("mmm", "mmmm") : either("m", "mm");
    case "day":
      return either("d", "dd");
    case "day-of-week":
      return either("ddd", "dddd");
    case "hours":
      return elapsed(either("h", "hh"));
    case "minutes":
      return elapsed(either("m", "mm"));
    case "seconds": {
      const decimals = count(attributes["number:decimal-places"], 0);
      return elapsed(either("s", "ss")) + (decimals > 0 ? `.${"0".repeat(decimals)}` : "");
    }
    case "am-pm":
      return "AM/PM";
    default:
      return null;
  }
}

function numberCode(attributes: XmlAttributes): string {
  const places = attributes["number:decimal-places"];
  if (places === undefined) return "General";
  const decimals = count(places, 0);
  const least = Math.min(count(attributes["number:min-decimal-places"], decimals), decimals);
  const integers = "0".repeat(count(attributes["number:min-integer-digits"], 0));
  const whole = attributes["number:grouping"] === "true" ? grouped(integers) : integers || "#";
  const optional = attributes["number:decimal-replacement"] === " " ? "?" : "#";
  const fraction = "0".repeat(least) + optional.repeat(decimals - least);
  // Each comma at the end divides by a thousand.
  const thousands = Math.round(Math.log10(Number(attributes["number:display-factor"] ?? 1)) / 3) || 0;
  return whole + (fraction && `.${fraction}`) + ",".repeat(Math.min(Math.max(thousands, 0), 6));
}

/** `#,##0` for one digit. */
function grouped(integers: string): string {
  const digits = integers.padStart(4, "#");
  return `${digits.slice(0, -3)},${digits.slice(-3)}`;
}

function fractionCode(attributes: XmlAttributes): string {
  const hasWhole = attributes["number:min-integer-digits"] !== undefined;
  const whole = "0".repeat(count(attributes["number:min-integer-digits"], 0)) || "#";
  const numerator = "?".repeat(count(attributes["number:min-numerator-digits"], 1) || 1);
  const denominator =
    attributes["number:denominator-value"] ??
    "?".repeat(count(attributes["number:min-denominator-digits"], 1) || 1);
  return `${hasWhole ? `${whole} ` : ""}${numerator}/${denominator}`;
}

/** A number of digits; programs have at most 30. */
const count = (text: string | undefined, otherwise: number) =>
  text === undefined ? otherwise : Math.min(Math.max(Number.parseInt(text, 10) || 0, 0), 30);

/** Excel has a meaning for most letters; a percent sign multiplies by a hundred, which in OpenDocument only a percentage does. */
const quote = (text: string, isPercentage: boolean) =>
  text
    .split(/(%)/)
    .map((part) =>
      part === "" || (part === "%" && isPercentage) ? part : `"${part.replaceAll('"', '"\\""')}"`,
    )
    .join("");
