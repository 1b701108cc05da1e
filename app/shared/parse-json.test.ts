import { describe, expect, test } from "vitest";
import { parseJson } from "./parse-json";

const bytes = (json: string) => new TextEncoder().encode(json);
const tooMany = "The body contains too many values.";

describe("JSON of so many values that reading it takes long is refused", () => {
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

test("what a text says are no values", () => {
  const text = ',[{\\"'.repeat(50_000);
  expect(parseJson(bytes(JSON.stringify([text, "a"])))).toEqual([text, "a"]);
});

test("as many as are allowed are read", () => {
  const list = Array<number>(20_000).fill(0);
  expect(parseJson(bytes(JSON.stringify(list)))).toEqual(list);
});

test.each(["", "{", "nonsense", '"\\"'])("%j is no JSON", (json) => {
  expect(() => parseJson(bytes(json))).toThrow("The body is not valid JSON.");
});
