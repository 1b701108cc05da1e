/** `examples/headless/upload.mjs` as it is, against the built app. `UPLOAD_MIB=1024` uploads a larger file. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ListMultipartUploadsCommand, ListPartsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makeEmbedClient } from "../support/app/embed-client";
import { makeTestFolder } from "../support/databases/postgres";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const MiB = 1024 ** 2;
const size = Number(process.env.UPLOAD_MIB ?? 96) * MiB + 1234;
/** The kill comes half way: parts have 8 MiB. */
const KILLED_AFTER_PARTS = Math.floor(size / (16 * MiB));
/** So that there is something left to send then. */
const BYTES_PER_SECOND = size / 10;
const timeout = 300_000;

let store: FaultyStore;
let bucket: TestBucket;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  store = await startFaultyStore(inject("stack"));
  folder = await makeTestFolder();
  const { stack } = await store.startApp();
  bucket = await makeBucket(stack);
  const { apiKey } = await makeEmbedClient(stack, { bucket: bucket.name });
  env = {
    EMBED_API_BASE_URL: stack.apiBaseUrl,
    EMBED_API_KEY: apiKey,
    BUCKET: bucket.name,
    UPLOADS_FOLDER: join(folder, "records"),
  };
}, timeout);
afterAll(async () => {
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the example. */
function upload(path: string): {
  child: ChildProcess;
  ended: Promise<{ code: number | null; output: string }>;
} {
  const child = spawn(process.execPath, ["examples/headless/upload.mjs", path, "/films"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
  return { child, ended };
}

/** A file whose parts are all different, and that takes little time to write. */
async function writeFile(path: string): Promise<void> {
  const file = await open(path, "w");
  await file.truncate(size);
  for (let at = 0; at < size; at += MiB) await file.write(randomBytes(64), 0, 64, at);
  await file.close();
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** The numbers of the parts that the store has of the only unfinished upload. */
async function storedParts(): Promise<number[]> {
  const { endpoint, region, accessKeyId, secretAccessKey } = store.stack.objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
  expect(Uploads).toHaveLength(1);
  const { Key, UploadId } = Uploads[0] ?? {};
  const { Parts = [] } = await s3.send(new ListPartsCommand({ Bucket: bucket.name, Key, UploadId }));
  return Parts.flatMap(({ PartNumber }) => PartNumber ?? []);
}

it(
  "an upload that is killed continues with the parts that the store does not have",
  async () => {
    const path = join(folder, "film.mp4");
    await writeFile(path);
    const sent: number[] = [];
    let isSlow = true;
    store.intercept = ({ method, query }) => {
      const number = query.get("partNumber");
      if (method !== "PUT" || number === null) return undefined;
      sent.push(Number(number));
      return isSlow ? { bytesPerSecond: BYTES_PER_SECOND } : undefined;
    };
    const killed = upload(path);
    await expect.poll(() => sent.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(KILLED_AFTER_PARTS);
    killed.child.kill("SIGKILL");
    expect((await killed.ended).code).toBeNull();
    const stored = await storedParts();
    const sentBefore = sent.splice(0);
    isSlow = false;

    const { code, output } = await upload(path).ended;
    expect(output).toContain("Stored as films/film.mp4");
    expect(code).toBe(0);
    expect(stored.length).toBeGreaterThan(0);
    expect(sent.length).toBeGreaterThan(0);
    expect(
      sent.filter((number) => stored.includes(number)),
      "parts that were sent again",
    ).toEqual([]);
    expect(await bucket.sha256("films/film.mp4")).toBe(await sha256Of(path));
    // A write that the kill has cut off leaves a file of another name, for a minute.
    const records = (await readdir(env.UPLOADS_FOLDER ?? "")).filter((name) => name.endsWith(".json"));
    expect(records, "and is forgotten").toEqual([]);
    console.info(
      `${size} bytes: ${sentBefore.length} parts begun before the kill, ${stored.length} of them stored, ${sent.length} sent later`,
    );
  },
  timeout,
);

it("a file that is not there fails with its reason", async () => {
  const { code, output } = await upload(join(folder, "missing.mp4")).ended;
  expect(code).toBe(1);
  expect(output).toContain("unreadable");
});
