import { describe, expect, test } from "vitest";
import { PREVIEW_LIMITS, readDrawing, THUMBNAIL_LIMITS } from "./read-drawing";

const svg = (inside: string, attributes = 'viewBox="0 0 9 9"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;
const preview = (text: string) => readDrawing(text, PREVIEW_LIMITS);
const thumbnail = (text: string) => readDrawing(text, THUMBNAIL_LIMITS);
const isDrawn = (read: (text: string) => string, text: string) => {
  try {
    read(text);
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
};

test("a drawing of shapes stays what it is", () => {
  expect(thumbnail(svg('<g fill="red"><path d="M0 0h9v9z"/><text x="1">a &lt; b</text></g>'))).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9" height="9">' +
      '<g fill="red"><path d="M0 0h9v9z"></path><text x="1">a &lt; b</text></g></svg>',
  );
});

test("what draws nothing is left out, like scripts, notes of programs and unknown attributes", () => {
  const notes =
    "<script>alert(1)</script><title>t</title><metadata><rdf:RDF/></metadata><sodipodi:namedview/><animate/>";
  expect(
    thumbnail(
      `<?xml version="1.0"?><!DOCTYPE svg>${svg(`${notes}<rect onclick="run()" data-x="y" width="1"/>`)}`,
    ),
  ).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9" height="9"><rect width="1"></rect></svg>',
  );
});

test("styles of drawing programs become attributes, by CSS's order", () => {
  const css =
    "<style><![CDATA[ .a,.b{fill:#f00;stroke:url(#g)} rect{fill:blue} #c{fill:lime} @font-face{src:url(x)} ]]></style>";
  const drawn = preview(
    svg(
      `${css}<linearGradient id="g"/><rect class="a" fill="black"/><rect id="c" class="b" style="opacity: .5"/>`,
    ),
  );
  expect(drawn).toContain('<rect fill="#f00" stroke="url(#g)">');
  expect(drawn).toContain('<rect id="c" fill="lime" stroke="url(#g)" opacity=".5">');
  expect(drawn).not.toContain("style");
});

test("a switch shows what is beside a foreign object", () => {
  const drawn = preview(svg("<switch><foreignObject><p>x</p></foreignObject><text>label</text></switch>"));
  expect(drawn).toContain("<switch><text>label</text></switch>");
});

describe("a size that no browser could draw is replaced", () => {
  test.each([
    ['width="-5" height="NaN"', 'width="300" height="150"'],
    ['width="1e9" height="1e9"', 'width="10000" height="10000" viewBox="0 0 1000000000 1000000000"'],
    ['width="100%" viewBox="0 0 40 20"', 'width="40" viewBox="0 0 40 20" height="20"'],
    ['width="10mm" viewBox="0 0 10 20"', 'viewBox="0 0 10 20"'],
    ['viewBox="0 0 -1 9"', 'width="300" height="150"'],
  ])("%s", (attributes, expected) => {
    const [root = ""] = /^<svg[^>]*>/.exec(preview(svg("", attributes))) ?? [];
    for (const attribute of expected.match(/\w+="[^"]*"/g) ?? []) expect(root).toContain(attribute);
    expect(root).not.toMatch(/NaN|"-/);
  });
});

/** `levels` groups, each with `width` references to the one before. */
const bomb = (
  levels: number,
  width: number,
  refer: (id: string) => string,
  wrap: (id: string, inside: string) => string,
) =>
  Array.from({ length: levels }, (_, level) =>
    wrap(`l${level}`, level === 0 ? "<path d='M0 0h1'/>" : refer(`l${level - 1}`).repeat(width)),
  ).join("");
const used = (levels: number, width: number) =>
  svg(
    bomb(
      levels,
      width,
      (id) => `<use xlink:href="#${id}"/>`,
      (id, inside) => `<g id="${id}">${inside}</g>`,
    ),
  );

describe("what refers to others is counted as often as it is drawn", () => {
  test("a few times", () => {
    expect(isDrawn(thumbnail, used(3, 4))).toBe(true);
    expect(isDrawn(preview, used(4, 8))).toBe(true);
  });
  test("millions of times", () => {
    expect(isDrawn(thumbnail, used(4, 10))).toBe(false);
    expect(isDrawn(preview, used(5, 10))).toBe(false);
    expect(isDrawn(preview, used(40, 10))).toBe(false);
  });
  test.each([
    [
      "clips",
      bomb(
        7,
        6,
        (id) => `<rect clip-path="url(#${id})"/>`,
        (id, inside) => `<clipPath id="${id}">${inside}</clipPath>`,
      ),
    ],
    [
      "masks",
      bomb(
        7,
        6,
        (id) => `<rect style="mask: url('#${id}')"/>`,
        (id, inside) => `<mask id="${id}">${inside}</mask>`,
      ),
    ],
    [
      "patterns",
      bomb(
        7,
        10,
        (id) => `<rect fill="url(#${id})"/>`,
        (id, inside) => `<pattern id="${id}">${inside}</pattern>`,
      ),
    ],
    [
      "markers",
      bomb(
        6,
        1,
        (id) => `<path marker-mid="url(#${id})" d="${"M0 0h1".repeat(10)}"/>`,
        (id, inside) => `<marker id="${id}">${inside}</marker>`,
      ),
    ],
    [
      "clips by a style sheet",
      `<style>.a{clip-path:url(#l6)}</style><rect class="a"/>${bomb(
        7,
        6,
        (id) => `<rect clip-path="url(#${id})"/>`,
        (id, inside) => `<clipPath id="${id}">${inside}</clipPath>`,
      )}`,
    ],
    ["itself", '<g id="a"><use href="#a"/></g>'],
    ["layers", '<g opacity=".5">'.repeat(40) + "</g>".repeat(40) + '<rect opacity=".9"/>'.repeat(600)],
    ["layers in per cent", '<rect opacity="50%"/>'.repeat(600)],
    ["elements in each other", "<g>".repeat(60)],
    [
      "filters",
      `<filter id="f">${"<feGaussianBlur stdDeviation='9'/>".repeat(10)}</filter>${'<rect filter="url(#f)"/>'.repeat(9)}`,
    ],
  ])("%s", (_, inside) => {
    expect(isDrawn(preview, svg(inside))).toBe(false);
  });
});

describe("lines are counted", () => {
  const path = (segments: number) => `<path d="M0 0${"l9 9-9 3".repeat(segments / 2)}"/>`;
  test.each([
    ["a path of a map", path(9_000), true],
    ["a path that crosses itself without end", path(60_000), false],
    ["many paths", path(9_000).repeat(20), false],
    ["dashes", '<path stroke-dasharray="4 2" d="M0 0h9000"/>', true],
    ["dashes without end", '<path stroke-dasharray=".001" d="M0 0h9000"/>', false],
    ["dashes that a group has", '<g style="stroke-dasharray: .001"><circle r="9000"/></g>', false],
    ["dashes of what is used", '<path id="p" d="M0 0h9"/><use href="#p" stroke-dasharray=".001"/>', false],
    ["dashes of letters", '<g stroke-dasharray="9"><text>a</text></g>', false],
    ["dashes that a marker inherits", '<g stroke-dasharray="9"><marker id="m"/></g>', false],
    ["dashes that a mask inherits", '<g stroke-dasharray="9"><mask id="m"/></g>', false],
    [
      "dashes around a clip",
      '<g stroke-dasharray="9"><clipPath id="c"><path d="M0 0h9"/></clipPath></g>',
      true,
    ],
    ["dashes of a marker", '<marker><path stroke-dasharray="9" d="M0 0h9"/></marker>', true],
    ["dashes in another unit", '<path stroke-dasharray="1em" d="M0 0h9"/>', false],
    ["a long text", `<text>${"שלום ".repeat(10_000)}</text>`, false],
  ])("%s", (_, inside, expected) => {
    expect(isDrawn(preview, svg(inside))).toBe(expected);
  });
});

describe("what is not on the list is refused", () => {
  test.each([
    ["a foreign object", "<foreignObject><p>a</p></foreignObject>"],
    ["a picture at an address", '<image href="https://example.com/a.png"/>'],
    ["a picture in a picture", `<image href="data:image/svg+xml;base64,${btoa("<svg/>")}"/>`],
    ["a filter that is not counted", "<filter><feTurbulence numOctaves='99'/></filter>"],
    ["an escape in a value", '<rect fill="u\\72l(#a)"/>'],
    ["a second reference", '<rect fill="url(#a) url(#b)"/>'],
    ["a shape by CSS", '<rect clip-path="polygon(0 0, 1px 1px)"/>'],
    ["a selector that is not known", "<style>g > rect:nth-child(2){fill:red}</style>"],
    ["an entity", '<!DOCTYPE svg [<!ENTITY a "fill:red">]><rect style="&a;"/>'],
  ])("%s", (_, inside) => {
    expect(isDrawn(preview, svg(inside))).toBe(false);
  });
  test("a thumbnail has no clips, masks, filters, patterns, markers and images", () => {
    for (const name of ["clipPath", "mask", "filter", "pattern", "marker", "image"]) {
      expect(isDrawn(thumbnail, svg(`<${name}/>`)), name).toBe(false);
    }
  });
  test("a picture of a few bytes and of many pixels", () => {
    const png = (width: number) => {
      const bytes = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000008", "hex");
      bytes.writeUInt32BE(width, 16);
      bytes.writeUInt32BE(width, 20);
      return `<image width="9" height="9" href="data:image/png;base64,${bytes.toString("base64")}"/>`;
    };
    expect(isDrawn(preview, svg(png(1_000)))).toBe(true);
    expect(isDrawn(preview, svg(png(60_000)))).toBe(false);
    expect(isDrawn(preview, svg(png(2_000).repeat(6)))).toBe(false);
  });
});

test("what is no SVG is damaged, not too complex", () => {
  for (const text of ["", "hello", "<html><p>x</p></html>"])
    expect(() => preview(text)).toThrow(/no drawing/);
});
