import { useRef } from "react";
import { rowId } from "../folder/folder-state";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import { makePart } from "../part";
import type { ExplorerState } from "../use-explorer";

const SearchPart = makePart(() => import("./search-bar"));

/** The one field: what is typed filters the open folder at once, and is then searched for below it. */
export function SearchBox({ list, navigation }: ExplorerState) {
  const { t } = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="filter">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        className="filter__input"
        // What an empty field suggests is in the language of the page.
        dir={list.filter === "" ? undefined : "auto"}
        value={list.filter}
        placeholder={t("search.label")}
        aria-label={t("search.label")}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onFocus={({ relatedTarget }) => {
          const row = relatedTarget?.closest<HTMLElement>("[data-row]");
          if (relatedTarget && list.filter === "") {
            const found = row && list.rows[Number(row.dataset.row)];
            navigation.returnTo.current = found ? rowId(found) : null;
          }
        }}
        onChange={(event) => list.setFilter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") list.askBelow();
          else if (event.key === "Escape" && navigation.returnTo.current !== null) navigation.leaveSearch();
          else if (event.key === "Escape") list.setFilter("");
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

/** How far the search is; nothing where nothing is searched for, or where there is nothing below. */
export function SearchProgress({ client, folder, list }: ExplorerState) {
  const hasBelow = folder.nextCursor !== null || folder.rows.some((row) => row.type === "folder");
  if (list.filter.trim() === "" || !hasBelow) return null;
  return (
    <SearchPart
      key={folder.path}
      client={client}
      folderPath={folder.path}
      text={list.filter}
      asked={list.asked}
      isStale={folder.phase === "refreshing"}
      onAsk={list.askBelow}
      onFound={list.addFound}
      onGiveUp={() => list.setFilter("")}
    />
  );
}
