import { Icon, type IconName } from "../../embed/components/icons";
import { visibleText } from "../../locales/visible-text";
import type { VisibleEvent } from "../visible-events.server";
import {
  type EventGroup,
  fileDataOf,
  foldersOf,
  groupEvents,
  type Kind,
  nameOfKey,
  sourceOf,
} from "./group-events";
import { useLanguage } from "./language";

const icons: Record<Kind, IconName> = {
  uploaded: "upload",
  opened: "eye",
  downloaded: "download",
  thumbnail: "eye",
  copied: "copy",
  moved: "folderMove",
  renamed: "rename",
  deleted: "trash",
  restored: "undo",
  purged: "trash",
  folderCreated: "folderPlus",
  sent: "mail",
  delivered: "mail",
  bounced: "warning",
  complained: "warning",
  emailOpened: "mail",
  emailClicked: "mail",
  unsubscribed: "mail",
  databaseCreated: "database",
  databaseDeleted: "trash",
  databaseRestored: "undo",
};

interface ActivityListProps {
  events: readonly VisibleEvent[];
  newIds: ReadonlySet<string>;
  /** what the keys of the highest folder begin with; empty for the bucket's root. Folders are shown from there */
  rootPrefix: string;
  /** the level of the days' headings */
  level: 2 | 3;
  /** All events are of one file, whose name and folder need not be repeated. */
  isOfOneFile?: boolean;
  /** Shows only what this person did. */
  onPerson?: ((visitor: { id: string; name?: string | undefined }) => void) | undefined;
  /** Shows only what happened in this folder. @param prefix what its keys begin with */
  onFolder?: ((place: { bucket: string; prefix: string }) => void) | undefined;
}

/** What happened, newest first, day by day. */
export function ActivityList({ events, newIds, level, ...rest }: ActivityListProps) {
  const { formats } = useLanguage();
  const Heading = `h${level}` as const;
  const days: { day: string; groups: EventGroup[] }[] = [];
  for (const group of groupEvents(events)) {
    const day = formats.day(group.events[0].occurredAt);
    const last = days.at(-1);
    if (last?.day === day) last.groups.push(group);
    else days.push({ day, groups: [group] });
  }
  return (
    <div className="activity">
      {days.map(({ day, groups }) => (
        <section key={day} className="activity__day">
          <Heading>{day}</Heading>
          <ul>
            {groups.map((group) => (
              <Entry key={group.id} group={group} isNew={newIds.has(group.id)} {...rest} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface EntryProps extends Pick<ActivityListProps, "rootPrefix" | "isOfOneFile" | "onPerson" | "onFolder"> {
  group: EventGroup;
  isNew: boolean;
}

function Entry({ group, isNew, rootPrefix, isOfOneFile = false, onPerson, onFolder }: EntryProps) {
  const { t, formats } = useLanguage();
  const { kind, events } = group;
  const [newest] = events;
  return (
    <li className={isNew ? "activity__entry activity__entry--new" : "activity__entry"} data-kind={kind}>
      <span className="activity__icon">
        <Icon name={icons[kind]} />
      </span>
      <div className="activity__what">
        <span className="activity__kind">{t(`kinds.${kind}`)}</span>
        <Subjects group={group} isOfOneFile={isOfOneFile} />
      </div>
      <div className="activity__where">
        <Place group={group} rootPrefix={rootPrefix} isOfOneFile={isOfOneFile} onFolder={onFolder} />
        <Person event={newest} onPerson={onPerson} />
      </div>
      <time
        className="activity__time"
        dateTime={newest.occurredAt}
        title={formats.dateTime(newest.occurredAt)}
      >
        {formats.time(newest.occurredAt)}
      </time>
    </li>
  );
}

/** The name of the one thing that it happened to, or of the newest, with the others to unfold. */
function Subjects({
  group: { kind, events, prefix },
  isOfOneFile,
}: Pick<EntryProps, "group" | "isOfOneFile">) {
  const { t, formats } = useLanguage();
  const [newest] = events;
  const nameOf = ({ subject }: VisibleEvent) => nameWithin(prefix, subject);
  const names = new Set(events.map(nameOf));
  if (names.size === 1) {
    const { from, size } = fileDataOf(newest);
    const isSized = size !== undefined && (kind === "uploaded" || kind === "copied");
    return (
      <>
        {!isOfOneFile && (
          <bdi className="activity__name">{visibleText(nameOf(newest)) || t("elsewhere")}</bdi>
        )}
        {events.length > 1 && <span className="activity__more">{t("times", { count: events.length })}</span>}
        {kind === "renamed" && from !== undefined && (
          <span className="activity__more">{t("was", { name: nameOfKey(from) })}</span>
        )}
        {events.length === 1 && isSized && <span className="activity__more">{formats.size(size)}</span>}
      </>
    );
  }
  // That of an erased recipient is empty.
  const name = [...names].find((one) => one !== "") ?? "";
  const summary = t("andMore", { name, count: names.size - 1 });
  return (
    <details className="activity__names">
      <summary aria-label={`${summary}. ${t("showNames")}`}>
        <span className="activity__name">{summary}</span>
        <Icon name="down" />
      </summary>
      <ul>
        {[...names].map((name) => (
          <li key={name}>
            <bdi>{visibleText(name) || t("elsewhere")}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** @param prefix of a folder: what lies in its folders is named with them */
function nameWithin(prefix: string, subject: VisibleEvent["subject"]): string {
  if ("key" in subject) return foldersOf(subject.key, prefix);
  return "recipient" in subject ? subject.recipient : subject.databaseId;
}

/** The folder, and for what was moved, the one before. */
function Place({
  group,
  rootPrefix,
  isOfOneFile,
  onFolder,
}: Pick<EntryProps, "group" | "rootPrefix" | "isOfOneFile" | "onFolder">) {
  const { t } = useLanguage();
  const { events, prefix } = group;
  const [{ subject }] = events;
  if (!("key" in subject)) {
    return (
      <span className="activity__place">{"recipient" in subject && <bdi>{subject.campaignId}</bdi>}</span>
    );
  }
  const shown = (folder: string) => foldersOf(folder, rootPrefix) || t("topFolder");
  const { bucket, key } = subject;
  const before = sourceOf(group);
  return (
    <span className="activity__place">
      {key !== "" && !isOfOneFile && (
        <FilterName
          name={shown(prefix)}
          title={t("filters.onlyFolder", { folder: shown(prefix) })}
          onFilter={onFolder && (() => onFolder({ bucket, prefix }))}
        />
      )}
      {before !== prefix && <span className="activity__more">{t("from", { folder: shown(before) })}</span>}
    </span>
  );
}

function Person({
  event: { visitor, source },
  onPerson,
}: { event: VisibleEvent } & Pick<EntryProps, "onPerson">) {
  const { t } = useLanguage();
  if (visitor === null) {
    return (
      <span className="activity__person activity__person--unknown">
        {t(source === "store" ? "inStorage" : "unknownPerson")}
      </span>
    );
  }
  const name = visitor.name ?? visitor.id;
  return (
    <span className="activity__person">
      <FilterName
        name={name}
        title={t("filters.onlyPerson", { name })}
        onFilter={onPerson && (() => onPerson(visitor))}
      />
    </span>
  );
}

interface FilterNameProps {
  name: string;
  /** what a click does */
  title: string;
  onFilter: (() => void) | undefined;
}

/** A name; a button where the list can be filtered by it. */
function FilterName({ name, title, onFilter }: FilterNameProps) {
  if (!onFilter) return <bdi>{visibleText(name)}</bdi>;
  return (
    <button type="button" className="activity__filter" title={title} onClick={onFilter}>
      <bdi>{visibleText(name)}</bdi>
    </button>
  );
}
