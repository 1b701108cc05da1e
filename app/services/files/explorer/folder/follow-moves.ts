import { isBelow } from "../../folder-path";
import { pathOf, type Row, rowId } from "./folder-state";

/** What a change has put elsewhere, or under another name; `to` is null where it is gone. */
export interface Moved {
  from: Row;
  to: Row | null;
}

/** What a search below `here` has found, after a change: what went elsewhere is there, with all that is in it, unless that is not below `here`. */
export function followMoves(rows: readonly Row[], moved: readonly Moved[], here: string): Row[] {
  const byId = new Map(moved.map((one) => [rowId(one.from), one]));
  const folders = moved.filter(({ from }) => from.type === "folder");
  const follow = (row: Row): Row | null => {
    const own = byId.get(rowId(row));
    if (own) return own.to;
    const above = folders.find(({ from }) => isBelow(pathOf(row), pathOf(from)));
    if (!above) return row;
    return above.to && withPath(row, pathOf(above.to) + pathOf(row).slice(pathOf(above.from).length));
  };
  return rows.map(follow).filter((row) => row !== null && isBelow(pathOf(row), here)) as Row[];
}

function withPath(row: Row, path: string): Row {
  return row.type === "folder" ? { ...row, path } : { ...row, key: path.slice(1) };
}
