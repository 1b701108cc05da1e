import { expect, test } from "vitest";
import { IMAGE_LIMIT, PDF_LIMIT, planPreview, TEXT_LIMIT } from "./preview-plan";

test.each([
  ["photo.JPG", "image"],
  ["drawing.svg", "image"],
  ["report.pdf", "pdf"],
  ["notes.log", "text"],
  ["README", "text"],
  [".gitignore", "text"],
  ["film.mp4", "video"],
  ["song.ogg", "audio"],
  ["sheet.xlsx", "nothing"],
  ["photo.heic", "nothing"],
])("%s is shown as %s", (name, show) => {
  expect(planPreview(name, 1).show).toBe(show);
});

test.each([
  ["notes.md", "markdown"],
  ["data.CSV", "table"],
  ["data.tsv", "table"],
  ["orders.json", "json"],
  ["orders.ndjson", "plain"],
  ["a.constructor", undefined],
])("the text %s is shown as %s", (name, form) => {
  expect(planPreview(name, 1)).toEqual(
    form === undefined ? { show: "nothing", because: "no-preview" } : { show: "text", form },
  );
});

test.each(["a.txt", "a.png", "a.pdf", "a.mp4", "a.zip"])("%s without a byte is said to be empty", (name) => {
  expect(planPreview(name, 0)).toEqual({ show: "nothing", because: "empty" });
});

test("films are read as they are played: none is too large", () => {
  expect(planPreview("a.mp4", 1e12).show).toBe("video");
});

test("images and PDFs have a largest size; a text is only cut", () => {
  expect(planPreview("a.png", IMAGE_LIMIT).show).toBe("image");
  expect(planPreview("a.png", IMAGE_LIMIT + 1)).toMatchObject({ because: "too-large", limit: IMAGE_LIMIT });
  expect(planPreview("a.pdf", PDF_LIMIT + 1)).toMatchObject({ because: "too-large", limit: PDF_LIMIT });
  expect(planPreview("a.txt", TEXT_LIMIT * 9).show).toBe("text");
});
