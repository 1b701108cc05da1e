/** `npm run cleanup`: deletes records that are past their keep. For a timer; safe at any time. */
import {
  countExpired,
  deleteExpired,
  deliveries,
  type Expiring,
  IDEMPOTENCY_KEEP_HOURS,
  idempotencyKeys,
  MAX_COUNTED,
} from "../cleanup/delete-expired.server";
import { parseOnly } from "../env/schema.server";
import type { Database } from "../providers/database.server";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** milliseconds between two lines of progress */
const LINE_EVERY_MS = 5_000;
const HOURS_OF_A_DAY = 24;

export const cleanup: CommandDefinition = (program, session) =>
  program
    .description(
      "Deletes what is past its keep: records of campaign e-mails (EMAIL_DELIVERIES_KEEP_DAYS, 400 days unless set) and of the Idempotency-Keys of simple e-mails. Who gets no e-mail any more is kept. Needs POSTGRES_URL, or a running local stack.",
    )
    .option("--dry-run", "say how much there is, and delete nothing")
    .addHelpText(
      "after",
      "\nSafe at any time, beside the running service and beside itself. May be stopped anywhere: run again, it goes on.",
    )
    .action(({ dryRun = false }: { dryRun?: boolean }) =>
      session.withDatabase(async (database, source) => {
        const { EMAIL_DELIVERIES_KEEP_DAYS: keepDays } = parseOnly(source, "EMAIL_DELIVERIES_KEEP_DAYS");
        const stop = session.terminal.catchSignals();
        for (const kept of [
          {
            rows: deliveries,
            hours: keepDays * HOURS_OF_A_DAY,
            age: keepDays === 1 ? "1 day" : `${keepDays} days`,
          },
          { rows: idempotencyKeys, hours: IDEMPOTENCY_KEEP_HOURS, age: `${IDEMPOTENCY_KEEP_HOURS} hours` },
        ]) {
          if (dryRun) await countWhatExpired(session, database, kept);
          else if (!stop.aborted) await deleteWhatExpired(session, database, kept, stop);
        }
        if (stop.aborted) session.exitCode = 130;
      }),
    );

interface Kept {
  rows: Expiring;
  hours: number;
  /** `hours` in words */
  age: string;
}

async function countWhatExpired(
  { console }: Session,
  database: Database,
  { rows, hours, age }: Kept,
): Promise<void> {
  const count = await countExpired(database, rows, hours);
  const many = count < MAX_COUNTED ? String(count) : `${count} or more`;
  console.log(`${rows.table}: ${many} rows are older than ${age}. Nothing was deleted.`);
}

async function deleteWhatExpired(
  { console }: Session,
  database: Database,
  { rows, hours, age }: Kept,
  stop: AbortSignal,
): Promise<void> {
  let deleted = 0;
  let shownAt = Date.now();
  const onBatch = (total: number) => {
    deleted = total;
    if (Date.now() - shownAt < LINE_EVERY_MS) return;
    shownAt = Date.now();
    console.error(`${rows.table}: ${total} rows deleted so far`);
  };
  try {
    await deleteExpired(database, rows, hours, { stop, onBatch });
  } catch (error) {
    console.error(`${rows.table}: stopped after ${deleted} rows; run it again to go on.`);
    throw error;
  }
  const stopped = stop.aborted ? " Stopped; run it again." : "";
  console.log(`${rows.table}: deleted ${deleted} rows older than ${age}.${stopped}`);
}

await runAsProcess(import.meta.url, "cleanup", cleanup);
