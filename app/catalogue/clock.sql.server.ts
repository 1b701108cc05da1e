import { sql } from "../providers/sql.server";

/**
 * A moment by the database's clock: `as_of` of a row, and when the store was asked. As text, because a `Date` has no microseconds. Only these
 * tell apart what was asked before a change and after it.
 */
export type Moment = string;

/** The current moment, as a column has it. */
export const CLOCK_TIME = sql`(clock_timestamp() AT TIME ZONE 'UTC')`;

/** The current moment. */
export const CLOCK = sql`to_char(${CLOCK_TIME}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
