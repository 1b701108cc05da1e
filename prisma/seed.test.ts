import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { hashApiKey } from "../app/embed/api-key.server";
import { query, startTestPostgres, type TestPostgres } from "../tests/support/databases/postgres";
import { migrate } from "./migrate";
import { demoClient, seedDatabase } from "./seed";

const demo = { apiKey: "pek_first", origins: ["http://127.0.0.1:4000"], bucket: "demo-files" };

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

beforeEach(async () => {
  url = await postgres.createDatabase();
  await migrate(url);
});

afterAll(() => postgres?.stop());

const clients = () => query(url, "SELECT * FROM embed_clients");

it("makes a client that may embed the files of its bucket, and keeps only the key's hash", async () => {
  await seedDatabase(url, demo);
  expect(await clients()).toMatchObject([
    {
      ...demoClient,
      api_key_hash: hashApiKey("pek_first"),
      allowed_services: ["files", "activity"],
      allowed_origins: ["http://127.0.0.1:4000"],
      allowed_scopes: { files: { buckets: ["demo-files"] }, activity: {} },
      revoked_at: null,
    },
  ]);
});

it("changes nothing when it is run again", async () => {
  await seedDatabase(url, demo);
  const before = await clients();
  await seedDatabase(url, demo);
  expect(await clients()).toEqual(before);
});

it("keeps what was edited, and adds the origin of a demo that moved", async () => {
  await seedDatabase(url, demo);
  await query(url, "UPDATE embed_clients SET name = 'Mine', revoked_at = now()");
  await seedDatabase(url, { ...demo, apiKey: "pek_second", origins: ["http://127.0.0.1:4100"] });
  expect(await clients()).toMatchObject([
    {
      name: "Mine",
      revoked_at: expect.any(Date),
      api_key_hash: hashApiKey("pek_second"),
      allowed_origins: ["http://127.0.0.1:4000", "http://127.0.0.1:4100"],
    },
  ]);
});

it("adds the bucket of a demo that shows another one, and keeps what was edited of the policy", async () => {
  const policy = async () =>
    (await clients()).map((row) => (row as { allowed_scopes: unknown }).allowed_scopes);
  const edit = (scopes: object) =>
    query(url, "UPDATE embed_clients SET allowed_scopes = $1", [JSON.stringify(scopes)]);
  await seedDatabase(url, demo);
  const edited = { paths: ["/docs"], actions: ["download"] };
  await edit({ files: { buckets: ["demo-files", "mine"], ...edited }, tasks: { lists: [1] } });
  for (const _ of ["first", "again"]) {
    await seedDatabase(url, { ...demo, bucket: "other-files" });
    expect(await policy()).toEqual([
      { files: { buckets: ["demo-files", "mine", "other-files"], ...edited }, tasks: { lists: [1] } },
    ]);
  }
  // A policy without a list of buckets was written by somebody, and is kept.
  await edit({ tasks: {} });
  await seedDatabase(url, demo);
  expect(await policy()).toEqual([{ tasks: {} }]);
});
