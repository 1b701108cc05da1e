import { hash } from "node:crypto";

/** 32-bit words that a key takes: 96 bits of its SHA-256, which two of a million share once in 10^17 files. */
const WORDS = 3;
const FIRST_SLOTS = 1 << 12;

/** Which keys were there before. A million take 25 MB; as a Set of strings they would take several times that. */
export class SeenKeys {
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);
  #count = 0;

  /** @returns false when it was there before */
  add(key: string): boolean {
    const digest = hash("sha256", key, "buffer");
    const words = Uint32Array.from({ length: WORDS }, (_, index) => digest.readUInt32LE(index * 4));
    if (!this.#put(words)) return false;
    this.#count++;
    if (this.#count * 2 * WORDS > this.#slots.length) this.#grow();
    return true;
  }

  /** Forgets every key, and keeps the room for as many. */
  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  /** An empty slot is all zeros, which is the digest of nothing that anybody knows. */
  #put(words: Uint32Array): boolean {
    const slots = this.#slots;
    const mask = slots.length / WORDS - 1;
    for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const found = slots.subarray(slot * WORDS, (slot + 1) * WORDS);
      if (found.every((word, index) => word === words[index])) return false;
      if (found.every((word) => word === 0)) {
        found.set(words);
        return true;
      }
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS) {
      const words = old.subarray(at, at + WORDS);
      if (words.some((word) => word !== 0)) this.#put(words);
    }
  }
}
