/**
 * Variables in the texts of a campaign: `{{first_name}}`, or `{{first_name|friend}}` with a fallback.
 *
 * A value is only ever text. It is escaped for the place where it stands, and is filled in after Markdown has been rendered, so it cannot
 * become a link, HTML or Markdown.
 */
import { type InputIssue, invalidRequest } from "../shared/app-error";
import { escapeHtml } from "./escape-html";
import { httpUrl } from "./fields.server";

export type VariableValues = Readonly<Record<string, string>>;

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

/** Fills the variables in the texts of one e-mail, and collects what is wrong with them. */
export class VariableFiller {
  readonly #issues = new Map<string, InputIssue>();

  constructor(private readonly values: VariableValues) {}

  /**
   * Fills a line of text.
   * @param member of the job, for issues
   * @param maxLength characters of the line with its values
   */
  fillLine(text: string, member: string, maxLength: number): string {
    const line = text.replace(PLACEHOLDER, (written) => this.#valueOf(this.#read(written, member), member));
    if (line.length > maxLength)
      this.#addIssue(member, `must be at most ${maxLength} characters with the values of its variables`);
    return line;
  }

  /**
   * Fills an address that a button leads to. A variable may be the whole address, or stand behind the host, where it is percent-encoded:
   * otherwise a value could decide where the address leads. The address must be http or https.
   */
  fillAddress(address: string, member: string): string {
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
    return text.replace(HIDDEN, (_, place: string, index: string) => {
      const placeholder = placeholders[Number(index)];
      if (placeholder === undefined) return "";
      if (place === MISPLACED) {
        this.#addIssue(
          member,
          `{{${placeholder.name}}} may not stand here in an address: a variable is the whole address, or stands behind its host`,
        );
        return "";
      }
      const value = this.#valueOf(placeholder, member);
      if (place === IN_ADDRESS) return write(encodeForAddress(value));
      if (place === WHOLE_ADDRESS && value !== "" && !httpUrl.safeParse(value).success)
        this.#addIssue(`variables.${placeholder.name}`, "must be an http or https URL");
      return write(value);
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
  const placeholders: Placeholder[] = [];
  const text = source
    .replace(/[\uFDD0-\uFDD4]/g, "\uFFFD")
    .replace(PLACEHOLDER, (written) => `${IN_TEXT}${placeholders.push(read(written)) - 1}${END}`);
  return { text, placeholders };
}

/** Says of the hidden placeholders of an address where in it they stand. An address without any stays as it is. */
export function placePlaceholders(address: string): string {
  if (!address.includes(IN_TEXT)) return address;
  const isWhole = /^\uFDD0\d+\uFDD4$/.test(address);
  const isBehindHost = /^(?:https?:\/\/[^/?#\\\s\uFDD0]+[/?#]|mailto:)/i.test(address);
  return address.replaceAll(IN_TEXT, isWhole ? WHOLE_ADDRESS : isBehindHost ? IN_ADDRESS : MISPLACED);
}

/** Whether a variable is the whole address, so that nobody knows yet where it leads. */
export const isWholeAddress = (placed: string) => placed.startsWith(WHOLE_ADDRESS);

/** `@` stays, because an address in `mailto:` is also shown to people. */
const encodeForAddress = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll("%40", "@");
