import { InvalidArgumentError } from "commander";

/** Not null for a key that does not end: commander has that as an empty text. */
export type Expiry = Date | "never";

/** What `--expires` takes. */
export const EXPIRES = "when the key ends: 90d, 12h, a time like 2027-01-31, or never";
/** milliseconds of each unit */
const UNITS: Record<string, number> = { h: 3_600_000, d: 86_400_000 };

/** @param when a number of days or hours from now, or a time as ISO 8601 has it, in UTC unless it says otherwise */
export function readExpiry(when: string): Expiry {
  if (when === "never") return when;
  const [, count, unit = ""] = /^(\d{1,5})([hd])$/.exec(when) ?? [];
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.test(when);
  const zoned = /T.*(Z|[+-]\d\d:\d\d)$/.test(when) || !when.includes("T") ? when : `${when}Z`;
  const time = count
    ? Date.now() + Number(count) * (UNITS[unit] ?? Number.NaN)
    : isTime
      ? Date.parse(zoned)
      : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("It is like 90d, 12h or 2027-01-31.");
  if (time <= Date.now()) throw new InvalidArgumentError("It has to be in the future.");
  return new Date(time);
}

/** For the database: null where the key does not end. */
export const endOf = (expires: Expiry | undefined): Date | null =>
  expires === undefined || expires === "never" ? null : expires;
