import { useCallback, useMemo, useState } from "react";
import { type Row, rowId } from "../folder/folder-state";

interface Selected {
  ids: ReadonlySet<string>;
  /** where a range starts */
  anchor: string | null;
}

export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
  /** From the anchor to `id`, in the order of the screen. */
  extendTo(id: string): void;
  all(): void;
  clear(): void;
}

const nothing: Selected = { ids: new Set(), anchor: null };

/** Which of the rows on the screen are selected. Kept by id, so that sorting, filtering and refreshing leave it alone. */
export function useSelection(rows: Row[]): Selection {
  const [selected, setSelected] = useState(nothing);

  const toggle = useCallback((id: string) => {
    setSelected(({ ids }) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      return { ids: next, anchor: id };
    });
  }, []);

  const clear = useCallback(() => setSelected(nothing), []);

  return useMemo(
    () => ({
      ids: selected.ids,
      toggle,
      clear,
      extendTo(id) {
        setSelected(({ ids, anchor }) => {
          const order = rows.map(rowId);
          const ends = [order.indexOf(anchor ?? id), order.indexOf(id)].sort((a, b) => a - b);
          const range = order.slice(Math.max(ends[0] ?? 0, 0), (ends[1] ?? 0) + 1);
          return { ids: new Set([...ids, ...range]), anchor: anchor ?? id };
        });
      },
      all: () => setSelected({ ids: new Set(rows.map(rowId)), anchor: null }),
    }),
    [selected, rows, toggle, clear],
  );
}
