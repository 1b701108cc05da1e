import { useMemo, useRef, useState } from "react";
import { useSelection } from "../grid/use-selection";
import { useLanguage } from "../language";
import { arrangeRows, inOrderOf, type Row, rowId, type Sort } from "./folder-state";

export type List = ReturnType<typeof useList>;

/** The open folder's rows as the person has them: filtered, sorted, some of them selected. */
export function useList(loaded: Row[]) {
  const { formats } = useLanguage();
  const [filter, setFilter] = useState("");
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
  return { rows, filter, setFilter, sort, setSort, selection, selected };
}
