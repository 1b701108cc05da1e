import { type Moved, type Row, rowId, withRows } from "platform-embed-element/client";
import { useCallback, useMemo, useRef, useState } from "react";
import { nameMatcher } from "../../../../shared/fold-name";
import { useLanguage } from "../../screen/language";
import { isFiltering } from "../file-filter";
import { type FilterChoice, filterOf, noChoice } from "../filter-choice";
import { bytesOfFolders, type SizesOfFolders } from "../sizes/use-folder-sizes";
import { useTypeOf } from "../use-type-of";
import { filesOnly, followMoves, rowFilter, rowOrder, type Sort, sortRows, whereIs } from "./arrange-rows";
import { deletedRows } from "./deleted-rows";
import { type FoundPage, nothingFound, withChange, withPage } from "./search-hits";
import type { Folder } from "./use-folder";
import { useSelection } from "./use-selection";

export type List = ReturnType<typeof useList>;

/** What was deleted last is looked for most often. */
const firstSorts: Record<"deleted" | "other", Sort> = {
  deleted: { column: "modified", descending: true },
  other: { column: "name", descending: false },
};

/**
 * The rows of the open folder and the search results below it: filtered, sorted, with the selection.
 * @param sizes of folders; null: they are not known
 */
export function useList(
  {
    path,
    time,
    rows: inView,
    existingFolders,
    status,
  }: Pick<Folder, "path" | "time" | "rows" | "existingFolders" | "status">,
  sizes: SizesOfFolders | null,
) {
  const { formats } = useLanguage();
  const typeOf = useTypeOf();
  const [filter, setFilterText] = useState("");
  const [choice, setChosen] = useState(noChoice);
  /** The field or a filter is being used: the filters are there. */
  const [isSearching, setSearching] = useState(false);
  const [sorts, setSorts] = useState(firstSorts);
  const isDeleted = time.kind === "deleted";
  const sort = isDeleted ? sorts.deleted : sorts.other;
  // The past is only filtered by names. One moment for all requests of a search.
  const isNow = time.kind === "now";
  const files = useMemo(() => (isNow ? filterOf(choice, Date.now()) : {}), [choice, isNow]);
  const isFiltered = filter !== "" || isFiltering(files);
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
  const known = sort.column === "size" && time.kind === "now" ? sizes?.known : undefined;
  const folderBytes = useMemo(() => (known ? bytesOfFolders(loaded, known) : null), [loaded, known]);
  const order = useMemo(
    () => rowOrder(sort, formats.compare, typeOf, folderBytes),
    [sort, formats, typeOf, folderBytes],
  );
  const before = useRef<{ rows: Row[]; order: typeof order }>({ rows: [], order });
  const rows = useMemo(() => {
    const wanted = loaded.filter(rowFilter({ here: path, filter, files }));
    return sortRows(wanted, order, before.current.order === order ? before.current.rows : []);
  }, [loaded, path, filter, files, order]);
  before.current = { rows, order };
  const selection = useSelection(rows, status === "more");
  const selected = useMemo(
    () => loaded.filter((row) => selection.ids.has(rowId(row))),
    [loaded, selection.ids],
  );
  const setFilter = (text: string) => {
    setFilterText(text);
    // Deselect rows that are filtered out: nobody should act on what they do not see.
    const isWanted = nameMatcher(text);
    const current = text === "" && !isFiltering(files) ? inFolder : loaded;
    // A filter lists more deleted files one by one.
    const left = isDeleted ? deletedRows(inView, { here: path, existingFolders, filter: text }) : current;
    selection.keep(left.filter((row) => isWanted(row.name, whereIs(row, path) ?? "")));
    if (text === "" && !isFiltering(files)) setFound(nothingFound);
  };
  /** Deselects what is filtered out, as `setFilter` does. */
  const setChoice = (choice: FilterChoice) => {
    setChosen(choice);
    const wanted = filterOf(choice, Date.now());
    if (isFiltering(wanted)) selection.keep(filesOnly(loaded, wanted));
    else if (filter === "") {
      selection.keep(inFolder);
      setFound(nothingFound);
    }
  };
  /** Ends the search, and shows the whole folder. */
  const showAll = () => {
    setFilter("");
    setChosen(noChoice);
    setFound(nothingFound);
    setSearching(false);
  };
  const addFound = useCallback((page: FoundPage) => setFound((before) => withPage(before, page)), []);
  const isShown = useMemo(() => rowFilter({ here: path, filter, files }), [path, filter, files]);
  return {
    rows,
    loaded,
    total: inFolder.length,
    filter,
    setFilter,
    choice,
    setChoice,
    files,
    /** by name, kind, date or size */
    isFiltered,
    isSearching,
    startSearching: () => setSearching(true),
    showAll,
    sort,
    setSort,
    selection,
    selected,
    found: found.rows,
    search: found.state,
    addFound,
    isShown,
    /** Updates search results after changes by others. @param gone ids of rows */
    applyChanges: (added: readonly Row[], gone: ReadonlySet<string>) =>
      setFound((before) => withChange(before, { added, gone })),
    /** Updates search results after a change. */
    follow: (moved: readonly Moved[]) =>
      setFound((before) => ({ ...before, rows: followMoves(before.rows, moved, path) })),
    searchRequests,
    searchNow: () => setSearchRequests(searchRequests + 1),
  };
}
