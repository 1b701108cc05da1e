import { hash } from "node:crypto";

/** 32-bit words that a key takes: 96 bits of its SHA-256, which two of a million share once in 10^17 files. */
const WORDS = 3;
/** It grows one at a time: to double a single one of 12 MB, both would be in memory for a moment. */
const TABLES = 64;
const FIRST_SLOTS = 64;

/** Which keys were there before. A million take 25 MB; as a Set of strings they would take several times that. */
export class SeenKeys {
  readonly #tables = Array.from({ length: TABLES }, () => new Table());

  /** @returns false when it was there before */
  add(key: string): boolean {
    const digest = hash("sha256", key, "buffer");
    const table = this.#tables[digest.readUInt8(WORDS * 4) % TABLES] as Table;
    return table.add(digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8));
  }

  /** Forgets every key, and keeps the room for as many. */
  clear(): void {
    for (const table of this.#tables) table.clear();
  }
}

/** Open addressing, half full at most. An empty slot is all zeros, which is the digest of nothing that anybody knows. */
class Table {
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);
  #count = 0;

  add(first: number, second: number, third: number): boolean {
    if (!this.#put(first, second, third)) return false;
    this.#count++;
    if (this.#count * 2 * WORDS > this.#slots.length) this.#grow();
    return true;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  #put(first: number, second: number, third: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / WORDS - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WORDS;
      if (slots[at] === first && slots[at + 1] === second && slots[at + 2] === third) return false;
      if (slots[at] === 0 && slots[at + 1] === 0 && slots[at + 2] === 0) {
        slots.set([first, second, third], at);
        return true;
      }
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS) {
      const [first = 0, second = 0, third = 0] = old.subarray(at, at + WORDS);
      if (first !== 0 || second !== 0 || third !== 0) this.#put(first, second, third);
    }
  }
}
