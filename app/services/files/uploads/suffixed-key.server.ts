import { randomInt } from "node:crypto";
import { byteLength, MAX_PATH_BYTES, objectKey } from "platform-embed-element/client";
import { invalidRequest } from "../../../shared/app-error";

/** Without vowels, so that no words come out, and without characters that look alike. */
const ALPHABET = "23456789bcdfghjkmnpqrstvwxyz";
/** 57 bits: among a million files of one name, two have the same suffix once in 500,000 times. */
const SUFFIX_LENGTH = 12;

/**
 * The key of a file that is handed in: `report.pdf` becomes `report (k7q2m9x4tbh3).pdf`. With a random suffix in every name, no name is ever
 * taken, so nothing has to be asked and nothing can be told about what is stored. docs/decisions/0121
 * @param fileTypes the token's; a name that ends with one of them still does with the suffix
 * @throws AppError `invalid_request` if there is no room for the suffix
 */
export function suffixedKey(folderPath: string, fileName: string, fileTypes: readonly string[] = []): string {
  const extension = extensionOf(fileName, fileTypes);
  const stem = fileName.slice(0, fileName.length - extension.length);
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  const key = objectKey(folderPath, `${stem} (${suffix})${extension}`.trimStart());
  if (byteLength(`/${key}`) > MAX_PATH_BYTES) {
    const message = `must, with its folder and a suffix of ${SUFFIX_LENGTH + 3} bytes, be at most ${MAX_PATH_BYTES} bytes long`;
    throw invalidRequest([{ path: "fileName", message }]);
  }
  return key;
}

/** What the suffix comes before: `.tar.gz` if that is one of the file types, otherwise what follows the last dot. */
function extensionOf(fileName: string, fileTypes: readonly string[]): string {
  const endings = fileTypes.filter(
    (type) => type.startsWith(".") && fileName.toLowerCase().endsWith(type.toLowerCase()),
  );
  const longest = Math.max(...endings.map((ending) => ending.length), 0);
  const dot = fileName.lastIndexOf(".");
  const afterDot = dot > 0 ? fileName.length - dot : 0;
  return fileName.slice(fileName.length - Math.max(longest, afterDot));
}
