import { type FilesClient, moduleLoader, type Row } from "platform-embed-element/client";
import { type RefObject, useEffect, useMemo, useState } from "react";
import { type FileKind, fileKind } from "../file-kind";
import { whileNearby } from "../grid/while-nearby";
import type { ThumbnailPlace } from "./make-thumbnail";
import type { Thumbnails } from "./thumbnails";

const loadThumbnails = moduleLoader(() => import("./thumbnails"));
const loadMaker = moduleLoader(() => import("./make-thumbnail"));

const kinds: Record<ThumbnailPlace, readonly FileKind[]> = {
  row: ["image"],
  tile: ["image", "pdf", "video"],
};

const isWorthwhile = (row: Row, place: ThumbnailPlace) =>
  row.type === "file" && kinds[place].includes(fileKind(row.name));

/**
 * The thumbnails of the explorer, for the list and the tiles. Their code is loaded with the first file that may have one.
 * @param allowed whether the token allows downloads; images are not read otherwise
 * @returns null before, and if there are none
 */
export function useThumbnails(
  client: FilesClient,
  rows: readonly Row[],
  allowed: boolean,
): Thumbnails | null {
  const [thumbnails, setThumbnails] = useState<Thumbnails | null>(null);
  const hasPictures = useMemo(() => rows.some((row) => isWorthwhile(row, "tile")), [rows]);
  const isNeeded = allowed && (hasPictures || thumbnails !== null);
  useEffect(() => {
    if (!isNeeded) return;
    let isMounted = true;
    loadThumbnails().then(
      ({ Thumbnails }) => isMounted && setThumbnails((made) => made ?? new Thumbnails(client)),
      // Rows and tiles keep their icons.
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, [client, isNeeded]);
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

/** The URL of a thumbnail of a file of the person's computer, once the element is visible; null before, and if there is none. */
export function useFilePicture(element: RefObject<HTMLElement>, file: File | null): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (file === null || fileKind(file.name) !== "image") return;
    const make = async (signal: AbortSignal) => {
      const { makeThumbnail, mayHaveThumbnail } = await loadMaker();
      if (signal.aborted || !mayHaveThumbnail(file)) return;
      const thumbnail = await makeThumbnail(file.name, new Uint8Array(await file.arrayBuffer()), signal);
      if (!signal.aborted) setPicture(URL.createObjectURL(thumbnail));
    };
    return whileNearby(element.current, () => {
      const abort = new AbortController();
      // Without one, there is no picture.
      make(abort.signal).catch(() => {});
      return () => abort.abort();
    });
  }, [element, file]);
  useEffect(() => () => URL.revokeObjectURL(picture ?? ""), [picture]);
  return picture;
}
