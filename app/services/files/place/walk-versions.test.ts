import { describe, expect, it } from "vitest";
import type { ObjectVersion, VersionPage, VersionPosition } from "../../../providers/listings.server";
import { positionAfter, type WalkedVersions, type WantedVersions, walkVersions } from "./walk-versions";

const version = (key: string, versionId: string): ObjectVersion => ({
  ...{ key, versionId, isLatest: false, isMarker: false },
  ...{ size: 1, etag: '"e"', lastModified: new Date(0) },
});

const all = (versions: readonly ObjectVersion[]): WantedVersions => ({
  wanted: [...versions],
  older: "read",
});

/** Pages of entries like `a:1`, a key and its version, and `docs/`, a subfolder. */
async function walk(pages: string[][], choose = all) {
  const asked: (VersionPosition | undefined)[] = [];
  const found: WalkedVersions[] = [];
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
  for await (const one of walkVersions(undefined, listPage, choose)) found.push(one);
  const text = found.map((one) => {
    if ("prefix" in one) return one.prefix;
    if ("within" in one) return `within ${one.within.key}:${one.within.versionId}`;
    return `${one.key}:${one.versions.map(({ versionId }) => versionId).join("")}`;
  });
  return { text, asked, positions: found.map(positionAfter) };
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

  it("skips the rest of a key that is decided", async () => {
    const newest = ([first]: readonly ObjectVersion[]): WantedVersions => ({
      wanted: first ? [first] : [],
      older: "skip",
    });
    const { text, asked } = await walk([["a:1", "b:1", "b:2"], ["c:1", "c:2"], ["d:1"]], newest);
    expect(text).toEqual(["a:1", "b:1", "c:1", "d:1"]);
    expect(asked).toEqual([
      undefined,
      { key: "b", versionId: undefined },
      { key: "c", versionId: undefined },
    ]);
  });

  it("keeps only the wanted versions of a key with many pages, and can stop between those", async () => {
    const seen: number[] = [];
    const { text, positions } = await walk(
      [
        ["a:1", "a:2"],
        ["a:3", "a:4"],
        ["a:5", "b:1"],
      ],
      (versions) => {
        seen.push(versions.length);
        return { wanted: versions.slice(0, 1), older: "read_or_stop" };
      },
    );
    expect(text).toEqual(["within a:2", "within a:4", "a:1", "b:1"]);
    expect(seen).toEqual([2, 3, 2, 1]);
    expect(positions.slice(0, 3)).toEqual([
      { key: "a", versionId: "2" },
      { key: "a", versionId: "4" },
      { key: "a", versionId: undefined },
    ]);
  });

  it("passes an empty page", async () => {
    expect((await walk([["a:1"], [], ["b:1"]])).text).toEqual(["a:1", "b:1"]);
  });
});
