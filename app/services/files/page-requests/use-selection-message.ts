import { useEffect, useRef } from "react";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import type { List } from "../browse/folder/use-list";
import { SERVICE } from "../place/props";

/** Of more items, the page gets the count only. */
const MAX_ITEMS = 1_000;
/** The selection changes with every row that the pointer or an arrow key passes. The page gets it when it has not changed for this time. */
const DELAY_MS = 100;

/** Exports of `selected-items.ts`. */
type SelectionCode = Pick<typeof import("./selected-items"), "selectedItem">;

/**
 * Tells the embedding page what is selected.
 * @param load always the same function
 */
export function useSelectionMessage(
  embeddingPage: EmbeddingPage,
  bucket: string,
  selected: List["selected"],
  load: () => Promise<SelectionCode>,
): void {
  const hasTold = useRef(false);
  useEffect(() => {
    // Nothing is selected when a page opens.
    if (!hasTold.current && selected.length === 0) return;
    let isCurrent = true;
    const tell = async () => {
      const { selectedItem } = await load();
      if (!isCurrent) return;
      hasTold.current = true;
      embeddingPage.post({
        type: "platform.embed.selection",
        service: SERVICE,
        items: selected.slice(0, MAX_ITEMS).map((row) => selectedItem(bucket, row)),
        count: selected.length,
      });
    };
    // Without a connection, the page gets the next selection only.
    const timer = setTimeout(() => tell().catch(() => {}), DELAY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [embeddingPage, bucket, selected, load]);
}
