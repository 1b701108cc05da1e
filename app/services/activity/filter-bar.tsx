import { useEffect, useState } from "react";
import { IconButton } from "../../embed/components/icons";
import { useLanguage } from "../../events/activity/language";
import { visibleText } from "../../locales/visible-text";
import type { ActivityClient } from "./activity-client";
import { allKinds, type Filters, fileKinds, isFiltered, noFilters, timeFilters } from "./filters";

interface FilterBarProps {
  client: ActivityClient;
  filters: Filters;
  setFilters(filters: Filters): void;
  /** whether the token reaches only files */
  isOnlyFiles: boolean;
  /** The name of a folder, from the token's folder on. */
  nameFolder(prefix: string): string;
}

/** Which events are shown: by kind, person, time and folder. */
export function FilterBar({ client, filters, setFilters, isOnlyFiles, nameFolder }: FilterBarProps) {
  const { t } = useLanguage();
  const { people, load } = usePeople(client, filters.person);
  const change = (changed: Partial<Filters>) => setFilters({ ...filters, ...changed });
  const { kind, person, time, from, to, folder } = filters;
  return (
    <fieldset className="filters" aria-label={t("filters.label")}>
      <label>
        <span>{t("filters.kind")}</span>
        <select
          value={kind ?? ""}
          onChange={({ target }) => change({ kind: (target.value || null) as Filters["kind"] })}
        >
          <option value="">{t("filters.everything")}</option>
          {(isOnlyFiles ? fileKinds : allKinds).map((name) => (
            <option key={name} value={name}>
              {t(`filters.${name}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t("filters.person")}</span>
        <select
          value={person?.id ?? ""}
          onFocus={load}
          onPointerEnter={load}
          onChange={({ target }) => change({ person: people.find(({ id }) => id === target.value) ?? null })}
        >
          <option value="">{t("filters.everybody")}</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {visibleText(name ?? id)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t("filters.time")}</span>
        <select
          value={time ?? ""}
          onChange={({ target }) => change({ time: (target.value || null) as Filters["time"] })}
        >
          <option value="">{t("filters.anyTime")}</option>
          {timeFilters.map((name) => (
            <option key={name} value={name}>
              {t(`filters.${name}`)}
            </option>
          ))}
        </select>
      </label>
      {time === "dates" && (
        <>
          <label>
            <span>{t("filters.from")}</span>
            <input
              type="date"
              value={from}
              max={to}
              onChange={({ target }) => change({ from: target.value })}
            />
          </label>
          <label>
            <span>{t("filters.to")}</span>
            <input
              type="date"
              value={to}
              min={from}
              onChange={({ target }) => change({ to: target.value })}
            />
          </label>
        </>
      )}
      {folder !== null && (
        <span className="filters__folder">
          <bdi>{t("filters.inFolder", { folder: nameFolder(folder.prefix) })}</bdi>
          <IconButton
            icon="close"
            label={t("filters.clearFolder")}
            onClick={() => change({ folder: null })}
          />
        </span>
      )}
      {isFiltered(filters) && (
        <button type="button" className="link-button" onClick={() => setFilters(noFilters)}>
          {t("filters.clear")}
        </button>
      )}
    </fieldset>
  );
}

/** The people to choose from, with the chosen one. They are requested when somebody is about to choose. */
function usePeople(client: ActivityClient, chosen: Filters["person"]) {
  const [people, setPeople] = useState<readonly NonNullable<Filters["person"]>[]>([]);
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    client.people(stop.signal).then(
      (found) => stop.signal.aborted || setPeople(found),
      // The next time it is wanted, it is asked for again.
      () => stop.signal.aborted || setWanted(false),
    );
    return () => stop.abort();
  }, [client, isWanted]);
  const isMissing = chosen !== null && !people.some(({ id }) => id === chosen.id);
  return { people: isMissing ? [...people, chosen] : people, load: () => setWanted(true) };
}
