import { expect, it } from "vitest";
import { visibleText } from "../../../../app/locales/visible-text";
import { FilesError } from "../../errors";
import type { Row } from "../../rows";
import { listTree } from "./list-tree";

const lastModified = "2026-11-03T12:34:56.000Z";
const fileAt = (key: string, size = 1, etag = '"e"'): Row => ({
  type: "file",
  name: key.slice(key.lastIndexOf("/") + 1),
  key,
  size,
  lastModified,
  etag,
});
const folderAt = (path: string): Row => ({
  type: "folder",
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
});
interface Page {
  rows: Row[];
  cursor: string | null;
}

const page = (files: string[], folders: string[], cursor: string | null = null): Page => ({
  rows: [...files.map((key) => fileAt(key)), ...folders.map(folderAt)],
  cursor,
});

const tree: Record<string, Page> = {
  "/x/docs": page(["x/docs/a.txt"], ["/x/docs/empty"], "more"),
  "/x/docs more": page(["x/docs/b.txt"], ["/x/docs/inner"]),
  "/x/docs/empty": page([], []),
  "/x/docs/inner": page(["x/docs/inner/c.txt"], []),
};
const timing = { random: () => 0, wait: async () => {}, now: () => 0 };
const words = {
  renamedFile: "Changed names.txt",
  renamedIntro: "Changed:",
  longFolder: "Long paths",
  visible: visibleText,
};
const never = new AbortController().signal;

it("lists what is chosen page by page and folder by folder, with paths from where it was chosen", async () => {
  const found: number[] = [];
  const { entries, renamed } = await listTree(
    [fileAt("x/z.txt", 7, "bare"), folderAt("/x/docs")],
    words,
    {
      timing,
      now: 0,
      list: async (path, cursor) => tree[cursor === undefined ? path : `${path} ${cursor}`] ?? page([], []),
      onFound: (files) => found.push(files),
    },
    never,
  );
  expect(entries.map(({ path, key }) => [path, key])).toEqual([
    ["docs/", ""],
    ["docs/a.txt", "x/docs/a.txt"],
    ["docs/b.txt", "x/docs/b.txt"],
    ["docs/empty/", ""],
    ["docs/inner/", ""],
    ["docs/inner/c.txt", "x/docs/inner/c.txt"],
    ["z.txt", "x/z.txt"],
  ]);
  expect(entries.at(-1)).toEqual({
    path: "z.txt",
    key: "x/z.txt",
    size: 7,
    etag: '"bare"',
    modified: Date.parse(lastModified),
  });
  expect(found.at(-1)).toBe(4);
  expect(renamed).toBe(0);
});

it("has a list of the names that were changed, and the content of a folder's own object under the folder's name", async () => {
  const odd = page(["x/odd/CON.txt", "x/odd/a\nb", "x/odd/A.txt", "x/odd/a.txt"], []);
  odd.rows.push(
    { type: "folder", name: "", path: "/x/odd//" },
    { type: "folder", name: "..", path: "/x/odd/.." },
    { ...fileAt("x/odd/"), name: "odd/" },
  );
  const up = page(["x/odd/../up"], []);
  const list = async (path: string) => ({ "/x/odd": odd, "/x/odd/..": up })[path] ?? page([], []);
  const { entries, renamed } = await listTree([folderAt("/x/odd")], words, { timing, now: 0, list }, never);
  expect(entries.map(({ path, key }) => [path, key])).toEqual([
    ["odd/", ""],
    ["odd/__/up", "x/odd/../up"],
    ["odd/_/", ""],
    ["odd/A.txt", "x/odd/A.txt"],
    ["odd/_CON.txt", "x/odd/CON.txt"],
    ["odd/a_b", "x/odd/a\nb"],
    ["odd/a (1).txt", "x/odd/a.txt"],
    ["odd/odd", "x/odd/"],
    ["Changed names.txt", ""],
  ]);
  expect(renamed).toBe(5);
  const { text, size } = entries.at(-1) ?? {};
  expect(text).toBe(
    [
      "Changed:",
      "",
      "odd/../up  →  odd/__/up",
      "odd//  →  odd/_/",
      "odd/CON.txt  →  odd/_CON.txt",
      "odd/a[U+000A]b  →  odd/a_b",
      "odd/a.txt  →  odd/a (1).txt",
      "",
    ].join("\r\n"),
  );
  expect(size).toBe(Buffer.byteLength(text ?? ""));
});

it("tries a page again after a temporary failure, and gives up on others, starting no more folders", async () => {
  let failures = 2;
  const folders = ["/1", "/2", "/3", "/4", "/5", "/6"].map(folderAt);
  const listed: string[] = [];
  const list = async (path: string) => {
    if (failures-- > 0) throw new FilesError("unavailable");
    listed.push(path);
    return page([], []);
  };
  expect((await listTree(folders, words, { timing, now: 0, list }, never)).entries.length).toBe(6);
  expect(listed.length).toBe(6);

  let asked = 0;
  const refuse = async () => {
    asked++;
    throw new FilesError("denied");
  };
  await expect(listTree(folders, words, { timing, now: 0, list: refuse }, never)).rejects.toMatchObject({
    code: "denied",
  });
  expect(asked).toBeLessThanOrEqual(4);
});

it("stops when it is cancelled, with the listings that are under way", async () => {
  const abort = new AbortController();
  const list = (_path: string, _cursor: string | undefined, signal: AbortSignal) =>
    new Promise<Page>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => abort.abort(new Error("cancelled")), 1);
    });
  const listing = listTree([folderAt("/a")], words, { timing, now: 0, list }, abort.signal);
  await expect(listing).rejects.toThrow("cancelled");
});
