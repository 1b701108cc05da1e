/**
 * Keys as the tables of the catalogue have them. PostgreSQL stores no NUL, which keys may contain, and no two keys may become one row. So NUL
 * becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. The order of bytes stays, and most keys stay as they are.
 */

export const toStoredKey = (key: string): string =>
  key.replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001");

export const fromStoredKey = (stored: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the two that are replaced
  stored.replace(/\u0001([\u0001\u0002])/g, (_, second) => (second === "\u0001" ? "\0" : "\u0001"));
