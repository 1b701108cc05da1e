import type { StorageProblem } from "../../storage-problem";
import type { Changes } from "../changes/use-changes";
import type { Downloads } from "../downloads/use-downloads";
import { Icon, IconButton } from "../icons";
import { useLanguage } from "../language";
import { screenProblem, useBackOnline } from "../states";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

interface StatusBarProps {
  folder: Folder;
  list: Pick<List, "rows" | "selected" | "selection" | "found">;
  downloads: Pick<Downloads, "allowed" | "start">;
  changes: Pick<Changes, "possible" | "may" | "ask">;
}

/** Below the list: the number of files, the selection and what can be done with it, and whether there are more pages. */
export function StatusBar({ folder, list, downloads, changes }: StatusBarProps) {
  const { t, formats } = useLanguage();
  const { selected, selection } = list;
  const loaded = folder.rows.length;
  const shown = list.rows.length;
  if (!folder.listed || loaded === 0) return null;
  if (selected.length > 0) {
    const files = selected.filter((row) => row.type === "file");
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    return (
      <footer className="status status--selection">
        <IconButton icon="close" label={t("clearSelection")} onClick={selection.clear} />
        {folder.phase === "all" && <LoadingAll folder={folder} />}
        <span className="status__text">
          {t("selected", { count: selected.length })}
          {files.length > 0 && <span className="status__size">{formats.size(bytes)}</span>}
        </span>
        {downloads.allowed && (
          <button type="button" className="button" onClick={() => downloads.start(selected)}>
            <Icon name="download" />
            <span>{t("download")}</span>
          </button>
        )}
        {changes.may.move && (
          <button type="button" className="button" onClick={() => changes.ask("move", selected)}>
            <Icon name="folderMove" />
            <span>{t("changes.move")}</span>
          </button>
        )}
        {changes.may.delete && (
          <button type="button" className="button" onClick={() => changes.ask("delete", selected)}>
            <Icon name="trash" />
            <span>{t("changes.delete")}</span>
          </button>
        )}
        {(changes.possible || changes.may.delete) && (
          <IconButton
            icon="more"
            className="row__more"
            aria-haspopup="menu"
            label={t("changes.more")}
            onClick={({ currentTarget }) => {
              const { left, top } = currentTarget.getBoundingClientRect();
              changes.ask("menu", selected, { at: { clientX: left, clientY: top } });
            }}
          />
        )}
      </footer>
    );
  }
  return (
    <footer className="status">
      <span className="status__text">
        {list.found > 0
          ? t("search.found", { count: shown })
          : shown === loaded
            ? t("items", { count: loaded })
            : t("matches", { matching: shown, count: loaded })}
        {folder.nextCursor !== null && <span className="status__note">{t("loadedNote")}</span>}
      </span>
      {folder.problem && <ListProblem folder={folder} problem={folder.problem} />}
      {folder.nextCursor !== null ? (
        <MorePages folder={folder} />
      ) : (
        folder.problem && (
          <button type="button" className="button" onClick={folder.refresh}>
            {t("retry")}
          </button>
        )
      )}
    </footer>
  );
}

/** Why the list could not be refreshed, or its next page could not be loaded. */
function ListProblem({ folder, problem }: { folder: Folder; problem: StorageProblem }) {
  const { t } = useLanguage();
  useBackOnline(problem, folder.nextCursor === null ? folder.refresh : folder.loadMore);
  return (
    <span className="status__problem" role="alert">
      {t(`states.${screenProblem(problem)}.title`)}
    </span>
  );
}

function MorePages({ folder }: { folder: Folder }) {
  const { t } = useLanguage();
  if (folder.phase === "all") return <LoadingAll folder={folder} />;
  return (
    <div className="status__more needs-script">
      {folder.phase === "more" && <span className="status__busy">{t("loading")}</span>}
      <button type="button" className="button" onClick={folder.loadAll}>
        {t("loadAll")}
      </button>
    </div>
  );
}

function LoadingAll({ folder }: { folder: Folder }) {
  const { t } = useLanguage();
  return (
    <>
      <span className="status__busy">{t("loading")}</span>
      <button type="button" className="button" onClick={folder.stop}>
        {t("stop")}
      </button>
    </>
  );
}
