import { IconButton } from "./icon-button";
import { useLanguage } from "./language";
import { SearchBox } from "./search/search-box";
import { UploadButtons } from "./uploads/upload-buttons";
import type { ExplorerState } from "./use-explorer";

export function Toolbar(explorer: ExplorerState) {
  const { folder, uploads, changes, view, setView } = explorer;
  const { t } = useLanguage();
  return (
    <div className="toolbar needs-script">
      <SearchBox {...explorer} />
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
      {uploads.possible && <UploadButtons {...uploads} />}
    </div>
  );
}
