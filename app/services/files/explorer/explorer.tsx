import { createFilesClient, isInside } from "platform-embed-element/client";
import { type DragEvent, type RefObject, useState } from "react";
import { Icon, IconButton, IconSheet } from "../../../embed/components/icons";
import { useServicePage } from "../../../embed/frame/use-service-page";
import type { FrameSession } from "../../../embed/frame/use-session";
import { useFileChecks } from "../browse/checks/check-mark";
import { fileSymbols } from "../browse/file-symbols.server";
import { Breadcrumbs } from "../browse/folder/breadcrumbs";
import { useAnnouncements } from "../browse/folder/use-announcements";
import { type Folder, useFolder } from "../browse/folder/use-folder";
import { useList } from "../browse/folder/use-list";
import { useListActions } from "../browse/folder/use-list-actions";
import { useNavigation } from "../browse/folder/use-navigation";
import { useNews } from "../browse/folder/use-news";
import { useShowRows } from "../browse/folder/use-show-rows";
import { useThumbnails } from "../browse/pictures/use-thumbnails";
import { useQuota } from "../browse/quota/use-quota";
import { useFolderSizes } from "../browse/sizes/use-folder-sizes";
import { type ChangeCommands, useChangeCommands } from "../changes/use-change-commands";
import { type Details, useDetails } from "../details/use-details";
import { useDownloads } from "../downloads/use-downloads";
import { HistoryMenu } from "../history/history-menu";
import { PastBar } from "../history/past-bar";
import { type History, useHistory } from "../history/use-history";
import { usePageRequests } from "../page-requests/use-page-requests";
import { useSelectionMessage } from "../page-requests/use-selection-message";
import { type ExplorerProps, SERVICE } from "../place/props";
import { TopFolderContext } from "../screen/folder-name";
import { LanguageContext, useLanguage, useLanguageOf } from "../screen/language";
import { pointBelow } from "../screen/menu";
import type { Notice } from "../screen/notice";
import { DevelopmentContext } from "../screen/problem-details";
import { ClosedState, PauseState } from "../screen/states";
import { FilterBar } from "../search/filter-bar";
import { SearchBox, type SearchBoxProps, SearchProgress } from "../search/search-box";
import { type FileChooser, FileInputs, UploadButton, useFileChooser } from "../uploads/file-chooser";
import { UploadMenu } from "../uploads/upload-menu";
import { uploadOptionsOf, useAnswersBeforeUpload, worldWithWorker } from "../uploads/upload-options";
import { type UploadsInFolder, useUploads } from "../uploads/use-uploads";
import { FolderView } from "./folder-view";
import { lazyPanel, loadPanels } from "./lazy-panel";
import { Overlays } from "./overlays";
import { Shortcuts } from "./shortcuts";
import { StatusBar } from "./status-bar";
import { type Look, useLook } from "./use-look";

const LazyChanges = lazyPanel(({ ChangesWithMenus }) => ChangesWithMenus);
const LazyPageRequestsPanel = lazyPanel(({ PageRequestsPanel }) => PageRequestsPanel);
const LazyDetailsPanel = lazyPanel(({ DetailsPanel }) => DetailsPanel);
const LazyMomentDialog = lazyPanel(({ MomentDialog }) => MomentDialog);
const LazyUploadPanel = lazyPanel(({ UploadPanel }) => UploadPanel);

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const { root, frame, pageLanguage } = useServicePage(SERVICE, props, { opensFolders: true, contentHeight });
  const language = useLanguageOf(pageLanguage);
  return (
    <LanguageContext.Provider value={language}>
      <DevelopmentContext.Provider value={props.development}>
        <TopFolderContext.Provider value={props}>
          <Screen {...props} frame={frame} root={root} />
        </TopFolderContext.Provider>
      </DevelopmentContext.Provider>
    </LanguageContext.Provider>
  );
}

type ScreenProps = ExplorerProps & { frame: FrameSession; root: RefObject<HTMLDivElement> };

function Screen({ frame, root, ...props }: ScreenProps) {
  const { t } = useLanguage();
  const { bucket, rootPath, uploadFolder, actions, onlyChecked } = props;
  const { embeddingPage } = frame;
  const answersBeforeUpload = useAnswersBeforeUpload(embeddingPage);
  const [client] = useState(() =>
    createFilesClient({
      tokens: frame.session,
      bucket,
      // New files have the time of the platform, as those that are listed.
      world: {
        ...worldWithWorker,
        clock: { ...worldWithWorker.clock, date: () => frame.session.clock.now() * 1000 },
      },
      uploads: uploadOptionsOf(props, answersBeforeUpload),
    }),
  );
  /** the id of the file in the preview */
  const [previewed, setPreviewed] = useState<string | null>(null);
  const [hasHelp, setHelp] = useState(false);
  /** the files that were added last are shown */
  const [hasRecent, setRecent] = useState(false);
  const look = useLook();
  const folder = useFolder(client, props);
  const sizes = useFolderSizes(client, props.hasCatalogue);
  const quota = useQuota(client, props.quota);
  const details = useDetails(client, props, folder, sizes);
  const list = useList(folder, sizes);
  const showRows = useShowRows(folder, list);
  const { announcement, announce } = useAnnouncements(folder, list);
  const news = useNews(folder, list, props.hasCatalogue && frame.isOpen, announce);
  const [notice, setNotice] = useState<Notice | null>(
    props.refusedPath === null ? null : { about: "folder", sentence: "pathOutside" },
  );
  const navigation = useNavigation(frame, props, folder, list, {
    announce,
    setNotice,
    onLeave() {
      setPreviewed(null);
      setRecent(false);
      details.setViewed(null);
      setNotice(null);
    },
  });
  const listActions = useListActions(folder, list, announce, props.hasCatalogue);
  const uploads = useUploads(client, frame, props, folder, list, setNotice);
  const chooser = useFileChooser();
  const downloads = useDownloads(client, frame, props, folder, announce, setNotice, loadPanels);
  const thumbnails = useThumbnails(client, list.rows, hasRecent, downloads.allowed, loadPanels);
  const checks = useFileChecks(client, onlyChecked);
  const screen = { client, embeddingPage, folder, list, showRows, announce, notice, setNotice };
  const requests = usePageRequests(embeddingPage);
  const isPicking = requests.picker !== null;
  const changes = useChangeCommands(props, { ...screen, isPicking });
  const past = useHistory(props, navigation);
  // Only files as they are now can be chosen. A picker that opens while the past is shown leaves the way back.
  const history = isPicking && folder.time.kind === "now" ? null : past;
  useSelectionMessage(embeddingPage, bucket, list.selected, loadPanels);
  /** Each component takes what its props name. */
  const parts = {
    ...screen,
    listActions,
    look,
    navigation,
    uploads,
    chooser,
    downloads,
    changes,
    history,
    requests,
    details,
    thumbnails,
    onPreview: setPreviewed,
  };
  if (!frame.isOpen)
    return (
      <div ref={root} className="service-page explorer">
        <IconSheet own={fileSymbols} />
        <ClosedState state={frame.state} session={frame.session} />
      </div>
    );
  return (
    <div ref={root} className="service-page explorer" {...dropHandlers(uploads, changes)}>
      <IconSheet own={fileSymbols} />
      {/* Disables every button and field in it: they do nothing before the scripts have loaded. */}
      <fieldset role="presentation" className="service-page__controls" disabled={!frame.isReady}>
        {/* A banner is the embedding page's. */}
        <section className="head" aria-label={t("root")}>
          <Breadcrumbs crumbs={navigation.crumbs} open={navigation.open} />
          <Toolbar {...parts} />
        </section>
        {uploads.possible && <FileInputs chooser={chooser} onChoose={uploads.add} />}
        <noscript>
          <p className="hint">{t("withoutScript")}</p>
        </noscript>
        {uploads.possible && uploads.refusal === "elsewhere" && uploadFolder !== null && (
          <aside className="hint">
            {t("uploadElsewhere", { folder: uploadFolder })}{" "}
            {isInside(uploadFolder, rootPath) && (
              <button type="button" className="link-button" onClick={() => navigation.open(uploadFolder)}>
                {t("goThere")}
              </button>
            )}
          </aside>
        )}
        {uploads.possible && uploads.refusal === "oddName" && <p className="hint">{t("oddName")}</p>}
        <PastBar {...parts} />
        <FilterBar {...parts} />
        <SearchProgress {...parts} />
        <div className="workspace">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape deselects, too (Shortcuts) */}
          <main
            className="main"
            tabIndex={-1}
            aria-label={t("root")}
            aria-busy={folder.status === "loading"}
            onClick={({ target, shiftKey, ctrlKey, metaKey }) => {
              if (isBlankSpace(target) && !shiftKey && !ctrlKey && !metaKey) list.selection.clear();
            }}
            onContextMenu={(event) => {
              if (event.isDefaultPrevented() || !isBlankSpace(event.target) || !folder.listed) return;
              event.preventDefault();
              list.selection.clear();
              changes.dispatch("menu", [], { at: event });
            }}
          >
            <FolderView {...parts} checks={checks} news={news} sizes={sizes} />
            <PauseState state={frame.state} session={frame.session} />
          </main>
          {details.hasPanel && <LazyDetailsPanel {...parts} rootPath={rootPath} onGiveUp={details.close} />}
        </div>
        <div className="foot">
          {!frame.isReady && <p className="renewing needs-script">{t("loading")}</p>}
          {(changes.needsPanel || hasRecent) && (
            <LazyChanges
              {...parts}
              props={props}
              hasRecent={hasRecent}
              setRecent={setRecent}
              onHelp={() => setHelp(true)}
              onGiveUp={() => {
                changes.giveUp();
                setRecent(false);
              }}
            />
          )}
          <StatusBar {...parts} isPicking={isPicking} quota={quota} />
          {uploads.needsPanel && <LazyUploadPanel {...parts} scope={props} onGiveUp={uploads.giveUp} />}
          {requests.needsPanel && (
            <LazyPageRequestsPanel
              {...parts}
              openFolder={{ path: folder.path, name: navigation.name }}
              isNow={folder.time.kind === "now"}
              withUrls={downloads.allowed}
              onlyChecked={onlyChecked}
              onGiveUp={requests.giveUp}
            />
          )}
          {downloads.open && <downloads.open.code.DownloadPanel archives={downloads.open.archives} />}
        </div>
        <Overlays
          {...parts}
          session={frame.state}
          rootPath={rootPath}
          uploadFolder={uploadFolder}
          previewed={previewed}
          setPreviewed={setPreviewed}
          announcement={announcement}
        />
        {history?.isChoosing && (
          <LazyMomentDialog
            clock={frame.session.clock}
            client={client}
            folder={folder}
            name={navigation.name}
            onChoose={history.showMoment}
            onClose={history.closeDialog}
            onGiveUp={history.closeDialog}
          />
        )}
        {chooser.menuAt && <UploadMenu at={chooser.menuAt} chooser={chooser} />}
        {history?.menuAt && <HistoryMenu history={history} at={history.menuAt} time={folder.time} />}
      </fieldset>
      <Shortcuts
        {...parts}
        actions={actions}
        hasHelp={hasHelp}
        setHelp={setHelp}
        onRecent={() => setRecent(true)}
      />
    </div>
  );
}

/** Neither a row nor a control. Menus and dialogs that are rendered outside of .main do not count. */
function isBlankSpace(target: EventTarget): boolean {
  if (!(target instanceof Element) || !target.closest(".main")) return false;
  return !target.closest("[data-row], .row--head, .tiles__head, button, input, select, dialog, [role=menu]");
}

/** Files from the desktop are uploaded; rows of the list are moved or copied. Each handler ignores what belongs to the other. */
function dropHandlers(uploads: Pick<UploadsInFolder, "dropHandlers">, changes: Pick<ChangeCommands, "drag">) {
  const files = uploads.dropHandlers;
  const rows = changes.drag.handlers;
  return {
    ...files,
    ...rows,
    onDragOver(event: DragEvent) {
      files.onDragOver(event);
      rows.onDragOver(event);
    },
    onDrop(event: DragEvent) {
      files.onDrop(event);
      rows.onDrop(event);
    },
  };
}

interface ToolbarProps extends SearchBoxProps {
  folder: Pick<Folder, "status" | "listed" | "refresh">;
  look: Look;
  details: Pick<Details, "hasPanel" | "toggle">;
  changes: Pick<ChangeCommands, "possible" | "may" | "dispatch">;
  history: Pick<History, "openMenu"> | null;
  uploads: Pick<UploadsInFolder, "possible" | "allowed">;
  chooser: Pick<FileChooser, "openMenu">;
}

function Toolbar(props: ToolbarProps) {
  const { folder, list, look, navigation, details, changes, history, uploads, chooser } = props;
  const { layout, setLayout } = look;
  const { t } = useLanguage();
  return (
    <div className="toolbar needs-script">
      <SearchBox list={list} navigation={navigation} />
      <IconButton
        icon="refresh"
        className={folder.status === "refreshing" ? "wide-only icon-button--turning" : "wide-only"}
        label={t("refresh")}
        onClick={folder.refresh}
      />
      <IconButton
        icon={layout === "list" ? "tiles" : "list"}
        className="wide-only"
        label={t(layout === "list" ? "look.tiles" : "look.list")}
        onClick={() => setLayout(layout === "list" ? "tiles" : "list")}
      />
      {history && (
        <IconButton
          icon="clock"
          className="wide-only"
          label={t("past.menu")}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => history.openMenu(pointBelow(currentTarget))}
        />
      )}
      <IconButton
        icon="info"
        className="toolbar__details"
        label={t("look.details")}
        aria-pressed={details.hasPanel}
        onClick={details.toggle}
      />
      {changes.possible && (
        <button
          type="button"
          className="button wide-only"
          disabled={!changes.may["new-folder"]}
          onClick={() => changes.dispatch("new-folder")}
        >
          <Icon name="folderPlus" />
          <span>{t("changes.newFolder")}</span>
        </button>
      )}
      {uploads.possible && <UploadButton allowed={uploads.allowed} chooser={chooser} />}
      <IconButton
        icon="more"
        label={t("folderMenu")}
        aria-haspopup="menu"
        disabled={!folder.listed}
        onClick={({ currentTarget }) => changes.dispatch("menu", [], { at: pointBelow(currentTarget) })}
      />
    </div>
  );
}

/** Height of an empty folder or another state that replaces the list, CSS pixels. */
const STATE_HEIGHT = 320;

/** The height at which the explorer would show every row without scrolling, CSS pixels. */
function contentHeight(explorer: HTMLElement): number {
  const heightOf = (selector: string) => explorer.querySelector<HTMLElement>(selector)?.offsetHeight;
  return explorer.offsetHeight - (heightOf(".main") ?? 0) + (heightOf(".grid") ?? STATE_HEIGHT);
}
