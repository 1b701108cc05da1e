import type { FileFilter } from "./file-filter";
import type { FileKind } from "./file-kind";

/** in the order in which they are offered */
export const kindChoices = [
  "pdf",
  "image",
  "document",
  "table",
  "slides",
  "text",
  "video",
  "audio",
  "archive",
] as const satisfies readonly FileKind[];

/** The last … days. */
const daysOf = { day: 1, week: 7, month: 30, year: 365 };
export const timeChoices = [
  "day",
  "week",
  "month",
  "year",
] as const satisfies readonly (keyof typeof daysOf)[];

/** Larger than … bytes; megabytes as sizes are shown. */
export const sizeChoices = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000] as const;

/** What a visitor has chosen, without being asked for dates and bytes. */
export interface FilterChoice {
  kind: (typeof kindChoices)[number] | null;
  time: (typeof timeChoices)[number] | null;
  size: (typeof sizeChoices)[number] | null;
}

export const noChoice: FilterChoice = { kind: null, time: null, size: null };

const offered = <Choice>(choices: readonly Choice[], value: unknown): Choice | null =>
  choices.find((choice) => choice === value) ?? null;

/** A choice that was kept somewhere; what is not offered any more is left out. */
export function choiceOf(kept: unknown): FilterChoice {
  const { kind, time, size }: Partial<Record<keyof FilterChoice, unknown>> = Object(kept);
  return {
    kind: offered(kindChoices, kind),
    time: offered(timeChoices, time),
    size: offered(sizeChoices, size),
  };
}

export const isSameChoice = (one: FilterChoice, other: FilterChoice): boolean =>
  one.kind === other.kind && one.time === other.time && one.size === other.size;

/** For an address: `kind=pdf&size=10000000`; empty without a choice. docs/contract.md#filters-of-a-folder */
export const textOfChoice = ({ kind, time, size }: FilterChoice): string =>
  new URLSearchParams({
    ...(kind !== null && { kind }),
    ...(time !== null && { time }),
    ...(size !== null && { size: String(size) }),
  }).toString();

/** The choice of an address. Anybody may have written it: what is not offered is left out. */
export function choiceOfText(text: string): FilterChoice {
  const { size, ...others } = Object.fromEntries(new URLSearchParams(text));
  return choiceOf({ ...others, size: Number(size) });
}

/** @param now milliseconds since 1970 */
export function filterOf({ kind, time, size }: FilterChoice, now: number): FileFilter {
  return {
    ...(kind !== null && { kinds: [kind] }),
    ...(time !== null && { modifiedAfter: new Date(now - daysOf[time] * 86_400_000).toISOString() }),
    ...(size !== null && { minSize: size + 1 }),
  };
}
