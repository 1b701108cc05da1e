import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  MIN_CONTROL_CONTRAST as CONTROL,
  contrast,
  leastContrast,
  mix,
  parseColor,
  type Rgb,
  MIN_TEXT_CONTRAST as TEXT,
  toHex,
  toOklch,
} from "./color";
import { codeColors, codeText, iconColors, iconText, makePalette, type Scheme } from "./palette";

const rgbOf = (r = 0, g = 0, b = 0): Rgb => ({ mode: "rgb", r: r / 255, g: g / 255, b: b / 255 });
const color: fc.Arbitrary<Rgb> = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => rgbOf(value >> 16, (value >> 8) & 255, value & 255));
const maybe = fc.option(color);
const chosen = fc.record({ accent: maybe, background: maybe, text: maybe });
const scheme = fc.constantFrom<Scheme>("light", "dark");

const surfaces = ["background", "raised", "sunken", "hover", "pressed", "accent-tint"];
const texts = ["text", "text-soft", "text-faint", "accent-strong", "danger", "warning", "success"];

/** Every pair that a screen shows, and the contrast that it needs. */
const pairs: [front: string, back: string, ratio: number][] = [
  ...texts.flatMap((text) => surfaces.map((surface): [string, string, number] => [text, surface, TEXT])),
  ...surfaces.map((surface): [string, string, number] => ["control", surface, CONTROL]),
  ["on-accent", "accent", TEXT],
  ["on-accent", "accent-hover", TEXT],
  ["danger", "danger-tint", TEXT],
  ["warning", "warning-tint", TEXT],
  ["success", "success-tint", TEXT],
];

const weakPairs = (palette: Record<string, Rgb>) =>
  pairs
    .filter(([front, back, ratio]) => contrast(at(palette, front), at(palette, back)) < ratio)
    .map(([front, back]) => `${front} ${toHex(at(palette, front))} on ${back} ${toHex(at(palette, back))}`);

function at(palette: Record<string, Rgb>, name: string): Rgb {
  const found = palette[name];
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

const hex = (text: string): Rgb => parseColor(text) ?? rgbOf();
const hexOf = (palette: Record<string, Rgb>, name: string) => toHex(at(palette, name));

test("whatever is chosen, every text and control has its contrast", () => {
  fc.assert(
    fc.property(chosen, scheme, (colors, of) => {
      expect(weakPairs(makePalette(colors, of))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("colours of middling lightness are the hardest, and have it too", () => {
  const middling = fc
    .tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 90, max: 150 })))
    .map((channels) => rgbOf(...channels));
  fc.assert(
    fc.property(middling, maybe, maybe, scheme, (background, accent, text, of) => {
      expect(weakPairs(makePalette({ background, accent, text }, of))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

describe("what is chosen is kept", () => {
  test("the accent as it is, with white on it where that can be read", () => {
    for (const of of ["light", "dark"] as const) {
      const palette = makePalette({ accent: hex("#0f766e") }, of);
      expect([hexOf(palette, "accent"), hexOf(palette, "on-accent")]).toEqual(["#0f766e", "#ffffff"]);
    }
    const yellow = makePalette({ accent: hex("#facc15") }, "light");
    expect(hexOf(yellow, "accent")).toBe("#facc15");
    expect(contrast(at(yellow, "on-accent"), hex("#000000"))).toBeLessThan(2);
  });

  test("as text it is itself where it can be read, and a shade of its hue where not", () => {
    expect(hexOf(makePalette({ accent: hex("#0f766e") }, "light"), "accent-strong")).toBe("#0f766e");
    const yellow = hex("#facc15");
    const { l: lightness, h: hue = 0 } = toOklch(
      at(makePalette({ accent: yellow }, "light"), "accent-strong"),
    );
    expect(Math.abs(hue - (toOklch(yellow).h ?? 0))).toBeLessThan(4);
    expect(lightness).toBeLessThan(toOklch(yellow).l);
    const { l: lighter } = toOklch(at(makePalette({ accent: hex("#0f766e") }, "dark"), "accent-strong"));
    expect(lighter).toBeGreaterThan(toOklch(hex("#0f766e")).l);
  });

  test("background and text in the scheme that they suit, and in no other", () => {
    const colors = { background: hex("#1e1b4b"), text: hex("#ede9fe") };
    const dark = makePalette(colors, "dark");
    expect([hexOf(dark, "background"), hexOf(dark, "text")]).toEqual(["#1e1b4b", "#ede9fe"]);
    const light = makePalette(colors, "light");
    expect([hexOf(light, "background"), hexOf(light, "text")]).toEqual(["#ffffff", "#16181d"]);
  });

  test("a text that cannot be read on the background is moved away from it", () => {
    const palette = makePalette({ background: hex("#ffffff"), text: hex("#777777") }, "light");
    expect(contrast(at(palette, "text"), hex("#ffffff"))).toBeGreaterThanOrEqual(TEXT);
    expect(hexOf(palette, "text")).not.toBe("#000000");
  });
});

test("what a pointer is over, and what is chosen, differ from the background", () => {
  fc.assert(
    fc.property(chosen, scheme, (colors, of) => {
      const palette = makePalette(colors, of);
      for (const name of ["hover", "pressed", "line", "line-strong"])
        expect(hexOf(palette, name), name).not.toBe(hexOf(palette, "background"));
    }),
    { numRuns: 1_000 },
  );
});

describe("without any choice", () => {
  const css = readFileSync(new URL("../embed.css", import.meta.url), "utf8");
  /** The values of `embed.css`. */
  const written = (name: string, of: Scheme): Rgb => {
    const [, light = "", dark = ""] =
      new RegExp(`--${name}: light-dark\\((#[\\da-f]{6}), (#[\\da-f]{6})\\)`).exec(css) ?? [];
    return hex(of === "light" ? light : dark);
  };

  test.each(["light", "dark"] as const)("the %s palette is that of embed.css, or all but", (of) => {
    const palette = makePalette({}, of);
    for (const name of ["background", "text", "accent", "danger", "warning", "success"])
      expect(hexOf(palette, name), name).toBe(toHex(written(name, of)));
    for (const name of Object.keys(palette)) {
      const { l: wanted } = toOklch(written(name, of));
      expect(Math.abs(toOklch(at(palette, name)).l - wanted), name).toBeLessThan(0.06);
    }
  });

  test.each(["light", "dark"] as const)("the %s palette of embed.css has every contrast", (of) => {
    const names = Object.keys(makePalette({}, of));
    expect(weakPairs(Object.fromEntries(names.map((name) => [name, written(name, of)])))).toEqual([]);
  });
});

test("the icons of all kinds of files can be made out on any background", () => {
  const css = readFileSync(new URL("../../services/files/browse/files.css", import.meta.url), "utf8");
  const kinds = [...css.matchAll(/--kind: light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/g)];
  for (const [place, of] of (["light", "dark"] as const).entries())
    expect(iconColors(of).map(toHex)).toEqual(kinds.map((kind) => kind[place + 1]));
  expect(iconText(makePalette({}, "light"), "light") + iconText(makePalette({}, "dark"), "dark")).toBe(0);
  fc.assert(
    fc.property(chosen, scheme, (colors, of) => {
      const palette = makePalette(colors, of);
      const share = iconText(palette, of) / 100;
      const around = [at(palette, "background"), at(palette, "hover"), at(palette, "accent-tint")];
      for (const [, light = "", dark = ""] of kinds) {
        const kind = hex(of === "light" ? light : dark);
        const seen = leastContrast(mix(kind, at(palette, "text"), share), around);
        expect(seen, `${toHex(kind)} on ${hexOf(palette, "background")}`).toBeGreaterThanOrEqual(CONTROL);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("the colours of code can be read on any background", () => {
  const css = readFileSync(new URL("../../services/files/preview/preview.css", import.meta.url), "utf8");
  const written = [...css.matchAll(/--code: light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/g)];
  for (const [place, of] of (["light", "dark"] as const).entries())
    expect(codeColors(of).map(toHex)).toEqual(written.map((color) => color[place + 1]));
  expect(codeText(makePalette({}, "light"), "light") + codeText(makePalette({}, "dark"), "dark")).toBe(0);
  fc.assert(
    fc.property(chosen, scheme, (colors, of) => {
      const palette = makePalette(colors, of);
      const share = codeText(palette, of) / 100;
      for (const color of codeColors(of)) {
        const seen = contrast(mix(color, at(palette, "text"), share), at(palette, "background"));
        expect(seen, `${toHex(color)} on ${hexOf(palette, "background")}`).toBeGreaterThanOrEqual(TEXT);
      }
    }),
    { numRuns: 1_000 },
  );
});
