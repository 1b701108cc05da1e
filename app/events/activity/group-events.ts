import type { English } from "../../locales/translate";
import type { EventData } from "../event";
import type { VisibleEvent } from "../visible-events.server";

/** What happened, in the words of the person who reads it. */
export type Kind = keyof English["activity"]["kinds"];

/** The same kind of thing, done by the same person: in one folder in a short time, or in several at once. */
export interface EventGroup {
  /** of the newest event */
  id: string;
  kind: Kind;
  /** newest first; at least one */
  events: [VisibleEvent, ...VisibleEvent[]];
  /** what the keys of all begin with: the folder that holds them; empty for the bucket's root, and without keys */
  prefix: string;
}

const kinds: Record<VisibleEvent["type"], Kind> = {
  "file.uploaded": "uploaded",
  "file.download_signed": "downloaded",
  "file.copied": "copied",
  "file.moved": "moved",
  "file.deleted": "deleted",
  "file.restored": "restored",
  "file.purged": "purged",
  "folder.created": "folderCreated",
  "email.sent": "sent",
  "email.delivered": "delivered",
  "email.bounced": "bounced",
  "email.complained": "complained",
  "email.opened": "emailOpened",
  "email.clicked": "emailClicked",
  "email.unsubscribed": "unsubscribed",
  "database.created": "databaseCreated",
  "database.deleted": "databaseDeleted",
  "database.restored": "databaseRestored",
};

export function kindOf(event: VisibleEvent): Kind {
  const { type, subject } = event;
  const data = fileDataOf(event);
  if (data.purpose === "thumbnail") return "thumbnail";
  if (type === "file.download_signed" && data.disposition === "inline") return "opened";
  if (type === "file.moved" && "key" in subject && data.from !== undefined) {
    return folderOfKey(subject.key) === folderOfKey(data.from) ? "renamed" : "moved";
  }
  return kinds[type];
}

/** The key without its last name: `docs/` of `docs/a.txt` and of `docs/b/`; empty for the bucket's root. */
export function folderOfKey(key: string): string {
  return key.slice(0, key.replace(/\/$/, "").lastIndexOf("/") + 1);
}

/** The last name of a key, without the slash of a folder. */
export function nameOfKey(key: string): string {
  return key.slice(folderOfKey(key).length).replace(/\/$/, "");
}

/** The folders of a prefix such as `a/b/`, from the highest one on: `a/b`, a path as `visibleText` shows it. Empty for that one itself. */
export function foldersOf(prefix: string, rootPrefix: string): string {
  return prefix.slice(rootPrefix.length).replace(/\/$/, "");
}

/** What is known of a file. Of an e-mail or a database it has none of these members. */
export const fileDataOf = ({ data }: VisibleEvent): EventData => data as EventData;

/** Events in one folder that are further apart are not grouped, milliseconds. */
const MAX_GAP_MS = 10 * 60_000;
/** What follows so soon in another folder belongs to one action, such as the copy of a folder with folders, milliseconds. */
const MAX_ACTION_GAP_MS = 5_000;

/** @param events newest first */
export function groupEvents(events: readonly VisibleEvent[]): EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const kind = kindOf(event);
    const group = groups.at(-1);
    const oldest = group?.events.at(-1);
    if (group && oldest && group.kind === kind && belongTogether(oldest, event)) {
      group.events.push(event);
      group.prefix = commonFolder(group.prefix, prefixOfEvent(event));
    } else groups.push({ id: event.id, kind, events: [event], prefix: prefixOfEvent(event) });
  }
  return groups;
}

function belongTogether(newer: VisibleEvent, older: VisibleEvent): boolean {
  if (authorAndPlace(newer) !== authorAndPlace(older)) return false;
  const gap = Date.parse(newer.occurredAt) - Date.parse(older.occurredAt);
  return gap <= (prefixOfEvent(newer) === prefixOfEvent(older) ? MAX_GAP_MS : MAX_ACTION_GAP_MS);
}

/** Equal for events of one person in one bucket or campaign. What is outside the visible folder has an empty key, and is by itself. */
function authorAndPlace({ visitor, source, subject }: VisibleEvent): string {
  const place =
    "key" in subject
      ? [subject.bucket, subject.key === ""]
      : ["recipient" in subject ? (subject.campaignId ?? "") : ""];
  return JSON.stringify([visitor?.id, source, ...place]);
}

const prefixOfEvent = ({ subject }: VisibleEvent): string =>
  "key" in subject ? folderOfKey(subject.key) : "";

/** The deepest folder that holds where all came from: for what was not copied or moved, where they are. */
export function sourceOf({ events }: EventGroup): string {
  return events
    .map((event) => {
      const { from } = fileDataOf(event);
      return from === undefined ? prefixOfEvent(event) : folderOfKey(from);
    })
    .reduce(commonFolder);
}

/** The deepest folder that holds both: `a/` for `a/b/` and `a/c/`. */
function commonFolder(one: string, other: string): string {
  let common = one;
  while (!other.startsWith(common)) common = folderOfKey(common);
  return common;
}
