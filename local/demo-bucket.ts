/** Creates the demo's bucket in the local object store, lets browsers reach it, fills it when it is empty, and adds its catalogue. */
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { Database } from "../app/providers/database.server";
import type { ObjectStore } from "../app/providers/object-store.server";
import { demoCustomer, filesOfCustomer } from "./demo/customer";
import type { ObjectStoreServer } from "./object-store";
import type { StackInfo } from "./stack-info";

/** Files as a customer of a wholesaler would have them. */
const DEMO_FILES = fileURLToPath(new URL("demo-files", import.meta.url));
const CONTENT_TYPES: Record<string, string> = {
  ".csv": "text/csv; charset=utf-8",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".heic": "image/heic",
  ".jpg": "image/jpeg",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".py": "text/x-python; charset=utf-8",
  ".svg": "image/svg+xml",
  // Without a charset: some of the files are UTF-8 and some are not, to show both.
  ".txt": "text/plain",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".zip": "application/zip",
};

/** Generated files: a folder with many files, and names that are too long for some file systems. */
function* smallFiles(): Generator<{ Key: string; ContentType: string; Body: string }> {
  const ContentType = "text/plain";
  for (let number = 1; number <= 64; number++) {
    const name = `2026-${String(number).padStart(3, "0")} Delivery note.txt`;
    const Body = `Delivery note ${number} of 2026\n\n${(number % 7) + 1} pallets, to the warehouse.\n`;
    yield { Key: `Delivery notes/2026/${name}`, ContentType, Body };
  }
  const long =
    "Minutes of the extraordinary meeting of all branch managers about the move of the central warehouse, second version with the remarks of the safety officer.txt";
  const deep = "Projects/Central warehouse/2026/Planning/Building permits/Correspondence/City of Montréal";
  yield { Key: `${deep}/${long}`, ContentType, Body: "The move is planned for October.\n" };
}

const DAY_MS = 86_400_000;
/** when most of the files were stored, days ago */
const STORED_DAYS_AGO = 30;

/** A file that was replaced three times: its earlier texts, oldest first, and when each of its four versions was stored, days ago. */
const replaced = {
  key: "Data/Price list.csv",
  earlier: [
    ['NW-100,"Green tea",7.90,CAD', 'NW-101,"Black tea",10.50,CAD', 'NW-102,"Apples, red",15.00,CAD'],
    [
      'NW-100,"Green tea",7.90,CAD',
      'NW-101,"Black tea",11.75,CAD',
      'NW-102,"Apples, red",15.00,CAD',
      'NW-103,"Pears",17.00,CAD',
    ],
    [
      'NW-100,"Green tea",8.50,CAD',
      'NW-101,"Black tea",11.75,CAD',
      'NW-102,"Apples, red",15.00,CAD',
      'NW-103,"Pears",17.00,CAD',
    ],
  ].map((lines) => ["article,name,price,currency", ...lines, ""].join("\r\n")),
  daysAgo: [30, 12, 5, 1.25],
};

/** A folder that was deleted yesterday. */
const DELETED_DAYS_AGO = 1;
const deletedFiles: Record<string, string> = {
  "Trade fair 2026/Booth plan.txt": "Hall 4, booth 12. Power at the back wall, two tables, six chairs.\n",
  "Trade fair 2026/Checklist.md":
    "# Checklist\n\n- [x] Booth ordered\n- [ ] Samples packed\n- [ ] Badges printed\n",
  "Trade fair 2026/Travel/Trains.txt": "Outbound Monday 07:42, back Thursday 17:18.\n",
};

/** Fills the bucket only when it is empty, so that changes and deletions are kept. */
export async function fillDemoBucket(
  { objectStore }: StackInfo,
  store: Pick<ObjectStoreServer, "setTimes">,
): Promise<void> {
  const { bucket: Bucket, ...access } = objectStore;
  const client = new S3Client({ ...access, forcePathStyle: true, credentials: access });
  try {
    await client.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== "BucketAlreadyOwnedByYou") throw error;
    });
    // So that deletions can be undone. If it was suspended, it stays suspended.
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }));
    if (Status === undefined) {
      const VersioningConfiguration = { Status: "Enabled" } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    }
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }));
    if (KeyCount) return;
    const now = Math.floor(Date.now() / 1000) * 1000;
    /** @param daysAgo when each version was stored, newest first */
    const setAges = (key: string, ...daysAgo: number[]) =>
      store.setTimes(
        Bucket,
        key,
        daysAgo.map((days) => now - days * DAY_MS),
      );
    const putText = (Key: string, Body: string) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: CONTENT_TYPES[extname(Key)] }));
    for (const text of replaced.earlier) await putText(replaced.key, text);
    for (const entry of await readdir(DEMO_FILES, { recursive: true, withFileTypes: true })) {
      const ContentType = CONTENT_TYPES[extname(entry.name)];
      if (!entry.isFile() || !ContentType) continue;
      const path = join(entry.parentPath, entry.name);
      // Some file systems return decomposed names.
      const Key = relative(DEMO_FILES, path).split(sep).join("/").normalize("NFC");
      await client.send(new PutObjectCommand({ Bucket, Key, ContentType, Body: await readFile(path) }));
      setAges(Key, STORED_DAYS_AGO);
    }
    for (const [name, source] of Object.entries(filesOfCustomer)) {
      const Key = `${demoCustomer.path.slice(1)}/${name}`;
      const ContentType = CONTENT_TYPES[extname(name)];
      await client.send(
        new PutObjectCommand({ Bucket, Key, ContentType, Body: await readFile(join(DEMO_FILES, source)) }),
      );
      setAges(Key, STORED_DAYS_AGO);
    }
    setAges(replaced.key, ...replaced.daysAgo.toReversed());
    for (const [Key, text] of Object.entries(deletedFiles)) {
      await putText(Key, text);
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
      setAges(Key, DELETED_DAYS_AGO, STORED_DAYS_AGO);
    }
    await Promise.all(
      [...smallFiles()].map(async (file) => {
        await client.send(new PutObjectCommand({ Bucket, ...file }));
        setAges(file.Key, STORED_DAYS_AGO);
      }),
    );
  } finally {
    client.destroy();
  }
}

/** Writes the same rules as `npm run storage` does for a bucket with versions. */
export async function allowBrowsers(info: StackInfo): Promise<void> {
  const { ABORT_UPLOADS, corsRuleForBucket, DEFAULT_KEEP_DAYS, expireVersions, mergeLifecycleRules } =
    await import("../app/services/files/bucket-settings.server");
  const { bucket } = info.objectStore;
  await withTools(info, async ({ database, objectStore }) => {
    const rule = await corsRuleForBucket(database, bucket, info.platformBaseUrl);
    await objectStore.putCorsRules(bucket, [rule]);
    await objectStore.putLifecycle(bucket, {
      rules: mergeLifecycleRules([], [ABORT_UPLOADS, expireVersions(DEFAULT_KEEP_DAYS)]),
      minimumSize: undefined,
    });
  });
}

/** Does what `npm run catalogue -- add` does, if the bucket has no complete catalogue yet. Without pg_trgm, searches list the store. */
export async function addCatalogueOf(bucket: string, info: StackInfo): Promise<void> {
  const { addCatalogue } = await import("../app/catalogue/catalogues.server");
  const { scanCatalogue } = await import("../app/catalogue/scan-catalogue.server");
  const { createSearchIndex } = await import("../app/catalogue/search-index.sql.server");
  const { runLongStatement } = await import("../app/providers/long-statement.server");
  await withTools(info, async (tools) => {
    const catalogue = await addCatalogue(tools.database, bucket);
    if (catalogue.isBeingRemoved) return;
    if (catalogue.scannedAt === null)
      await scanCatalogue(tools, catalogue, { signal: new AbortController().signal });
    await createSearchIndex(tools.database, (statement) => runLongStatement(info.postgresUrl, statement));
  });
}

interface Tools {
  database: Database;
  objectStore: ObjectStore;
}

/** Imports late, because the Prisma client may have been generated only now. */
async function withTools(info: StackInfo, work: (tools: Tools) => Promise<void>): Promise<void> {
  const { createDatabase } = await import("../app/providers/database.server");
  const { createObjectStore } = await import("../app/providers/object-store.server");
  const database = createDatabase({ url: info.postgresUrl, poolSize: 1 });
  try {
    const { endpoint, region, accessKeyId, secretAccessKey } = info.objectStore;
    const credentials = { accessKey: { accessKeyId, secretAccessKey }, region };
    const objectStore = createObjectStore({
      endpoint,
      region,
      credentials,
      forcePathStyle: true,
      timeoutSeconds: 10,
    });
    await work({ database, objectStore });
  } finally {
    await database.$disconnect();
  }
}
