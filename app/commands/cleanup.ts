/** `npm run cleanup`: deletes expired records, and finds out what became of changes that were cut off. Meant to be run by a timer; safe at any time. */
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { findCompleteCatalogues } from "../catalogue/catalogues.server";
import { KEEP_CHANGES_HOURS } from "../catalogue/change-log.sql.server";
import { ChangedObjects } from "../catalogue/changed-objects.server";
import { countUsage } from "../catalogue/usage/count-usage.server";
import { deleteOldTotals, sweepEnded } from "../catalogue/usage/quotas.sql.server";
import { removeExpiredCredentials } from "../databases/credentials/database-credentials.server";
import { findDatabasesToDrop } from "../databases/delete-database.server";
import { dropDeletedDatabases } from "../databases/drop-databases.server";
import { REVOCATION_KEEP_HOURS } from "../embed/revoked-tokens.sql.server";
import { type EnvVariables, parseEnv, parseOnly } from "../env/env.server";
import { Events } from "../events/events.server";
import type { Database } from "../providers/database.server";
import { ObjectClaims } from "../providers/object-claims.server";
import { createObjectStore } from "../providers/object-store.server";
import { findPathsOfPolicies } from "../services/files/paths-of-policies.server";
import { MIN_AGE_MINUTES } from "../services/files/pending-events.sql.server";
import { ABANDONED_AFTER_HOURS } from "../services/files/place/pending-event";
import { resolvePendingEvents } from "../services/files/resolve-pending-events.server";
import {
  countExpired,
  deleteDeliveriesOfRemoved,
  deleteExpiredBatch,
  type ExpiringTable,
  MAX_COUNTED_ROWS,
} from "./cleanup.sql.server";
import { clusterToolsOf } from "./cluster-tools";
import { Progress } from "./progress";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** Some rows are claims without an outcome. The queue no longer delivers their jobs. */
export const emailDeliveries: ExpiringTable = { name: "email_deliveries", since: "claimed_at" };
export const stoppedCampaigns: ExpiringTable = { name: "stopped_campaigns", since: "stopped_at" };
export const idempotencyKeys: ExpiringTable = { name: "idempotency_keys", since: "created_at" };
export const events: ExpiringTable = { name: "events", since: "occurred_at" };
export const webhookDeliveries: ExpiringTable = { name: "webhook_deliveries", since: "created_at" };
export const tokenRevocations: ExpiringTable = { name: "token_revocations", since: "revoked_before" };
export const unfinishedUploads: ExpiringTable = { name: "unfinished_uploads", since: "created_at" };
export const databaseCreations: ExpiringTable = { name: "database_creations", since: "created_at" };
export const objectClaims: ExpiringTable = { name: "object_claims", since: "expires_at" };
export const catalogueChanges: ExpiringTable = { name: "catalogue_changes", since: "written_at" };

/** A key is valid for 24 hours. An hour later, no request can still be using it. */
const IDEMPOTENCY_KEEP_HOURS = 25;

/** Reservations of quotas that one statement reads. */
const MAX_SWEPT_RESERVATIONS = 1_000;

/** A creation ends within hours. Why one has failed is kept for some days. */
const CREATION_KEEP_DAYS = 30;

export const cleanup: CommandDefinition = (program, session) =>
  program
    .description(
      "Deletes expired records: those of campaign e-mails (EMAIL_DELIVERIES_KEEP_DAYS, 400 days by default), events and " +
        "their webhooks (EVENTS_KEEP_DAYS, 400 days by default), Idempotency-Keys of simple e-mails, revoked embed tokens, and abandoned uploads. Suppressions are kept. " +
        "Drops databases that were deleted, once they can no longer be restored (DATABASE_DELETE_AFTER_DAYS, 7 by default). " +
        "Asks the object store what became of changes that were cut off, and completes their events. " +
        "Once a day, counts what buckets with a catalogue hold. Needs the server's environment, " +
        "or a running local stack.",
    )
    .option("--dry-run", "count the expired records, and delete nothing")
    .addHelpText(
      "after",
      "\nSafe at any time, also while the service or another cleanup is running. To continue after an interruption, run it again.",
    )
    .action(({ dryRun = false }: { dryRun?: boolean }) =>
      session.withDatabase(async (database, variables) => {
        const { EMAIL_DELIVERIES_KEEP_DAYS: keepDays } = parseOnly(variables, "EMAIL_DELIVERIES_KEEP_DAYS");
        const { EVENTS_KEEP_DAYS: keepEventsDays } = parseOnly(variables, "EVENTS_KEEP_DAYS");
        const stop = session.terminal.catchSignals();
        for (const [table, keepHours, age] of [
          [emailDeliveries, keepDays * 24, inDays(keepDays)],
          [stoppedCampaigns, keepDays * 24, inDays(keepDays)],
          [events, keepEventsDays * 24, inDays(keepEventsDays)],
          [webhookDeliveries, keepEventsDays * 24, inDays(keepEventsDays)],
          [idempotencyKeys, IDEMPOTENCY_KEEP_HOURS, `${IDEMPOTENCY_KEEP_HOURS} hours`],
          [tokenRevocations, REVOCATION_KEEP_HOURS, `${REVOCATION_KEEP_HOURS} hours`],
          [unfinishedUploads, MAX_UPLOAD_DAYS * 24, inDays(MAX_UPLOAD_DAYS)],
          [databaseCreations, CREATION_KEEP_DAYS * 24, inDays(CREATION_KEEP_DAYS)],
          [objectClaims, 1, "1 hour"],
          [catalogueChanges, KEEP_CHANGES_HOURS, "1 hour"],
        ] as const) {
          if (dryRun) {
            const count = await countExpired(database, table, keepHours);
            const rows = count < MAX_COUNTED_ROWS ? String(count) : `${count} or more`;
            session.console.log(`${table.name}: ${rows} rows are older than ${age}. Nothing was deleted.`);
          } else if (!stop.aborted) {
            const deleteNext = () => deleteExpiredBatch(database, table, keepHours);
            const deleted = await deleteAll(session, table.name, deleteNext, stop);
            const stopped = stop.aborted ? " Stopped; run it again to continue." : "";
            session.console.log(`${table.name}: deleted ${deleted} rows older than ${age}.${stopped}`);
          }
        }
        if (!dryRun && !stop.aborted) await deleteDeliveries(session, database, stop);
        if (!stop.aborted) await dropDatabases(session, database, variables, { stop, dryRun });
        if (!dryRun && !stop.aborted) await removeCredentials(session, database, variables, stop);
        if (!dryRun && !stop.aborted) await resolvePending(session, database, variables, stop);
        if (!dryRun && !stop.aborted) await noteUsage(session, database, variables, stop);
        if (stop.aborted) session.exitCode = 130;
      }),
    );

const inDays = (days: number) => (days === 1 ? "1 day" : `${days} days`);

/** Drops databases that were deleted some days ago. Asks nothing of any cluster if there are none. */
async function dropDatabases(
  session: Session,
  database: Database,
  variables: EnvVariables,
  { stop, dryRun }: { stop: AbortSignal; dryRun: boolean },
): Promise<void> {
  const { length: count } = await findDatabasesToDrop(database);
  if (count === 0) return;
  if (dryRun) {
    session.console.log(`Deleted databases: ${count} can no longer be restored. Nothing was dropped.`);
    return;
  }
  const tools = clusterToolsOf(database, variables);
  const { dropped, failures } = await dropDeletedDatabases(tools, stop);
  for (const { name, reason } of failures)
    session.console.error(`The database ${name} was not dropped: ${reason}`);
  session.console.log(`Deleted databases: dropped ${dropped} of ${count}.`);
  if (failures.length > 0) session.exitCode = 1;
}

/** Removes the logins of databases that were replaced an hour ago. Asks nothing of any cluster if there are none. */
async function removeCredentials(
  session: Session,
  database: Database,
  variables: EnvVariables,
  stop: AbortSignal,
): Promise<void> {
  if ((await database.databaseCredential.count({ where: { expiresAt: { lt: new Date() } } })) === 0) return;
  const tools = clusterToolsOf(database, variables);
  const { removed, failures } = await removeExpiredCredentials(tools, stop);
  for (const { user, reason } of failures) session.console.error(`${user} was not removed: ${reason}`);
  session.console.log(`Replaced credentials of databases: removed ${removed}.`);
  if (failures.length > 0) session.exitCode = 1;
}

async function resolvePending(
  { console }: Session,
  database: Database,
  variables: EnvVariables,
  stop: AbortSignal,
): Promise<void> {
  if (!variables.CLOUD_CREDENTIALS?.trim() && !variables.CLOUD_ACCESS_KEY_ID?.trim()) {
    console.error(
      "Changes that were cut off are left as they are: neither CLOUD_CREDENTIALS nor CLOUD_ACCESS_KEY_ID is set. Run this with the server's environment.",
    );
    return;
  }
  const env = parseEnv(variables);
  const objectStore = createObjectStore(env.objectStore);
  const changedObjects =
    env.catalogues.maxLagSeconds === undefined ? undefined : new ChangedObjects({ database, objectStore });
  const { made, assumed, notMade, recorded, open, repeatable, recent } = await resolvePendingEvents(
    {
      database,
      events: new Events(database, changedObjects),
      claims: new ObjectClaims(database),
      objectStore,
    },
    stop,
  );
  console.log(`Changes that were cut off: ${made} had been made, ${notMade} had not.`);
  if (assumed > 0)
    console.log(
      `Of these, ${assumed} are moves of which the store shows only that the source is gone. Their events say so (data.assumed).`,
    );
  if (recorded > 0) console.log(`${recorded} had been recorded already.`);
  if (repeatable > 0)
    console.log(
      `Left for a later run: ${repeatable} uploads that are recorded. They are looked at once more when they are ${ABANDONED_AFTER_HOURS} hours old, because a URL may be used again.`,
    );
  if (recent > 0)
    console.log(
      `Left for a later run: ${recent} that began less than ${MIN_AGE_MINUTES} minutes ago, and may be running.`,
    );
  if (open > 0)
    console.log(
      `Left for a later run: ${open} whose outcome the store does not show yet. They are forgotten ${ABANDONED_AFTER_HOURS} hours after they began.`,
    );
}

/** Forgets what quotas no longer need, and writes what buckets with a catalogue hold today. Asks nothing of the store if there are none. */
async function noteUsage(
  { console }: Session,
  database: Database,
  variables: EnvVariables,
  signal: AbortSignal,
): Promise<void> {
  for (let swept: string | undefined = "0"; swept !== undefined && !signal.aborted; )
    swept = (await sweepEnded(database, swept, MAX_SWEPT_RESERVATIONS)).last;
  await deleteOldTotals(database);
  if ((await findCompleteCatalogues(database)).length === 0) return;
  const objectStore = createObjectStore(parseEnv(variables).objectStore);
  const onSkipped = (sentence: string) => console.error(sentence);
  const pathsOf = await findPathsOfPolicies(database);
  const written = await countUsage({ database, objectStore }, pathsOf, { signal, onSkipped });
  console.log(`Usage of today: counted ${written} folders.`);
}

/** Deletes batch by batch, each in a transaction of its own. @returns the number of deleted rows */
async function deleteDeliveries(session: Session, database: Database, stop: AbortSignal): Promise<void> {
  const deleteNext = () => deleteDeliveriesOfRemoved(database);
  const deleted = await deleteAll(session, webhookDeliveries.name, deleteNext, stop);
  session.console.log(`${webhookDeliveries.name}: deleted ${deleted} rows of webhooks that were removed.`);
}

/** @param deleteNext deletes a batch, and returns how many rows it had */
async function deleteAll(
  { console, terminal }: Session,
  name: string,
  deleteNext: () => Promise<number>,
  stop: AbortSignal,
): Promise<number> {
  const progress = new Progress(terminal.stderr);
  let deleted = 0;
  try {
    while (!stop.aborted) {
      const count = await deleteNext();
      if (count === 0) break;
      deleted += count;
      progress.show(() => `${name}: ${deleted} rows deleted so far`);
    }
  } catch (error) {
    progress.end();
    console.error(`${name}: stopped after ${deleted} rows; run it again to continue.`);
    throw error;
  }
  progress.end();
  return deleted;
}

await runAsProcess(import.meta.url, "cleanup", cleanup);
