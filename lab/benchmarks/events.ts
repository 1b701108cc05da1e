/**
 * Reads pages of a record of a million events, with each filter, and compares with the time that PostgreSQL itself takes for the same
 * statement. Then exports all of them.
 */

import type { EventFilter } from "../../app/events/event-filter.server";
import { eventFormats, formatEvents } from "../../app/events/event-formats.server";
import { findAllEvents } from "../../app/events/find-events.server";
import { selectEvents } from "../../app/events/find-events.sql.server";
import { listEvents } from "../../app/events/list-events.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { migrate } from "../../prisma/migrate";
import { fillWithEvents } from "../../tests/support/databases/many-events";
import { query, startTestPostgres } from "../../tests/support/databases/postgres";
import { type BenchmarkResult, inMegabytes, inMs, median, medianRow, type Row } from "./result";

const EVENTS = 1_000_000;
const LIMIT = 100;
const ROUNDS = 50;

interface PlanRow {
  "QUERY PLAN": [Record<"Planning Time" | "Execution Time", number>];
}

const filters: Record<string, EventFilter> = {
  "all companies": {},
  "a company with half of them": { companyId: "company-0" },
  "a small company": { companyId: "company-5" },
  "… and a type": { companyId: "company-5", type: ["file.purged"] },
  "… and three types": { companyId: "company-5", type: ["file.uploaded", "file.deleted", "file.purged"] },
  "… and a visitor": { companyId: "company-5", visitor: "visitor-10" },
  "… and a folder": { companyId: "company-5", prefix: "folder-17/" },
  "a file": { bucket: "rare", prefix: `rare/file-${EVENTS}.pdf` },
  "a folder of old events": { companyId: "company-0", prefix: "rare/" },
  "the end of the record": { before: new Date(Date.now() - EVENTS * 990).toISOString() },
};

export async function run(): Promise<BenchmarkResult> {
  const postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  const database = createDatabase({ url, poolSize: 2 });
  try {
    await fillWithEvents(url, EVENTS);
    await query(url, "VACUUM events");
    const [rows, raw]: [Row[], BenchmarkResult["raw"]] = [[], {}];
    for (const [name, filter] of Object.entries(filters)) {
      const { ours, own } = await measurePage(filter, database);
      const compared = `PostgreSQL alone ${inMs(median(own))}, ratio ${(median(ours) / median(own)).toFixed(1)}`;
      rows.push(medianRow(name, ours, inMs, compared));
      Object.assign(raw, { [`${name}, ms`]: ours, [`${name}, PostgreSQL alone, ms`]: own });
    }
    const exported = await measureExport(database);
    return {
      title: `A page of ${LIMIT} among ${EVENTS.toLocaleString("en")} events, ${ROUNDS} times by each filter, and an export of all`,
      rows: [...rows, exported.row],
      raw: { ...raw, ...exported.raw },
    };
  } finally {
    await database.$disconnect();
    await postgres.stop();
  }
}

/** Returns the times of our page and of PostgreSQL alone, milliseconds. */
async function measurePage(filter: EventFilter, database: Database) {
  const { text, values } = selectEvents(filter, LIMIT + 1);
  const times = { ours: [] as number[], own: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await listEvents({ ...filter, limit: LIMIT }, { database, signingSecrets: ["secret-of-the-benchmark"] });
    times.ours.push(performance.now() - started);
    const explain = { text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values };
    const [row] = (await database.$driverQuery(explain)) as PlanRow[];
    const [plan] = row?.["QUERY PLAN"] ?? [];
    times.own.push((plan?.["Planning Time"] ?? 0) + (plan?.["Execution Time"] ?? 0));
  }
  return times;
}

async function measureExport(database: Database): Promise<{ row: Row; raw: BenchmarkResult["raw"] }> {
  const started = performance.now();
  let bytes = 0;
  let maxMemory = 0;
  for await (const text of formatEvents(findAllEvents(database, {}), eventFormats.ndjson)) {
    bytes += Buffer.byteLength(text);
    maxMemory = Math.max(maxMemory, process.memoryUsage().heapUsed);
  }
  const seconds = (performance.now() - started) / 1000;
  const row = {
    name: "export of all",
    value: `${Math.round(EVENTS / seconds)} events a second`,
    compared: `${inMegabytes(bytes)}, at most ${inMegabytes(maxMemory)} of heap`,
  };
  return {
    row,
    raw: { "export, s": [seconds], "export, bytes": [bytes], "export, bytes of heap": [maxMemory] },
  };
}
