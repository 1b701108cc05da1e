/**
 * Searches 100,000 objects, in one folder and in a tree of 20,000 folders. Measures the time to the first hit at various
 * positions, the time
 * of a full search, and the number of requests to the store. Aim: the first hit within a second.
 */
import { rm } from "node:fs/promises";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import type { SearchResult } from "../../app/services/files/search/search-contract.server";
import { startObjectStore } from "../../local/object-store";
import { startBuiltApp } from "../support/app/built-app";
import { startTestStack } from "../support/app/stack";
import { makeTestFolder } from "../support/databases/postgres";
import { openBucket } from "../support/files/bucket";
import { writeObjects } from "../support/files/many-objects";

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

export async function run(): Promise<void> {
  const dataDir = await makeTestFolder();
  const stack = await startTestStack({ app: "none" });
  for (const { name, keyAt } of shapes) {
    writeObjects(
      dataDir,
      name,
      Array.from({ length: FILES }, (_, index) => keyAt(index)),
    );
  }
  const { region, accessKeyId, secretAccessKey } = stack.info.objectStore;
  let listings = 0;
  const intercept = () => {
    listings += 1;
    return undefined;
  };
  const settings = { port: 0, dataDir, region, accessKeyId, secretAccessKey };
  const store = await startObjectStore({ ...settings, intercept });
  const objectStore = { ...stack.info.objectStore, endpoint: store.endpoint };
  const app = await startBuiltApp({ ...stack.info, objectStore }, {});
  const platform = app.env.PLATFORM_BASE_URL ?? "";
  const search = (bucket: string, query: string) =>
    timeSearch(platform, bucket, query, stack.info.embedSigningSecret);
  try {
    for (const { name, queries } of shapes) {
      // The first search makes the store read the bucket into memory, which takes seconds.
      await openBucket(objectStore, name).list();
      const times = [];
      for (const query of queries) times.push(await search(name, query));
      const firsts = times.map(({ first }) => `${Math.round(first)} ms`);
      listings = 0;
      const { whole } = await search(name, "nothing like it");
      console.log(`${name}  first hit ${firsts.join(", ")} (from the first key to the last)`);
      console.log(`${name}  whole ${Math.round(whole)} ms, ${listings} requests for ${FILES / 1000} pages`);
    }
  } finally {
    await app.close();
    await store.close();
    await stack.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns times in milliseconds. */
async function timeSearch(platform: string, bucket: string, query: string, secret: string) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    cid: "c",
    companyId: "c",
    svc: "files",
    origins: ["http://127.0.0.1"],
    iat: now,
    exp: now + 900,
  };
  const token = signEmbedToken({ ...claims, scope: { bucket } }, secret);
  const started = performance.now();
  let first = Number.POSITIVE_INFINITY;
  for (let cursor: string | undefined; ; ) {
    const response = await fetch(`${platform}/api/embed/storage/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket, query, cursor }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const page = (await response.json()) as SearchResult;
    const elapsed = performance.now() - started;
    if (page.files.length > 0) first = Math.min(first, elapsed);
    if (page.cursor === null) return { first, whole: elapsed };
    cursor = page.cursor;
  }
}
