import { expect, it } from "vitest";
import { cacheControlOf } from "./public-files.server";

const versions = { "1.0.0": { released: true }, "1.1.0": { released: false } };
const FOREVER = "public, max-age=31536000, immutable";

it.each(["js", "js.map", "languages.js", "choose.js", "css"])(
  "caches keep a released version forever: %s",
  (extension) => {
    expect(cacheControlOf(`/platform-embed@1.0.0.${extension}`, versions)).toBe(FOREVER);
  },
);

it("caches keep built files forever", () => {
  expect(cacheControlOf("/build/entry.client-ABC.js", versions)).toBe(FOREVER);
});

it.each([
  ["a build of a version that is not released yet", "/platform-embed@1.1.0.js"],
  ["an unknown version", "/platform-embed@9.9.9.js"],
  ["the newest version, under its plain name", "/platform-embed.js"],
])("and not %s", (_, path) => {
  expect(cacheControlOf(path, versions)).toBe("public, max-age=3600");
});
