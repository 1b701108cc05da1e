import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName } from "../../tests/support/files/bucket";
import { addCatalogue } from "./catalogues.server";
import { ChangeReader, type FolderChanges } from "./change-reader.server";
import { readClock, writeObserved } from "./objects.sql.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const object = { size: 3, etag: '"e"', lastModified: new Date("2026-01-01T00:00:00Z") };

async function newCatalogue() {
  const bucket = newBucketName();
  const { id } = await addCatalogue(own.database, bucket);
  await own.database.catalogue.update({ where: { id }, data: { scannedAt: new Date() } });
  return {
    id,
    bucket,
    async note(keys: readonly string[], content: typeof object | null = object) {
      const asOf = await readClock(own.database);
      await writeObserved(
        own.database,
        keys.map((key) => ({ bucket, key, asOf, object: content })),
      );
    },
  };
}

/** A reader that counts its statements. */
function newReader() {
  const run = vi.fn(own.database.$driverQuery);
  const runInTurn = vi.fn(own.database.$queryInTurn);
  const reader = new ChangeReader({
    $driverQuery: run as typeof own.database.$driverQuery,
    $queryInTurn: runInTurn as typeof own.database.$queryInTurn,
  });
  const listen = async (catalogueId: number, prefix: string, below?: boolean) => {
    const heard: FolderChanges[] = [];
    const onEnd = vi.fn();
    const stop = await reader.listen({ catalogueId, prefix, below }, undefined, "company", {
      onChanges: (changes) => heard.push(changes),
      onEnd,
    });
    return { heard, onEnd, stop };
  };
  return { reader, run, runInTurn, listen };
}

const told = (heard: readonly FolderChanges[]) =>
  heard
    .filter(
      ({ objects, gone, filled, emptied }) =>
        objects.length + gone.length + filled.length + emptied.length > 0,
    )
    .map(({ objects, ...others }) => ({ keys: objects.map(({ key }) => key), ...others }));

describe("a folder that somebody listens to", () => {
  it("is told what is directly in it, and which subfolders are new or gone", async () => {
    const { id, note } = await newCatalogue();
    await note(["old/a/1", "old/b/1", "old/b/2"]);
    const { reader, listen } = newReader();
    const root = await listen(id, "");
    const old = await listen(id, "old/");
    const elsewhere = await listen(id, "new/deep/");
    root.heard.length = 0;
    old.heard.length = 0;
    await note(["top.txt", "new/deep/1.txt"]);
    await expect.poll(() => told(root.heard)).toMatchObject([{ keys: ["top.txt"], filled: ["new/"] }]);
    expect(told(elsewhere.heard)).toMatchObject([{ keys: ["new/deep/1.txt"], filled: [] }]);
    await note(["old/a/1", "old/b/1"], null);
    await expect
      .poll(() => told(old.heard))
      .toMatchObject([{ keys: [], gone: [], filled: [], emptied: ["old/a/"] }]);
    await note(["top.txt"], null);
    await expect.poll(() => told(root.heard).at(-1)).toMatchObject({ keys: [], gone: ["top.txt"] });
    reader.close();
    expect(root.onEnd).toHaveBeenCalledTimes(1);
  });

  it("is told what is anywhere below it, if somebody asks for that, and others are not", async () => {
    const { id, note } = await newCatalogue();
    await note(["docs/old/a/1", "docs/old/a/2", "docs/old/b/1"]);
    const { reader, listen } = newReader();
    const below = await listen(id, "docs/", true);
    const direct = await listen(id, "docs/");
    below.heard.length = 0;
    direct.heard.length = 0;
    await note(["docs/new/deep/1.txt", "docs/top.txt", "docs2/secret.txt", "secret.txt"]);
    await expect
      .poll(() => told(below.heard))
      .toMatchObject([
        {
          keys: ["docs/new/deep/1.txt", "docs/top.txt"],
          filled: ["docs/new/", "docs/new/deep/"],
          emptied: [],
        },
      ]);
    await expect
      .poll(() => told(direct.heard))
      .toMatchObject([{ keys: ["docs/top.txt"], filled: ["docs/new/"] }]);
    await note(["docs/old/a/1", "docs/old/b/1"], null);
    await expect
      .poll(() => told(below.heard).at(-1))
      .toMatchObject({
        keys: [],
        gone: ["docs/old/a/1", "docs/old/b/1"],
        filled: [],
        emptied: ["docs/old/b/"],
      });
    expect(told(direct.heard)).toHaveLength(1);
    below.stop();
    expect(reader.listeners).toBe(1);
    reader.close();
    expect([below.onEnd.mock.calls.length, direct.onEnd.mock.calls.length]).toEqual([0, 1]);
  });

  it("below which too much has changed is to be searched again, and its own list is not", async () => {
    const { id, note } = await newCatalogue();
    const folders = Array.from({ length: 150 }, (_, index) => `docs/${index}/a`);
    await note(["docs/mine/a", ...folders.slice(0, 100)]);
    await note(folders.slice(100));
    const { reader, listen } = newReader();
    const below = await listen(id, "", true);
    const direct = await listen(id, "docs/mine/");
    below.heard.length = 0;
    direct.heard.length = 0;
    await note(["docs/mine/a", ...folders], null);
    await expect.poll(() => below.heard.at(-1)).toMatchObject({ isIncomplete: true, gone: [] });
    await expect.poll(() => told(direct.heard)).toMatchObject([{ gone: ["docs/mine/a"] }]);
    expect(direct.heard.filter(({ isIncomplete }) => isIncomplete)).toEqual([]);
    reader.close();
  });

  it("is to be listed again if there is too much to tell", async () => {
    const { id, note } = await newCatalogue();
    const { reader, listen } = newReader();
    const { heard } = await listen(id, "many/");
    await note(Array.from({ length: 201 }, (_, index) => `many/${index}`));
    await expect.poll(() => heard.at(-1)).toMatchObject({ isIncomplete: true, objects: [] });
    reader.close();
  });

  it("hears nothing of another bucket in which too much has changed", async () => {
    const [busy, quiet] = [await newCatalogue(), await newCatalogue()];
    const { reader, listen } = newReader();
    const inBusy = await listen(busy.id, "elsewhere/");
    const inQuiet = await listen(quiet.id, "");
    await query(
      own.url,
      `INSERT INTO catalogue_changes (catalogue_id, key, written_at)
       SELECT $1, 'x/' || number, now() AT TIME ZONE 'UTC' FROM generate_series(1, 5001) AS number`,
      [busy.id],
    );
    await expect.poll(() => inBusy.heard.at(-1)).toMatchObject({ isIncomplete: true });
    const asOf = await readClock(own.database);
    const deleted = ({ bucket }: { bucket: string }, key: string) => ({ bucket, key, asOf, object: null });
    await writeObserved(own.database, [
      ...Array.from({ length: 101 }, (_, index) => deleted(busy, `elsewhere/${index}/a`)),
      deleted(quiet, "gone/a"),
    ]);
    await expect.poll(() => told(inQuiet.heard)).toMatchObject([{ emptied: ["gone/"] }]);
    expect(inQuiet.heard.filter(({ isIncomplete }) => isIncomplete)).toEqual([]);
    await expect.poll(() => inBusy.heard.filter(({ isIncomplete }) => isIncomplete)).toHaveLength(2);
    reader.close();
  });

  it("looks at no folder around a key that nobody listens to", async () => {
    const { id } = await newCatalogue();
    await query(
      own.url,
      `INSERT INTO catalogue_changes (catalogue_id, key, written_at)
       SELECT $1, repeat('a/', 505) || number, now() AT TIME ZONE 'UTC' FROM generate_series(1, 1000) AS number`,
      [id],
    );
    const { reader } = newReader();
    const spy = vi.spyOn(String.prototype, "indexOf");
    const read = (prefix: string) => reader.readSince({ catalogueId: id, prefix }, undefined, "company");
    expect(await read("")).toMatchObject({ emptied: ["a/"] });
    expect(await read("a/".repeat(505))).toMatchObject({ isIncomplete: true });
    const below = { catalogueId: id, prefix: "", below: true };
    expect(await reader.readSince(below, undefined, "company")).toMatchObject({ isIncomplete: true });
    expect(spy.mock.calls.length).toBeLessThan(1_000);
    spy.mockRestore();
    reader.close();
  });

  it("is told in a turn of its own, so that others go on meanwhile", async () => {
    const { id, note } = await newCatalogue();
    const { reader, listen } = newReader();
    const all = await Promise.all(Array.from({ length: 20 }, () => listen(id, "")));
    const counts = new Set<number>();
    const count = () => all.reduce((sum, { heard }) => sum + told(heard).length, 0);
    let next = setImmediate(function look() {
      counts.add(count());
      next = setImmediate(look);
    });
    await note(["a.txt"]);
    await expect.poll(count).toBe(20);
    clearImmediate(next);
    expect([...counts]).toEqual(Array.from({ length: 21 }, (_, index) => index));
    reader.close();
  });

  it("misses nothing while the database is away, nor when the search for empty folders fails", async () => {
    const { id, note } = await newCatalogue();
    await note(["a/1"]);
    const { reader, run, listen } = newReader();
    const { heard } = await listen(id, "");
    heard.length = 0;
    vi.spyOn(console, "error").mockImplementation(() => {});
    const real = own.database.$driverQuery;
    let failures = 0;
    run.mockImplementation((async (...args: Parameters<typeof real>) => {
      if (failures < 3 && (failures !== 1 || String(args[0].text).includes("are_filled"))) {
        failures++;
        throw new Error("away");
      }
      return real(...args);
    }) as typeof real);
    await note(["a/1"], null);
    await note(["b.txt"]);
    await expect
      .poll(() => told(heard), { timeout: 10_000 })
      .toMatchObject([{ keys: ["b.txt"], emptied: ["a/"] }]);
    reader.close();
  });
});

it("a search for empty folders that takes too long holds up no other folder", async () => {
  const [slow, other] = [await newCatalogue(), await newCatalogue()];
  await slow.note(["a/1"]);
  const { reader, run, listen } = newReader();
  const [{ heard }, beside] = [await listen(slow.id, ""), await listen(other.id, "")];
  heard.length = 0;
  const real = own.database.$driverQuery;
  const tooLong = { text: "SELECT pg_sleep(10)", values: [] };
  run.mockImplementation((async (...args: Parameters<typeof real>) =>
    String(args[0].text).includes("are_filled")
      ? own.database.$queryInTurn("slow", tooLong, undefined, { milliseconds: 1 })
      : real(...args)) as typeof real);
  await slow.note(["a/1"], null);
  await expect.poll(() => heard).toMatchObject([{ isIncomplete: true }]);
  await other.note(["b.txt"]);
  await expect.poll(() => told(beside.heard)).toMatchObject([{ keys: ["b.txt"] }]);
  reader.close();
});

it("whoever asks what has happened takes turns with others of the company", async () => {
  const { id, note } = await newCatalogue();
  await note(["gone/1"], null);
  const { reader, run, runInTurn, listen } = newReader();
  const { stop } = await listen(id, "");
  await reader.readSince({ catalogueId: id, prefix: "" }, undefined, "other");
  expect(runInTurn.mock.calls.map(([caller]) => caller)).toEqual(["company", "company", "other", "other"]);
  expect(run).not.toHaveBeenCalled();
  stop();
  reader.close();
});

it("one statement a second reads for everybody, and none while nobody listens", async () => {
  const { id, note } = await newCatalogue();
  const { id: other } = await newCatalogue();
  const { reader, run, listen } = newReader();
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, index) => listen(index % 2 === 0 ? id : other, `${index % 7}/`)),
  );
  await note(["0/first"]);
  await expect.poll(() => told(all[0]?.heard ?? [])).toHaveLength(1);
  const started = performance.now();
  run.mockClear();
  await note(["0/second"]);
  await expect.poll(() => told(all[0]?.heard ?? [])).toHaveLength(2);
  await note(["0/third"]);
  await expect.poll(() => told(all[0]?.heard ?? [])).toHaveLength(3);
  const seconds = (performance.now() - started) / 1_000;
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(run.mock.calls.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  for (const { stop } of all) stop();
  run.mockClear();
  const late = newReader();
  const { heard } = await late.listen(id, "0/");
  await note(["0/fourth"]);
  await expect.poll(() => told(heard).some(({ keys }) => keys.includes("0/fourth"))).toBe(true);
  expect(run).not.toHaveBeenCalled();
  late.reader.close();
  reader.close();
});
