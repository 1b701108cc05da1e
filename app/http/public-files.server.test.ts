import { expect, it } from "vitest";
import { headersOfFile } from "./public-files.server";

const cachingOf = (path: string, isFound = true) =>
  headersOfFile(path, isFound, () => ({ "1.0.0": { released: true }, "1.1.0": { released: false } }))[
    "Cache-Control"
  ];

it.each(["js", "css", "languages.json"])("caches keep a released version for ever: %s", (end) => {
  expect(cachingOf(`/platform-embed@1.0.0.${end}`)).toBe("public, max-age=31536000, immutable");
});

it.each([
  ["a build of a version that is still to be released", "/platform-embed@1.1.0.js", true],
  ["a version that nobody knows", "/platform-embed@9.9.9.js", true],
  ["a refusal", "/platform-embed@1.0.0.js", false],
  ["the newest, under its plain name", "/platform-embed.js", true],
])("and not %s", (_, path, isFound) => expect(cachingOf(path, isFound)).toBeUndefined());
