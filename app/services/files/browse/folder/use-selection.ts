import { type Row, rowId } from "platform-embed-element/client";
import { useEffect, useState } from "react";

export interface Selection {
  ids: ReadonlySet<string>;
  /** The selection moves with the arrow keys: it is one row, selected by a click or as the result of a change. */
  followsFocus: boolean;
  /** The rows were selected because an upload or a change has made them, and not by the person. */
  isResult: boolean;
  /** Selects this row and deselects all others. */
  only(id: string): void;
  toggle(id: string): void;
  /**
   * Selects these rows and no others. They may be in the list only later.
   * @param isResult see `Selection.isResult`
   */
  set(ids: ReadonlySet<string>, isResult?: boolean): void;
  /** Selects from the start of the range to `id`, in the order on the screen. */
  extendTo(id: string): void;
  /** Selects all rows. While pages are being loaded, their rows are selected as they arrive. */
  all(): void;
  clear(): void;
  /** Deselects everything that is not in `rows`. */
  keep(rows: readonly Row[]): void;
}

interface Selected {
  ids: ReadonlySet<string>;
  /** where a range starts */
  anchor: string | null;
  followsFocus?: boolean;
  isResult?: boolean;
  isAll?: boolean;
}

const noneSelected: Selected = { ids: new Set(), anchor: null };

/** The selected rows, by id, so that sorting and refreshing keep the selection. */
export function useSelection(rows: Row[], isLoading: boolean): Selection {
  const [selected, setSelected] = useState(noneSelected);
  const { isAll } = selected;
  useEffect(() => {
    if (isAll) setSelected({ ids: new Set(rows.map(rowId)), anchor: null, isAll: isLoading });
  }, [isAll, rows, isLoading]);
  return {
    ids: selected.ids,
    followsFocus: selected.followsFocus ?? false,
    isResult: selected.isResult ?? false,
    only: (id) => setSelected({ ids: new Set([id]), anchor: id, followsFocus: true }),
    set: (ids, isResult = false) =>
      setSelected(({ anchor }) => {
        const [first] = ids;
        return first !== undefined && ids.size === 1
          ? { ids, anchor: first, followsFocus: true, isResult }
          : { ids, anchor, isResult };
      }),
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
    all: () => setSelected({ ids: new Set(rows.map(rowId)), anchor: null, isAll: true }),
    clear: () => setSelected(noneSelected),
    keep: (kept) => setSelected((before) => withOnly(before, kept)),
  };
}

function withOnly(selected: Selected, rows: readonly Row[]): Selected {
  if (selected.ids.size === 0) return selected;
  const isKept = new Set(rows.map(rowId));
  const { anchor, isResult } = selected;
  return {
    isResult,
    ids: new Set([...selected.ids].filter((id) => isKept.has(id))),
    anchor: anchor !== null && isKept.has(anchor) ? anchor : null,
  };
}
