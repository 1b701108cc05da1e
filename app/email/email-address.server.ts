import { domainToASCII } from "node:url";

/** RFC 5322, section 3.2.3: a dot-atom. SES takes no Unicode before the `@` (it has no SMTPUTF8). */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * An e-mail address as it is sent: the domain in lower case, and in punycode where it is Unicode.
 * Null for what is none, or what SES could not deliver to.
 */
export function normalizeEmailAddress(value: string): string | null {
  const at = value.lastIndexOf("@");
  const local = value.slice(0, at);
  const domain = value.slice(at + 1);
  // What a URL parser would repair in a host (an escape, a space) is no domain here.
  // Lengths come first: reading a domain of other letters takes a time that grows with the square of its length.
  if (at < 1 || local.length > 64 || domain.length > MAX_DOMAIN_LENGTH) return null;
  if (!LOCAL_PART.test(local) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const ascii = domainToASCII(domain);
  return DOMAIN.test(ascii) ? `${local}@${ascii}` : null;
}

/** characters: 64 before the `@`, a domain of 253 (RFC 5321, section 4.5.3.1), and two spaces around it */
export const MAX_ADDRESS_LENGTH = 320;
const MAX_DOMAIN_LENGTH = 253;

/** One line: whatever breaks or hides in a header becomes a space. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

/** characters of a whole mailbox; SES refuses longer ones */
const MAX_MAILBOX_LENGTH = 320;
/** UTF-8 bytes in one encoded word: RFC 2047, section 2, allows 75 characters with its frame */
const ENCODED_WORD_BYTES = 45;

/**
 * A mailbox for a header, like `Ada <ada@example.com>`: quoted or encoded as the name needs (RFC 5322, section 3.4; RFC 2047), so
 * that no name can end the header or add an address. A name that is too long for SES is cut.
 */
export function formatMailbox(name: string | undefined, address: string): string {
  const plain = onOneLine(name ?? "");
  if (plain === "") return address;
  const room = MAX_MAILBOX_LENGTH - address.length - " <>".length;
  const phrase = encodePhrase(plain);
  if (phrase.length <= room) return `${phrase} <${address}>`;

  // A shorter name never needs a longer phrase, so the longest that fits is found by halving.
  const characters = Array.from(plain.slice(0, MAX_MAILBOX_LENGTH * 2));
  const phraseOf = (count: number) => encodePhrase(characters.slice(0, count).join("").trimEnd());
  let fits = 0;
  let tooMany = characters.length + 1;
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    if (phraseOf(count).length <= room) fits = count;
    else tooMany = count;
  }
  return `${phraseOf(fits)} <${address}>`;
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
