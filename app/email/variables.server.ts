/**
 * Variables in the texts of a campaign: `{{first_name}}`, or `{{first_name|friend}}` with a fallback.
 *
 * A value is only ever text. It is escaped for the place where it stands, and is filled in after Markdown has been rendered, so it cannot
 * become a link, HTML or Markdown.
 */
import { type InputIssue, invalidRequest } from "../shared/app-error";
import { onOneLine } from "./email-address.server";
import { escapeHtml } from "./escape-html";
import { httpUrl } from "./fields.server";

type VariableValues = Readonly<Record<string, string>>;

interface Placeholder {
  name: string;
  fallback: string | undefined;
}

const PLACEHOLDER = /\{\{([^{}\n]*)\}\}/g;
const MAX_NAME_LENGTH = 50;
const NAME = new RegExp(`^\\p{L}[\\p{L}\\p{M}\\p{N}_]{0,${MAX_NAME_LENGTH - 1}}$`, "u");

export const NAME_RULE = `it must begin with a letter, and have only letters, digits and _, at most ${MAX_NAME_LENGTH}`;

/** Whether a variable can have this name. It is in Unicode's form NFC. */
export const isVariableName = (name: string) => NAME.test(name) && name === name.normalize("NFC");

/** The variables that a text has, each with whether it has a fallback everywhere. What is not a variable's name is left out. */
export function variablesIn(text: string): Map<string, { hasFallback: boolean }> {
  const found = new Map<string, { hasFallback: boolean }>();
  for (const [written] of text.matchAll(PLACEHOLDER)) {
    const { name, fallback } = parsePlaceholder(written);
    if (!isVariableName(name)) continue;
    const hasFallback = fallback !== undefined && (found.get(name)?.hasFallback ?? true);
    found.set(name, { hasFallback });
  }
  return found;
}

function parsePlaceholder(written: string): Placeholder {
  const inner = written.slice(2, -2);
  const bar = inner.indexOf("|");
  return {
    name: (bar === -1 ? inner : inner.slice(0, bar)).trim().normalize("NFC"),
    fallback: bar === -1 ? undefined : inner.slice(bar + 1).trim(),
  };
}

/** The text without its variables: what of it is the author's own. */
export const withoutVariables = (text: string) => text.replace(PLACEHOLDER, "");

/** Characters that change the direction of the text behind them. The marks that some languages need are not among them. */
const directionChanges = /[\u202A-\u202E\u2066-\u2069]/g;

/** A value is text on one line. One that shows nothing, like a blank cell of a table, is empty. */
export function cleanValue(value: string): string {
  const line = onOneLine(value.replace(directionChanges, ""));
  return /[^\p{Cf}\s]/u.test(line) ? line : "";
}

/** characters of a text with its values: more than an e-mail may have, and little enough to be made at once */
const MAX_FILLED_LENGTH = 200_000;

/** Fills the variables in the texts of one e-mail, and collects what is wrong with them. */
export class VariableFiller {
  readonly #issues = new Map<string, InputIssue>();

  constructor(private readonly values: VariableValues) {}

  /**
   * Fills a line of text.
   * @param member of the job, for issues
   * @param maxLength characters of the line with its values
   */
  fillLine(text: string, member: string, maxLength: number, { mayBeBlank = false } = {}): string {
    this.#checkBraces(text, member);
    const line = text.replace(PLACEHOLDER, (written) => this.#valueOf(this.#read(written, member), member));
    if (line.length > maxLength)
      this.#addIssue(member, `must be at most ${maxLength} characters with the values of its variables`);
    if (!mayBeBlank && line.trim() === "" && this.#issues.size === 0)
      this.#addIssue(member, "is blank with the values of its variables");
    return line;
  }

  /**
   * Fills an address that a button leads to. A variable may be the whole address, or stand behind the host, where it is percent-encoded:
   * otherwise a value could decide where the address leads. The address must be http or https.
   */
  fillAddress(address: string, member: string): string {
    this.#checkBraces(address, member);
    const { text, placeholders } = hidePlaceholders(address, (written) => this.#read(written, member));
    const issuesBefore = this.#issues.size;
    const filled = this.#fillHidden(placePlaceholders(text), placeholders, member, (value) => value);
    const [issue] = httpUrl.safeParse(filled).error?.issues ?? [];
    // Without its variables, an address need not be valid.
    if (issue && this.#issues.size === issuesBefore) this.#addIssue(member, issue.message);
    return filled;
  }

  /**
   * Fills a text that has to be rendered first.
   * @param render gets the text with characters in place of the variables that Markdown treats like letters
   */
  async fillRendered(
    source: string,
    member: string,
    render: (source: string) => Promise<{ html: string; text: string }> | { html: string; text: string },
  ): Promise<{ html: string; text: string }> {
    this.#checkBraces(source, member);
    const { text, placeholders } = hidePlaceholders(source, (written) => this.#read(written, member));
    const rendered = await render(text);
    return {
      html: this.#fillHidden(rendered.html, placeholders, member, escapeHtml),
      text: this.#fillHidden(rendered.text, placeholders, member, (value) => value),
    };
  }

  /** @throws AppError `invalid_request` if a variable has no value and no fallback, or stands where it may not */
  throwIssues(): void {
    if (this.#issues.size > 0) throw invalidRequest([...this.#issues.values()]);
  }

  /** Half a variable is a mistake, and would be shown to everybody. */
  #checkBraces(text: string, member: string): void {
    if (withoutVariables(text).includes("{{"))
      this.#addIssue(
        member,
        "has “{{” without “}}”: write variables like {{first_name}} or {{first_name|friend}}",
      );
  }

  #read(written: string, member: string): Placeholder {
    const placeholder = parsePlaceholder(written);
    if (!isVariableName(placeholder.name))
      this.#addIssue(
        member,
        `${written.slice(0, 60)} is not a variable: write it like {{first_name}} or {{first_name|friend}}`,
      );
    return placeholder;
  }

  #valueOf({ name, fallback }: Placeholder, member: string): string {
    const value = Object.hasOwn(this.values, name) ? this.values[name] : undefined;
    if (value) return value;
    if (fallback === undefined && isVariableName(name))
      this.#addIssue(`variables.${name}`, `has no value, and {{${name}}} in ${member} has no fallback`);
    return fallback ?? "";
  }

  #fillHidden(
    text: string,
    placeholders: readonly Placeholder[],
    member: string,
    write: (value: string) => string,
  ): string {
    let length = text.length;
    return text.replace(HIDDEN, (_, place: string, index: string) => {
      const placeholder = placeholders[Number(index)];
      if (placeholder === undefined || length > MAX_FILLED_LENGTH) return "";
      if (place === MISPLACED) {
        this.#addIssue(
          member,
          `{{${placeholder.name}}} may not stand here in an address: a variable is the whole address, or stands behind its host`,
        );
        return "";
      }
      const issuesBefore = this.#issues.size;
      const value = this.#valueOf(placeholder, member);
      const isMissing = this.#issues.size > issuesBefore;
      const path = `variables.${placeholder.name}`;
      if (place === WHOLE_ADDRESS && !isMissing && !httpUrl.safeParse(value).success)
        this.#addIssue(path, "must be an http or https URL");
      // Such a segment of a path leads to the folder above.
      if (place === IN_ADDRESS && /^\.\.?$/.test(value))
        this.#addIssue(path, "must not be . or .. in an address");
      const written = write(place === IN_ADDRESS ? encodeForAddress(value) : value);
      length += written.length;
      if (length > MAX_FILLED_LENGTH) this.#addIssue(member, "is too long with the values of its variables");
      return written;
    });
  }

  #addIssue(path: string, message: string): void {
    this.#issues.set(`${path} ${message}`, { path, message });
  }
}

/**
 * While Markdown is rendered, a placeholder is one of these characters, its number and `END`. They are noncharacters, which Unicode
 * reserves for use inside programs. So they occur in no text that people exchange, and Markdown treats them like letters.
 */
const IN_TEXT = "\uFDD0";
const IN_ADDRESS = "\uFDD1";
const WHOLE_ADDRESS = "\uFDD2";
const MISPLACED = "\uFDD3";
const END = "\uFDD4";
const HIDDEN = /([\uFDD0-\uFDD3])(\d+)\uFDD4/g;

function hidePlaceholders(
  source: string,
  read: (written: string) => Placeholder,
): { text: string; placeholders: Placeholder[] } {
  // The same variable has one number, so that references of Markdown to it are found.
  const numbers = new Map<string, number>();
  const placeholders: Placeholder[] = [];
  const numberOf = (written: string) => {
    const known = numbers.get(written);
    if (known !== undefined) return known;
    numbers.set(written, placeholders.length);
    return placeholders.push(read(written)) - 1;
  };
  const text = withoutStandIns(source).replace(
    PLACEHOLDER,
    (written) => `${IN_TEXT}${numberOf(written)}${END}`,
  );
  return { text, placeholders };
}

/** A text in which nothing can be taken for a hidden variable. */
export const withoutStandIns = (text: string) => text.replace(/[\uFDD0-\uFDD4]/g, "\uFFFD");

/** Whether a variable will be filled in, so that the text's length is not known. */
export const hasPlaceholder = (text: string) => text.includes(END);

/** Says of the hidden placeholders of an address where in it they stand. An address without any stays as it is. */
export function placePlaceholders(address: string): string {
  if (!address.includes(IN_TEXT)) return address;
  const isWhole = /^\uFDD0\d+\uFDD4$/.test(address);
  const isBehindHost = /^(?:https?:\/\/[^/?#\\\s\uFDD0]+[/?#]|mailto:)/i.test(address);
  return address.replaceAll(IN_TEXT, isWhole ? WHOLE_ADDRESS : isBehindHost ? IN_ADDRESS : MISPLACED);
}

/** Whether a variable is the whole address, so that nobody knows yet where it leads. */
export const isWholeAddress = (placed: string) => /^\uFDD2\d+\uFDD4$/.test(placed);

/** `@` stays, because an address in `mailto:` is also shown to people. */
const encodeForAddress = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll("%40", "@");
