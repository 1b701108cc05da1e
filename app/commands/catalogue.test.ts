/** `npm run catalogue`, with a PostgreSQL and a store of its own. What a scan does is tested in app/catalogue. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../prisma/migrate";
import { runHere } from "../../tests/support/app/run-command";
import { query, startTestPostgres, type TestPostgres } from "../../tests/support/databases/postgres";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { CREDENTIALS, startStoreForTests } from "../../tests/support/files/object-store";
import { catalogue } from "./catalogue";

let postgres: TestPostgres;
let url: string;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let bucket: ReturnType<typeof openBucket>;
beforeAll(async () => {
  postgres = await startTestPostgres();
  store = await startStoreForTests();
});
beforeEach(async () => {
  url = await postgres.createDatabase();
  await migrate(url);
  bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  await bucket.create();
  for (const key of ["a.txt", "folder/b.txt", "folder/c.txt"]) await bucket.put(key, key);
});
afterAll(async () => {
  await store?.close();
  await postgres?.stop();
});

const runWith = (settings: Record<string, string>, ...words: string[]) =>
  runHere("catalogue", catalogue, words, {
    NODE_ENV: "test",
    POSTGRES_URL: url,
    EMBED_SIGNING_SECRET: "a secret of the test",
    API_ALLOW_ANONYMOUS: "true",
    CLOUD_REGION: CREDENTIALS.region,
    CLOUD_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    CLOUD_S3_ENDPOINT: store.endpoint,
    CLOUD_S3_FORCE_PATH_STYLE: "true",
    EMAIL_FROM: "no-reply@platform.example",
    QUEUE_VERIFY: "false",
    ...settings,
  });
const run = (...words: string[]) => runWith({}, ...words);

const indexes = async () =>
  (
    await query<{ indexdef: string }>(
      url,
      "SELECT indexdef FROM pg_indexes WHERE tablename = 'catalogue_objects'",
    )
  ).map(({ indexdef }) => indexdef);
const countRows = async () => (await query(url, "SELECT 1 FROM catalogue_objects")).length;

describe("catalogue add", () => {
  it("lists the bucket, and creates the index for searches", async () => {
    const { code, stdout, stderr } = await run("add", bucket.name);
    expect([code, stdout]).toEqual([0, `${bucket.name}: 3 objects.\nThe index for searches is there.\n`]);
    expect(stderr).toMatch(/3 objects so far, \d+ a second\nCreating the index/);
    expect(await countRows()).toBe(3);
    expect(await indexes()).toContainEqual(expect.stringContaining("gin (folded_name gin_trgm_ops)"));
  });

  it("may be repeated", async () => {
    await run("add", bucket.name);
    const { code, stdout } = await run("add", bucket.name);
    expect([code, stdout]).toEqual([
      0,
      `${bucket.name}: it has a catalogue already.\nThe index for searches is there.\n`,
    ]);
  });

  it("builds an index again whose building was cut off", async () => {
    await run("add", bucket.name);
    await query(
      url,
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'catalogue_objects_folded_name_idx'::regclass",
    );
    expect((await run("status")).stdout).toContain("Index for searches: no");
    expect((await run("add", bucket.name)).code).toBe(0);
    expect((await run("status")).stdout).toContain("Index for searches: yes");
  });

  it("finds the extension in a schema that is not on the search path", async () => {
    await query(url, "CREATE SCHEMA extensions");
    await query(url, "CREATE EXTENSION pg_trgm SCHEMA extensions");
    expect((await run("add", bucket.name)).code).toBe(0);
    expect(await indexes()).toContainEqual(expect.stringContaining("extensions.gin_trgm_ops"));
  });

  it("goes on without the index where PostgreSQL does not have the extension, and says so", async () => {
    // A user who may not create it: the same statement fails where it is not installed.
    await query(
      url,
      "DO $$ BEGIN CREATE ROLE plain LOGIN PASSWORD 'plain'; EXCEPTION WHEN duplicate_object THEN END $$",
    );
    await query(url, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO plain");
    await query(url, "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO plain");
    const plain = Object.assign(new URL(url), { username: "plain", password: "plain" }).href;
    const { code, stdout, stderr } = await runWith({ POSTGRES_URL: plain }, "add", bucket.name);
    expect([code, stdout]).toEqual([0, `${bucket.name}: 3 objects.\n`]);
    expect(stderr).toMatch(
      /There is no index for searches[\s\S]*permission denied[\s\S]*CREATE EXTENSION pg_trgm/,
    );
    expect(await countRows()).toBe(3);
    expect((await runWith({ POSTGRES_URL: plain }, "check", bucket.name)).code).toBe(0);
  });

  it("refuses a bucket that there is not", async () => {
    const { code, stderr } = await run("add", "no-such-bucket");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/bucket/i)]);
    expect((await run("status")).stdout).toBe("No bucket has a catalogue.\n");
  });
});

describe("catalogue scan", () => {
  it("repairs what differs", async () => {
    await run("add", bucket.name);
    await bucket.put("d.txt", "d");
    await bucket.remove("a.txt");
    expect(await run("scan", bucket.name)).toMatchObject({
      code: 0,
      stdout: `${bucket.name}: 3 objects. 2 rows differed, and were repaired.\n`,
    });
    expect((await run("check", bucket.name)).code).toBe(0);
  });

  it("needs a catalogue", async () => {
    for (const command of ["scan", "check", "remove", "status"])
      expect(await run(command, bucket.name)).toEqual({
        code: 1,
        stdout: "",
        stderr: `${bucket.name} has no catalogue. To add one, run: npm run catalogue -- add ${bucket.name}\n`,
      });
  });
});

describe("catalogue check", () => {
  it("names what differs, and exits with 1", async () => {
    await run("add", bucket.name);
    expect(await run("check", bucket.name)).toMatchObject({ code: 0, stdout: "" });
    await bucket.put("a.txt", "longer than before");
    await bucket.remove("folder/b.txt");
    await bucket.put("folder/\u001b[31mred.txt", "new");
    const { code, stdout, stderr } = await run("check", bucket.name);
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^different "a\.txt" {2}size: 18 in the bucket, 5 in the catalogue {2}etag: /),
      'missing   "folder/\\u001b[31mred.txt"',
      'extra     "folder/b.txt"',
    ]);
    expect(stderr).toContain(`${bucket.name}: 3 differences in 3 objects.\n`);
    const json = (await run("check", bucket.name, "--json")).stdout.trimEnd().split("\n");
    expect(json.map((line) => JSON.parse(line))).toMatchObject([
      { key: "a.txt", kind: "different" },
      { key: "folder/\u001b[31mred.txt", kind: "missing" },
      { key: "folder/b.txt", kind: "extra" },
    ]);
  });

  it("refuses a catalogue that is incomplete", async () => {
    await query(url, "INSERT INTO catalogues (bucket) VALUES ($1)", [bucket.name]);
    expect(await run("check", bucket.name)).toMatchObject({
      code: 1,
      stderr: `The first scan of ${bucket.name} has not ended. Run: npm run catalogue -- scan ${bucket.name}\n`,
    });
    expect((await run("status")).stdout).toContain("incomplete");
  });
});

it("catalogue status says what the last scan found, also as JSON", async () => {
  await run("add", bucket.name);
  expect((await run("status", bucket.name)).stdout).toMatch(
    /: 3 objects\. The last scan began \S+, ended \S+, and had to change 3 rows\.\nIndex for searches: yes\n$/,
  );
  expect(JSON.parse((await run("status", "--json")).stdout)).toEqual({
    buckets: [
      {
        bucket: bucket.name,
        state: "complete",
        lastScan: { startedAt: expect.any(String), endedAt: expect.any(String), objects: 3, differences: 3 },
        scan: null,
      },
    ],
    searchIndex: true,
  });
});

describe("catalogue remove", () => {
  it("removes the catalogue, and leaves the bucket", async () => {
    await run("add", bucket.name);
    expect(await run("remove", bucket.name)).toMatchObject({
      code: 0,
      stdout: `${bucket.name}: the catalogue is removed.\n`,
    });
    expect([await countRows(), (await bucket.list()).length]).toEqual([0, 3]);
    expect((await run("add", bucket.name)).stdout).toContain("3 objects.");
  });

  it("that was stopped is continued by remove, and by nothing else", async () => {
    await run("add", bucket.name);
    await query(url, "UPDATE catalogues SET is_being_removed = true");
    expect((await run("status")).stdout).toContain("it is being removed");
    for (const command of ["add", "scan", "check"])
      expect(await run(command, bucket.name)).toMatchObject({
        code: 1,
        stderr: `The catalogue of ${bucket.name} is being removed. If that was stopped, run: npm run catalogue -- remove ${bucket.name}\n`,
      });
    expect((await run("remove", bucket.name)).code).toBe(0);
    expect(await countRows()).toBe(0);
  });
});
