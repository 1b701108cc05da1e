import { type RefObject, useEffect, useState } from "react";
import type { Row } from "../../folder/folder-state";
import { mayHaveThumbnail } from "./make-thumbnail";
import type { Thumbnails } from "./thumbnails";

/** Tiles this near to being seen are seen to be, CSS pixels. */
const NEAR = "120px";

/**
 * The address of a row's small picture, as soon as its tile is seen and it is there; null for none.
 * @param thumbnails null where nothing may be downloaded
 */
export function useThumbnail(
  tile: RefObject<HTMLElement>,
  row: Row,
  thumbnails: Thumbnails | null,
): string | null {
  const file = thumbnails && row.type === "file" && mayHaveThumbnail(row) ? row : null;
  const [picture, setPicture] = useState(() => (file && thumbnails?.made(file)) ?? null);
  useEffect(() => {
    const element = tile.current;
    if (!element || !file || !thumbnails) return setPicture(null);
    let stop = () => {};
    const observer = new IntersectionObserver(
      ([entry]) => {
        stop();
        stop = entry?.isIntersecting ? thumbnails.want(file, setPicture) : () => {};
      },
      { root: element.closest(".list"), rootMargin: NEAR },
    );
    observer.observe(element);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [tile, file, thumbnails]);
  return picture;
}
