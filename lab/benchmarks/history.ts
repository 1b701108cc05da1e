/**
 * Lists what was deleted, and a folder as it was, among 100,000 versions: in one folder, in a tree of 400 folders, and of one file. Aims: the first
 * response of `deleted` within 2 seconds, that of `list` with `at` within 3, and memory that does not grow with the pages.
 */
import { openBucket } from "../../tests/support/files/bucket";
import { type WrittenVersion, writeVersions } from "../../tests/support/files/many-objects";
import { type LargeSite, startLargeSite } from "./large-site";
import type { BenchmarkResult, Row } from "./result";

const VERSIONS = 100_000;
/** Every file was replaced twice, and every second one was deleted and stored again. */
const VERSIONS_OF_TWO_FILES = 3 + 5;
const FILES = (2 * VERSIONS) / VERSIONS_OF_TWO_FILES;
const FOLDERS = 400;
/** How many responses at the beginning, and at the end, are compared for memory. */
const SAMPLE = 5;

const text = { text: "" };
const kept: WrittenVersion[] = [text, text, text];
const deleted: WrittenVersion[] = [text, "deleted", text, text, "deleted"];
/** after the second version of each file */
const AT = "2026-01-03T12:00:00Z";

const filesBy = (keyAt: (index: number) => string): [string, WrittenVersion[]][] =>
  Array.from({ length: FILES }, (_, index) => [keyAt(index), index % 2 === 0 ? kept : deleted]);

const shapes: { name: string; files: () => [string, WrittenVersion[]][] }[] = [
  { name: "flat", files: () => filesBy((index) => `file-${String(index).padStart(6, "0")}.txt`) },
  {
    name: "tree",
    files: () => filesBy((index) => `Folder ${String(index % FOLDERS).padStart(3, "0")}/scan-${index}.pdf`),
  },
  {
    name: "one",
    files: () => [
      ["a.txt", deleted],
      ["log.txt", Array.from({ length: VERSIONS }, () => text)],
      ["z.txt", deleted],
    ],
  },
];

export async function run(): Promise<BenchmarkResult> {
  const site = await startLargeSite((dataDir) => {
    for (const { name, files } of shapes) writeVersions(dataDir, name, files());
  });
  try {
    const [rows, raw]: [Row[], BenchmarkResult["raw"]] = [[], {}];
    const add = (name: string, { row, milliseconds }: Measured) => {
      rows.push({ name, ...row });
      raw[`${name}, each response, ms`] = milliseconds;
    };
    for (const { name } of shapes) {
      const bucket = openBucket(site.objectStore, name);
      await bucket.keepVersions();
      // The first request makes the store read the bucket into memory, which takes seconds.
      await bucket.list();
      const token = site.tokenFor(name, ["download", "history"]);
      const deletedFiles = await measure(site, async (cursor) => {
        const page = await site.ask<{ files: unknown[]; cursor: string | null }>("deleted", {
          token,
          bucket: name,
          cursor,
        });
        return { count: page.files.length, cursor: page.cursor };
      });
      add(`${name}, deleted`, deletedFiles);
      const asItWas = await measure(site, async (cursor) => {
        const page = await site.ask<{ files: unknown[]; folders: unknown[]; nextCursor: string | null }>(
          "list",
          { token, bucket: name, folderPath: "/", at: AT, cursor },
        );
        return { count: page.files.length + page.folders.length, cursor: page.nextCursor };
      });
      add(`${name}, as it was`, asItWas);
    }
    return {
      title: `Listing what was deleted, and a folder as it was, among ${VERSIONS.toLocaleString("en")} versions`,
      rows,
      raw,
    };
  } finally {
    await site.close();
  }
}

interface Measured {
  row: Omit<Row, "name">;
  /** of each response */
  milliseconds: number[];
}

/** Pages through a listing, and measures how long the first response and all of them took, and the app's heap meanwhile. */
async function measure(
  site: LargeSite,
  ask: (cursor: string | undefined) => Promise<{ count: number; cursor: string | null }>,
): Promise<Measured> {
  site.countRequests();
  const started = performance.now();
  const heap: number[] = [];
  const milliseconds: number[] = [];
  let count = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = performance.now();
    const page = await ask(cursor ?? undefined);
    milliseconds.push(performance.now() - asked);
    count += page.count;
    cursor = page.cursor;
    heap.push(await site.heapBytes());
  }
  const seconds = (performance.now() - started) / 1000;
  const [before, after] = [leastMegabytes(heap.slice(0, SAMPLE)), leastMegabytes(heap.slice(-SAMPLE))];
  const compared =
    `longest ${Math.round(Math.max(...milliseconds))} ms; ${count} entries in ${heap.length} responses and ${seconds.toFixed(1)} s, ` +
    `${site.countRequests()} requests to the store; heap ${before} MB at first, ${after} MB at the end`;
  return { row: { value: `first response ${Math.round(milliseconds[0] ?? 0)} ms`, compared }, milliseconds };
}

/** The least is what remains in use after garbage was collected. */
const leastMegabytes = (bytes: readonly number[]) => Math.round(Math.min(...bytes) / 1024 ** 2);
