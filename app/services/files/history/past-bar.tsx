import type { FolderTime } from "platform-embed-element/client";
import { useRef } from "react";
import { Icon } from "../../../embed/components/icons";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ChangeCommands } from "../changes/use-change-commands";
import { useFocusReturn } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import type { History } from "./use-history";

interface PastBarProps {
  folder: Pick<Folder, "time" | "listed">;
  list: Pick<List, "rows" | "filter" | "selected">;
  navigation: OpenFolder;
  changes: Pick<ChangeCommands, "may" | "dispatch">;
  history: History | null;
}

/** Says above the list that the past is shown, and what can be done there. */
export function PastBar({ folder, list, navigation, changes, history }: PastBarProps) {
  const { t } = useLanguage();
  const pastTitle = usePastTitle();
  const { time } = folder;
  if (time.kind === "now" || !history) return null;
  const { may, dispatch } = changes;
  // What is not on the screen is restored only if the person has asked for everything.
  const some = list.selected.length > 0 ? list.selected : list.filter === "" ? [] : list.rows;
  return (
    <section className="past-bar" aria-label={t("past.region")}>
      <Icon name={time.kind === "deleted" ? "trash" : "clock"} />
      <p className="past-bar__text">
        <strong>{pastTitle(time, navigation)}</strong>{" "}
        {time.kind === "at" && !may.restore && <span>{t("past.readOnly")}</span>}
        {time.kind === "deleted" && <span className="past-bar__hint">{t("past.namesInUse")}</span>}
      </p>
      <button type="button" className="button past-bar__now needs-script" onClick={history.showNow}>
        <Icon name="close" />
        <span>{t("past.now")}</span>
      </button>
      <div className="past-bar__buttons needs-script">
        {may.restore && list.rows.length > 0 && (
          <RestoreButton count={some.length} onClick={() => dispatch("restore", some)} />
        )}
        {time.kind === "at" && (
          <button type="button" className="button" onClick={history.chooseMoment}>
            {t("past.otherMoment")}
          </button>
        )}
        {may.purge && some.length === 0 && list.rows.length > 0 && (
          <button type="button" className="button past-bar__purge" onClick={() => dispatch("purge")}>
            {t("changes.purgeAll")}
          </button>
        )}
      </div>
    </section>
  );
}

/** It disappears when nothing is left to restore. @param count 0 for everything */
function RestoreButton({ count, onClick }: { count: number; onClick(): void }) {
  const { t } = useLanguage();
  const button = useRef<HTMLButtonElement>(null);
  useFocusReturn(button);
  return (
    <button ref={button} type="button" className="button" onClick={onClick}>
      <Icon name="undo" />
      <span>{count === 0 ? t("changes.restoreAll") : t("past.restoreSome", { count })}</span>
    </button>
  );
}

type OpenFolder = Pick<Navigation, "name" | "crumbs">;

/** @returns a function that names the open folder at a time; null for now */
export function usePastTitle(): (time: FolderTime, open: OpenFolder) => string | null {
  const { t, formats } = useLanguage();
  return (time, { name: folder, crumbs }) => {
    if (time.kind === "now") return null;
    // The highest folder is called Files, too.
    if (time.kind === "deleted")
      return crumbs.length === 1 ? t("changes.deletedFiles") : t("past.deletedIn", { folder });
    return t("past.at", { folder, when: formats.dateTime(time.moment) });
  };
}
