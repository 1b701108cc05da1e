import { expect, test } from "vitest";
import { mayHaveThumbnail, mayHaveTileThumbnail } from "./make-thumbnail";

test("a thumbnail is made only of a picture that is cheap to decode", () => {
  expect(mayHaveThumbnail({ name: "a.PNG", size: 8 * 1024 * 1024 })).toBe(true);
  expect(mayHaveThumbnail({ name: "a.png", size: 8 * 1024 * 1024 + 1 })).toBe(false);
  expect(mayHaveThumbnail({ name: "a.svg", size: 256 * 1024 })).toBe(true);
  expect(mayHaveThumbnail({ name: "a.svg", size: 256 * 1024 + 1 })).toBe(false);
  expect(mayHaveThumbnail({ name: "a.png", size: 0 })).toBe(false);
  for (const name of ["a.txt", "x.constructor", "x.__proto__"]) {
    expect(mayHaveThumbnail({ name, size: 1 }), name).toBe(false);
  }
});

test("tiles show more kinds of files, and films of any size", () => {
  for (const name of ["a.pdf", "a.HEIC"]) {
    expect(mayHaveThumbnail({ name, size: 1 }), name).toBe(false);
    expect(mayHaveTileThumbnail({ name, size: 8 * 1024 * 1024 }), name).toBe(true);
    expect(mayHaveTileThumbnail({ name, size: 8 * 1024 * 1024 + 1 }), name).toBe(false);
  }
  expect(mayHaveTileThumbnail({ name: "a.mp4", size: 1e12 })).toBe(true);
  expect(mayHaveTileThumbnail({ name: "a.docx", size: 1 })).toBe(false);
});
