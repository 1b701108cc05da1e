import type { StorageClient } from "../../storage-client";
import { problemOf, StorageProblem } from "../../storage-problem";
import type { ArchiveEntry } from "./archive-entry";
import type { SignKeys } from "./signed-urls";

export type SigningClient = Pick<StorageClient, "presignDownloads" | "secondsUntil">;

/** Signs with the token of the moment, and names the file that may not be read. */
export function signDownloads(client: SigningClient, entries: readonly ArchiveEntry[]): SignKeys {
  return async (keys, signal) => {
    const { downloads, expiresAt } = await client.presignDownloads(keys, signal);
    const urls = downloads.map((download) => {
      if ("url" in download) return download.url;
      const path = entries.find(({ key }) => key === download.key)?.path;
      throw new StorageProblem(problemOf(download.error), { path });
    });
    return { urls, validFor: client.secondsUntil(expiresAt) * 1000 };
  };
}
