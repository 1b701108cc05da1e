import { type FilesClient, rowId } from "platform-embed-element/client";
import { useEffect, useRef } from "react";
import { Icon } from "../../../embed/components/icons";
import { isFiltering } from "../browse/file-filter";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import { scrollToRow } from "../browse/folder/use-show-rows";
import { useLanguage } from "../screen/language";
import { SearchBar } from "./search-bar";

export interface SearchBoxProps {
  list: Pick<
    List,
    | "filter"
    | "setFilter"
    | "isFiltered"
    | "isSearching"
    | "startSearching"
    | "showAll"
    | "rows"
    | "searchNow"
  >;
  navigation: Pick<Navigation, "returnTo" | "leaveSearch">;
}

export const focusSearchBox = () => document.querySelector<HTMLElement>(".filter__input")?.focus();

/** The search field. What is typed filters the open folder at once; a moment later the folders below it are searched, too. */
export function SearchBox({ list, navigation }: SearchBoxProps) {
  const { t } = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  useEndByTap(list);
  return (
    <div className="filter">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        className="filter__input"
        // The placeholder of an empty field follows the direction of the page.
        dir={list.filter === "" ? undefined : "auto"}
        value={list.filter}
        placeholder={t("search.label")}
        aria-label={t("search.label")}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onFocus={({ relatedTarget }) => {
          list.startSearching();
          const row = relatedTarget?.closest<HTMLElement>("[data-row]");
          if (relatedTarget && list.filter === "") {
            const found = row && list.rows[Number(row.dataset.row)];
            navigation.returnTo.current = found ? rowId(found) : null;
          }
        }}
        onChange={(event) => list.setFilter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") list.searchNow();
          else if (event.key === "ArrowDown") scrollToRow(0, list.rows.length, true);
          else if (event.key === "Escape" && navigation.returnTo.current !== null) navigation.leaveSearch();
          else if (event.key === "Escape") list.showAll();
          else return;
          event.preventDefault();
        }}
      />
      {list.filter !== "" && (
        <button
          type="button"
          className="filter__clear"
          aria-label={t("search.clear")}
          onClick={() => {
            list.setFilter("");
            input.current?.focus();
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** A tap elsewhere ends a search for nothing, as Escape does: on a phone its filters take much of the screen. */
function useEndByTap({ isSearching, isFiltered, showAll }: SearchBoxProps["list"]): void {
  const end = useRef(showAll);
  end.current = showAll;
  const isIdle = isSearching && !isFiltered;
  useEffect(() => {
    if (!isIdle) return;
    const onClick = (event: MouseEvent) => {
      const isBeside = !event
        .composedPath()
        .some((at) => at instanceof Element && at.matches(".filter, .chips"));
      // With a mouse, the second click of a double click would hit another row.
      if (isBeside && event instanceof PointerEvent && event.pointerType === "touch") end.current();
    };
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }, [isIdle]);
}

interface SearchProgressProps {
  client: FilesClient;
  folder: Pick<Folder, "path" | "time" | "status" | "rows" | "complete" | "listed">;
  list: Pick<List, "filter" | "files" | "isFiltered" | "searchRequests" | "searchNow" | "addFound">;
}

/**
 * The progress of the search below the open folder. Renders nothing without a query or without subfolders. The past is only filtered: the
 * server searches what is there now.
 */
export function SearchProgress({ folder, list, ...props }: SearchProgressProps) {
  const hasBelow = (folder.listed && !folder.complete) || folder.rows.some((row) => row.type === "folder");
  if (folder.time.kind !== "now" || !hasBelow || (list.filter.trim() === "" && !isFiltering(list.files)))
    return null;
  return (
    <SearchBar
      key={folder.path}
      {...props}
      folderPath={folder.path}
      text={list.filter}
      filter={list.files}
      requests={list.searchRequests}
      isStale={folder.status === "refreshing"}
      onSearchNow={list.searchNow}
      onFound={list.addFound}
    />
  );
}
