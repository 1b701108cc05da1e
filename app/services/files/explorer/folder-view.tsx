import { folderOf, rowId } from "platform-embed-element/client";
import { Icon } from "../../../embed/components/icons";
import { State } from "../../../embed/components/state";
import type { FileChecks } from "../browse/checks/file-checks";
import { isFiltering } from "../browse/file-filter";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { ListActions } from "../browse/folder/use-list-actions";
import type { Navigation } from "../browse/folder/use-navigation";
import { FileGrid, HeadingsOnly } from "../browse/grid/file-grid";
import type { FileGridProps } from "../browse/grid/grid-props";
import { TileGrid } from "../browse/grid/tile-grid";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import type { SizesOfFolders } from "../browse/sizes/use-folder-sizes";
import type { ChangeCommands } from "../changes/use-change-commands";
import type { Details } from "../details/use-details";
import type { Downloads } from "../downloads/use-downloads";
import { usePastTitle } from "../history/past-bar";
import type { History } from "../history/use-history";
import type { PageRequests } from "../page-requests/use-page-requests";
import { useLanguage } from "../screen/language";
import { ProblemState, Skeleton, stateWords } from "../screen/states";
import { useKept } from "../screen/use-kept";
import { focusSearchBox } from "../search/search-box";
import { type FileChooser, UploadButtons } from "../uploads/file-chooser";
import type { UploadsInFolder } from "../uploads/use-uploads";
import { preloadPanels } from "./lazy-panel";
import type { Look } from "./use-look";

interface FolderViewProps {
  folder: Folder;
  list: List;
  listActions: ListActions;
  look: Look;
  navigation: Pick<
    Navigation,
    "name" | "crumbs" | "focus" | "isMissing" | "open" | "openParent" | "openRoot" | "retry" | "leaveSearch"
  >;
  uploads: Pick<UploadsInFolder, "allowed">;
  chooser: Pick<FileChooser, "choose">;
  downloads: Pick<Downloads, "allowed" | "start">;
  changes: Pick<ChangeCommands, "possible" | "may" | "dimmed" | "rowsFor" | "dispatch" | "drag">;
  history: History | null;
  requests: Pick<PageRequests, "picker" | "choose" | "unsuitable">;
  details: Pick<Details, "show">;
  thumbnails: Thumbnails | null;
  checks: FileChecks | null;
  /** ids of rows that others have added or changed a moment ago */
  news: ReadonlySet<string>;
  sizes: SizesOfFolders | null;
  /** @param id of a row */
  onPreview(id: string): void;
}

/** The open folder: its list or tiles, or why there are none. */
export function FolderView(props: FolderViewProps) {
  const { folder, look, navigation } = props;
  const isListed = folder.problem === null && !navigation.isMissing;
  const content = useKept(folder.status === "loading", () => <FolderContent {...props} />, isListed);
  if (content !== undefined) return content;
  return <Skeleton>{look.layout === "list" && <HeadingsOnly time={folder.time} />}</Skeleton>;
}

function FolderContent(props: FolderViewProps) {
  const { folder, list, listActions, look, navigation, uploads, downloads, changes, history, requests } =
    props;
  const { choose, unsuitable } = requests;
  const picker = folder.time.kind === "now" ? requests.picker : null;
  const { t } = useLanguage();
  const pastTitle = usePastTitle();
  const isEmpty = folder.rows.length === 0;
  const problem = isEmpty ? folder.problem : null;

  if (problem)
    return (
      <ProblemState
        problem={problem}
        isBusy={folder.status === "refreshing"}
        onRetry={navigation.retry}
        onRecovery={folder.refresh}
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
        <UploadButtons choose={props.chooser.choose} />
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
    const noMatch = isFiltering(list.files)
      ? stateWords(t, "noneFit")
      : { title: t("states.noMatch.title", { filter: list.filter }), text: t("states.noMatch.text") };
    const { search } = list;
    if (search === "running") return <State icon="search" {...stateWords(t, "searching")} />;
    return (
      <State icon="search" {...(search === "cut" ? stateWords(t, "searchCut") : noMatch)}>
        <button type="button" className="button" onClick={navigation.leaveSearch}>
          {t("search.clear")}
        </button>
        {folder.time.kind === "now" && search !== "cut" && showDeleted}
      </State>
    );
  }
  const undeletes = folder.time.kind === "deleted" && changes.may.restore;
  const grid: FileGridProps = {
    label: pastTitle(folder.time, navigation) ?? t("folderOf", { name: navigation.name }),
    time: folder.time,
    rows: list.rows,
    here: folder.path,
    onWhere: (row) => navigation.open(folderOf(row), rowId(row)),
    more: !folder.complete || list.search === "running" || list.search === "cut",
    isLoading: folder.status === "more",
    onLoadAll: listActions.loadAll,
    onSelectAll: listActions.selectAll,
    sort: list.sort,
    onSort: listActions.sortBy,
    query: list.filter,
    selection: list.selection,
    mayOpen: (row) => row.type === "folder" || downloads.allowed,
    onOpen: (row) => {
      if (row.type === "folder") navigation.open(row.path);
      else props.onPreview(rowId(row));
    },
    picker: picker && { mode: picker.mode, onChoose: choose },
    // Whoever looks at deleted files wants them back.
    rowButton: undeletes ? "undelete" : downloads.allowed && requests.picker === null ? "download" : null,
    onRowButton: (row) => (undeletes ? changes.dispatch("restore", [row]) : downloads.start([row])),
    thumbnails: props.thumbnails,
    checks: props.checks,
    // They are those of now.
    sizes: folder.time.kind === "now" ? props.sizes : null,
    onUp: () => navigation.openParent?.(),
    onAbove: list.isFiltered ? focusSearchBox : undefined,
    onDetails: props.details.show,
    hasMenus: changes.possible || changes.may.delete || changes.may.restore,
    rowsFor: changes.rowsFor,
    onMenu: (rows, at) => changes.dispatch("menu", rows, { at }),
    onApproach: preloadPanels,
    isDraggable: changes.may.drop,
    onDrag: changes.drag.start,
    dimmed: picker ? new Set([...changes.dimmed, ...unsuitable]) : changes.dimmed,
    news: props.news,
    focus: navigation.focus,
  };
  // Search results begin at the top; the list keeps its place for afterwards.
  const key = `${folder.path}${list.isFiltered ? " found" : ""} ${JSON.stringify(folder.time)}`;
  return look.layout === "list" ? <FileGrid key={key} {...grid} /> : <TileGrid key={key} {...grid} />;
}

/** Nothing was deleted, nothing was there, or nothing has been found yet. */
function EmptyPast({ folder, history }: Pick<FolderViewProps, "folder" | "history">) {
  const { time, status, complete } = folder;
  const { t } = useLanguage();
  const words = (name: "noneDeleted" | "noneAt" | "looking") => ({
    title: t(`past.${name}.title`),
    text: t(`past.${name}.text`),
  });
  if (time.kind === "deleted") {
    const isLooking = status === "more" || status === "refreshing" || !complete;
    return <State icon="trash" {...words(isLooking ? "looking" : "noneDeleted")} />;
  }
  if (status === "more" || !complete) return <Skeleton />;
  return (
    <State icon="clock" {...words("noneAt")}>
      <button type="button" className="button" onClick={history?.chooseMoment}>
        {t("past.otherMoment")}
      </button>
    </State>
  );
}
