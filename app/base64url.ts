/** The bytes of `text`, or null unless it is their one canonical base64url form: what is signed or sealed has a single spelling. */
export function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
}
