import { type RefObject, useEffect, useState } from "react";
import { whileNearby } from "../grid/while-nearby";
import { makeThumbnail, mayHaveThumbnail } from "./make-thumbnail";

/** The URL of a thumbnail of a file of the person's computer, once the element is visible; null before, and if there is none. */
export function useFilePicture(element: RefObject<HTMLElement>, file: File | null): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (file === null || !mayHaveThumbnail(file)) return;
    const make = async (signal: AbortSignal) => {
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
