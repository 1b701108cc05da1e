import { type Sql, sql } from "../providers/sql.server";

/**
 * A moment by the database's clock: `as_of` of a row, and when the store was asked. As text, because a `Date` has no microseconds. Only these
 * tell apart what was asked before a change and after it.
 */
export type Moment = string;

/** A column or another expression of a time, as a `Moment`. */
export const momentOf = (time: Sql): Sql => sql`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`;

/** The current moment, also within a transaction: `NOW` is when that has begun. As columns have it. */
export const CLOCK_TIME = sql`(clock_timestamp() AT TIME ZONE 'UTC')`;

/** `CLOCK_TIME` as a `Moment`. */
export const CLOCK_MOMENT = momentOf(CLOCK_TIME);
