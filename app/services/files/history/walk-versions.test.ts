import { describe, expect, it } from "vitest";
import type { ObjectVersion, VersionPage, VersionPosition } from "../../../providers/listings.server";
import { type Found, walkVersions } from "./walk-versions";

const version = (key: string, versionId: string): ObjectVersion => ({
  ...{ key, versionId, isLatest: false, isMarker: false },
  ...{ size: 1, etag: '"e"', lastModified: new Date(0) },
});

/** Pages of entries like `a:1`, a key and its version, and `docs/`, a subfolder. */
async function walk(pages: string[][]) {
  const asked: (VersionPosition | undefined)[] = [];
  const found: Found[] = [];
  const listPage = async (after: VersionPosition | undefined): Promise<VersionPage> => {
    asked.push(after);
    const entries = pages[asked.length - 1] ?? [];
    const last = entries.at(-1) ?? "";
    const [key = "", versionId] = last.split(":");
    return {
      versions: entries
        .filter((entry) => entry.includes(":"))
        .map((entry) => {
          const [key = "", id = ""] = entry.split(":");
          return version(key, id);
        }),
      prefixes: entries.filter((entry) => entry.endsWith("/")),
      next: asked.length < pages.length ? { key, versionId } : null,
    };
  };
  for await (const one of walkVersions(undefined, listPage)) found.push(one);
  const text = found.map((one) =>
    "prefix" in one ? one.prefix : `${one.key}:${one.versions.map(({ versionId }) => versionId).join("")}`,
  );
  return { text, asked };
}

describe("walking versions", () => {
  it("joins the versions of a key that pages divide", async () => {
    const { text, asked } = await walk([["a:1", "b:1"], ["b:2"], ["b:3", "c:1"]]);
    expect(text).toEqual(["a:1", "b:123", "c:1"]);
    expect(asked).toEqual([undefined, { key: "b", versionId: "1" }, { key: "b", versionId: "2" }]);
  });

  it("has keys and subfolders in the order of the store", async () => {
    const { text } = await walk([["a/", "b:1", "c/"], ["d:1"]]);
    expect(text).toEqual(["a/", "b:1", "c/", "d:1"]);
  });

  it("passes a subfolder once, if a store begins the next page with it again", async () => {
    const { text } = await walk([
      ["a:1", "docs/"],
      ["docs/", "e:1"],
    ]);
    expect(text).toEqual(["a:1", "docs/", "e:1"]);
  });

  it("passes an empty page", async () => {
    expect((await walk([["a:1"], [], ["b:1"]])).text).toEqual(["a:1", "b:1"]);
  });
});
