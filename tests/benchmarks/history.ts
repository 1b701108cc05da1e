/**
 * Lists what was deleted, and a folder as it was, among 100,000 versions: in one folder, in a tree of 400 folders, and of one file. Aims: the first
 * response of `deleted` within 2 seconds, that of `list` with `at` within 3, and memory that does not grow with the pages.
 */
import { openBucket } from "../support/files/bucket";
import { type WrittenVersion, writeVersions } from "../support/files/many-objects";
import { type LargeSite, startLargeSite } from "./large-site";

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

export async function run(): Promise<void> {
  const site = await startLargeSite((dataDir) => {
    for (const { name, files } of shapes) writeVersions(dataDir, name, files());
  });
  try {
    for (const { name } of shapes) {
      const bucket = openBucket(site.objectStore, name);
      await bucket.keepVersions();
      // The first request makes the store read the bucket into memory, which takes seconds.
      await bucket.list();
      const token = site.tokenFor(name, ["download", "history"]);
      await measure(site, `${name}  deleted`, async (cursor) => {
        const page = await site.ask<{ files: unknown[]; cursor: string | null }>("deleted", {
          token,
          bucket: name,
          cursor,
        });
        return { count: page.files.length, cursor: page.cursor };
      });
      await measure(site, `${name}  as it was`, async (cursor) => {
        const page = await site.ask<{ files: unknown[]; folders: unknown[]; nextCursor: string | null }>(
          "list",
          { token, bucket: name, folderPath: "/", at: AT, cursor },
        );
        return { count: page.files.length + page.folders.length, cursor: page.nextCursor };
      });
    }
  } finally {
    await site.close();
  }
}

/** Pages through a listing, and prints how long the first response and all of them took, and the app's heap meanwhile. */
async function measure(
  site: LargeSite,
  name: string,
  ask: (cursor: string | undefined) => Promise<{ count: number; cursor: string | null }>,
): Promise<void> {
  site.countRequests();
  const started = performance.now();
  const heap: number[] = [];
  let [first, longest, count] = [0, 0, 0];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = performance.now();
    const page = await ask(cursor ?? undefined);
    const took = performance.now() - asked;
    first ||= took;
    longest = Math.max(longest, took);
    count += page.count;
    cursor = page.cursor;
    heap.push(await site.heapBytes());
  }
  const seconds = (performance.now() - started) / 1000;
  const [before, after] = [leastMegabytes(heap.slice(0, SAMPLE)), leastMegabytes(heap.slice(-SAMPLE))];
  console.log(
    `${name}: first response ${Math.round(first)} ms, longest ${Math.round(longest)} ms; ${count} entries in ${heap.length} responses and ` +
      `${seconds.toFixed(1)} s, ${site.countRequests()} requests to the store; heap ${before} MB at first, ${after} MB at the end`,
  );
}

/** The least is what remains in use after garbage was collected. */
const leastMegabytes = (bytes: readonly number[]) => Math.round(Math.min(...bytes) / 1024 ** 2);
