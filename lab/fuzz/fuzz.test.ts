import { afterAll, describe, expect, test } from "vitest";
import { choicesOf } from "../drills/seed";
import { formats } from "./formats";
import { fuzz, Reader } from "./fuzz";
import { mutate } from "./mutate";

/** `npm run fuzz` reads thousands, of another seed each time. */
const ROUNDS = 5;
const SEED = 48;

const reader = new Reader();
afterAll(() => reader.end());

describe("files that were changed by chance are shown or refused", () => {
  test.each(Object.keys(formats))("%s", { timeout: 120_000 }, async (format) => {
    const { shown, refused, failures } = await fuzz(format, ROUNDS, SEED, reader);
    expect(failures.map(({ round, failure }) => [round, failure])).toEqual([]);
    expect(shown + refused).toBe(ROUNDS);
  });
});

test("the same seed makes the same changes", () => {
  const [file] = formats.docx?.samples ?? [];
  const changed = (seed: number) =>
    mutate(file ?? new Uint8Array(), file ?? new Uint8Array(), choicesOf(seed));
  expect(changed(1)).toEqual(changed(1));
  expect(changed(1)).not.toEqual(changed(2));
});
