import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenLimit, tighterLimits } from "./upload-limits";

const image = { name: "Holiday.PNG", contentType: "image/png", size: 10 };

describe("a limit", () => {
  it("on the size holds from the first byte over it", () => {
    expect(brokenLimit({ maxFileBytes: 10 }, image)).toBeNull();
    expect(brokenLimit({ maxFileBytes: 9 }, image)).toBe("too_large");
    expect(brokenLimit({ maxFileBytes: 0 }, { ...image, size: 0 })).toBeNull();
  });

  it.each([["image/png"], ["IMAGE/PNG"], ["image/*"], [".png"], [".PNG"], ["text/plain", ".png"]])(
    "on the type is kept where one fits: %s",
    (...fileTypes) => expect(brokenLimit({ fileTypes }, image)).toBeNull(),
  );

  it.each([[], ["image/jpeg"], ["text/*"], [".pn"], [".holiday.png"], ["image/pn"]])(
    "on the type is broken where none fits: %s",
    (...fileTypes) => expect(brokenLimit({ fileTypes }, image)).toBe("type_not_allowed"),
  );

  it("on a kind of media types is broken by another that begins alike", () => {
    for (const contentType of ["imagex/png", "ima/png", "i/png", "application/image/png"]) {
      expect(brokenLimit({ fileTypes: ["image/*"] }, { ...image, contentType })).toBe("type_not_allowed");
    }
  });

  it("minds neither the parameters of a media type nor the case of either", () => {
    const text = { ...image, name: "a.txt", contentType: "Text/Plain ; charset=utf-8" };
    expect(brokenLimit({ fileTypes: ["text/plain"] }, text)).toBeNull();
    expect(brokenLimit({ fileTypes: ["text/plain; charset=utf-8"] }, text)).toBe("type_not_allowed");
  });
});

describe("two limits", () => {
  it.each([
    [undefined, undefined, {}],
    [{ maxFileBytes: 5 }, { maxFileBytes: 3 }, { maxFileBytes: 3 }],
    [{ maxFileBytes: 0 }, {}, { maxFileBytes: 0 }],
    [undefined, { fileTypes: ["image/*"] }, { fileTypes: ["image/*"] }],
    [{ fileTypes: ["image/*"] }, { fileTypes: ["Image/PNG", "text/plain"] }, { fileTypes: ["image/png"] }],
    [
      { fileTypes: ["image/png", ".pdf"] },
      { fileTypes: ["image/*", ".pdf"] },
      { fileTypes: [".pdf", "image/png"] },
    ],
    [{ fileTypes: ["image/*"] }, { fileTypes: ["text/*", ".png"] }, { fileTypes: [] }],
  ])("%j and %j are %j", (one, other, both) => {
    expect(tighterLimits(one, other)).toEqual(both);
    expect(tighterLimits(other, one)).toEqual(both);
  });

  it("allow nothing that one of them does not", () => {
    const limits = fc.record(
      {
        maxFileBytes: fc.nat(20),
        fileTypes: fc.array(fc.constantFrom("image/*", "image/png", "text/*", ".png", ".txt", "TEXT/plain")),
      },
      { requiredKeys: [] },
    );
    const file = fc.record({
      name: fc.constantFrom("a.png", "a.TXT", "a"),
      contentType: fc.constantFrom("image/png", "text/plain", "image/jpeg"),
      size: fc.nat(20),
    });
    fc.assert(
      fc.property(limits, limits, file, (one, other, some) => {
        if (brokenLimit(tighterLimits(one, other), some) !== null) return;
        expect([brokenLimit(one, some), brokenLimit(other, some)]).toEqual([null, null]);
      }),
    );
  });
});
