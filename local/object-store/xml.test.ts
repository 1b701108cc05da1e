import fc from "fast-check";
import { expect, it } from "vitest";
import { childrenNamed, parseXml, textOf, xmlDocument } from "./xml";

it("what is written can be read again, whatever the text", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (keys) => {
      const root = parseXml(xmlDocument("List", { Key: keys, Size: keys.length }), "List");
      expect(childrenNamed(root, "Key").map((node) => node.text)).toEqual(keys);
      expect(textOf(root, "Size")).toBe(String(keys.length));
    }),
  );
});

it("namespaces, attributes, comments and every kind of reference are read", () => {
  const root = parseXml(
    `<?xml version="1.0"?>\n<!-- c --><s:Root xmlns:s="urn:x" a="10">\n <s:A>&lt;&#65;&#x42;&amp;</s:A> <B/> </s:Root>\n`,
    "Root",
  );
  expect(textOf(root, "A")).toBe("<AB&");
  expect(textOf(root, "B")).toBe("");
});

it.each([
  "",
  "text",
  "<a>",
  "</a>",
  "<a></b>",
  "<a/><b/>",
  "<a></a><b></b>",
  "<a/>text",
  "<a b></a>",
  "<s:a></a>",
  "<a>&unknown;</a>",
  "<a>&constructor;</a>",
  "<a>&#xd800;</a>",
  "<a>&#x110000;</a>",
  "<a>&</a>",
  "<a",
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  "<a><![CDATA[x]]></a>",
  "<b></b>",
  "<a>".repeat(300_000) + "</a>".repeat(300_000),
])("%# is refused", (document) => {
  expect(() => parseXml(document, "a")).toThrow("not well-formed");
});
