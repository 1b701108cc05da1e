/**
 * A text that somebody else has sent, for a message: cut after `maxLength` characters, and without lone surrogates, which could not be
 * encoded.
 */
export function truncate(text: string, maxLength = 60): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return shown.replace(/\p{Cs}/gu, "\ufffd");
}
