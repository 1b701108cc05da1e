import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { addCatalogue } from "./catalogues.server";
import { UsableCatalogues } from "./usable-catalogues.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

async function addScanned(bucket: string, scannedAt: Date | null) {
  const { id } = await addCatalogue(own.database, bucket);
  await own.database.catalogue.update({ where: { id }, data: { scannedAt } });
  return id;
}

describe("a catalogue answers in place of the store", () => {
  it("once it is complete, and as long as its last scan is new enough", async () => {
    const scannedAt = minutesAgo(10);
    const id = await addScanned("scanned", scannedAt);
    await addScanned("incomplete", null);
    const clock = { now: () => Date.now() };
    const catalogues = new UsableCatalogues(own.database, 3_600, clock);
    await expect(catalogues.find("scanned")).resolves.toEqual({ id, bucket: "scanned", asOf: scannedAt });
    await expect(catalogues.find("incomplete")).resolves.toBeUndefined();
    await expect(catalogues.find("without")).resolves.toBeUndefined();
    clock.now = () => Date.now() + 3_600_000;
    await expect(catalogues.find("scanned")).resolves.toBeUndefined();
  });

  it("not while it is being removed", async () => {
    const id = await addScanned("removed", minutesAgo(1));
    await own.database.catalogue.update({ where: { id }, data: { isBeingRemoved: true } });
    await expect(new UsableCatalogues(own.database, 3_600).find("removed")).resolves.toBeUndefined();
  });

  it("five seconds after its scan has ended, without a query for each request", async () => {
    await addScanned("fresh", null);
    const findMany = vi.fn(own.database.catalogue.findMany);
    const clock = { now: () => 0 };
    const database = { catalogue: { findMany } } as unknown as typeof own.database;
    const catalogues = new UsableCatalogues(database, 1, clock);
    await expect(catalogues.find("fresh")).resolves.toBeUndefined();
    await addScanned("fresh", new Date(4_500));
    clock.now = () => 4_999;
    await expect(catalogues.find("fresh")).resolves.toBeUndefined();
    expect(findMany).toHaveBeenCalledTimes(1);
    clock.now = () => 5_000;
    await expect(catalogues.find("fresh")).resolves.toMatchObject({ bucket: "fresh" });
  });

  it("not while the database is away, and no table is read without the setting", async () => {
    const findMany = vi.fn().mockRejectedValue(new Error("away"));
    const database = { catalogue: { findMany } } as unknown as typeof own.database;
    await expect(new UsableCatalogues(database, undefined).find("any")).resolves.toBeUndefined();
    expect(findMany).not.toHaveBeenCalled();
    await expect(new UsableCatalogues(database, 3_600).find("any")).resolves.toBeUndefined();
  });
});
