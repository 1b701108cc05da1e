import type { FilesError, QuotaUse } from "platform-embed-element/client";
import { Icon, IconButton, type IconName } from "../../../embed/components/icons";
import { bytesOf } from "../browse/folder/arrange-rows";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { QuotaBar } from "../browse/quota/quota-bar";
import type { ChangeCommands } from "../changes/use-change-commands";
import type { Downloads } from "../downloads/use-downloads";
import { useLanguage } from "../screen/language";
import { pointBelow } from "../screen/menu";
import { screenProblem, useBackOnline } from "../screen/states";
import { useKept } from "../screen/use-kept";

interface StatusBarProps {
  folder: Folder;
  list: Pick<List, "rows" | "total" | "found" | "search" | "selected" | "selection">;
  downloads: Pick<Downloads, "allowed" | "start">;
  changes: Pick<ChangeCommands, "may" | "dispatch">;
  /** the embedding page asks for the selection, and has buttons of its own for it */
  isPicking: boolean;
  /** null: nothing is shown of it */
  quota: QuotaUse | null;
}

/** Below the list: the number of files, the selection and what can be done with it, whether there are more pages, and how full the quota is. */
export function StatusBar(props: StatusBarProps) {
  const { t } = useLanguage();
  const status = useKept(props.folder.status === "loading", () => <Status {...props} />);
  if (status !== undefined) return status;
  return (
    <footer className="status">
      <span className="status__text">{t("loading")}</span>
      {props.quota && <QuotaBar quota={props.quota} />}
    </footer>
  );
}

function Status({ folder, list, downloads, changes, isPicking, quota }: StatusBarProps) {
  const { t, formats } = useLanguage();
  const { selected, selection } = list;
  const { may, dispatch } = changes;
  const loaded = list.total;
  const shown = list.rows.length;
  const room = quota && <QuotaBar quota={quota} />;
  if (!folder.listed) return null;
  if (loaded === 0) return room && <footer className="status">{room}</footer>;
  if (selected.length > 0) {
    const sized = selected.filter((row) => row.type === "file" || row.deletion);
    const bytes = sized.reduce((sum, row) => sum + bytesOf(row), 0);
    const button = (icon: IconName, words: string, act: () => void) => (
      <button type="button" className="button" onClick={act}>
        <Icon name={icon} />
        <span>{words}</span>
      </button>
    );
    return (
      <footer className="status status--selection">
        <IconButton icon="close" label={t("clearSelection")} onClick={selection.clear} />
        <span className="status__text">
          {t("selected", { count: selected.length })}
          {/* Nobody knows the size of a folder, and a sum without it would be taken for all. */}
          {sized.length === selected.length && <span className="status__size">{formats.size(bytes)}</span>}
          <MoreNote folder={folder} />
        </span>
        <MorePages folder={folder} />
        {downloads.allowed &&
          !isPicking &&
          button("download", t("download"), () => downloads.start(selected))}
        {may.move && button("folderMove", t("changes.move"), () => dispatch("move", selected))}
        {may.delete && button("trash", t("changes.delete"), () => dispatch("delete", selected))}
        {(may.copy || may.delete || may.restore || may.purge) && (
          <IconButton
            icon="more"
            className="row__more"
            aria-haspopup="menu"
            label={t("changes.more")}
            onClick={({ currentTarget }) => dispatch("menu", selected, { at: pointBelow(currentTarget) })}
          />
        )}
        {room}
      </footer>
    );
  }
  return (
    <footer className="status">
      <span className="status__text">
        {shown === 0 && list.search === "running"
          ? t("states.searching.title")
          : list.found.length > 0
            ? t("search.found", { count: shown })
            : shown === loaded
              ? t("items", { count: loaded })
              : t("matches", { matching: shown, count: loaded })}
        <MoreNote folder={folder} />
      </span>
      <MorePages folder={folder} />
      {room}
    </footer>
  );
}

/** Whether the list is all there is, because its order covers only that. */
function MoreNote({ folder }: { folder: Folder }) {
  const { t } = useLanguage();
  if (folder.complete || !folder.listed) return null;
  const note = folder.status === "more" ? "loadingNote" : folder.order ? "orderedNote" : "loadedNote";
  return <span className="status__note">{t(note)}</span>;
}

function MorePages({ folder }: { folder: Folder }) {
  const { t } = useLanguage();
  const { problem, status, complete, listed, more, refresh, stop } = folder;
  const button = (words: string, act: () => void) => (
    <button type="button" className="button needs-script" onClick={act}>
      {words}
    </button>
  );
  if (problem) {
    const retry = () => void (complete ? refresh() : more());
    return (
      <>
        <ListProblem problem={problem} retry={retry} />
        {button(t("retry"), retry)}
      </>
    );
  }
  if (complete || !listed) return null;
  return status === "more" ? button(t("stop"), stop) : button(t("loadAll"), () => more({ all: true }));
}

/** Why the list could not be refreshed, or its next page could not be loaded. */
function ListProblem({ problem, retry }: { problem: FilesError; retry(): void }) {
  const { t } = useLanguage();
  useBackOnline(problem, retry);
  return (
    <span className="status__problem" role="alert">
      {t(`states.${screenProblem(problem)}.title`)}
    </span>
  );
}
