import type { DragEvent, RefObject } from "react";
import { Icon, IconButton, IconSheet } from "../../../embed/components/icons";
import { useServicePage } from "../../../embed/frame/use-service-page";
import type { FrameSession } from "../../../embed/frame/use-session";
import { isInside } from "../folder-path";
import { LazyChangesPanel } from "./changes/lazy-changes";
import { pointBelow } from "./changes/menu";
import type { Changes } from "./changes/use-changes";
import type { Details } from "./details/use-details";
import { fileSymbols } from "./file-symbols.server";
import { Breadcrumbs } from "./folder/breadcrumbs";
import { FolderView } from "./folder/folder-view";
import { StatusBar } from "./folder/status-bar";
import type { Folder } from "./folder/use-folder";
import { PastBar } from "./history/past-bar";
import type { History } from "./history/use-history";
import { LanguageContext, useLanguage, useLanguageOf } from "./language";
import { lazyPanel } from "./lazy-panel";
import { Overlays } from "./overlays";
import { type ExplorerProps, SERVICE } from "./props";
import { SearchBox, type SearchBoxProps, SearchProgress } from "./search/search-box";
import { Shortcuts } from "./shortcuts/shortcuts";
import { EndedState, PauseState } from "./states";
import { type FileChooser, FileInputs, useFileChooser } from "./uploads/file-chooser";
import { UploadButtons } from "./uploads/upload-buttons";
import type { Uploads } from "./uploads/use-uploads";
import { type Layout, useExplorer } from "./use-explorer";

const LazyPageRequestsPanel = lazyPanel(() => import("./page-requests/page-requests-panel"));
const LazyDetailsPanel = lazyPanel(() => import("./details/details-panel"));
const LazyHistoryMenu = lazyPanel(() => import("./history/history-menu"));
const LazyMomentDialog = lazyPanel(() => import("./history/moment-dialog"));
const LazyUploadPanel = lazyPanel(() => import("./uploads/upload-panel"));

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const { root, frame, pageLanguage } = useServicePage(SERVICE, props, { opensFolders: true, contentHeight });
  const language = useLanguageOf(pageLanguage);
  return (
    <LanguageContext.Provider value={language}>
      <Screen {...props} frame={frame} root={root} />
    </LanguageContext.Provider>
  );
}

type ScreenProps = ExplorerProps & { frame: FrameSession; root: RefObject<HTMLDivElement> };

function Screen({ frame, root, ...props }: ScreenProps) {
  const { t } = useLanguage();
  const explorer = useExplorer(props, frame);
  const { client, folder, list, showRows, navigation, uploads, downloads, thumbnails, changes, announce } =
    explorer;
  const { history } = explorer;
  const { previewed, setPreviewed, details, layout, setLayout, requests } = explorer;
  const { uploadFolder, rootPath } = props;
  const chooser = useFileChooser();
  if (frame.state.status === "ended")
    return (
      <div ref={root} className="service-page explorer">
        <IconSheet own={fileSymbols} />
        <EndedState />
      </div>
    );
  return (
    <div ref={root} className="service-page explorer" {...dropHandlers(uploads, changes)}>
      <IconSheet own={fileSymbols} />
      {/* Disables every button and field in it: they do nothing before the scripts have loaded. */}
      <fieldset className="service-page__controls" disabled={!frame.isReady}>
        <header className="head">
          <Breadcrumbs crumbs={navigation.crumbs} open={navigation.open} />
          <Toolbar
            list={list}
            navigation={navigation}
            folder={folder}
            layout={layout}
            setLayout={setLayout}
            details={details}
            changes={changes}
            history={history}
            uploads={uploads}
            choose={chooser.choose}
          />
        </header>
        {uploads.possible && <FileInputs chooser={chooser} onChoose={uploads.add} />}
        <noscript>
          <p className="hint">{t("withoutScript")}</p>
        </noscript>
        {uploads.possible && uploads.refusal === "elsewhere" && uploadFolder !== null && (
          <aside className="hint">
            {t("uploadElsewhere", { folder: uploadFolder })}{" "}
            {isInside(uploadFolder, props.rootPath) && (
              <button type="button" className="link-button" onClick={() => navigation.open(uploadFolder)}>
                {t("goThere")}
              </button>
            )}
          </aside>
        )}
        <PastBar folder={folder} list={list} navigation={navigation} changes={changes} history={history} />
        <SearchProgress client={client} folder={folder} list={list} />
        <div className="workspace">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape deselects, too (Shortcuts) */}
          <main
            className="main"
            ref={navigation.main}
            tabIndex={-1}
            aria-busy={folder.phase === "loading"}
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
            <FolderView
              folder={folder}
              list={list}
              loadAll={explorer.loadAll}
              sortBy={explorer.sortBy}
              selectAll={explorer.selectAll}
              navigation={navigation}
              uploads={uploads}
              choose={chooser.choose}
              downloads={downloads}
              thumbnails={thumbnails}
              checks={explorer.checks}
              changes={changes}
              history={history}
              layout={layout}
              setLayout={setLayout}
              onPreview={setPreviewed}
              onDetails={details.show}
              requests={requests}
            />
            <PauseState state={frame.state} session={frame.session} />
          </main>
          {details.hasPanel && (
            <LazyDetailsPanel
              details={details}
              list={list}
              rootPath={rootPath}
              thumbnails={thumbnails}
              onGiveUp={details.close}
            />
          )}
        </div>
        <div className="foot">
          {!frame.isReady && <p className="renewing needs-script">{t("loading")}</p>}
          {changes.pendingCommands && (
            <LazyChangesPanel
              props={props}
              embeddingPage={frame.embeddingPage}
              client={client}
              folder={folder}
              list={list}
              showRows={showRows}
              navigation={navigation}
              downloads={downloads}
              changes={changes}
              announce={announce}
              hasOtherNotice={[navigation, uploads, downloads].some(({ notice }) => notice !== null)}
              onNotice={explorer.dismissNotices}
              folderActions={{
                mayUpload: uploads.allowed,
                choose: chooser.choose,
                sortBy: explorer.sortBy,
                selectAll: explorer.selectAll,
                layout,
                setLayout,
                ...(history && {
                  onNow: folder.time.kind === "now" ? undefined : history.showNow,
                  onDeleted: folder.time.kind === "deleted" ? undefined : history.showDeleted,
                  onMoment: history.chooseMoment,
                }),
              }}
              onPreview={setPreviewed}
              onDetails={details.show}
              onVersions={details.showVersions}
              requests={requests}
              onGiveUp={() => changes.setPendingCommands(null)}
            />
          )}
          <StatusBar folder={folder} list={list} downloads={downloads} changes={changes} />
          {uploads.needsPanel && (
            <LazyUploadPanel
              client={client}
              frame={frame}
              props={props}
              uploads={uploads}
              announce={announce}
              folder={folder}
              list={list}
              showRows={showRows}
              navigation={navigation}
              onGiveUp={uploads.giveUp}
            />
          )}
          {requests.needsPanel && (
            <LazyPageRequestsPanel
              client={client}
              embeddingPage={frame.embeddingPage}
              requests={requests}
              list={list}
              navigation={navigation}
              here={folder.path}
              isNow={folder.time.kind === "now"}
              mayDownload={downloads.allowed}
              onlyChecked={props.onlyChecked}
              announce={announce}
              onGiveUp={requests.giveUp}
            />
          )}
          {downloads.open && <downloads.open.engine.DownloadPanel archives={downloads.open.archives} />}
        </div>
        <Overlays
          client={client}
          session={frame.state}
          list={list}
          navigation={navigation}
          uploads={uploads}
          downloads={downloads}
          previewed={previewed}
          onPreview={setPreviewed}
          showRows={showRows}
          details={details}
          rootPath={rootPath}
          thumbnails={thumbnails}
          announcement={explorer.announcement}
        />
        {history?.isChoosing && (
          <LazyMomentDialog
            client={client}
            folder={folder}
            name={navigation.name}
            onChoose={history.showMoment}
            onClose={history.closeDialog}
            onGiveUp={history.closeDialog}
          />
        )}
        {history?.menuAt && (
          <LazyHistoryMenu
            history={history}
            at={history.menuAt}
            time={folder.time}
            onGiveUp={history.closeMenu}
          />
        )}
      </fieldset>
      <Shortcuts
        actions={props.actions}
        onUp={navigation.openParent}
        onPaste={changes.paste}
        onUndo={changes.may.undo ? changes.dispatch : undefined}
        onCommand={changes.dispatchByKey}
        onSelectAll={explorer.selectAll}
        onEscape={() => {
          if (list.selection.ids.size > 0) list.selection.clear();
          else if (list.filter !== "") navigation.leaveSearch();
        }}
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
function dropHandlers(
  { dropHandlers: files }: Pick<Uploads, "dropHandlers">,
  { drag }: Pick<Changes, "drag">,
) {
  const { handlers: rows } = drag;
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
  folder: Pick<Folder, "phase" | "refresh" | "listed">;
  layout: Layout;
  setLayout(layout: Layout): void;
  details: Pick<Details, "hasPanel" | "toggle">;
  changes: Pick<Changes, "possible" | "may" | "dispatch">;
  history: History | null;
  uploads: Pick<Uploads, "possible" | "allowed">;
  choose: FileChooser["choose"];
}

function Toolbar(props: ToolbarProps) {
  const { list, navigation, folder, layout, setLayout, details, changes, history, uploads, choose } = props;
  const { t } = useLanguage();
  return (
    <div className="toolbar needs-script">
      <SearchBox list={list} navigation={navigation} />
      <IconButton
        icon="refresh"
        className={folder.phase === "refreshing" ? "wide-only icon-button--turning" : "wide-only"}
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
      {uploads.possible && <UploadButtons allowed={uploads.allowed} choose={choose} />}
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
