import { type Moved, type Row, rowId, withRows } from "platform-embed-element/client";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { nameMatcher } from "../../../../shared/fold-name";
import { useLanguage } from "../../screen/language";
import { useTypeOf } from "../use-type-of";
import { arrangeRows, followMoves, inOrderOf, type Sort, whereIs } from "./arrange-rows";
import { deletedRows } from "./deleted-rows";
import type { Folder } from "./use-folder";

export type List = ReturnType<typeof useList>;

/** `cut`: the search ended early. */
type SearchStatus = "running" | "cut" | "done";

/** What one request of a search has found. */
export interface FoundPage {
  rows: readonly Row[];
  state: SearchStatus;
  /** replaces earlier results */
  replaces: boolean;
}

interface SearchHits {
  rows: readonly Row[];
  state: SearchStatus;
}

/** What was deleted last is looked for most often. */
const firstSorts: Record<"deleted" | "other", Sort> = {
  deleted: { column: "modified", descending: true },
  other: { column: "name", descending: false },
};

const nothingFound: SearchHits = { rows: [], state: "done" };

/** The rows of the open folder and the search results below it: filtered, sorted, with the selection. */
export function useList({
  path,
  time,
  rows: inView,
  existingFolders,
  status,
}: Pick<Folder, "path" | "time" | "rows" | "existingFolders" | "status">) {
  const { formats } = useLanguage();
  const typeOf = useTypeOf();
  const [filter, setFilterText] = useState("");
  const [sorts, setSorts] = useState(firstSorts);
  const isDeleted = time.kind === "deleted";
  const sort = isDeleted ? sorts.deleted : sorts.other;
  const setSort = (sort: Sort) => setSorts({ ...sorts, [isDeleted ? "deleted" : "other"]: sort });
  const [searchRequests, setSearchRequests] = useState(0);
  const [found, setFound] = useState(nothingFound);
  const inFolder = useMemo(
    () => (isDeleted ? deletedRows(inView, { here: path, existingFolders, filter }) : inView),
    [isDeleted, inView, path, existingFolders, filter],
  );
  // Rows of the folder are newer than search results.
  const loaded = useMemo(
    () => (found.rows.length === 0 ? inFolder : withRows(found.rows, inFolder)),
    [found.rows, inFolder],
  );
  const before = useRef<Row[]>([]);
  const rows = useMemo(
    () =>
      arrangeRows(inOrderOf(before.current, loaded), { here: path, filter }, sort, formats.compare, typeOf),
    [loaded, path, filter, sort, formats, typeOf],
  );
  before.current = rows;
  const selection = useSelection(rows, status === "more");
  const selected = useMemo(
    () => loaded.filter((row) => selection.ids.has(rowId(row))),
    [loaded, selection.ids],
  );
  const setFilter = (text: string) => {
    setFilterText(text);
    // Deselect rows that are filtered out: nobody should act on what they do not see.
    const isWanted = nameMatcher(text);
    const current = text === "" ? inFolder : loaded;
    // A filter lists more deleted files one by one.
    const left = isDeleted ? deletedRows(inView, { here: path, existingFolders, filter: text }) : current;
    selection.keep(left.filter((row) => isWanted(row.name, whereIs(row, path) ?? "")));
    if (text === "") setFound(nothingFound);
  };
  const addFound = useCallback(
    ({ rows, state, replaces }: FoundPage) =>
      setFound((before) => ({ rows: replaces ? rows : withRows(before.rows, rows), state })),
    [],
  );
  return {
    rows,
    loaded,
    total: inFolder.length,
    filter,
    setFilter,
    sort,
    setSort,
    selection,
    selected,
    /** number of search results */
    found: found.rows.length,
    search: found.state,
    addFound,
    /** Updates search results after a change. */
    follow: (moved: readonly Moved[]) =>
      setFound(({ rows, state }) => ({ rows: followMoves(rows, moved, path), state })),
    searchRequests,
    searchNow: () => setSearchRequests(searchRequests + 1),
  };
}

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
function useSelection(rows: Row[], isLoading: boolean): Selection {
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
