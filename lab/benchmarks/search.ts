/**
 * Searches 100,000 objects, in one folder and in a tree of 20,000 folders. Measures the time to the first hit at various
 * positions, the time
 * of a full search, and the number of requests to the store. Aim: the first hit within a second.
 */
import type { SearchResult } from "../../app/services/files/place/contract/search-contract.server";
import { openBucket } from "../../tests/support/files/bucket";
import { writeObjects } from "../../tests/support/files/many-objects";
import { type LargeSite, startLargeSite } from "./large-site";
import type { BenchmarkResult, Row } from "./result";

const FILES = 100_000;
const FOLDERS = 20_000;
const two = (value: number) => String(value).padStart(2, "0");

/** Each shape has names that occur once: at the start, in the middle, at the end and in between. */
const shapes = [
  {
    name: "flat",
    keyAt: (index: number) => `file-${String(index).padStart(6, "0")}.txt`,
    queries: [0, 17_000, 50_000, 77_777, FILES - 1].map((index) => `file-${String(index).padStart(6, "0")}`),
  },
  {
    name: "tree",
    keyAt(index: number) {
      const folder = Math.floor((index * FOLDERS) / FILES);
      const [client, project, matter] = [folder % 20, Math.floor(folder / 20) % 40, Math.floor(folder / 800)];
      return `Client ${two(client)}/Project ${two(project)}/Matter ${two(matter)}/scan-${index}.pdf`;
    },
    queries: [0, 17_000, 50_000, 77_777, FILES - 1].map((index) => `scan-${index}.pdf`),
  },
];

export async function run(): Promise<BenchmarkResult> {
  const site = await startLargeSite((dataDir) => {
    for (const { name, keyAt } of shapes) {
      writeObjects(
        dataDir,
        name,
        Array.from({ length: FILES }, (_, index) => keyAt(index)),
      );
    }
  });
  try {
    const [rows, raw]: [Row[], BenchmarkResult["raw"]] = [[], {}];
    for (const { name, queries } of shapes) {
      // The first search makes the store read the bucket into memory, which takes seconds.
      await openBucket(site.objectStore, name).list();
      const firsts: number[] = [];
      for (const query of queries) firsts.push((await timeSearch(site, name, query)).first);
      site.countRequests();
      const { whole } = await timeSearch(site, name, "nothing like it");
      const inWholeMs = (time: number) => `${Math.round(time)} ms`;
      rows.push(
        {
          name: `${name}, first hit`,
          value: firsts.map(inWholeMs).join(", "),
          compared: "from the first key to the last",
        },
        {
          name: `${name}, whole search`,
          value: inWholeMs(whole),
          compared: `${site.countRequests()} requests to the store for ${FILES / 1000} pages`,
        },
      );
      Object.assign(raw, { [`${name}, first hits, ms`]: firsts, [`${name}, whole search, ms`]: [whole] });
    }
    return {
      title: `Searching ${FILES.toLocaleString("en")} objects, in one folder and in a tree of ${FOLDERS.toLocaleString("en")} folders`,
      rows,
      raw,
    };
  } finally {
    await site.close();
  }
}

/** Returns times in milliseconds. */
async function timeSearch(site: LargeSite, bucket: string, query: string) {
  const token = site.tokenFor(bucket);
  const started = performance.now();
  let first = Number.POSITIVE_INFINITY;
  for (let cursor: string | undefined; ; ) {
    const page = await site.ask<SearchResult>("search", { token, bucket, query, cursor });
    const elapsed = performance.now() - started;
    if (page.files.length > 0) first = Math.min(first, elapsed);
    if (page.cursor === null) return { first, whole: elapsed };
    cursor = page.cursor;
  }
}
