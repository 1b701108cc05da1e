import { decodeText, type Encoding } from "../../../app/services/files/browse/decode-text";

/** By encoding: the bytes of each character. */
const tables = new Map<Encoding, Map<string, number[]>>();

/** Writes a text in any encoding that can be read. @throws for a character that the encoding does not have */
export function encodeText(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return new TextEncoder().encode(text);
  if (encoding === "iso-2022-jp") return iso2022(text);
  const table = tables.get(encoding) ?? makeTable(encoding);
  tables.set(encoding, table);
  return Uint8Array.from([...text].flatMap((character) => table.get(character) ?? wide(character, encoding)));
}

function wide(character: string, encoding: Encoding): number[] {
  const unit = encoding.startsWith("utf-16") ? 2 : encoding.startsWith("utf-32") ? 4 : 0;
  if (unit === 0) throw new Error(`${encoding} has no ${character}.`);
  const units =
    unit === 2 ? character.split("").map((each) => each.charCodeAt(0)) : [character.codePointAt(0) ?? 0];
  const big = units.flatMap((value) =>
    Array.from({ length: unit }, (_, index) => (value >>> ((unit - 1 - index) * 8)) & 0xff),
  );
  return encoding.endsWith("be")
    ? big
    : units.flatMap((_, at) => big.slice(at * unit, (at + 1) * unit).reverse());
}

/** What one or two bytes mean to the decoder, the other way round. */
function makeTable(encoding: Encoding): Map<string, number[]> {
  const table = new Map<string, number[]>();
  if (encoding.startsWith("utf-")) return table;
  const add = (bytes: number[]) => {
    const character = decodeText(Uint8Array.from(bytes), false, encoding);
    const isOne = [...character].length === 1 && character !== "\ufffd";
    if (isOne && !table.has(character)) table.set(character, bytes);
  };
  for (let one = 1; one < 256; one++) add([one]);
  if (["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"].includes(encoding))
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail]);
  return table;
}

/** The characters of EUC-JP without their upper bits, between escape sequences. */
function iso2022(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let isWide = false;
  for (const character of text) {
    const euc = [...encodeText(character, "euc-jp")];
    if (isWide !== euc.length > 1) bytes.push(0x1b, ...(isWide ? [0x28, 0x42] : [0x24, 0x42]));
    isWide = euc.length > 1;
    bytes.push(...euc.map((byte) => byte & 0x7f));
  }
  return Uint8Array.from(isWide ? [...bytes, 0x1b, 0x28, 0x42] : bytes);
}
