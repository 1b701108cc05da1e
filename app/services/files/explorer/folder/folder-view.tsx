import { FileGrid } from "../grid/file-grid";
import { useLanguage } from "../language";
import { ProblemState, Skeleton, State, stateWords } from "../states";
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
  const { t } = useLanguage();
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
      <State icon="upload" tone="accent" {...stateWords(t, "emptyUpload")}>
        <UploadButtons {...uploads} wide />
      </State>
    );
  }
  if (isEmpty) return <State icon="folder" {...stateWords(t, "empty")} />;
  if (list.rows.length === 0) {
    const more = folder.nextCursor === null ? "text" : "more";
    return (
      <State
        icon="search"
        title={t("states.noMatch.title", { filter: list.filter })}
        text={t(`states.noMatch.${more}`)}
      >
        <button type="button" className="button" onClick={() => list.setFilter("")}>
          {t("clearFilter")}
        </button>
      </State>
    );
  }
  return (
    <FileGrid
      key={folder.path}
      label={t("folderOf", { name: navigation.name })}
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
