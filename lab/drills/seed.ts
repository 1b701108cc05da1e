/** The random choices of the drills. */
import { createHash } from "node:crypto";

/** Returns a number from 0 up to, and without, 1: the same one for the same seed and the same words. */
export type Choose = (...words: (string | number)[]) => number;

/**
 * A choice depends on the seed and on what it is about, such as `("PUT", "file-7.bin", "attempt", 2)`, and not on the choices before it.
 * A sequence of random numbers would not do: concurrent requests take their turns in another order in every run.
 */
export const choicesOf =
  (seed: number): Choose =>
  (...words) =>
    hash("sha256", seed, words).readUInt32BE() / 2 ** 32;

/** Returns bytes in the same way. */
export const bytesOf = (seed: number, length: number, ...words: (string | number)[]): Buffer =>
  hash("shake256", seed, words, length);

function hash(algorithm: string, seed: number, words: (string | number)[], outputLength?: number): Buffer {
  return createHash(algorithm, { outputLength })
    .update(JSON.stringify([seed, ...words]))
    .digest();
}

/** A whole number from `least` up to, and without, `limit`. */
export const wholeNumber = (choice: number, least: number, limit: number): number =>
  least + Math.floor(choice * (limit - least));

/**
 * Numbers of operations after which something is killed, ascending: one at a chosen place in each of the first `kills` of `kills + 1` equal
 * ranges. The last range has none, so that the last kill is before the end even if there are a few operations fewer.
 */
export const killMoments = (choose: Choose, kills: number, operations: number): number[] =>
  Array.from({ length: kills }, (_, index) =>
    Math.ceil(((index + choose("kill", index)) * operations) / (kills + 1)),
  );
