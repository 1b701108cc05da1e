import { expect, test } from "vitest";
import { IMAGE_LIMIT, PDF_LIMIT, planPreview, TEXT_LIMIT } from "./preview-plan";
import { decodeText } from "./read-text";

test.each([
  ["photo.JPG", "image"],
  ["drawing.svg", "image"],
  ["report.pdf", "pdf"],
  ["notes.md", "text"],
  ["data.csv", "text"],
  ["README", "text"],
  [".gitignore", "text"],
  ["film.mp4", "nothing"],
  ["sheet.xlsx", "nothing"],
  ["photo.heic", "nothing"],
])("%s is shown as %s", (name, show) => {
  expect(planPreview(name, 1).show).toBe(show);
});

test("images and PDFs have a largest size; a text is only cut", () => {
  expect(planPreview("a.png", IMAGE_LIMIT).show).toBe("image");
  expect(planPreview("a.png", IMAGE_LIMIT + 1)).toMatchObject({ because: "too-large", limit: IMAGE_LIMIT });
  expect(planPreview("a.pdf", PDF_LIMIT + 1)).toMatchObject({ because: "too-large", limit: PDF_LIMIT });
  expect(planPreview("a.txt", TEXT_LIMIT * 9).show).toBe("text");
});

test("a character that the cut has torn apart is left out", () => {
  const bytes = new TextEncoder().encode("aé");
  expect(decodeText(bytes.slice(0, 2), true)?.text).toBe("a");
  expect(decodeText(bytes, false)?.text).toBe("aé");
});

test("UTF-16 is known by its mark, and bytes that are no text are not shown as one", () => {
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x41, 0x00]), false)?.text).toBe("A");
  expect(decodeText(new Uint8Array([0x41, 0x00, 0x42]), false)).toBeNull();
});
