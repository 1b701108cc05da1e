import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EmbedAppearance } from "../../../embed-element/protocol";
import { styleOf } from "./appearance-style";
import { readAppearance } from "./read-appearance.server";

const propertiesOf = (appearance: unknown) => styleOf(appearance as EmbedAppearance).properties;

describe("an appearance", () => {
  test("without members changes nothing", () => {
    expect(styleOf({})).toEqual({ properties: {}, scheme: null, density: null });
  });

  test("becomes custom properties for both themes", () => {
    const { properties, scheme, density } = styleOf({
      accent: "#0f766e",
      background: "#1e1b4b",
      radius: 12,
      font: "Inter",
      density: "compact",
    });
    expect(properties["--accent"]).toBe("light-dark(#0f766e,#0f766e)");
    expect(properties["--on-accent"]).toBe("light-dark(#ffffff,#ffffff)");
    expect(properties["--background"]).toBe("light-dark(#ffffff,#1e1b4b)");
    expect(properties["--radius-small"]).toBe("9px");
    expect(properties["--radius-large"]).toBe("18px");
    expect(properties["--font"]).toBe('"Inter", sans-serif');
    expect([scheme, density]).toEqual(["dark", "compact"]);
  });

  test("with a light background belongs to the light theme", () => {
    expect(styleOf({ background: "#fefce8" }).scheme).toBe("light");
  });

  test.each([
    [{ radius: -1 }],
    [{ radius: 25 }],
    [{ radius: Number.NaN }],
    [{ radius: "12" }],
    [{ accent: "red" }],
    [{ accent: 255 }],
    [{ accent: ["#ffffff"] }],
    [{ background: "url(https://evil.example/x)" }],
    [{ text: "#fff;}html{display:none" }],
    [{ text: "var(--background)" }],
    [{ font: "Inter; color: red" }],
    [{ font: "url(x)" }],
    [{ font: 'Inter", url(x), "' }],
    [{ font: "Inter,,Arial" }],
    [{ font: "</style><script>" }],
    [{ font: "x".repeat(65) }],
    [{ font: "a,".repeat(20) }],
    [{ font: {} }],
    [{ density: "tiny" }],
    [[]],
  ])("%j has no effect", (appearance) => {
    expect(styleOf(appearance as EmbedAppearance)).toEqual({ properties: {}, scheme: null, density: null });
  });

  test("is in force but for what is invalid", () => {
    expect(propertiesOf({ accent: "javascript:alert(1)", radius: 0 })).toEqual({
      "--radius-small": "0px",
      "--radius": "0px",
      "--radius-large": "0px",
    });
  });

  test.each([
    ['"Segoe UI", Inter', '"Segoe UI", "Inter", sans-serif'],
    ["Noto Sans JP,sans-serif", '"Noto Sans JP", sans-serif'],
    ["'M PLUS 1p', system-ui", '"M PLUS 1p", system-ui'],
    ["ヒラギノ角ゴ", '"ヒラギノ角ゴ", sans-serif'],
    ["-apple-system, Arial", '-apple-system, "Arial"'],
    ["inherit", '"inherit", sans-serif'],
  ])("has the families %s", (font, written) => {
    expect(propertiesOf({ font })).toEqual({ "--font": written });
  });

  test("never lets a text through", () => {
    const value = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.anything(),
      fc.constantFrom("#0f766e", "rgb(1 2 3)", "Inter", "Arial, serif", 4),
    );
    const members = fc.record({
      accent: value,
      background: value,
      text: value,
      radius: value,
      font: value,
      density: value,
    });
    const safe = /^(light-dark\(#[\da-f]{6},#[\da-f]{6}\)|[\d.]+(px|%)|[\p{L}\p{M}\p{N} _.,"-]+)$/u;
    fc.assert(
      fc.property(members, (appearance) => {
        for (const written of Object.values(propertiesOf(appearance))) expect(written).toMatch(safe);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an address", () => {
  const read = (query: string) => readAppearance(new URLSearchParams(query));

  test("without an appearance has no style sheet", () => {
    expect(read("t=x&theme=dark").css).toBe("");
  });

  test("with one has it in a style sheet", () => {
    const { css, given, density } = read("radius=4&density=compact&font=Inter");
    expect(css).toBe(
      ':root:root{--radius-small:3px;--radius:4px;--radius-large:6px;--font:"Inter", sans-serif}',
    );
    expect(given).toEqual({ radius: 4, font: "Inter", density: "compact" });
    expect(density).toBe("compact");
  });

  test("has no place for long texts", () => {
    expect(read(`font=${"a".repeat(301)}`).given).toEqual({});
  });
});
