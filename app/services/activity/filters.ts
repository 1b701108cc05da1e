import type { English } from "../../locales/translate";
import type { ActivityOperations } from "./activity-contract.server";

/** The kinds that a person can choose, with the types of events in them. */
export const kindFilters = {
  uploads: "file.uploaded",
  downloads: "file.download_signed",
  changes: "file.moved,file.copied",
  deletions: "file.deleted,file.restored,file.purged",
  folders: "folder.created",
  emails: "email.*",
  databases: "database.*",
} as const satisfies { [Name in keyof English["activity"]["filters"]]?: string };

export type KindFilter = keyof typeof kindFilters;

/** Those of files, for a token that names a bucket. */
export const fileKinds: readonly KindFilter[] = ["uploads", "downloads", "changes", "deletions", "folders"];
export const allKinds: readonly KindFilter[] = [...fileKinds, "emails", "databases"];

export const timeFilters = ["today", "week", "month", "dates"] as const;

/** What a person has chosen; null for everything. */
export interface Filters {
  kind: KindFilter | null;
  person: { id: string; name?: string | undefined } | null;
  time: (typeof timeFilters)[number] | null;
  /** of the time `dates`: days like `2026-11-24`, or empty */
  from: string;
  to: string;
  /** @property prefix what the keys begin with */
  folder: { bucket: string; prefix: string } | null;
}

export const noFilters: Filters = { kind: null, person: null, time: null, from: "", to: "", folder: null };

export const isFiltered = ({ kind, person, time, folder }: Filters): boolean =>
  [kind, person, time, folder].some((chosen) => chosen !== null);

const daysOf = { today: 0, week: 6, month: 29 };

/** The request for these filters. Days begin and end in the browser's time zone. */
export function toRequest(
  { kind, person, time, from, to, folder }: Filters,
  now = new Date(),
): ActivityOperations["export"] {
  const startOf = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString();
  const after = time === null ? undefined : time === "dates" ? startOfDay(from) : startOf(daysOf[time]);
  const before = time === "dates" ? startOfDay(to, 1) : undefined;
  return {
    ...(kind !== null && { type: kindFilters[kind] }),
    ...(person !== null && { visitor: person.id }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(folder !== null && {
      bucket: folder.bucket,
      folderPath: `/${folder.prefix.replace(/\/$/, "")}`,
    }),
  };
}

/** @param day like `2026-11-24`; anything else has no start */
function startOfDay(day: string, later = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  return new Date(year, month - 1, date + later).toISOString();
}
