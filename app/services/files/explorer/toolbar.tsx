import { useRef } from "react";
import { IconButton } from "./icon-button";
import { Icon } from "./icons";
import { useLanguage } from "./language";
import type { Uploads } from "./uploads/use-uploads";
import type { ExplorerState } from "./use-explorer";

export function Toolbar({ folder, list: { filter, setFilter }, uploads }: ExplorerState) {
  const { messages } = useLanguage();
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
          placeholder={messages.filter}
          aria-label={messages.filter}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setFilter("")}
        />
        {filter !== "" && (
          <button
            type="button"
            className="filter__clear"
            aria-label={messages.clearFilter}
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
        label={messages.refresh}
        onClick={folder.refresh}
      />
      {uploads.possible && <UploadButton {...uploads} />}
    </div>
  );
}

export function UploadButton({ allowed, add }: Uploads) {
  const { messages } = useLanguage();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="button button--primary"
        disabled={!allowed}
        onClick={() => picker.current?.click()}
      >
        <Icon name="upload" />
        <span>{messages.upload}</span>
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={messages.upload}
        onChange={(event) => {
          add([...(event.target.files ?? [])]);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
