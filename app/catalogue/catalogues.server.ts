import type { Database, Transaction } from "../providers/database.server";
import { isCausedByCode, UNIQUE_VIOLATION } from "../providers/database.server";
import { deleteObjects } from "./objects.sql.server";
import { readProgress } from "./scan.sql.server";

/** What is known of a bucket's catalogue. */
export type Catalogue = NonNullable<Awaited<ReturnType<typeof findCatalogue>>>;

/** Returns the catalogue of a bucket; null if it has none. */
export const findCatalogue = (database: Database, bucket: string) =>
  database.catalogue.findUnique({ where: { bucket } });

/** A catalogue that has all objects that its bucket had at a moment. */
export interface CompleteCatalogue {
  id: number;
  bucket: string;
  /** when the last complete scan began */
  scannedAt: Date;
}

/** Returns the complete catalogues of some buckets, or of all. */
export async function findCompleteCatalogues(
  database: Pick<Database, "catalogue"> | Transaction,
  buckets?: readonly string[],
): Promise<CompleteCatalogue[]> {
  const rows = await database.catalogue.findMany({
    where: {
      isBeingRemoved: false,
      scannedAt: { not: null },
      ...(buckets && { bucket: { in: [...buckets] } }),
    },
    select: { id: true, bucket: true, scannedAt: true },
  });
  return rows.flatMap(({ scannedAt, ...catalogue }) =>
    scannedAt === null ? [] : [{ ...catalogue, scannedAt }],
  );
}

/** Returns the catalogue of a bucket, a new one if it had none. It is empty until it is scanned. */
export async function addCatalogue(database: Database, bucket: string): Promise<Catalogue> {
  const known = await findCatalogue(database, bucket);
  if (known !== null) return known;
  try {
    return await database.catalogue.create({ data: { bucket } });
  } catch (error) {
    // Another process was faster.
    const added = isCausedByCode(error, UNIQUE_VIOLATION, "P2002")
      ? await findCatalogue(database, bucket)
      : null;
    if (added === null) throw error;
    return added;
  }
}

/**
 * Removes the catalogue of a bucket, a few thousand rows at a time. If it is stopped, repeat it.
 * @param options `onRows`: gets the number of rows removed so far
 * @returns whether all of it is removed; false if it was stopped
 */
export async function removeCatalogue(
  database: Database,
  { id }: Pick<Catalogue, "id">,
  { signal, onRows }: { signal: AbortSignal; onRows?: (rows: number) => void },
): Promise<boolean> {
  // From here on, nobody adds rows: a scan has no ranges, and whoever notes a change looks here first.
  await database.catalogue.updateMany({ where: { id }, data: { isBeingRemoved: true } });
  await database.catalogueRange.deleteMany({ where: { catalogueId: id } });
  for (let rows = 0; !signal.aborted; ) {
    const removed = await deleteObjects(database, id);
    if (removed === 0) {
      await database.catalogue.deleteMany({ where: { id } });
      return true;
    }
    rows += removed;
    onRows?.(rows);
  }
  return false;
}

/** What `npm run catalogue -- status` says of a bucket. Times are ISO 8601. */
export interface CatalogueStatus {
  bucket: string;
  /** `incomplete`: the first scan has not ended */
  state: "incomplete" | "complete" | "being removed";
  /** the last complete scan; null: there was none */
  lastScan: { startedAt: string; endedAt: string; objects: number; differences: number } | null;
  /** the scan that has begun and not ended, running or interrupted; null: there is none */
  scan: { startedAt: string; objects: number; differences: number } | null;
}

/** The status of all catalogues, or of that of one bucket. */
export async function readStatus(database: Database, bucket?: string): Promise<CatalogueStatus[]> {
  const catalogues = await database.catalogue.findMany({
    where: bucket === undefined ? {} : { bucket },
    orderBy: { bucket: "asc" },
  });
  return Promise.all(
    catalogues.map(async (catalogue): Promise<CatalogueStatus> => {
      const { id, bucket, isBeingRemoved, scanStartedAt, scannedAt, scanEndedAt, objects, differences } =
        catalogue;
      const state = scannedAt === null ? "incomplete" : "complete";
      const { isListed, ...progress } = await readProgress(database, id);
      return {
        bucket,
        state: isBeingRemoved ? "being removed" : state,
        lastScan:
          scannedAt === null || scanEndedAt === null
            ? null
            : {
                startedAt: scannedAt.toISOString(),
                endedAt: scanEndedAt.toISOString(),
                objects: Number(objects),
                differences: Number(differences),
              },
        scan: scanStartedAt === null ? null : { startedAt: scanStartedAt.toISOString(), ...progress },
      };
    }),
  );
}
