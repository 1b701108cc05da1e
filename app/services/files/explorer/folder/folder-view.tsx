import { Icon } from "../../../../embed/components/icons";
import { State } from "../../../../embed/components/state";
import type { Changes } from "../changes/use-changes";
import type { Downloads } from "../downloads/use-downloads";
import type { FileChecks } from "../grid/file-checks";
import { FileGrid } from "../grid/file-grid";
import type { FileGridProps } from "../grid/grid-props";
import type { Thumbnails } from "../grid/thumbnails";
import { usePastTitle } from "../history/past-bar";
import type { History } from "../history/use-history";
import { useLanguage } from "../language";
import { lazyPanel } from "../lazy-panel";
import type { PageRequests } from "../page-requests/use-page-requests";
import { focusSearchBox } from "../search/search-box";
import { ProblemState, Skeleton, stateWords } from "../states";
import type { FileChooser } from "../uploads/file-chooser";
import { UploadButtons } from "../uploads/upload-buttons";
import type { Uploads } from "../uploads/use-uploads";
import type { Layout } from "../use-explorer";
import { folderOf, type Row, rowId, type SortColumn } from "./folder-state";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";
import type { Navigation } from "./use-navigation";

const LazyTileGrid = lazyPanel(() => import("../grid/tile-grid"));

interface FolderViewProps {
  folder: Folder;
  list: List;
  loadAll(): void;
  sortBy(column: SortColumn): void;
  selectAll(): void;
  navigation: Navigation;
  uploads: Pick<Uploads, "allowed">;
  choose: FileChooser["choose"];
  downloads: Pick<Downloads, "allowed" | "start">;
  thumbnails: Thumbnails | null;
  checks: FileChecks | null;
  changes: Changes;
  /** null if nothing of the past is shown */
  history: History | null;
  layout: Layout;
  setLayout(layout: Layout): void;
  /** @param id of a file */
  onPreview(id: string): void;
  onDetails(row: Row): void;
  requests: Pick<PageRequests, "picker" | "choose" | "unsuitable">;
}

/** The open folder: its list or tiles, or why there are none. */
export function FolderView(props: FolderViewProps) {
  const {
    folder,
    list,
    navigation,
    uploads,
    downloads,
    thumbnails,
    checks,
    changes,
    history,
    layout,
    setLayout,
  } = props;
  const { choose, unsuitable } = props.requests;
  const picker = folder.time.kind === "now" ? props.requests.picker : null;
  const { t } = useLanguage();
  const pastTitle = usePastTitle();
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
  const showDeleted = history && (
    <button type="button" className="button" onClick={history.showDeleted}>
      <Icon name="trash" />
      <span>{t("past.showDeleted")}</span>
    </button>
  );
  if (navigation.isMissing)
    return (
      <State icon="folder" {...stateWords(t, "folder_not_found")} alert>
        {showDeleted}
        <button type="button" className="button" onClick={navigation.openRoot}>
          {t("top")}
        </button>
      </State>
    );
  if (isEmpty && folder.time.kind !== "now") return <EmptyPast folder={folder} history={history} />;
  if (isEmpty && uploads.allowed) {
    return (
      <State icon="upload" tone="accent" {...stateWords(t, "emptyUpload")}>
        <UploadButtons allowed={uploads.allowed} choose={props.choose} withFolder />
        {showDeleted}
      </State>
    );
  }
  if (isEmpty)
    return (
      <State icon="folder" {...stateWords(t, "empty")}>
        {showDeleted}
      </State>
    );
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
        {folder.time.kind === "now" && search === "done" && showDeleted}
      </State>
    );
  }
  const restores = folder.time.kind === "deleted" && changes.may.restore;
  const grid: FileGridProps = {
    label: pastTitle(folder.time, navigation) ?? t("folderOf", { name: navigation.name }),
    time: folder.time,
    rows: list.rows,
    here: folder.path,
    onWhere: (row) => navigation.open(folderOf(row), rowId(row)),
    more: folder.nextCursor !== null || list.search !== "done",
    isLoading: folder.phase === "more",
    onLoadAll: props.loadAll,
    onSelectAll: props.selectAll,
    sort: list.sort,
    onSort: props.sortBy,
    selection: list.selection,
    mayOpen: (row) => row.type === "folder" || downloads.allowed,
    onOpen: (row) => {
      if (row.type === "folder") navigation.open(row.path);
      else props.onPreview(rowId(row));
    },
    picker: picker && { mode: picker.mode, onChoose: choose },
    // Whoever looks at deleted files wants them back.
    rowButton: restores ? "restore" : downloads.allowed ? "download" : null,
    onRowButton: (row) => (restores ? changes.dispatch("restore", [row]) : downloads.start([row])),
    thumbnails,
    checks,
    onUp: () => navigation.openParent?.(),
    onAbove: list.filter === "" ? undefined : focusSearchBox,
    onDetails: props.onDetails,
    changes: picker ? { ...changes, dimmed: new Set([...changes.dimmed, ...unsuitable]) } : changes,
    focus: navigation.focus,
  };
  // Search results begin at the top; the list keeps its place for afterwards.
  const key = `${folder.path}${list.filter === "" ? "" : " found"} ${JSON.stringify(folder.time)}`;
  if (layout === "list") return <FileGrid key={key} {...grid} />;
  return <LazyTileGrid key={key} {...grid} onGiveUp={() => setLayout("list")} />;
}

/** Nothing was deleted, nothing was there, or nothing has been found yet. */
function EmptyPast({
  folder: { time, phase, nextCursor },
  history,
}: Pick<FolderViewProps, "folder" | "history">) {
  const { t } = useLanguage();
  const words = (name: "noneDeleted" | "noneAt" | "looking") => ({
    title: t(`past.${name}.title`),
    text: t(`past.${name}.text`),
  });
  if (time.kind === "deleted") {
    const isLooking = phase === "more" || phase === "refreshing" || nextCursor !== null;
    return <State icon="trash" {...words(isLooking ? "looking" : "noneDeleted")} />;
  }
  if (phase === "more" || nextCursor !== null) return <Skeleton />;
  return (
    <State icon="clock" {...words("noneAt")}>
      <button type="button" className="button" onClick={history?.chooseMoment}>
        {t("past.otherMoment")}
      </button>
    </State>
  );
}
