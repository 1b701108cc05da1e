import { expect, test } from "vitest";
import {
  MAX_IMAGE_BYTES,
  MAX_OFFICE_BYTES,
  MAX_PDF_BYTES,
  MAX_TEXT_BYTES,
  planContent,
  planPreview,
} from "./preview-plan";

test.each([
  ["photo.JPG", "image"],
  ["drawing.svg", "image"],
  ["report.pdf", "pdf"],
  ["notes.log", "text"],
  ["README", "text"],
  [".gitignore", "text"],
  ["film.mp4", "video"],
  ["song.ogg", "audio"],
  ["contract.docx", "document"],
  ["prices.xlsx", "sheet"],
  ["prices.ods", "sheet"],
  ["photo.HEIC", "heic"],
  ["orders.zip", "archive"],
  ["orders.rar", "unknown"],
  ["slides.pptx", "unknown"],
  ["old.doc", "unknown"],
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
  expect(planPreview(name, 1)).toEqual(form === undefined ? { show: "unknown" } : { show: "text", form });
});

test.each([
  ["JPEG", "image"],
  ["HEIC", "heic"],
  ["PDF", "pdf"],
  ["Word", "document"],
  ["ODS", "sheet"],
  ["ZIP", "archive"],
  ["MP4", "video"],
  ["text", "text"],
  ["XML", "text"],
  ["RAR", undefined],
])("content of the format %s is shown as %s, whatever its name says", (format, show) => {
  expect(planContent(format, { name: "a.bin", size: 1 })?.show).toBe(show);
});

test("content has the same largest size, and a text has the form of its name", () => {
  expect(planContent("PDF", { name: "a", size: MAX_PDF_BYTES + 1 })?.show).toBe("too-large");
  expect(planContent("text", { name: "a.xls", size: 1 })).toEqual({ show: "text", form: "table" });
});

test.each(["a.txt", "a.png", "a.pdf", "a.mp4", "a.zip"])("%s without a byte is said to be empty", (name) => {
  expect(planPreview(name, 0)).toEqual({ show: "empty" });
});

test("films are read as they are played: none is too large", () => {
  expect(planPreview("a.mp4", 1e12).show).toBe("video");
});

test("spreadsheets are read by the format that the name says", () => {
  expect(planPreview("a.xlsm", 1)).toEqual({ show: "sheet", form: "xlsx" });
  expect(planPreview("a.ods", 1)).toEqual({ show: "sheet", form: "ods" });
});

test.each(["a.docx", "a.xlsx", "a.ods"])("%s has a largest size", (name) => {
  expect(planPreview(name, MAX_OFFICE_BYTES).show).toMatch(/^(document|sheet)$/);
  expect(planPreview(name, MAX_OFFICE_BYTES + 1)).toEqual({ show: "too-large", limit: MAX_OFFICE_BYTES });
});

test("images and PDFs have a largest size; a text is only cut", () => {
  expect(planPreview("a.png", MAX_IMAGE_BYTES).show).toBe("image");
  expect(planPreview("a.png", MAX_IMAGE_BYTES + 1)).toEqual({ show: "too-large", limit: MAX_IMAGE_BYTES });
  expect(planPreview("a.pdf", MAX_PDF_BYTES + 1)).toEqual({ show: "too-large", limit: MAX_PDF_BYTES });
  expect(planPreview("a.txt", MAX_TEXT_BYTES * 9).show).toBe("text");
});
