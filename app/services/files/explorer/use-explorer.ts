import { useEffect, useRef, useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { useFileChecks } from "../browse/checks/check-mark";
import { columnTitle, type SortColumn } from "../browse/folder/folder-state";
import { type Folder, useFolder } from "../browse/folder/use-folder";
import { type List, useList } from "../browse/folder/use-list";
import { useNavigation } from "../browse/folder/use-navigation";
import { useShowRows } from "../browse/folder/use-show-rows";
import { useThumbnails } from "../browse/pictures/use-thumbnails";
import { useChanges } from "../changes/use-changes";
import { useDetails } from "../details/use-details";
import { useDownloads } from "../downloads/use-downloads";
import { useHistory } from "../history/use-history";
import { usePageRequests } from "../picker/use-page-requests";
import { useSelectionMessage } from "../picker/use-selection-message";
import { StorageClient } from "../place/contract/storage-client";
import type { ExplorerProps } from "../place/props";
import { useLanguage } from "../screen/language";
import type { Notice } from "../screen/notice";
import { useFileChooser } from "../uploads/file-chooser";
import { useUploads } from "../uploads/use-uploads";

export type ExplorerState = ReturnType<typeof useExplorer>;

/** The state of the explorer's screen, and what a person can do there. The type of each part of the screen says what that part uses of it. */
export function useExplorer(props: ExplorerProps, frame: FrameSession) {
  const { t } = useLanguage();
  const [client] = useState(
    () => new StorageClient(frame.session, props.bucket, { development: props.development }),
  );
  /** the id of the file in the preview */
  const [previewed, setPreviewed] = useState<string | null>(null);
  const [layout, setLayout] = useFolderLayout();
  const folder = useFolder(client, props);
  const details = useDetails(client, props, folder);
  const list = useList(folder);
  const showRows = useShowRows(folder, list);
  const { announcement, announce } = useAnnouncements(folder, list);
  const [notice, setNotice] = useState<Notice | null>(
    props.refusedPath === null ? null : { about: "folder", sentence: "pathOutside" },
  );
  const navigation = useNavigation(frame, props, folder, list, {
    announce,
    setNotice,
    onLeave() {
      setPreviewed(null);
      details.setViewed(null);
      setNotice(null);
    },
  });
  const uploads = useUploads(frame.embeddingPage, props, folder, setNotice);
  const chooser = useFileChooser();
  const downloads = useDownloads(client, frame, props, folder, announce, setNotice);
  const thumbnails = useThumbnails(client, list.rows, downloads.allowed);
  const checks = useFileChecks(client, props.onlyChecked);
  const changes = useChanges(props, folder, list);
  const history = useHistory(props, navigation);
  const requests = usePageRequests(frame.embeddingPage);
  useSelectionMessage(frame.embeddingPage, props.bucket, list.selected);

  /** For what needs all rows of the folder. Search results are not loaded by page. */
  const loadAll = () => {
    if (folder.nextCursor !== null && list.filter === "") folder.loadAll();
  };

  const sortBy = (column: SortColumn) => {
    loadAll();
    // By date or size, the newest or largest come first.
    const descending =
      list.sort.column === column ? !list.sort.descending : column === "modified" || column === "size";
    list.setSort({ column, descending });
    const direction = t(`announcements.${descending ? "descending" : "ascending"}`);
    announce(t("announcements.sorted", { column: t(columnTitle(column, folder.time)), direction }));
  };

  const selectAll = () => {
    loadAll();
    list.selection.all();
  };

  return {
    props,
    frame,
    client,
    folder,
    list,
    showRows,
    loadAll,
    sortBy,
    selectAll,
    navigation,
    uploads,
    chooser,
    downloads,
    thumbnails,
    checks,
    changes,
    history,
    requests,
    details,
    previewed,
    setPreviewed,
    layout,
    setLayout,
    announcement,
    announce,
    notice,
    setNotice,
  };
}

/**
 * Announces to screen readers how many rows a filter leaves and when more pages have loaded.
 * @returns the latest announcement, and `announce` for announcements of other components
 */
function useAnnouncements(folder: Folder, { filter, search, rows, total }: List) {
  const { t } = useLanguage();
  const [announcement, announce] = useState("");
  const shown = rows.length;
  const loaded = total;
  const phase = useRef(folder.phase);

  useEffect(() => {
    // While results stream in, every page would be announced.
    if (filter !== "" && search !== "running") announce(t("announcements.filtered", { count: shown }));
  }, [filter, search, shown, t]);

  useEffect(() => {
    const came = phase.current === "more";
    phase.current = folder.phase;
    if (came && folder.phase === "ready") announce(t("announcements.loaded", { count: loaded }));
  }, [folder.phase, loaded, t]);

  return { announcement, announce };
}

type Layout = "list" | "tiles";

/** Browsers have stored choices under this key. */
const STORAGE_KEY = "platform-embed-view";

/** List or tiles, remembered where the browser allows a frame storage. The server always renders the list. */
function useFolderLayout(): [Layout, (layout: Layout) => void] {
  const [layout, setLayout] = useState<Layout>("list");
  useEffect(() => {
    try {
      if (localStorage.getItem(STORAGE_KEY) === "tiles") setLayout("tiles");
    } catch {}
  }, []);
  const choose = (chosen: Layout) => {
    setLayout(chosen);
    try {
      localStorage.setItem(STORAGE_KEY, chosen);
    } catch {}
  };
  return [layout, choose];
}
