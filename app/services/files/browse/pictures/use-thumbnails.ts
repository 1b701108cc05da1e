import type { FilesClient, Row } from "platform-embed-element/client";
import { type RefObject, useEffect, useMemo, useState } from "react";
import { type FileKind, fileKind } from "../file-kind";
import { whileNearby } from "../grid/while-nearby";
import type { ThumbnailPlace } from "./make-thumbnail";
import type { Thumbnails } from "./thumbnails";

const kinds: Record<ThumbnailPlace, readonly FileKind[]> = {
  row: ["image"],
  tile: ["image", "pdf", "video"],
};

/** Exports of `thumbnails.ts`. */
type ThumbnailsCode = Pick<typeof import("./thumbnails"), "Thumbnails">;

const isWorthwhile = (row: Row, place: ThumbnailPlace) =>
  row.type === "file" && kinds[place].includes(fileKind(row.name));

/**
 * The thumbnails of the explorer, for the list and the tiles. Their code is loaded with the first file that may have one.
 * @param hasOthers whether files are shown that are not among `rows`
 * @param allowed whether the token allows downloads; images are not read otherwise
 * @param load always the same function
 * @returns null before, and if there are none
 */
export function useThumbnails(
  client: FilesClient,
  rows: readonly Row[],
  hasOthers: boolean,
  allowed: boolean,
  load: () => Promise<ThumbnailsCode>,
): Thumbnails | null {
  const [thumbnails, setThumbnails] = useState<Thumbnails | null>(null);
  const hasPictures = useMemo(() => rows.some((row) => isWorthwhile(row, "tile")), [rows]);
  const isNeeded = allowed && (hasPictures || hasOthers || thumbnails !== null);
  useEffect(() => {
    if (!isNeeded) return;
    let isMounted = true;
    load().then(
      ({ Thumbnails }) => isMounted && setThumbnails((made) => made ?? new Thumbnails(client)),
      // Rows and tiles keep their icons.
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, [client, isNeeded, load]);
  useEffect(() => () => thumbnails?.close(), [thumbnails]);
  return thumbnails;
}

/**
 * The URL of a row's thumbnail once the row is visible and the thumbnail is made; null before, and if there is none.
 * @param element of the row or tile, inside of `.list`
 */
export function useThumbnail(
  element: RefObject<HTMLElement>,
  row: Row,
  thumbnails: Thumbnails | null,
  place: ThumbnailPlace = "row",
): string | null {
  const file = row.type === "file" && isWorthwhile(row, place) ? row : null;
  const [picture, setPicture] = useState(() => (file && thumbnails?.made(file)) ?? null);
  useEffect(() => {
    if (!file || !thumbnails) return setPicture(null);
    return whileNearby(element.current, () => thumbnails.want(file, place, setPicture));
  }, [element, file, thumbnails, place]);
  return picture;
}
