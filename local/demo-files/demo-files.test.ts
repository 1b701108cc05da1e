import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { makeDemoFiles } from ".";
import { drawPng } from "./draw-png";

const files = makeDemoFiles();

it("names no file twice, and uses spaces and other scripts as people do", () => {
  const keys = files.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.some((key) => key.includes(" "))).toBe(true);
  expect(keys.join()).toMatch(/[^\p{ASCII}]/u);
});

it("writes PDFs whose table of objects points at the objects", () => {
  const pdfs = files.filter(({ key }) => key.endsWith(".pdf"));
  expect(pdfs.length).toBeGreaterThan(0);
  for (const { body } of pdfs) {
    const text = body.toString("latin1");
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
    expect(text.slice(start, start + 5)).toBe("xref\n");
    const offsets = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) =>
      Number(offset),
    );
    offsets.forEach((offset, index) => {
      expect(text.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj`));
    });
    const [, length, stream = ""] = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(text) ?? [];
    expect(stream.length).toBe(Number(length));
  }
});

it("writes CSV and JSON that parse", () => {
  const json = files.find(({ key }) => key.endsWith(".json"));
  expect(JSON.parse(json?.body.toString() ?? "")).toMatchObject({ customer: "Northwind Traders" });
  for (const { body } of files.filter(({ key }) => key.endsWith(".csv"))) {
    const rows = body.toString().trimEnd().split("\r\n");
    // A comma in quotes separates nothing.
    const widths = rows.map((row) => row.replace(/"[^"]*"/g, "").split(",").length);
    expect(new Set(widths).size).toBe(1);
  }
});

it("draws PNGs with the pixels that were asked for", () => {
  const image = drawPng(2, 1, (x) => (x === 0 ? [255, 0, 0] : [0, 0, 300]));
  expect(image.subarray(0, 8)).toEqual(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
  const data = image.indexOf("IDAT");
  const pixels = inflateSync(image.subarray(data + 4, data + 4 + image.readUInt32BE(data - 4)));
  expect([...pixels]).toEqual([0, 255, 0, 0, 0, 0, 255]);
});
