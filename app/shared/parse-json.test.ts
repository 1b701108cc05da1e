import { describe, expect, test } from "vitest";
import { parseJson } from "./parse-json";

const bytes = (json: string) => new TextEncoder().encode(json);
const tooMany = "The body contains too many values.";

describe("refuses JSON with too many values", () => {
  test.each([
    ["nested lists", "[".repeat(20_001)],
    ["nested objects", `{"a":`.repeat(20_001)],
    ["a list", `[${"0,".repeat(20_000)}0]`],
    ["members", `{${'"a":0,'.repeat(20_000)}"a":0}`],
    ["a list after a text that ends in a backslash", `["\\\\",${"0,".repeat(20_000)}0]`],
  ])("%s", (_, json) => {
    expect(() => parseJson(bytes(json))).toThrow(tooMany);
  });
});

test("does not count characters inside strings", () => {
  const text = ',[{\\"'.repeat(50_000);
  expect(parseJson(bytes(JSON.stringify([text, "a"])))).toEqual([text, "a"]);
});

describe("refuses JSON that is nested too deeply", () => {
  test.each([
    ["lists", `${"[".repeat(65)}${"]".repeat(65)}`],
    ["objects, also if they do not end", `[1,[2],${'{"a":'.repeat(64)}`],
  ])("%s", (_, json) => {
    expect(() => parseJson(bytes(json))).toThrow("The body is nested too deeply.");
  });

  test("but not many lists next to each other, brackets in strings, and what is allowed", () => {
    for (const json of [
      `[${"[[]],".repeat(1_000)}1]`,
      `["${"[".repeat(100)}"]`,
      "[".repeat(64) + "]".repeat(64),
    ])
      expect(() => parseJson(bytes(json))).not.toThrow();
  });
});

test("reads as many values as are allowed", () => {
  const list = Array<number>(20_000).fill(0);
  expect(parseJson(bytes(JSON.stringify(list)))).toEqual(list);
});

test.each(["", "{", "nonsense", '"\\"'])("%j is not JSON", (json) => {
  expect(() => parseJson(bytes(json))).toThrow("The body is not valid JSON.");
});
