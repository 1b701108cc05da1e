/** `npm run cleanup`: deletes records that are past their keep. For a timer; safe at any time. */
import {
  countExpired,
  deleteExpired,
  type ExpiringTable,
  MAX_COUNTED,
} from "../cleanup/delete-expired.server";
import { parseCleanupEnv } from "../env/commands.server";
import type { Database } from "../providers/database.server";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** milliseconds between two lines of progress */
const LINE_EVERY_MS = 5_000;

/** What expires, a line for each table. A claim that was never sent expires as well: nobody will take it over any more. */
function expiringTables(env: Record<string, string | undefined>): ExpiringTable[] {
  const { emailDeliveriesKeepDays } = parseCleanupEnv(env);
  return [
    {
      table: "email_deliveries",
      column: "claimed_at",
      keepDays: emailDeliveriesKeepDays,
    },
  ];
}

export const cleanup: CommandDefinition = (program, session) =>
  program
    .description(
      "Deletes what is past its keep: records of campaign e-mails (EMAIL_DELIVERIES_KEEP_DAYS, 400 days unless set). Needs POSTGRES_URL, or a running local stack.",
    )
    .option("--dry-run", "say how much there is, and delete nothing")
    .addHelpText(
      "after",
      "\nSafe at any time, beside the running service and beside itself. May be stopped anywhere: run again, it goes on.",
    )
    .action(({ dryRun = false }: { dryRun?: boolean }) =>
      session.withDatabase((database, env) => cleanUp(session, database, expiringTables(env), dryRun)),
    );

async function cleanUp(
  session: Session,
  database: Database,
  tables: readonly ExpiringTable[],
  dryRun: boolean,
): Promise<void> {
  const { console, terminal } = session;
  const stop = terminal.catchSignals();
  for (const expiring of tables) {
    const { table, keepDays } = expiring;
    const age = `older than ${keepDays} ${keepDays === 1 ? "day" : "days"}`;
    if (dryRun) {
      const count = await countExpired(database, expiring);
      const many = count < MAX_COUNTED ? String(count) : `${count} or more`;
      console.log(`${table}: ${many} rows are ${age}. Nothing was deleted.`);
      continue;
    }
    let deleted = 0;
    let shownAt = Date.now();
    const onBatch = (total: number) => {
      deleted = total;
      if (Date.now() - shownAt < LINE_EVERY_MS) return;
      shownAt = Date.now();
      console.error(`${table}: ${total} rows deleted so far`);
    };
    try {
      await deleteExpired(database, expiring, { stop, onBatch });
    } catch (error) {
      console.error(`${table}: stopped after ${deleted} rows; run it again to go on.`);
      throw error;
    }
    console.log(`${table}: deleted ${deleted} rows ${age}.${stop.aborted ? " Stopped; run it again." : ""}`);
    if (stop.aborted) {
      session.exitCode = 130;
      return;
    }
  }
}

await runAsProcess(import.meta.url, "cleanup", cleanup);
