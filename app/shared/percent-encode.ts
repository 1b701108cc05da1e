/** Percent-encodes everything except unreserved characters (RFC 3986, 2.3), for signatures and extended header values. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
