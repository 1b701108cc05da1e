import { isFiltering } from "../browse/file-filter";
import {
  choiceOf,
  type FilterChoice,
  kindChoices,
  noChoice,
  sizeChoices,
  timeChoices,
} from "../browse/filter-choice";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import { useLanguage } from "../screen/language";

interface FilterBarProps {
  folder: Pick<Folder, "time">;
  list: Pick<List, "isSearching" | "choice" | "files">;
  navigation: Pick<Navigation, "choose">;
}

/** Which kinds, dates and sizes of files are listed, in the open folder and below. It is there from when the search field is used. */
export function FilterBar({ folder, list, navigation }: FilterBarProps) {
  const { t, formats } = useLanguage();
  const isChosen = isFiltering(list.files);
  if (folder.time.kind !== "now" || !(list.isSearching || isChosen)) return null;
  const { kind, time, size } = list.choice;
  const change = (changed: Partial<Record<keyof FilterChoice, unknown>>) =>
    navigation.choose(choiceOf({ ...list.choice, ...changed }));
  const chip = (value: string | number | null) => `chip${value === null ? "" : " chip--chosen"}`;
  return (
    <search className="chips needs-script" aria-label={t("filters.label")}>
      <select
        className={chip(kind)}
        aria-label={t("type")}
        value={kind ?? ""}
        onChange={({ target }) => change({ kind: target.value })}
      >
        <option value="">{t("filters.anyKind")}</option>
        {kindChoices.map((name) => (
          <option key={name} value={name}>
            {t(`kinds.${name}`)}
          </option>
        ))}
      </select>
      <select
        className={chip(time)}
        aria-label={t("modified")}
        value={time ?? ""}
        onChange={({ target }) => change({ time: target.value })}
      >
        <option value="">{t("filters.anyTime")}</option>
        {timeChoices.map((name) => (
          <option key={name} value={name}>
            {t(`filters.${name}`)}
          </option>
        ))}
      </select>
      <select
        className={chip(size)}
        aria-label={t("size")}
        value={size ?? ""}
        onChange={({ target }) => change({ size: Number(target.value) })}
      >
        <option value="">{t("filters.anySize")}</option>
        {sizeChoices.map((bytes) => (
          <option key={bytes} value={bytes}>
            {t("filters.largerThan", { size: formats.size(bytes) })}
          </option>
        ))}
      </select>
      {isChosen && (
        <button type="button" className="link-button" onClick={() => navigation.choose(noChoice)}>
          {t("filters.clear")}
        </button>
      )}
    </search>
  );
}
