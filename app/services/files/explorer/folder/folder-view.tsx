import { FileGrid } from "../grid/file-grid";
import { useLanguage } from "../language";
import { ProblemState, Skeleton, State, stateWords } from "../states";
import { UploadButtons } from "../uploads/upload-buttons";
import type { ExplorerState } from "../use-explorer";
import { folderOf, rowId } from "./folder-state";

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
    const noMatch = {
      title: t("states.noMatch.title", { filter: list.filter }),
      text: t("states.noMatch.text"),
    };
    const { search } = list;
    if (search === "running") return <State icon="search" {...stateWords(t, "searching")} />;
    return (
      <State icon="search" {...(search === "cut" ? stateWords(t, "searchCut") : noMatch)}>
        <button type="button" className="button" onClick={navigation.leaveSearch}>
          {t("search.clear")}
        </button>
      </State>
    );
  }
  return (
    <FileGrid
      // From the top where something is searched for, and back to where one was.
      key={`${folder.path}${list.filter === "" ? "" : " found"}`}
      label={t("folderOf", { name: navigation.name })}
      rows={list.rows}
      here={folder.path}
      onWhere={(row) => navigation.open(folderOf(row), rowId(row))}
      more={folder.nextCursor !== null || list.search !== "done"}
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
