import { prefixOf } from "platform-embed-element/client";
import type { Database } from "../../providers/database.server";
import type { VersionPosition } from "../../providers/listings.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { hasCode } from "../../shared/app-error";
import { findCompleteCatalogues } from "../catalogues.server";
import { sumFolders } from "../folder-sizes.server";
import { findUncounted, insertUsageDay } from "./usage-days.sql.server";

/** Pages of a thousand versions that are listed for one folder. */
const MAX_VERSION_PAGES = 20;
/** Unfinished uploads of one folder whose parts are listed, with a request for each. */
const MAX_UNFINISHED_UPLOADS = 100;

export interface UsageTools {
  database: Pick<Database, "$driverQuery" | "$queryInTurn" | "catalogue">;
  objectStore: Pick<ObjectStore, "listVersions" | "listUnfinishedUploads" | "listParts">;
}

/**
 * Writes today's usage of the whole of each bucket with a complete catalogue, and of some of its paths. Safe to repeat and several at once: what
 * has a row of today is left out.
 * @param pathsOf the paths of each bucket that are counted as well
 * @param onSkipped gets a sentence about what could not be counted
 * @returns how many rows were written
 */
export async function countUsage(
  { database, objectStore }: UsageTools,
  pathsOf: ReadonlyMap<string, ReadonlySet<string>>,
  { signal, onSkipped }: { signal: AbortSignal; onSkipped(sentence: string): void },
): Promise<number> {
  let written = 0;
  for (const { id, bucket } of await findCompleteCatalogues(database)) {
    const paths = [...new Set(["/", ...(pathsOf.get(bucket) ?? [])])];
    for (const path of await findUncounted(database, bucket, paths)) {
      if (signal.aborted) return written;
      const folder = { bucket, prefix: prefixOf(path) };
      // An operator's command is no company.
      const [size] = await sumFolders(database, "", { id }, [folder.prefix], { signal });
      if (!size) return written;
      const count = {
        objects: size.objects,
        bytes: size.bytes,
        versionBytes: await sumVersions(folder),
        unfinishedBytes: await sumUnfinished(folder),
      };
      if (await insertUsageDay(database, { bucket, path }, count)) written += 1;
    }
  }
  return written;

  async function sumVersions(folder: { bucket: string; prefix: string }): Promise<number | null> {
    return orNull(folder, "versions", async () => {
      let bytes = 0;
      let after: VersionPosition | undefined;
      for (let pages = 0; pages < MAX_VERSION_PAGES; pages++) {
        const page: Awaited<ReturnType<typeof objectStore.listVersions>> = await objectStore.listVersions({
          ...folder,
          after,
        });
        for (const { isLatest, size } of page.versions) if (!isLatest) bytes += size;
        if (page.next === null) return bytes;
        after = page.next;
      }
      return `there are more than ${MAX_VERSION_PAGES * 1_000}`;
    });
  }

  async function sumUnfinished(folder: { bucket: string; prefix: string }): Promise<number | null> {
    return orNull(folder, "unfinished uploads", async () => {
      const { uploads, isAll } = await objectStore.listUnfinishedUploads(folder);
      if (!isAll || uploads.length > MAX_UNFINISHED_UPLOADS)
        return `there are more than ${MAX_UNFINISHED_UPLOADS}`;
      let bytes = 0;
      for (const upload of uploads) {
        const parts = await objectStore
          .listParts({ bucket: folder.bucket, ...upload, algorithm: null })
          .catch((error: unknown) => {
            // It was completed or aborted meanwhile.
            if (hasCode(error, "upload_not_found")) return [];
            throw error;
          });
        for (const { size } of parts) bytes += size;
      }
      return bytes;
    });
  }

  /** @param count returns why it has not counted, in place of bytes */
  async function orNull(
    { bucket, prefix }: { bucket: string; prefix: string },
    what: string,
    count: () => Promise<number | string>,
  ): Promise<number | null> {
    const counted = await count().catch((error: unknown) => {
      if (hasCode(error, "provider_failed", "unavailable"))
        return `the store refused: ${error.logDetail ?? error.message}`;
      throw error;
    });
    if (typeof counted === "number") return counted;
    onSkipped(`${bucket}/${prefix}: ${what} are not counted, because ${counted}.`);
    return null;
  }
}
