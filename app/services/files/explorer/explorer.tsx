import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useAppearance } from "../../../embed/frame/use-appearance";
import { useResizeMessage } from "../../../embed/frame/use-resize-message";
import { type FrameSession, useSession } from "../../../embed/frame/use-session";
import { contentHeight } from "./content-height";
import { Breadcrumbs } from "./folder/breadcrumbs";
import { rowId } from "./folder/folder-state";
import { FolderView } from "./folder/folder-view";
import { StatusBar } from "./folder/status-bar";
import { FileGrid } from "./grid/file-grid";
import { IconSheet } from "./icons";
import { LanguageContext, languageFor, useLanguage } from "./language";
import { Overlays } from "./overlays";
import { type ExplorerProps, SERVICE } from "./props";
import { PauseState } from "./states";
import { Toolbar } from "./toolbar";
import { UploadHint } from "./uploads/upload-hint";
import { type ExplorerState, useExplorer } from "./use-explorer";

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const root = useRef<HTMLDivElement>(null);
  const frame = useSession(SERVICE, props);
  const language = useLanguageOf(useAppearance(frame.host, props));
  useResizeMessage(frame.host, root, contentHeight);
  return (
    <LanguageContext.Provider value={language}>
      <Screen props={props} frame={frame} root={root} />
    </LanguageContext.Provider>
  );
}

/** In the first rendering, times are in UTC, as on the server; after that in the reader's own zone. */
function useLanguageOf(locale: string) {
  const [timeZone, setTimeZone] = useState<string | undefined>("UTC");
  useEffect(() => setTimeZone(undefined), []);
  return useMemo(() => languageFor(locale, timeZone), [locale, timeZone]);
}

interface ScreenProps {
  props: ExplorerProps;
  frame: FrameSession;
  root: RefObject<HTMLDivElement>;
}

function Screen({ props, frame, root }: ScreenProps) {
  const explorer = useExplorer(props, frame);
  const { messages } = useLanguage();
  const { folder, list, navigation, uploads, downloads } = explorer;
  return (
    <div ref={root} className="explorer" {...uploads.dropHandlers}>
      <IconSheet />
      <header className="head">
        <Breadcrumbs path={folder.path} rootPath={props.rootPath} onOpen={navigation.open} />
        <Toolbar
          filter={list.filter}
          onFilter={list.setFilter}
          refreshing={folder.phase === "refreshing"}
          onRefresh={folder.refresh}
          canUpload={uploads.allowed}
          onFiles={uploads.add}
        />
      </header>
      <noscript>
        <p className="hint">{messages.withoutScript}</p>
      </noscript>
      {!uploads.allowed && <UploadHint {...props} onOpen={navigation.open} />}
      <main className="main" ref={navigation.main} tabIndex={-1} aria-busy={folder.phase === "loading"}>
        <FolderPane explorer={explorer} />
        <SessionCover {...frame} />
      </main>
      {folder.listed && folder.rows.length > 0 && (
        <StatusBar
          folder={folder}
          shown={list.rows.length}
          selected={list.selected}
          onDownload={downloads.start}
          onClear={list.selection.clear}
        />
      )}
      <Overlays explorer={explorer} session={frame.state} uploadFolder={props.uploadFolder} />
    </div>
  );
}

function FolderPane({ explorer }: { explorer: ExplorerState }) {
  const { folder, list, navigation, uploads, downloads, setPreviewed } = explorer;
  const { messages } = useLanguage();
  return (
    <FolderView
      folder={folder}
      rows={list.rows}
      filter={list.filter}
      onClearFilter={() => list.setFilter("")}
      onFiles={uploads.allowed ? uploads.add : null}
      onUp={navigation.openParent}
    >
      <FileGrid
        key={folder.path}
        label={messages.folderOf(navigation.name)}
        rows={list.rows}
        more={folder.nextCursor !== null}
        sort={list.sort}
        onSort={explorer.sortBy}
        selection={list.selection}
        onOpen={(row) => (row.type === "folder" ? navigation.open(row.path) : setPreviewed(rowId(row)))}
        onDownload={(row) => downloads.start([row])}
        onUp={() => navigation.openParent?.()}
        focus={navigation.focus}
      />
    </FolderView>
  );
}

function SessionCover({ state, session }: FrameSession) {
  if (state.status !== "ended" && !(state.status === "not-renewed" && state.expired)) return null;
  return (
    <div className="main__cover">
      <PauseState state={state} onRetry={() => session.renew()} />
    </div>
  );
}
