import { useRef } from "react";
import { IconButton } from "./icon-button";
import { Icon } from "./icons";
import { useLanguage } from "./language";

interface ToolbarProps {
  filter: string;
  onFilter(filter: string): void;
  refreshing: boolean;
  onRefresh(): void;
  canUpload: boolean;
  onFiles(files: File[]): void;
}

export function Toolbar({ filter, onFilter, refreshing, onRefresh, canUpload, onFiles }: ToolbarProps) {
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
          onChange={(event) => onFilter(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && onFilter("")}
        />
        {filter !== "" && (
          <button
            type="button"
            className="filter__clear"
            aria-label={messages.clearFilter}
            onClick={() => {
              onFilter("");
              input.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <IconButton
        icon="refresh"
        className={refreshing ? "icon-button--turning" : ""}
        label={messages.refresh}
        onClick={onRefresh}
      />
      <UploadButton enabled={canUpload} onFiles={onFiles} />
    </div>
  );
}

export function UploadButton({ enabled, onFiles }: { enabled: boolean; onFiles(files: File[]): void }) {
  const { messages } = useLanguage();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="button button--primary"
        disabled={!enabled}
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
          onFiles([...(event.target.files ?? [])]);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
