import { useCallback, useMemo, useRef, useState } from "react";
import { nameMatcher } from "../../fold-name";
import { useSelection } from "../grid/use-selection";
import { useLanguage } from "../language";
import type { FoundPage, SearchProgress } from "../search/use-search";
import { useTypeOf } from "../use-type-of";
import { arrangeRows, inOrderOf, type Row, rowId, type Sort, withRows } from "./folder-state";
import { followMoves, type Moved } from "./follow-moves";
import type { Folder } from "./use-folder";

export type List = ReturnType<typeof useList>;

interface Found {
  rows: Row[];
  state: SearchProgress;
}

const nothing: Row[] = [];
const nothingFound: Found = { rows: nothing, state: "done" };
const foundWith = (rows: Row[], state: SearchProgress): Found => ({
  rows: rows.length === 0 ? nothing : rows,
  state,
});

/** The open folder's rows, and those that a search has found below it, as the person has them: filtered, sorted, some of them selected. */
export function useList({ path, rows: inFolder }: Pick<Folder, "path" | "rows">) {
  const { formats } = useLanguage();
  const typeOf = useTypeOf();
  const [filter, setFilterText] = useState("");
  const [sort, setSort] = useState<Sort>({ column: "name", descending: false });
  const [asked, setAsked] = useState(0);
  const [found, setFoundRows] = useState<Found>(nothingFound);
  // What the folder has is newer than what was found.
  const loaded = useMemo(
    () => (found.rows === nothing ? inFolder : withRows(found.rows, inFolder)),
    [found.rows, inFolder],
  );
  const before = useRef<Row[]>([]);
  const rows = useMemo(
    () => arrangeRows(inOrderOf(before.current, loaded), filter, sort, formats.compare, typeOf),
    [loaded, filter, sort, formats, typeOf],
  );
  before.current = rows;
  const selection = useSelection(rows);
  const selected = useMemo(
    () => loaded.filter((row) => selection.ids.has(rowId(row))),
    [loaded, selection.ids],
  );
  const setFilter = (text: string) => {
    setFilterText(text);
    // Nobody should act on what they do not see.
    const isWanted = nameMatcher(text);
    const left = text === "" ? inFolder : loaded;
    selection.keep(left.filter((row) => isWanted(row.name)));
    if (text === "") setFoundRows(nothingFound);
  };
  const addFound = useCallback(
    ({ rows, state, anew }: FoundPage) =>
      setFoundRows((before) => foundWith(anew ? rows : withRows(before.rows, rows), state)),
    [],
  );
  /** Has what was found go where a change takes it. */
  const follow = (moved: readonly Moved[]) =>
    setFoundRows(({ rows, state }) => foundWith(followMoves(rows, moved, path), state));
  const searched = { found: found.rows.length, search: found.state, addFound, follow, asked };
  const askBelow = () => setAsked(asked + 1);
  return { rows, loaded, filter, setFilter, sort, setSort, selection, selected, ...searched, askBelow };
}
