import { domainToASCII } from "node:url";
import type { Mailbox } from "../env/env.server";

/**
 * What browsers accept in a field for an address (WHATWG HTML, "Valid e-mail address"). Dots may stand anywhere, as in addresses of Japanese
 * mobile networks: `formatMailbox` puts those in quotes. SES takes no Unicode before the `@` (it has no SMTPUTF8).
 */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i;
/** RFC 5322, section 3.2.3. Any other local part is written in quotes. */
const DOT_ATOM = /^[^.]+(\.[^.]+)*$/;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** characters: 64 before the `@`, a domain of 253 (RFC 5321, section 4.5.3.1), and two spaces around it */
export const MAX_ADDRESS_LENGTH = 320;
const MAX_DOMAIN_LENGTH = 253;

/**
 * An e-mail address as it is stored and compared: the domain in lower case, and in punycode if it is Unicode, and no quotes before the `@`.
 * Null if it is not an address that SES can deliver to.
 */
export function normalizeEmailAddress(value: string): string | null {
  const at = value.lastIndexOf("@");
  const local = value.slice(0, at).replace(/^"(.*)"$/, "$1");
  const domain = value.slice(at + 1);
  // Lengths come first: the time to convert a Unicode domain grows with the square of its length. The characters come before the
  // conversion because that repairs some (escapes, spaces) instead of refusing them.
  if (at < 1 || local.length > 64 || domain.length > MAX_DOMAIN_LENGTH) return null;
  if (!LOCAL_PART.test(local) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const ascii = domainToASCII(domain);
  return DOMAIN.test(ascii) ? `${local}@${ascii}` : null;
}

/** characters of a name beside an address; in quotes, each may have a backslash before it */
const MAX_NAME_LENGTH = 200;
const MAX_WRITTEN_MAILBOX_LENGTH = MAX_ADDRESS_LENGTH + 2 * MAX_NAME_LENGTH;

/**
 * An address, or `Name <address>`: RFC 5322, section 3.4, except that names may contain characters beyond ASCII, dots and round brackets, which people write
 * without quotes. A comma or an `@` in a name needs them: it is more likely a list of addresses. Null for what is neither.
 */
export function parseMailbox(written: string): Mailbox | null {
  if (written.length > MAX_WRITTEN_MAILBOX_LENGTH) return null;
  const text = written.trim();
  const open = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  if (open === -1) {
    const address = written.length > MAX_ADDRESS_LENGTH ? null : normalizeEmailAddress(text);
    return address === null ? null : { name: undefined, address };
  }
  const address = normalizeEmailAddress(text.slice(open + 1, -1));
  const name = readName(text.slice(0, open));
  if (address === null || name === null || name.length > MAX_NAME_LENGTH) return null;
  return { name: onOneLine(name) || undefined, address };
}

/** The name that a phrase stands for; null if it is not a phrase, or has a character that breaks a line. */
function readName(written: string): string | null {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(written)) return null;
  const phrase = written.trim();
  if (/^"(?:[^"\\]|\\.)*"$/u.test(phrase)) return phrase.slice(1, -1).replace(/\\(.)/gu, "$1");
  return /["<>@,;:\\[\]]/.test(phrase) ? null : phrase;
}

/** They would reverse the text that follows. The marks and isolates that some languages need are not among them. */
const directionOverrides = /[\u202D\u202E]/g;

/** Text of several lines, without control characters and direction overrides. The separators of lines and paragraphs become line ends. */
export function withoutControls(text: string): string {
  return text
    .replace(directionOverrides, "")
    .replace(/[\p{Zl}\p{Zp}]/gu, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "");
}

/**
 * Text on one line: line breaks, control characters and runs of spaces become one space. Direction overrides are removed.
 * Half a surrogate pair becomes U+FFFD.
 */
export function onOneLine(text: string): string {
  return text
    .replace(directionOverrides, "")
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** characters of a whole mailbox; SES refuses longer ones */
const MAX_MAILBOX_LENGTH = 320;
/** UTF-8 bytes in one encoded word: RFC 2047, section 2, allows 75 characters with its frame */
const ENCODED_WORD_BYTES = 45;

/**
 * A mailbox for a header, like `Ada <ada@example.com>`: quoted or encoded as name and address need (RFC 5322, section 3.4; RFC 2047), so
 * that no name can end the header or add an address. A name that is too long for SES is cut.
 * @param address as `normalizeEmailAddress` returns it
 */
export function formatMailbox(name: string | undefined, address: string): string {
  const plain = onOneLine(name ?? "");
  const written = quoteLocalPart(address);
  if (plain === "") return written;
  const room = MAX_MAILBOX_LENGTH - written.length - " <>".length;
  const characters = Array.from(plain);
  let phrase = encodePhrase(plain);
  while (phrase.length > room && characters.pop() !== undefined)
    phrase = encodePhrase(characters.join("").trimEnd());
  return `${phrase} <${written}>`;
}

function quoteLocalPart(address: string): string {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at);
  return DOT_ATOM.test(local) ? address : `"${local}"${address.slice(at)}`;
}

function encodePhrase(name: string): string {
  if (/^[A-Za-z0-9 ]+$/.test(name)) return name;
  if (/^[\x20-\x7e]*$/.test(name) && !name.includes("=?")) return `"${name.replace(/["\\]/g, "\\$&")}"`;
  const words: string[] = [];
  let word = "";
  for (const character of name) {
    if (Buffer.byteLength(word + character) > ENCODED_WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString("base64")}?=`).join(" ");
}
