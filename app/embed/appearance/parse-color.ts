import { fromLinear, fromOklch, type Rgb, times, toLinear } from "./color";

const LONGEST = 80;
const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?)(%|deg)?$/;

/**
 * An opaque colour of CSS, as sRGB: hex, `rgb()`, `hsl()`, `oklch()`, `oklab()`, `lch()`, `lab()`, and `color()` of `srgb`, `srgb-linear`
 * and `display-p3`. Null for all else: names, translucent colours, `var()`, whatever is no colour. Only numbers are taken from the text.
 */
export function parseColor(text: string): Rgb | null {
  const written = text.trim().toLowerCase();
  if (written.length > LONGEST) return null;
  if (written.startsWith("#")) return parseHex(written);
  const [, name = "", inside = ""] = /^([a-z]+)\(([^()]*)\)$/.exec(written) ?? [];
  const [space, ...parts] = [...(name === "color" ? [] : [name]), ...inside.trim().split(/[\s,/]+/)];
  const [first, second, third, alpha = { value: 1, unit: "" }, ...more] = parts.map(readNumber);
  if (!first || !second || !third || !alpha || more.length > 0) return null;
  if (alpha.value !== (alpha.unit === "%" ? 100 : 1)) return null;
  return spaces.get(space ?? "")?.(first, second, third) ?? null;
}

function parseHex(written: string): Rgb | null {
  const [, digits = ""] = /^#([\da-f]{3,8})$/.exec(written) ?? [];
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red, green, blue, alpha = 255] = pairs.map((pair) => Number.parseInt(pair, 16));
  if (red === undefined || green === undefined || blue === undefined) return null;
  if (alpha !== 255 || ![3, 4, 6, 8].includes(digits.length)) return null;
  return [red / 255, green / 255, blue / 255];
}

interface Value {
  value: number;
  unit: string;
}

function readNumber(text: string): Value | null {
  if (text === "none") return { value: 0, unit: "" };
  const [, number, unit = ""] = NUMBER.exec(text) ?? [];
  return number === undefined ? null : { value: Number(number), unit };
}

/** A number, or a percentage of `whole`; one without a unit is a part of `plain`. */
const share = ({ value, unit }: Value, whole: number, plain = 1) =>
  unit === "%" ? (value / 100) * whole : value / plain;
const between = (value: number, lowest: number, highest: number) =>
  Math.min(Math.max(value, lowest), highest);

type Space = (first: Value, second: Value, third: Value) => Rgb;

const rgb: Space = (...channels) => {
  const [red, green, blue] = channels.map((channel) => toLinear(between(share(channel, 1, 255), 0, 1)));
  return fromLinear([red ?? 0, green ?? 0, blue ?? 0]);
};

const hsl: Space = ({ value: hue }, saturation, lightness) => {
  const s = between(saturation.value / 100, 0, 1);
  const l = between(lightness.value / 100, 0, 1);
  const channel = (offset: number) => {
    const k = (((offset + hue / 30) % 12) + 12) % 12;
    return toLinear(l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return fromLinear([channel(0), channel(8), channel(4)]);
};

const lch: Space = (lightness, chroma, { value: hue }) => {
  const [length, radians] = [share(chroma, 150), (hue * Math.PI) / 180];
  return lab(lightness, plain(length * Math.cos(radians)), plain(length * Math.sin(radians)));
};

const plain = (value: number): Value => ({ value, unit: "" });

const lab: Space = (lightness, a, b) => {
  const l = between(lightness.value, 0, 100);
  const y = (l + 16) / 116;
  const curve = (t: number) => (t ** 3 > 216 / 24389 ? t ** 3 : (116 * t - 16) / (24389 / 27));
  const x = curve(y + share(a, 125) / 500) * 0.9643;
  const z = curve(y - share(b, 125) / 200) * 0.8251;
  return fromLinear(
    times(
      [
        [3.1341359, -1.6173863, -0.4906619],
        [-0.9787955, 1.9162543, 0.0334427],
        [0.0719555, -0.2289768, 1.4053861],
      ],
      [x, curve(y), z],
    ),
  );
};

const oklch: Space = (lightness, chroma, { value: hue }) =>
  fromOklch([share(lightness, 1), share(chroma, 0.4), hue]);

const oklab: Space = (lightness, first, second) => {
  const [a, b] = [share(first, 0.4), share(second, 0.4)];
  return fromOklch([share(lightness, 1), Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI]);
};

const srgbLinear: Space = (red, green, blue) => fromLinear([share(red, 1), share(green, 1), share(blue, 1)]);
const srgb: Space = (...channels) => {
  const [red, green, blue] = channels.map((channel) => plain(toLinear(share(channel, 1))));
  return srgbLinear(red ?? plain(0), green ?? plain(0), blue ?? plain(0));
};

const displayP3: Space = (...channels) => {
  const [red, green, blue] = channels.map((channel) => toLinear(share(channel, 1)));
  return fromLinear(times(p3ToSrgb, [red ?? 0, green ?? 0, blue ?? 0]));
};

const p3ToSrgb = [
  [1.2249402, -0.2249402, 0],
  [-0.042057, 1.042057, 0],
  [-0.0196376, -0.078636, 1.0982736],
] as const;

/** By the name that CSS has for them: a map, because the names come from outside. */
const spaces = new Map<string, Space>([
  ["rgb", rgb],
  ["rgba", rgb],
  ["hsl", hsl],
  ["hsla", hsl],
  ["lab", lab],
  ["lch", lch],
  ["oklch", oklch],
  ["oklab", oklab],
  ["srgb", srgb],
  ["srgb-linear", srgbLinear],
  ["display-p3", displayP3],
]);
