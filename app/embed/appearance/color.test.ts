import * as fc from "fast-check";
import { expect, test } from "vitest";
import { black, fromOklch, parseColor, toHex, toOklch } from "./color";

/** What a browser computes for the same text. */
test.each([
  ["#0F766E", "#0f766e"],
  ["#0f7", "#00ff77"],
  ["#0f7f", "#00ff77"],
  ["#0f766eff", "#0f766e"],
  ["rgb(15, 118, 110)", "#0f766e"],
  ["rgba(15, 118, 110, 1)", "#0f766e"],
  [" RGB(15 118 110 / 100%) ", "#0f766e"],
  ["rgb(300 -5 0)", "#ff0000"],
  ["rgb(100% 50% 0%)", "#ff8000"],
  ["hsl(175deg 77% 26%)", "#0f756d"],
  ["hsl(-120, 100%, 50%)", "#0000ff"],
  ["oklch(0.6 0.118 184.7)", "#009488"],
  ["oklch(60% none none)", "#808080"],
  ["oklab(0.6 -0.118 -0.01)", "#009489"],
  ["lab(50 0 0)", "#777777"],
  ["lab(54.29 80.8 69.89)", "#ff0000"],
  ["lch(54.29 106.84 40.86)", "#ff0000"],
  ["color(srgb 1 0.5 0)", "#ff8000"],
  ["color(srgb-linear 1 0.2140411 0)", "#ff8000"],
  ["color(display-p3 0.4584 0.9853 0.2983)", "#00ff00"],
])("%s is %s", (text, hex) => {
  const { r: red, g: green, b: blue } = parseColor(text) ?? { r: Number.NaN, g: 0, b: 0 };
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  // The figures above have been rounded.
  expect(
    Math.max(
      Math.abs(red * 255 - (r ?? 0)),
      Math.abs(green * 255 - (g ?? 0)),
      Math.abs(blue * 255 - (b ?? 0)),
    ),
  ).toBeLessThan(3);
});

test.each([
  "",
  "teal",
  "transparent",
  "currentcolor",
  "#12",
  "#12345",
  "#1234567",
  "#0f766e80",
  "rgb(0 0 0 / 0.5)",
  "rgba(0, 0, 0, 0)",
  "rgb(1 2)",
  "rgb(1 2 3 1 1)",
  "rgb(1e999 2 3)",
  "rgb(var(--x))",
  "rgb(1 2 3);}",
  "rgb(1 2 calc(3))",
  "color(srgb 1 1)",
  "color(constructor 1 1 1)",
  "constructor(1 1 1)",
  "hasOwnProperty(1 1 1)",
  "url(https://evil.example)",
  "javascript:alert(1)",
  "#fff;}",
  "#fff url(x)",
  `rgb(1 2 3)${" ".repeat(10)}x`,
  `rgb(${"1".repeat(200)} 2 3)`,
])("%j is none", (text) => {
  expect(parseColor(text)).toBeNull();
});

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("whatever comes in, what comes out is a colour or none", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string().map((inside) => `rgb(${inside})`),
    fc.string().map((inside) => `color(${inside})`),
  );
  fc.assert(
    fc.property(text, (given) => {
      const color = parseColor(given);
      if (color !== null) expect(toHex(color)).toMatch(/^#[\da-f]{6}$/);
    }),
    { numRuns: 1_000 },
  );
});

test("numbers of any size give a colour of sRGB", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map(String);
  const space = fc.constantFrom(
    "rgb(",
    "hsl(",
    "lab(",
    "lch(",
    "oklab(",
    "oklch(",
    "color(srgb ",
    "color(display-p3 ",
  );
  fc.assert(
    fc.property(space, fc.tuple(number, number, number), (name, numbers) => {
      const color = parseColor(`${name}${numbers.join(" ")})`);
      if (color !== null) expect(toHex(color)).toMatch(/^#[\da-f]{6}$/);
    }),
    { numRuns: 1_000 },
  );
});

test("a colour outside sRGB gets less chroma, and keeps its lightness and hue", () => {
  const { l, c, h } = toOklch(parseColor("oklch(0.7 0.4 140)") ?? black);
  expect(l).toBeCloseTo(0.7, 2);
  expect(h).toBeCloseTo(140, 0);
  expect(c).toBeGreaterThan(0.2);
});

test("every colour of sRGB survives the way through OKLCH", () => {
  fc.assert(
    fc.property(hex, (given) => {
      const color = parseColor(given);
      if (color === null) throw new Error(given);
      expect(toHex(color)).toBe(given);
      const { l, c, h } = toOklch(color);
      expect(toHex(fromOklch(l, c, h))).toBe(given);
    }),
    { numRuns: 1_000 },
  );
});
