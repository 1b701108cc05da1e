/** Percent-encoding of all but the unreserved characters, as signatures and extended header values need it. RFC 3986, 2.3. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
