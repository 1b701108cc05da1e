import { expect, test } from "vitest";
import { isPlainDrawing, mayHaveThumbnail } from "./make-thumbnail";

test("what a picture may cost decides whether it is made", () => {
  expect(mayHaveThumbnail({ name: "a.PNG", size: 8 * 1024 * 1024 })).toBe(true);
  expect(mayHaveThumbnail({ name: "a.png", size: 8 * 1024 * 1024 + 1 })).toBe(false);
  expect(mayHaveThumbnail({ name: "a.svg", size: 256 * 1024 })).toBe(true);
  expect(mayHaveThumbnail({ name: "a.svg", size: 256 * 1024 + 1 })).toBe(false);
  expect(mayHaveThumbnail({ name: "a.png", size: 0 })).toBe(false);
  expect(mayHaveThumbnail({ name: "a.txt", size: 1 })).toBe(false);
});

test("a drawing of shapes is drawn; one whose work has no relation to its length is not", () => {
  expect(isPlainDrawing(`<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/><text>user settings</text></svg>`)).toBe(
    true,
  );
  for (const part of [
    "<use href='#a'/>",
    "<svg:use/>",
    "<Filter id='a'>",
    "<!ENTITY a 'b'>",
    "<animateMotion/>",
  ])
    expect(isPlainDrawing(`<svg>${part}</svg>`), part).toBe(false);
});
