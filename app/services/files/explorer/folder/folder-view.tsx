import { FileGrid } from "../grid/file-grid";
import type { FileGridProps } from "../grid/grid-props";
import { useLanguage } from "../language";
import { makePart } from "../part";
import { ProblemState, Skeleton, State, stateWords } from "../states";
import { UploadButtons } from "../uploads/upload-buttons";
import type { ExplorerState } from "../use-explorer";
import { folderOf, rowId } from "./folder-state";

const TileGrid = makePart(() => import("../grid/tile-grid"));

/** The open folder: its list, or the state it is in instead. */
export function FolderView({
  folder,
  list,
  sortBy,
  navigation,
  uploads,
  downloads,
  changes,
  ...explorer
}: ExplorerState) {
  const { client, setPreviewed, setDetailed, view, setView } = explorer;
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
  const grid: FileGridProps = {
    label: t("folderOf", { name: navigation.name }),
    rows: list.rows,
    here: folder.path,
    onWhere: (row) => navigation.open(folderOf(row), rowId(row)),
    more: folder.nextCursor !== null || list.search !== "done",
    sort: list.sort,
    onSort: sortBy,
    selection: list.selection,
    onOpen: (row) => {
      if (row.type === "folder") navigation.open(row.path);
      else if (downloads.allowed) setPreviewed(rowId(row));
    },
    downloads: downloads.allowed,
    onDownload: (row) => downloads.start([row]),
    onUp: () => navigation.openParent?.(),
    onDetails: setDetailed,
    changes,
    focus: navigation.focus,
  };
  // From the top where something is searched for, and back to where one was.
  const key = `${folder.path}${list.filter === "" ? "" : " found"}`;
  if (view === "list") return <FileGrid key={key} {...grid} />;
  return <TileGrid key={key} {...grid} client={client} onGiveUp={() => setView("list")} />;
}
