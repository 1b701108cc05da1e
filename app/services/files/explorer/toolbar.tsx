import { useRef } from "react";
import { IconButton } from "./icon-button";
import { Icon } from "./icons";
import { useLanguage } from "./language";
import { UploadButtons } from "./uploads/upload-buttons";
import type { ExplorerState } from "./use-explorer";

export function Toolbar({ folder, list: { filter, setFilter }, uploads }: ExplorerState) {
  const { t } = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="toolbar needs-script">
      <div className="filter">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          className="filter__input"
          value={filter}
          placeholder={t("filter")}
          aria-label={t("filter")}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setFilter("")}
        />
        {filter !== "" && (
          <button
            type="button"
            className="filter__clear"
            aria-label={t("clearFilter")}
            onClick={() => {
              setFilter("");
              input.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <IconButton
        icon="refresh"
        className={folder.phase === "refreshing" ? "icon-button--turning" : ""}
        label={t("refresh")}
        onClick={folder.refresh}
      />
      {uploads.possible && <UploadButtons {...uploads} />}
    </div>
  );
}
