import { useState } from "react";
import { type Row, rowId } from "../folder/folder-state";

export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
  /** From where a range starts to `id`, in the order of the screen. */
  extendTo(id: string): void;
  all(): void;
  clear(): void;
  /** Those of `rows` stay selected, no others. */
  keep(rows: readonly Row[]): void;
}

interface Selected {
  ids: ReadonlySet<string>;
  /** where a range starts */
  anchor: string | null;
}

const nothing: Selected = { ids: new Set(), anchor: null };

/** Which of the rows on the screen are selected. Kept by id, so that sorting and refreshing leave it alone. */
export function useSelection(rows: Row[]): Selection {
  const [selected, setSelected] = useState(nothing);
  return {
    ids: selected.ids,
    toggle(id) {
      setSelected(({ ids }) => {
        const next = new Set(ids);
        if (!next.delete(id)) next.add(id);
        return { ids: next, anchor: id };
      });
    },
    extendTo(id) {
      setSelected(({ ids, anchor }) => {
        const order = rows.map(rowId);
        const ends = [order.indexOf(anchor ?? id), order.indexOf(id)].sort((a, b) => a - b);
        const range = order.slice(Math.max(ends[0] ?? 0, 0), (ends[1] ?? 0) + 1);
        return { ids: new Set([...ids, ...range]), anchor: anchor ?? id };
      });
    },
    all: () => setSelected({ ids: new Set(rows.map(rowId)), anchor: null }),
    clear: () => setSelected(nothing),
    keep: (kept) => setSelected((before) => withOnly(before, kept)),
  };
}

function withOnly(selected: Selected, rows: readonly Row[]): Selected {
  if (selected.ids.size === 0) return selected;
  const isKept = new Set(rows.map(rowId));
  const { anchor } = selected;
  return {
    ids: new Set([...selected.ids].filter((id) => isKept.has(id))),
    anchor: anchor !== null && isKept.has(anchor) ? anchor : null,
  };
}
