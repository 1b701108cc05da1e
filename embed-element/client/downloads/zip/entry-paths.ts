import { NumberedNames } from "../../../shared/numbered-name.js";
import { byteLength } from "../../folder-path.js";

/**
 * Characters that some systems forbid in names, that would lead out of the target folder when unpacking, or that reverse the text after them: a
 * folder on a disk shows `photo\u202Egpj.exe` as a picture. Browsers replace the same ones in the names of downloads.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}<>:"/\\|?*\u202a-\u202e\u2066-\u2069]/gu;
/** Windows removes them. */
const TRAILING = /[. ]+$/;
/** Names of devices on Windows, with any extension. Microsoft, "Naming Files, Paths, and Namespaces". */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;
/** UTF-8. Most systems allow 255; the rest is for a number. */
const MAX_NAME_BYTES = 248;
/** UTF-16 units, which Windows counts. It allows 259 with the folder that an archive is unpacked to. */
const MAX_PATH_LENGTH = 200;
/** UTF-8, of a name in a path that would be too long */
const MAX_LONG_NAME_BYTES = 120;
const MAX_EXTENSION_BYTES = 20;

/** A name that is valid on every system. */
export function safeName(name: string, maxBytes = MAX_NAME_BYTES): string {
  const safe = name.replace(FORBIDDEN, "_").replace(TRAILING, (end) => "_".repeat(end.length)) || "_";
  return shortened(DEVICE.test(safe) ? `_${safe}` : safe, maxBytes);
}

/** Cut before the extension, between characters. */
function shortened(name: string, maxBytes: number): string {
  if (byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf(".");
  const isExtension = dot > 0 && byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
  const extension = isExtension ? name.slice(dot) : "";
  let left = maxBytes - byteLength(extension);
  let stem = "";
  for (const character of name) {
    left -= byteLength(character);
    if (left < 0) break;
    stem += character;
  }
  return stem.replace(TRAILING, "_") + extension;
}

/** Most systems ignore case and Unicode normalization. Both cases, as in `foldName`: σ and ς have one upper case. */
const same = (path: string) => path.normalize("NFC").toLowerCase().toUpperCase();

/**
 * Paths in the archive for paths in the store: relative, safe to unpack on every system, and unique, so that unpacking never replaces a
 * file. A path that ends with `/` is a folder.
 * @param longFolder the folder in the archive for files whose paths are too long for Windows
 */
export function entryPaths(paths: readonly string[], longFolder: string): string[] {
  const safe = paths.map((path) => {
    const isFolder = path.endsWith("/");
    const segments = (isFolder ? path.slice(0, -1) : path).split("/");
    const name = segments.pop() ?? "";
    const end = isFolder ? "/" : "";
    const folder = segments.map((segment) => `${safeName(segment)}/`).join("");
    const short = [
      folder + safeName(name) + end,
      folder + safeName(name, MAX_LONG_NAME_BYTES) + end,
      `${safeName(longFolder)}/${safeName(name, MAX_LONG_NAME_BYTES)}${end}`,
    ];
    return short.find(({ length }) => length <= MAX_PATH_LENGTH) ?? path;
  });
  const folders = new Set<string>();
  for (const path of safe) {
    const folded = same(path);
    for (let at = folded.indexOf("/"); at !== -1; at = folded.indexOf("/", at + 1)) {
      folders.add(folded.slice(0, at));
    }
  }
  const taken = new Set<string>();
  const numbers = new NumberedNames();
  return safe.map((path) => {
    if (path.endsWith("/")) return path;
    const start = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, start);
    const isTaken = (name: string) => taken.has(same(folder + name)) || folders.has(same(folder + name));
    let name = path.slice(start);
    if (isTaken(name)) name = numbers.next(name, isTaken, (one) => same(folder + one));
    taken.add(same(folder + name));
    return folder + name;
  });
}
