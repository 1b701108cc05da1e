/**
 * Reads pages of a record of a million events, with each filter, and compares with the time that PostgreSQL itself takes for the same
 * statement. Then exports all of them.
 */
import { eventFormats, formatEvents } from "../../app/events/event-formats.server";
import { type EventFilter, findAllEvents, selectEvents } from "../../app/events/find-events.server";
import { listEvents } from "../../app/events/list-events.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { migrate } from "../../prisma/migrate";
import { fillWithEvents } from "../support/databases/many-events";
import { query, startTestPostgres } from "../support/databases/postgres";

const EVENTS = 1_000_000;
const LIMIT = 100;
const ROUNDS = 50;

const filters: Record<string, EventFilter> = {
  "all companies": {},
  "a company with half of them": { companyId: "company-0" },
  "a small company": { companyId: "company-5" },
  "… and a type": { companyId: "company-5", type: ["file.blocked"] },
  "… and three types": { companyId: "company-5", type: ["file.uploaded", "file.deleted", "file.blocked"] },
  "… and a visitor": { companyId: "company-5", visitor: "visitor-10" },
  "… and a folder": { companyId: "company-5", prefix: "folder-17/" },
  "a file": { bucket: "rare", prefix: `rare/file-${EVENTS}.pdf` },
  "a folder of old events": { companyId: "company-0", prefix: "rare/" },
  "the end of the record": { before: new Date(Date.now() - EVENTS * 990).toISOString() },
};

export async function run(): Promise<void> {
  const postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  const database = createDatabase({ url, poolSize: 2 });
  try {
    await fillWithEvents(url, EVENTS);
    await query(url, "VACUUM events");
    for (const [name, filter] of Object.entries(filters)) await measurePage(name, filter, database);
    await measureExport(database);
  } finally {
    await database.$disconnect();
    await postgres.stop();
  }
}

async function measurePage(name: string, filter: EventFilter, database: Database): Promise<void> {
  const { statement, values } = selectEvents(filter, LIMIT + 1);
  const times = { ours: [] as number[], own: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await listEvents({ ...filter, limit: LIMIT }, { database, signingSecrets: ["secret-of-the-benchmark"] });
    times.ours.push(performance.now() - started);
    const [row] = await database.$driverQuery<{
      "QUERY PLAN": [Record<"Planning Time" | "Execution Time", number>];
    }>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`, values);
    const [plan] = row?.["QUERY PLAN"] ?? [];
    times.own.push((plan?.["Planning Time"] ?? 0) + (plan?.["Execution Time"] ?? 0));
  }
  const [ours, own] = [median(times.ours), median(times.own)];
  console.log(
    `${name.padEnd(28)} ${inMs(ours)}   PostgreSQL alone ${inMs(own)}   ratio ${(ours / own).toFixed(1)}`,
  );
}

async function measureExport(database: Database): Promise<void> {
  const started = performance.now();
  let bytes = 0;
  let maxMemory = 0;
  for await (const text of formatEvents(findAllEvents(database, {}), eventFormats.ndjson)) {
    bytes += Buffer.byteLength(text);
    maxMemory = Math.max(maxMemory, process.memoryUsage().heapUsed);
  }
  const seconds = (performance.now() - started) / 1000;
  const megabytes = Math.round(bytes / 1e6);
  console.log(
    `export of all: ${Math.round(EVENTS / seconds)} events a second, ${megabytes} MB, at most ${Math.round(maxMemory / 1e6)} MB of heap`,
  );
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const inMs = (milliseconds: number) => `${milliseconds.toFixed(1).padStart(6)} ms`;
