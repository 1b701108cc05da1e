import type { FilesClient, Row } from "platform-embed-element/client";
import { type RefObject, useEffect, useState, useSyncExternalStore } from "react";
import { whileNearby } from "../grid/while-nearby";
import { type FolderSize, FolderSizes, type KnownSizes, nothingKnown } from "./folder-sizes";

/** The sizes of folders, and what can be asked for more. */
export interface SizesOfFolders {
  sizes: FolderSizes;
  known: KnownSizes;
}

/**
 * The sizes of the folders on the screen.
 * @param available whether the platform can know them; otherwise nothing is asked
 * @returns null before hydration, and if they are not available
 */
export function useFolderSizes(client: FilesClient, available: boolean): SizesOfFolders | null {
  const [sizes, setSizes] = useState<FolderSizes | null>(null);
  useEffect(() => {
    if (!available) return;
    const made = new FolderSizes(client);
    setSizes(made);
    return () => made.close();
  }, [client, available]);
  const known = useSyncExternalStore(
    sizes?.subscribe ?? neverChanges,
    sizes?.getState ?? getNothing,
    getNothing,
  );
  return sizes && { sizes, known };
}

const neverChanges = () => () => {};
const getNothing = () => nothingKnown;

/** The path of a folder that may have a size: of one with deleted files, the row itself has it. */
export const sizedPath = (row: Row): string | null =>
  row.type === "folder" && !row.deletion ? row.path : null;

/**
 * Asks for the size of a row's folder, while it is visible.
 * @param element of the row, inside of `.list`
 * @param known its size, as far as it is known
 */
export function useFolderSize(
  element: RefObject<HTMLElement>,
  row: Row,
  sizes: FolderSizes | null,
  known: FolderSize | null | undefined,
): void {
  const path = sizedPath(row);
  const isKnown = known !== undefined;
  useEffect(() => {
    if (path === null || !sizes || isKnown) return;
    return whileNearby(element.current, () => sizes.want({ path }));
  }, [element, path, sizes, isKnown]);
}

/** The bytes of all folders among the rows, by path; null unless all of them are known. */
export function bytesOfFolders(
  rows: readonly Row[],
  { byPath }: KnownSizes,
): ReadonlyMap<string, number> | null {
  const bytes = new Map<string, number>();
  for (const row of rows) {
    const path = sizedPath(row);
    if (path === null) continue;
    const size = byPath.get(path);
    if (!size) return null;
    bytes.set(path, size.bytes);
  }
  return bytes;
}
