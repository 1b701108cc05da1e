/**
 * Colours as sRGB, and the one other space that they are changed in: OKLCH, where equal steps of lightness look equal. Matrices and
 * formulas are those of CSS Color 4 and of Björn Ottosson's OKLab.
 */

/** Red, green and blue from 0 to 1, each a whole number of 255ths: what is computed with is what is shown. */
export type Rgb = readonly [red: number, green: number, blue: number];
/** Lightness from 0 to 1, chroma, and hue in degrees. */
export type Oklch = readonly [lightness: number, chroma: number, hue: number];

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

export const black: Rgb = [0, 0, 0];
export const white: Rgb = [1, 1, 1];

const linearToLms: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const lmsToOklab: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const oklabToLms: Matrix = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const lmsToLinear: Matrix = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

export function times(matrix: Matrix, [a, b, c]: Triple): Triple {
  const row = ([x, y, z]: Triple) => x * a + y * b + z * c;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

const each = ([a, b, c]: Triple, change: (value: number) => number): Triple => [
  change(a),
  change(b),
  change(c),
];

/** Of one channel, without its gamma curve and with it; signs are kept, for what lies outside sRGB. */
export const toLinear = (value: number) =>
  Math.abs(value) <= 0.04045 ? value / 12.92 : Math.sign(value) * ((Math.abs(value) + 0.055) / 1.055) ** 2.4;
const toGamma = (value: number) =>
  Math.abs(value) <= 0.0031308
    ? value * 12.92
    : Math.sign(value) * (1.055 * Math.abs(value) ** (1 / 2.4) - 0.055);

const round = (rgb: Triple): Rgb =>
  each(rgb, (value) => Math.round(Math.min(Math.max(value, 0), 1) * 255) / 255);

/** The nearest colour of sRGB; one that lies outside gets less chroma, and keeps lightness and hue. */
export function fromLinear(linear: Triple): Rgb {
  return isInside(linear) ? round(each(linear, toGamma)) : fromOklch(linearToOklch(linear));
}

export function fromOklch([lightness, chroma, hue]: Oklch): Rgb {
  if (lightness <= 0) return black;
  if (lightness >= 1) return white;
  const at = (share: number) => {
    const radians = (hue * Math.PI) / 180;
    const [a, b] = [Math.cos(radians) * chroma * share, Math.sin(radians) * chroma * share];
    return times(
      lmsToLinear,
      each(times(oklabToLms, [lightness, a, b]), (value) => value ** 3),
    );
  };
  let [inside, outside] = [0, 1];
  if (isInside(at(1))) inside = 1;
  else
    for (let step = 0; step < 16; step++) {
      const middle = (inside + outside) / 2;
      if (isInside(at(middle))) inside = middle;
      else outside = middle;
    }
  return round(each(at(inside), toGamma));
}

export const toOklch = (rgb: Rgb): Oklch => linearToOklch(each(rgb, toLinear));

function linearToOklch(linear: Triple): Oklch {
  const [lightness, a, b] = times(lmsToOklab, each(times(linearToLms, linear), Math.cbrt));
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return [lightness, Math.hypot(a, b), hue < 0 ? hue + 360 : hue];
}

/** `share` of `other` in `color`, from 0 to 1, along the straight line in sRGB. */
export const mix = (color: Rgb, other: Rgb, share: number): Rgb =>
  round([0, 1, 2].map((i) => (color[i] ?? 0) * (1 - share) + (other[i] ?? 0) * share) as unknown as Triple);

/** As CSS takes it, `#rrggbb`. */
export const toHex = (rgb: Rgb): string =>
  `#${rgb
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;

const isInside = (linear: Triple) => linear.every((value) => value > -0.0005 && value < 1.0005);
