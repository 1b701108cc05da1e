import { describe, expect, it } from "vitest";
import { readPage } from "./read-page";

it("reads no tag inside of a comment, and all others", () => {
  const html =
    '<!-- <platform-embed service="a"> --><platform-embed service="b"><!-- --><my-tag><!-- <other-tag>';
  const { embed, others } = readPage(html);
  expect(embed?.get("service")).toBe("b");
  expect(others).toEqual(["platform-embed", "my-tag"]);
});

describe("a page of two megabytes that is made to take long", () => {
  it.each([
    ["comments without an end", "<!-"],
    ["comments that begin", "<!--"],
    ["tags without an end", "<meta "],
    ["quotes without an end", `<meta "`],
    ["quotes in quotes", `<meta '"<meta "'`],
    ["slashes", "<script/"],
    ["attributes", `<platform-embed a=b `],
    ["names", "<a-"],
    ["one attribute", "a"],
  ])("is read: %s", (_, piece) => {
    const hostile = piece.repeat(2_000_000 / piece.length);
    for (const html of [hostile, `<platform-embed ${hostile}`])
      expect(readPage(html)).toMatchObject({ script: null, policies: [], referrer: "" });
  });
});
