const SECTOR_BYTES = 512;
const ENTRY_BYTES = 128;

/**
 * A compound file (MS-CFB) with streams of these names, as far as its directory goes.
 * @param text stored in it, in UTF-16
 */
export function compoundFile(streams: string[], text = ""): Uint8Array<ArrayBuffer> {
  const names = ["Root Entry", ...streams];
  const textAt = SECTOR_BYTES * (2 + Math.ceil((names.length * ENTRY_BYTES) / SECTOR_BYTES));
  const file = Buffer.alloc(textAt + text.length * 2);
  file.write("d0cf11e0a1b11ae1", "hex");
  names.forEach((name, index) => {
    const at = SECTOR_BYTES * 2 + index * ENTRY_BYTES;
    file.write(name, at, "utf16le");
    file.writeUInt16LE((name.length + 1) * 2, at + 64);
    file.writeUInt8(index === 0 ? 5 : 2, at + 66);
  });
  file.write(text, textAt, "utf16le");
  return new Uint8Array(file);
}
