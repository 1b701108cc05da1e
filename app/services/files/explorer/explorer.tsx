import { type DragEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useAppearance } from "../../../embed/frame/use-appearance";
import { useResizeMessage } from "../../../embed/frame/use-resize-message";
import { type FrameSession, useSession } from "../../../embed/frame/use-session";
import { isInside } from "../folder-path";
import { LazyChangesPanel } from "./changes/lazy-changes";
import type { Changes } from "./changes/use-changes";
import { Breadcrumbs } from "./folder/breadcrumbs";
import { FolderView } from "./folder/folder-view";
import { StatusBar } from "./folder/status-bar";
import type { Folder } from "./folder/use-folder";
import { IconButton, IconSheet } from "./icons";
import { LanguageContext, useLanguage, useLanguageOf } from "./language";
import { Overlays } from "./overlays";
import { type ExplorerProps, SERVICE } from "./props";
import { SearchBox, type SearchBoxProps, SearchProgress } from "./search/search-box";
import { Shortcuts } from "./shortcuts/shortcuts";
import { PauseState } from "./states";
import { UploadButtons } from "./uploads/upload-buttons";
import type { Uploads } from "./uploads/use-uploads";
import { useExplorer, type View } from "./use-explorer";

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const root = useRef<HTMLDivElement>(null);
  const frame = useSession(SERVICE, props);
  const language = useLanguageOf(useAppearance(frame.embeddingPage, SERVICE, props));
  useResizeMessage(frame.embeddingPage, root, contentHeight);
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
  const { client, folder, list, navigation, uploads, downloads, changes, announce } = explorer;
  const { previewed, setPreviewed, detailed, setDetailed, view, setView } = explorer;
  const { uploadFolder } = props;
  const isReady = useIsReady();
  return (
    <div ref={root} className="explorer" {...dropHandlers(uploads, changes)}>
      <IconSheet />
      {/* Disables every button and field in it: they do nothing before the scripts have loaded. */}
      <fieldset className="explorer__controls" disabled={!isReady}>
        <header className="head">
          <Breadcrumbs crumbs={navigation.crumbs} open={navigation.open} />
          <Toolbar
            list={list}
            navigation={navigation}
            folder={folder}
            view={view}
            setView={setView}
            changes={changes}
            uploads={uploads}
          />
        </header>
        <noscript>
          <p className="hint">{t("withoutScript")}</p>
        </noscript>
        {uploads.possible && !uploads.allowed && uploadFolder !== null && (
          <aside className="hint">
            {t("uploadElsewhere", { folder: uploadFolder })}{" "}
            {isInside(uploadFolder, props.rootPath) && (
              <button type="button" className="link-button" onClick={() => navigation.open(uploadFolder)}>
                {t("goThere")}
              </button>
            )}
          </aside>
        )}
        <SearchProgress client={client} folder={folder} list={list} />
        <main
          className="main"
          ref={navigation.main}
          tabIndex={-1}
          aria-busy={folder.phase === "loading"}
          onKeyDown={(event) => {
            if (event.key === "Escape" && list.filter !== "" && !event.isDefaultPrevented())
              navigation.leaveSearch();
          }}
        >
          <FolderView
            client={client}
            folder={folder}
            list={list}
            sortBy={explorer.sortBy}
            navigation={navigation}
            uploads={uploads}
            downloads={downloads}
            changes={changes}
            view={view}
            setView={setView}
            onPreview={setPreviewed}
            onDetails={setDetailed}
          />
          <PauseState state={frame.state} session={frame.session} />
        </main>
        {uploads.open && (
          <uploads.open.engine.UploadPanel
            queue={uploads.open.queue}
            embeddingPage={frame.embeddingPage}
            announce={announce}
            onLeave={() => navigation.main.current?.focus({ preventScroll: true })}
          />
        )}
        {downloads.open && <downloads.open.engine.DownloadPanel archives={downloads.open.archives} />}
        {changes.asked && (
          <LazyChangesPanel
            props={props}
            embeddingPage={frame.embeddingPage}
            client={client}
            folder={folder}
            list={list}
            navigation={navigation}
            downloads={downloads}
            changes={changes}
            announce={announce}
            onPreview={setPreviewed}
            onDetails={setDetailed}
            onGiveUp={() => changes.setAsked(null)}
          />
        )}
        <StatusBar folder={folder} list={list} downloads={downloads} changes={changes} />
        <Overlays
          client={client}
          session={frame.state}
          list={list}
          navigation={navigation}
          uploads={uploads}
          downloads={downloads}
          previewed={previewed}
          onPreview={setPreviewed}
          detailed={detailed}
          onDetails={setDetailed}
          announcement={explorer.announcement}
        />
      </fieldset>
      <Shortcuts actions={props.actions} onUp={navigation.openParent} onPaste={changes.paste} />
    </div>
  );
}

/** False on the server and until React has taken over from the server's HTML. */
function useIsReady(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return isReady;
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
  folder: Pick<Folder, "phase" | "refresh">;
  view: View;
  setView(view: View): void;
  changes: Pick<Changes, "possible" | "may" | "ask">;
  uploads: Pick<Uploads, "possible" | "allowed" | "add">;
}

function Toolbar({ list, navigation, folder, view, setView, changes, uploads }: ToolbarProps) {
  const { t } = useLanguage();
  return (
    <div className="toolbar needs-script">
      <SearchBox list={list} navigation={navigation} />
      <IconButton
        icon="refresh"
        className={folder.phase === "refreshing" ? "icon-button--turning" : ""}
        label={t("refresh")}
        onClick={folder.refresh}
      />
      <IconButton
        icon={view === "list" ? "tiles" : "list"}
        label={t(view === "list" ? "look.tiles" : "look.list")}
        onClick={() => setView(view === "list" ? "tiles" : "list")}
      />
      {changes.possible && (
        <IconButton
          icon="folderPlus"
          label={t("changes.newFolder")}
          disabled={!changes.may["new-folder"]}
          onClick={() => changes.ask("new-folder")}
        />
      )}
      {uploads.possible && <UploadButtons allowed={uploads.allowed} add={uploads.add} />}
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
