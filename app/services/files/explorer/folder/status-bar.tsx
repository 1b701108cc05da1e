import { IconButton } from "../icon-button";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import { screenProblem } from "../states";
import type { ExplorerState } from "../use-explorer";
import type { Folder } from "./use-folder";

/** Below the list: how much there is, what is selected, and an honest word when not everything is loaded. */
export function StatusBar({ folder, list, downloads }: ExplorerState) {
  const { messages, formats } = useLanguage();
  const { selected, selection } = list;
  const loaded = folder.rows.length;
  const shown = list.rows.length;
  if (!folder.listed || loaded === 0) return null;
  if (selected.length > 0) {
    const files = selected.filter((row) => row.type === "file");
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    return (
      <footer className="status status--selection">
        <IconButton icon="close" label={messages.clearSelection} onClick={selection.clear} />
        <span className="status__text">
          {messages.selected(formats.number(selected.length))}
          {files.length > 0 && <span className="status__size">{formats.size(bytes)}</span>}
        </span>
        {downloads.allowed && (
          <button type="button" className="button" onClick={() => downloads.start(selected)}>
            <Icon name="download" />
            {messages.download}
          </button>
        )}
      </footer>
    );
  }
  return (
    <footer className="status">
      <span className="status__text">
        {shown === loaded
          ? messages.items(loaded, formats.number(loaded))
          : messages.matches(formats.number(shown), formats.number(loaded))}
        {folder.nextCursor !== null && (
          <span className="status__note">{messages.loadedNote(formats.number(loaded))}</span>
        )}
      </span>
      {folder.problem && (
        <span className="status__problem" role="alert">
          {messages.states[screenProblem(folder.problem)].title}
        </span>
      )}
      {folder.nextCursor !== null ? (
        <MorePages folder={folder} />
      ) : (
        folder.problem && (
          <button type="button" className="button" onClick={folder.refresh}>
            {messages.retry}
          </button>
        )
      )}
    </footer>
  );
}

function MorePages({ folder }: { folder: Folder }) {
  const { messages } = useLanguage();
  if (folder.phase === "all") {
    return (
      <>
        <span className="status__busy">{messages.loading}</span>
        <button type="button" className="button" onClick={folder.stop}>
          {messages.stop}
        </button>
      </>
    );
  }
  const busy = folder.phase === "more";
  return (
    <div className="status__more needs-script">
      <button type="button" className="button" disabled={busy} onClick={folder.loadMore}>
        {busy ? messages.loading : messages.loadMore}
      </button>
      <button type="button" className="button" disabled={busy} onClick={folder.loadAll}>
        {messages.loadAll}
      </button>
    </div>
  );
}
