import { expect, test } from "vitest";
import { type JsonProblem, type JsonValue, parseJson } from "./json-view";

/** What `JSON.parse` makes of it, to compare. */
function plain(value: JsonValue | JsonProblem): unknown {
  if (typeof value === "string") return value;
  if (value.type === "object")
    return Object.fromEntries(value.members.map(([name, member]) => [name, plain(member)]));
  if (value.type === "array") return value.items.map(plain);
  return value.type === "string" ? value.text : JSON.parse(value.text);
}

test.each([
  `{"a": [1, -2.5e3, "x\\n\\"y\\"", null, true, {}], "b": {"c": []}, "": " "}`,
  "[]",
  "  7 ",
  `"\\u00e9, {[:"`,
  `[[["deep"]],{"a":{"b":[{}]}}]`,
])("the value of %s is the one that JSON has", (text) => {
  expect(plain(parseJson(text))).toEqual(JSON.parse(text));
});

test("numbers keep their digits, and a name that occurs twice is there twice", () => {
  expect(parseJson(`{"id": 12345678901234567890, "id": 1.10}`)).toEqual({
    type: "object",
    members: [
      ["id", { type: "number", text: "12345678901234567890" }],
      ["id", { type: "number", text: "1.10" }],
    ],
  });
});

test.each(["", "{", "[1,]", "{'a': 1}", "undefined", "1 2"])("%j is no JSON", (text) => {
  expect(parseJson(text)).toBe("invalid");
});

test("what nests too deeply is not said to be invalid", () => {
  expect(parseJson("[".repeat(201) + "]".repeat(201))).toMatchObject({ type: "array" });
  expect(parseJson("[".repeat(202) + "]".repeat(202))).toBe("too-deep");
  expect(parseJson("[".repeat(200_000) + "]".repeat(200_000))).toBe("too-deep");
});

test("a string of a million letters is read", () => {
  expect(parseJson(`["${"x\\n".repeat(300_000)}"]`)).toMatchObject({ type: "array" });
});
