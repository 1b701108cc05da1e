import { lazy, type RefObject, Suspense, useRef } from "react";
import { useAppearance } from "../../../embed/frame/use-appearance";
import { useResizeMessage } from "../../../embed/frame/use-resize-message";
import { type FrameSession, useSession } from "../../../embed/frame/use-session";
import { isInside } from "../folder-path";
import { ChangesPart } from "./changes/part";
import { contentHeight } from "./content-height";
import { Breadcrumbs } from "./folder/breadcrumbs";
import { FolderView } from "./folder/folder-view";
import { StatusBar } from "./folder/status-bar";
import { IconSheet } from "./icons";
import { LanguageContext, useLanguage, useLanguageOf } from "./language";
import { Overlays } from "./overlays";
import { type ExplorerProps, SERVICE } from "./props";
import { SearchProgress } from "./search/search-box";
import { Shortcuts } from "./shortcuts/shortcuts";
import { PauseState } from "./states";
import { Toolbar } from "./toolbar";
import { useExplorer } from "./use-explorer";

const DownloadPanel = lazy(() => import("./downloads/download-panel"));

/** The file explorer inside the frame. */
export function Explorer(props: ExplorerProps) {
  const root = useRef<HTMLDivElement>(null);
  const frame = useSession(SERVICE, props);
  const language = useLanguageOf(useAppearance(frame.host, SERVICE, props));
  useResizeMessage(frame.host, root, contentHeight);
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
  const { folder, navigation, uploads, changes } = explorer;
  const { uploadFolder } = props;
  return (
    <div ref={root} className="explorer" {...uploads.dropHandlers}>
      <IconSheet />
      <header className="head">
        <Breadcrumbs {...navigation} />
        <Toolbar {...explorer} />
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
      <SearchProgress {...explorer} />
      <main
        className="main"
        ref={navigation.main}
        tabIndex={-1}
        aria-busy={folder.phase === "loading"}
        onKeyDown={(event) => {
          const isOurs = event.key === "Escape" && explorer.list.filter !== "" && !event.isDefaultPrevented();
          if (isOurs) navigation.leaveSearch();
        }}
      >
        <FolderView {...explorer} />
        <PauseState {...explorer} />
      </main>
      {uploads.open && (
        <uploads.open.engine.UploadPanel
          queue={uploads.open.queue}
          host={frame.host}
          announce={explorer.announce}
          onLeave={() => navigation.main.current?.focus({ preventScroll: true })}
        />
      )}
      {explorer.downloads.archives && (
        <Suspense fallback={null}>
          <DownloadPanel archives={explorer.downloads.archives} />
        </Suspense>
      )}
      {changes.asked && <ChangesPart explorer={explorer} onGiveUp={() => changes.setAsked(null)} />}
      <StatusBar {...explorer} />
      <Overlays {...explorer} />
      <Shortcuts actions={props.actions} onUp={navigation.openParent} />
    </div>
  );
}
