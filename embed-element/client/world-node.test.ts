import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeWorld } from "./world-node";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "world-node-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("records are kept in a folder that only its owner may read, and can be replaced and deleted", async () => {
  const path = join(folder, "deep", "records");
  const { storage } = nodeWorld({ storage: path });
  expect(await storage.all()).toEqual([]);
  const record = { id: "a/b", arrived: 1 };
  await storage.put(record);
  await storage.put({ id: "c" });
  await storage.put({ ...record, id: "a/b" });
  expect((await storage.all()).sort((one, other) => one.id.localeCompare(other.id))).toEqual([
    record,
    { id: "c" },
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await storage.delete("a/b");
  await storage.delete("a/b");
  expect(await readdir(path)).toEqual(["c.json"]);
});

test("writes and deletions that do not wait for each other happen in their order", async () => {
  const { storage } = nodeWorld({ storage: folder });
  const puts = Array.from({ length: 20 }, (_, arrived) =>
    storage.put({ id: "a", arrived } as { id: string }),
  );
  await Promise.all(puts);
  expect(await storage.all()).toEqual([{ id: "a", arrived: 19 }]);
  await Promise.all([storage.put({ id: "a" }), storage.delete("a")]);
  expect(await readdir(folder)).toEqual([]);
});

test("a record that was damaged, or is half written, is no record", async () => {
  await writeFile(join(folder, "a.json"), '{"id":');
  await writeFile(join(folder, "b.json.new"), '{"id":"b"}');
  expect(await nodeWorld({ storage: folder }).storage.all()).toEqual([]);
});

test("two programs may write the same record at once: each file is always one of theirs", async () => {
  const programs = [nodeWorld({ storage: folder }), nodeWorld({ storage: folder })];
  const recordOf = (length: number) => ({ id: "a", text: "x".repeat(length) });
  for (let round = 0; round < 50; round++) {
    await Promise.all(programs.map(({ storage }, index) => storage.put(recordOf(index * 5_000 + round))));
    const [record] = (await programs[0]?.storage.all()) ?? [];
    expect([round, 5_000 + round]).toContain((record as ReturnType<typeof recordOf>).text.length);
  }
  expect(await readdir(folder)).toEqual(["a.json"]);
});

test("what a killed program has left half written is removed, and what another one may be writing is not", async () => {
  const [left, written] = [join(folder, "a.json.1.new"), join(folder, "b.json.2.new")];
  for (const path of [left, written]) await writeFile(path, "{");
  await utimes(left, 1_000, 1_000);
  expect(await nodeWorld({ storage: folder }).storage.all()).toEqual([]);
  expect(await readdir(folder)).toEqual(["b.json.2.new"]);
});

test("files of others in the folder are left alone", async () => {
  const names = ["a.json.1.x.new", "notes.new", "report.json.new.txt"];
  for (const name of names) {
    await writeFile(join(folder, name), "theirs");
    await utimes(join(folder, name), 1_000, 1_000);
  }
  expect(await nodeWorld({ storage: folder }).storage.all()).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(names);
});

test("a record that cannot be written leaves nothing behind", async () => {
  const { storage } = nodeWorld({ storage: folder });
  await mkdir(join(folder, "a.json"));
  await expect(storage.put({ id: "a" })).rejects.toThrow();
  expect(await readdir(folder)).toEqual(["a.json"]);
});

test("without a folder, nothing is remembered", async () => {
  await expect(nodeWorld().storage.all()).rejects.toThrow();
});

test("a file is opened by its path, with its name and time", async () => {
  const path = join(folder, "film.mp4");
  await writeFile(path, "bytes");
  await utimes(path, 1_000, 2_000);
  const file = await nodeWorld().openFile?.(path);
  expect([file?.name, file?.size, file?.lastModified, await file?.text()]).toEqual([
    "film.mp4",
    5,
    2_000_000,
    "bytes",
  ]);
  await expect(nodeWorld().openFile?.(join(folder, "none"))).rejects.toMatchObject({ code: "unreadable" });
});

test("MD5s are computed, for stores that compare nothing else", async () => {
  const read = await nodeWorld().readBlob?.(new Blob(["hello"]), "MD5");
  expect(read?.md5).toBe("XUFAKrxLKna5cZ2REBfFkg==");
});
