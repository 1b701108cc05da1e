/**
 * The encodings that can be chosen, as TextDecoder names them and as people know them, by script (ISO 15924) or language (BCP 47). It has all of
 * the standard (https://encoding.spec.whatwg.org/#names-and-labels), with one name for those that differ in nothing that is shown, and five more.
 */
export const encodingsByScript = {
  Unicode: {
    "utf-8": "UTF-8",
    "utf-16le": "UTF-16 LE",
    "utf-16be": "UTF-16 BE",
    "utf-32le": "UTF-32 LE",
    "utf-32be": "UTF-32 BE",
  },
  Latn: {
    "windows-1252": "Windows-1252",
    "windows-1250": "Windows-1250",
    "windows-1254": "Windows-1254",
    "windows-1257": "Windows-1257",
    "windows-1258": "Windows-1258",
    "iso-8859-2": "ISO-8859-2",
    "iso-8859-3": "ISO-8859-3",
    "iso-8859-4": "ISO-8859-4",
    "iso-8859-10": "ISO-8859-10",
    "iso-8859-13": "ISO-8859-13",
    "iso-8859-14": "ISO-8859-14",
    "iso-8859-15": "ISO-8859-15",
    "iso-8859-16": "ISO-8859-16",
    macintosh: "Mac Roman",
    ibm437: "IBM 437",
    ibm850: "IBM 850",
    ibm852: "IBM 852",
  },
  Cyrl: {
    "windows-1251": "Windows-1251",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    ibm866: "IBM 866",
    "iso-8859-5": "ISO-8859-5",
    "x-mac-cyrillic": "Mac Cyrillic",
  },
  Grek: { "windows-1253": "Windows-1253", "iso-8859-7": "ISO-8859-7" },
  Hebr: { "windows-1255": "Windows-1255", "iso-8859-8": "ISO-8859-8" },
  Arab: { "windows-1256": "Windows-1256", "iso-8859-6": "ISO-8859-6" },
  Thai: { "windows-874": "Windows-874" },
  ja: { shift_jis: "Shift_JIS", "euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP" },
  "zh-Hans": { gb18030: "GB18030, GBK" },
  "zh-Hant": { big5: "Big5" },
  ko: { "euc-kr": "EUC-KR" },
} as const;

type Scripts = typeof encodingsByScript;
export type Encoding = { [Script in keyof Scripts]: keyof Scripts[Script] }[keyof Scripts];

/** The upper halves of IBM's code pages, which browsers do not know. */
const upperHalves = {
  ibm437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ibm852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
} satisfies { [Name in Encoding]?: string };

/**
 * The text of a file's first bytes. Bytes of zero at the end, with which some programs fill a file up, are left out.
 * @param cut the file is longer: an incomplete character at the end is left out
 */
export function decodeText(bytes: Uint8Array, cut: boolean, encoding: Encoding): string {
  const text = decode(bytes, cut, encoding);
  // A regular expression would look at each run of zeros again from each of its characters.
  let end = text.length;
  while (end > 0 && text[end - 1] === "\0") end--;
  return text.slice(0, end);
}

function decode(bytes: Uint8Array, cut: boolean, encoding: Encoding): string {
  switch (encoding) {
    case "utf-32le":
    case "utf-32be":
      return decodeUtf32(bytes, encoding === "utf-32le");
    case "ibm437":
    case "ibm850":
    case "ibm852":
      return decodeCodePage(bytes, upperHalves[encoding]);
    default:
      return new TextDecoder(encoding).decode(bytes, { stream: cut });
  }
}

function decodeCodePage(bytes: Uint8Array, upperHalf: string): string {
  const codes = new Uint16Array(bytes.length);
  bytes.forEach((byte, index) => {
    codes[index] = byte < 0x80 ? byte : upperHalf.charCodeAt(byte - 0x80);
  });
  // All machines with a browser keep the lower byte first.
  return new TextDecoder("utf-16le").decode(codes);
}

function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittleEndian);
    const isMark = at === 0 && code === 0xfeff;
    if (!isMark) text += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  }
  return text;
}

/**
 * The text of an XML file, in the encoding that it declares.
 * @see https://www.w3.org/TR/xml/#charencoding
 */
export function decodeXml(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, MAX_DECLARATION_BYTES));
  const declared = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // UTF-16 is known by its mark: a declaration that could be read above is not in UTF-16.
  const encoding = encodingOfMark(bytes) ?? (declared && isKnown(declared) ? declared : null);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252").decode(bytes);
}

const MAX_DECLARATION_BYTES = 200;

function isKnown(label: string): boolean {
  try {
    return !new TextDecoder(label).encoding.startsWith("utf-16");
  } catch {
    return false;
  }
}

/** By the mark at the beginning of a text; null if it has none. */
export function encodingOfMark(bytes: Uint8Array): Encoding | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? "utf-32le" : "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return "utf-32be";
  return null;
}

/** An incomplete character at the end is not counted. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The direction is detected from this many characters. */
const SAMPLE_LENGTH = 4_000;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]/;
const letter = /\p{Letter}/u;

/** The direction of the first letter. `dir="auto"` would look at every line, which takes seconds for a long text. */
export function directionOf(text: string): "ltr" | "rtl" {
  const first = letter.exec(text.slice(0, SAMPLE_LENGTH))?.[0] ?? "";
  return rightToLeft.test(first) ? "rtl" : "ltr";
}
