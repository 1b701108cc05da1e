import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { Row } from "./folder-state";
import type { Folder } from "./use-folder";

interface StatusBarProps {
  folder: Folder;
  /** how many rows the filter leaves */
  shown: number;
  selected: Row[];
  onDownload(rows: Row[]): void;
  onClear(): void;
}

/** Below the list: how much there is, what is selected, and an honest word when not everything is loaded. */
export function StatusBar({ folder, shown, selected, onDownload, onClear }: StatusBarProps) {
  const { copy, formats } = useLanguage();
  const loaded = folder.rows.length;
  if (selected.length > 0) {
    const files = selected.filter((row) => row.type === "file");
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    return (
      <footer className="status status--selection">
        <button type="button" className="icon-button" aria-label={copy.clearSelection} onClick={onClear}>
          <Icon sign="close" />
        </button>
        <span className="status__text">
          {copy.selected(formats.number(selected.length))}
          {files.length > 0 && <span className="status__size">{formats.size(bytes)}</span>}
        </span>
        {files.length > 0 && (
          <button type="button" className="button" onClick={() => onDownload(files)}>
            <Icon sign="download" />
            {copy.download}
          </button>
        )}
      </footer>
    );
  }
  return (
    <footer className="status">
      <span className="status__text">
        {shown === loaded
          ? copy.items(loaded, formats.number(loaded))
          : copy.matches(formats.number(shown), formats.number(loaded))}
        {folder.nextCursor !== null && (
          <span className="status__note">{copy.loadedNote(formats.number(loaded))}</span>
        )}
      </span>
      {folder.problem && <span className="status__problem">{copy.passingProblems[folder.problem.code]}</span>}
      {folder.nextCursor !== null ? (
        <MorePages folder={folder} />
      ) : (
        folder.problem && (
          <button type="button" className="button" onClick={folder.refresh}>
            {copy.retry}
          </button>
        )
      )}
    </footer>
  );
}

function MorePages({ folder }: { folder: Folder }) {
  const { copy } = useLanguage();
  if (folder.phase === "all") {
    return (
      <>
        <span className="status__busy">{copy.loadingMore}</span>
        <button type="button" className="button" onClick={folder.stop}>
          {copy.stop}
        </button>
      </>
    );
  }
  const busy = folder.phase === "more";
  return (
    <div className="status__more needs-script">
      <button type="button" className="button" disabled={busy} onClick={folder.loadMore}>
        {busy ? copy.loadingMore : copy.loadMore}
      </button>
      <button type="button" className="button" disabled={busy} onClick={folder.loadAll}>
        {copy.loadAll}
      </button>
    </div>
  );
}
