import { FileGrid } from "../grid/file-grid";
import { useLanguage } from "../language";
import { ProblemState, Skeleton, State } from "../states";
import { UploadButtons } from "../uploads/upload-buttons";
import type { ExplorerState } from "../use-explorer";
import { rowId } from "./folder-state";

/** The open folder: its list, or the state it is in instead. */
export function FolderView({
  folder,
  list,
  sortBy,
  navigation,
  uploads,
  downloads,
  setPreviewed,
}: ExplorerState) {
  const { messages } = useLanguage();
  const isEmpty = folder.rows.length === 0;
  const problem = isEmpty ? folder.problem : null;

  if (folder.phase === "loading") return <Skeleton />;
  if (problem)
    return (
      <ProblemState
        folder={folder}
        problem={problem}
        onRetry={navigation.retry}
        onUp={navigation.openParent}
      />
    );
  if (isEmpty && uploads.allowed) {
    return (
      <State icon="upload" tone="accent" {...messages.states.emptyUpload}>
        <UploadButtons {...uploads} wide />
      </State>
    );
  }
  if (isEmpty) return <State icon="folder" {...messages.states.empty} />;
  if (list.rows.length === 0) {
    const { title, text, more } = messages.states.noMatch;
    return (
      <State icon="search" title={title(list.filter)} text={folder.nextCursor === null ? text : more}>
        <button type="button" className="button" onClick={() => list.setFilter("")}>
          {messages.clearFilter}
        </button>
      </State>
    );
  }
  return (
    <FileGrid
      key={folder.path}
      label={messages.folderOf(navigation.name)}
      rows={list.rows}
      more={folder.nextCursor !== null}
      sort={list.sort}
      onSort={sortBy}
      selection={list.selection}
      onOpen={(row) => {
        if (row.type === "folder") navigation.open(row.path);
        else if (downloads.allowed) setPreviewed(rowId(row));
      }}
      downloads={downloads.allowed}
      onDownload={(row) => downloads.start([row])}
      onUp={() => navigation.openParent?.()}
      focus={navigation.focus}
    />
  );
}
