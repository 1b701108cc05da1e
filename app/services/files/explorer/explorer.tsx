import type { DragEvent, RefObject } from "react";
import { Icon, IconButton, IconSheet } from "../../../embed/components/icons";
import { useServicePage } from "../../../embed/frame/use-service-page";
import type { FrameSession } from "../../../embed/frame/use-session";
import { fileSymbols } from "../browse/file-symbols.server";
import { Breadcrumbs } from "../browse/folder/breadcrumbs";
import { LazyChangesPanel } from "../changes/lazy-changes";
import { PastBar } from "../history/past-bar";
import { isInside } from "../place/folder-path";
import { type ExplorerProps, SERVICE } from "../place/props";
import { LanguageContext, useLanguage, useLanguageOf } from "../screen/language";
import { lazyPanel } from "../screen/lazy-panel";
import { pointBelow } from "../screen/menu";
import { EndedState, PauseState } from "../screen/states";
import { SearchBox, SearchProgress } from "../search/search-box";
import { FileInputs, UploadButtons } from "../uploads/file-chooser";
import { FolderView } from "./folder-view";
import { Overlays } from "./overlays";
import { Shortcuts } from "./shortcuts";
import { StatusBar } from "./status-bar";
import { type ExplorerState, useExplorer } from "./use-explorer";

const LazyPageRequestsPanel = lazyPanel(() => import("../picker/page-requests-panel"));
const LazyDetailsPanel = lazyPanel(() => import("../details/details-panel"));
const LazyHistoryMenu = lazyPanel(() => import("../history/history-menu"));
const LazyMomentDialog = lazyPanel(() => import("../history/moment-dialog"));
const LazyUploadPanel = lazyPanel(() => import("../uploads/upload-panel"));

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
  const { client, folder, list, navigation, uploads, chooser, downloads, changes, history } = explorer;
  const { details, requests } = explorer;
  const { uploadFolder, rootPath } = props;
  if (frame.state.status === "ended")
    return (
      <div ref={root} className="service-page explorer">
        <IconSheet own={fileSymbols} />
        <EndedState />
      </div>
    );
  return (
    <div ref={root} className="service-page explorer" {...dropHandlers(explorer)}>
      <IconSheet own={fileSymbols} />
      {/* Disables every button and field in it: they do nothing before the scripts have loaded. */}
      <fieldset className="service-page__controls" disabled={!frame.isReady}>
        <header className="head">
          <Breadcrumbs crumbs={navigation.crumbs} open={navigation.open} />
          <Toolbar explorer={explorer} />
        </header>
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
        <PastBar folder={folder} list={list} navigation={navigation} changes={changes} history={history} />
        <SearchProgress client={client} folder={folder} list={list} />
        <div className="workspace">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape deselects, too (Shortcuts) */}
          <main
            className="main"
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
            <FolderView explorer={explorer} />
            <PauseState state={frame.state} session={frame.session} />
          </main>
          {details.hasPanel && (
            <LazyDetailsPanel
              details={details}
              list={list}
              rootPath={rootPath}
              thumbnails={explorer.thumbnails}
              onGiveUp={details.close}
            />
          )}
        </div>
        <div className="foot">
          {!frame.isReady && <p className="renewing needs-script">{t("loading")}</p>}
          {changes.needsPanel && <LazyChangesPanel explorer={explorer} onGiveUp={changes.giveUp} />}
          <StatusBar explorer={explorer} />
          {uploads.needsPanel && <LazyUploadPanel explorer={explorer} onGiveUp={uploads.giveUp} />}
          {requests.needsPanel && <LazyPageRequestsPanel explorer={explorer} onGiveUp={requests.giveUp} />}
          {downloads.open && <downloads.open.engine.DownloadPanel archives={downloads.open.archives} />}
        </div>
        <Overlays explorer={explorer} />
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
      <Shortcuts explorer={explorer} />
    </div>
  );
}

/** Neither a row nor a control. Menus and dialogs that are rendered outside of .main do not count. */
function isBlankSpace(target: EventTarget): boolean {
  if (!(target instanceof Element) || !target.closest(".main")) return false;
  return !target.closest("[data-row], .row--head, .tiles__head, button, input, select, dialog, [role=menu]");
}

/** Files from the desktop are uploaded; rows of the list are moved or copied. Each handler ignores what belongs to the other. */
function dropHandlers({ uploads, changes }: Pick<ExplorerState, "uploads" | "changes">) {
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

function Toolbar({
  explorer,
}: {
  explorer: Pick<
    ExplorerState,
    | "list"
    | "navigation"
    | "folder"
    | "layout"
    | "setLayout"
    | "details"
    | "changes"
    | "history"
    | "uploads"
    | "chooser"
  >;
}) {
  const { list, navigation, folder, layout, setLayout, details, changes, history, uploads, chooser } =
    explorer;
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
      {uploads.possible && <UploadButtons allowed={uploads.allowed} choose={chooser.choose} />}
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
