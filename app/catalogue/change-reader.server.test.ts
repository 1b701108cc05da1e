import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
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
  const reader = new ChangeReader({ $driverQuery: run as typeof own.database.$driverQuery });
  const listen = async (catalogueId: number, prefix: string) => {
    const heard: FolderChanges[] = [];
    const onEnd = vi.fn();
    const stop = await reader.listen({ catalogueId, prefix }, undefined, {
      onChanges: (changes) => heard.push(changes),
      onEnd,
    });
    return { heard, onEnd, stop };
  };
  return { reader, run, listen };
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

  it("is to be listed again if there is too much to tell", async () => {
    const { id, note } = await newCatalogue();
    const { reader, listen } = newReader();
    const { heard } = await listen(id, "many/");
    await note(Array.from({ length: 201 }, (_, index) => `many/${index}`));
    await expect.poll(() => heard.at(-1)).toMatchObject({ isIncomplete: true, objects: [] });
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
