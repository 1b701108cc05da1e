import { describe, expect, it } from "vitest";
import { z } from "zod";
import { shortText } from "./short-text";

describe("a short text", () => {
  const schema = shortText(3);

  it.each(["a", "abc", "💥💥💥", "ä b"])("may be %j", (text) => {
    expect(schema.safeParse(text).success).toBe(true);
  });

  it.each(["", "abcd", "💥💥💥💥", "a\nb", "a\u0000", "\ud83d", "x".repeat(100)])("may not be %j", (text) => {
    expect(schema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      "must have 1 to 3 characters, and no control characters",
    ]);
  });

  it("is described with the length that is checked", () => {
    expect(z.toJSONSchema(schema)).toMatchObject({ type: "string", minLength: 1, maxLength: 3 });
  });
});
