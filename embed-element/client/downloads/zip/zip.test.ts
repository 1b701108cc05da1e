import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { type FakeOperations, fakeCall } from "../../../../tests/support/files/fake-call";
import { fromBufferPromise, readEntries } from "../../../../tests/support/files/unzip";
import { realWorld } from "../../world";
import { makeZip } from "./zip";

const contents: Record<string, string> = {
  "docs/a.txt": "first",
  "docs/b.txt": "second",
  "docs/c.txt": "third",
};
const file = (key: string) => ({
  name: key.slice(key.lastIndexOf("/") + 1),
  key,
  size: contents[key]?.length ?? 0,
  lastModified: "2026-11-03T12:34:56.000Z",
  etag: '"e"',
});
const docs = { type: "folder" as const, name: "docs", path: "/docs" };

/** A bucket with these contents. The scanner has not checked `docs/b.txt`. */
function bucket(keys: readonly string[], operations: FakeOperations = {}) {
  const call = fakeCall({
    list: async () => ({ folders: [], files: keys.map(file), nextCursor: null }),
    ...operations,
  });
  const downloads = {
    secondsUntil: () => 300,
    urls: async (files: readonly { key: string }[], { check = false }: { check?: boolean }) => ({
      expiresAt: 0,
      downloads: files.map(({ key }) => {
        if (check) return key === "docs/b.txt" ? { key, error: "being_checked" } : { key };
        return { key, url: `https://store.example/${key}` };
      }),
    }),
  };
  const world = {
    ...realWorld,
    fetch: async (url: string) => new Response(contents[new URL(url).pathname.slice(1)]),
  };
  return { downloads, call, world };
}

it("says what it is going to contain and what it cannot, and writes exactly that to a sink", async () => {
  const keys = [...Object.keys(contents), "docs/../up"];
  const zip = await makeZip(bucket(keys), [docs], { onlyChecked: true });
  expect(zip.leftOut).toEqual([
    { path: "docs/../up", code: "not_addressable" },
    { path: "docs/b.txt", code: "being_checked" },
  ]);
  expect(zip).toMatchObject({ fileCount: 2, size: 10, renamed: 0 });
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  await zip.writeTo(Writable.toWeb(sink) as WritableStream<Uint8Array>);
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).toBe(zip.length);
  const entries = await readEntries(await fromBufferPromise(bytes));
  expect(entries.map(({ name, size }) => [name, size])).toEqual([
    ["docs/", 0],
    ["docs/a.txt", 5],
    ["docs/c.txt", 5],
  ]);
});

it("aborts the sink when a file cannot be read", async () => {
  const { world, ...store } = bucket(Object.keys(contents));
  const gone = { ...world, fetch: async () => new Response(null, { status: 404 }) };
  const zip = await makeZip({ ...store, world: gone }, [docs], {});
  const aborted: unknown[] = [];
  const sink = new WritableStream<Uint8Array>({ abort: (reason) => void aborted.push(reason) });
  await expect(zip.writeTo(sink)).rejects.toMatchObject({ code: "not_found", path: "docs/a.txt" });
  expect(aborted).toMatchObject([{ code: "not_found" }]);
});

it("refuses two versions of one file: URLs are signed by key", async () => {
  const version = (versionId: string) => ({ type: "file" as const, ...file("docs/a.txt"), versionId });
  await expect(makeZip(bucket([]), [version("v-1"), version("v-2")], {})).rejects.toThrow(RangeError);
  expect(await makeZip(bucket([]), [version("v-1"), version("v-1")], {})).toMatchObject({ fileCount: 2 });
});
