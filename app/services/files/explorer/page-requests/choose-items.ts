import type { ChosenItem } from "../../../../../embed-element/protocol";
import { type StorageClient, urlOf } from "../../storage-client";
import { MAX_SIGNED_DOWNLOADS } from "../../storage-limits";
import { problemOf, StorageProblem } from "../../storage-problem";
import type { Row } from "../folder/folder-state";
import { selectedFile, selectedItem } from "./selected-items";

interface ChooseOptions {
  client: Pick<StorageClient, "call" | "bucket">;
  /** whether the token allows downloads: each file then gets a URL */
  withUrls: boolean;
  /** the token requires a tag: a file without it is not given to the page either */
  onlyChecked: boolean;
}

/**
 * What the embedding page gets of the chosen rows.
 * @throws StorageProblem, with the name of the file in `details.path` if it concerns one file
 */
export async function chooseItems(
  rows: readonly Row[],
  { client, withUrls, onlyChecked }: ChooseOptions,
): Promise<ChosenItem[]> {
  const { bucket } = client;
  if (!withUrls && !onlyChecked) return rows.map((row) => selectedItem(bucket, row));
  const items: ChosenItem[] = [];
  for (let at = 0; at < rows.length; at += MAX_SIGNED_DOWNLOADS) {
    const batch = rows.slice(at, at + MAX_SIGNED_DOWNLOADS);
    const keys = batch.flatMap((row) => (row.type === "file" ? [row.key] : []));
    const { downloads } =
      keys.length === 0
        ? { downloads: [] }
        : await client.call("presign-downloads", { keys, check: withUrls ? undefined : true });
    const byKey = new Map(downloads.map((download) => [download.key, download]));
    for (const row of batch) {
      if (row.type === "folder") {
        items.push(selectedItem(bucket, row));
        continue;
      }
      const download = byKey.get(row.key);
      const url = download && urlOf(download);
      const code = download && "error" in download ? download.error : undefined;
      if (download === undefined || code !== undefined || (withUrls && url === undefined))
        throw new StorageProblem(problemOf(code), { path: row.name });
      items.push({ ...selectedFile(bucket, row), ...(url !== undefined && { url }) });
    }
  }
  return items;
}
