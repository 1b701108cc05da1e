import { useMemo, useRef, useState } from "react";
import { nameMatcher } from "../../fold-name";
import { useSelection } from "../grid/use-selection";
import { useLanguage } from "../language";
import { arrangeRows, inOrderOf, type Row, rowId, type Sort } from "./folder-state";

export type List = ReturnType<typeof useList>;

/** The open folder's rows as the person has them: filtered, sorted, some of them selected. */
export function useList(loaded: Row[]) {
  const { formats } = useLanguage();
  const [filter, setFilterText] = useState("");
  const [sort, setSort] = useState<Sort>({ column: "name", descending: false });
  const before = useRef<Row[]>([]);
  const rows = useMemo(
    () => arrangeRows(inOrderOf(before.current, loaded), filter, sort, formats.compare),
    [loaded, filter, sort, formats],
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
    selection.keep(loaded.filter((row) => isWanted(row.name)));
  };
  return { rows, filter, setFilter, sort, setSort, selection, selected };
}
