/** A text as PostgreSQL can store it, and find it again: it has neither NUL nor half a surrogate pair, both of which keys of a store may contain. */
export const storableText = (text: string): string =>
  text.replaceAll("\0", "\u2400").replace(/\p{Cs}/gu, "\ufffd");
