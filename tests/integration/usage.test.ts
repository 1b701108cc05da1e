/** `GET /api/usage`: whose usage a caller reads; `npm run cleanup`, which counts it, and `npm run usage`. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { cleanup } from "../../app/commands/cleanup";
import { usage } from "../../app/commands/usage";
import { createEmbedClient } from "../../app/embed/manage-embed-clients.server";
import { services } from "../../app/services/registry.server";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";
import { makeBucket, type TestBucket } from "../support/files/bucket";

const stack = inject("stack");
const TOKEN = "a-token-of-the-operator-of-this-deployment";
let url: string;
let app: RouteApp;
let bucket: TestBucket;
const today = () => new Date().toISOString().slice(0, 10);

const keyFor = async (files: object) => {
  const settings = { name: "Portal", services: ["files", "activity"], origins: ["https://portal.example"] };
  const policies = { files: { buckets: [bucket.name], ...files }, activity: {} };
  const { apiKey } = await createEmbedClient(
    app.database,
    { company: { id: "acme" }, ...settings, policies },
    services,
  );
  return { "X-Api-Key": apiKey };
};

beforeAll(async () => {
  url = await makeDatabase(stack);
  app = createRouteApp(stack, { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN });
  bucket = await makeBucket(stack);
  await query(url, "INSERT INTO companies (id, name) VALUES ('acme', 'Acme')");
  await bucket.put("acme/one.txt", "12345");
  await bucket.put("other/two.txt", "123");
  const catalogue = await addCatalogue(app.database, bucket.name);
  await scanCatalogue(app, catalogue, { signal: new AbortController().signal });
});
afterAll(() => app?.close());

const run = (name: string, command: Parameters<typeof runHere>[1], words: string[] = []) =>
  runHere(name, command, words, deploymentEnv(stack, url));

async function ask(wanted: Record<string, string>, headers: Record<string, string>) {
  const search = new URLSearchParams({ bucket: bucket.name, ...wanted });
  const response = await app.fetch(`${app.apiBaseUrl}/api/usage?${search}`, { headers });
  return { status: response.status, body: await response.json() };
}
const bearer = { Authorization: `Bearer ${TOKEN}` };

describe("usage", () => {
  it("is counted by cleanup once a day, for each path of a policy", async () => {
    await keyFor({ paths: ["/acme"], uploadFolders: ["/inbox/"] });
    const first = await run("cleanup", cleanup);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain("Usage of today: counted 3 folders.\n");
    expect((await run("cleanup", cleanup)).stdout).toContain("Usage of today: counted 0 folders.\n");
    const counted = { versionBytes: 0, unfinishedBytes: 0 };
    expect(await ask({}, bearer)).toEqual({
      status: 200,
      body: { days: [{ day: today(), objects: 2, bytes: 8, ...counted }] },
    });
    expect((await ask({ path: "/inbox" }, bearer)).body.days).toMatchObject([{ objects: 0, bytes: 0 }]);
    expect((await ask({ path: "/acme/" }, bearer)).body.days).toMatchObject([{ objects: 1, bytes: 5 }]);
    expect((await ask({ from: "2001-01-01", to: "2001-12-31" }, bearer)).body).toEqual({ days: [] });
  });

  it("is what an API key's policy lets visitors browse, and nothing else", async () => {
    const key = await keyFor({ paths: ["/acme"], uploadFolders: ["/inbox"] });
    expect(await ask({ path: "/acme" }, key)).toMatchObject({ status: 200 });
    expect(await ask({ path: "/acme/sub" }, key)).toEqual({ status: 200, body: { days: [] } });
    for (const path of ["/", "/other", "/inbox", "/acme2"])
      expect(await ask({ path }, key)).toMatchObject({ status: 403, body: { code: "scope_not_allowed" } });
    expect(await ask({ path: "/acme", bucket: "another" }, key)).toMatchObject({ status: 403 });
    const handIn = await keyFor({ uploadFolders: ["/acme"], view: "hand-in" });
    expect(await ask({ path: "/acme" }, handIn)).toMatchObject({ status: 403 });
    expect(await ask({}, await keyFor({}))).toMatchObject({ status: 200 });
    expect(await ask({}, {})).toMatchObject({ status: 401 });
    expect(await ask({ from: "yesterday" }, bearer)).toMatchObject({ status: 400 });
    expect(await ask({ to: "0000-01-01" }, bearer)).toMatchObject({ status: 400 });
  });

  it("is printed by a command, as a table or as JSON", async () => {
    const { stdout } = await run("usage", usage, [bucket.name, "/acme"]);
    expect(stdout).toBe(
      "day         objects  bytes  older versions  unfinished uploads\n" +
        `${today()}        1      5               0                   0\n`,
    );
    const json = await run("usage", usage, [bucket.name, "--json", "--from", today()]);
    expect(JSON.parse(json.stdout)).toMatchObject({ days: [{ day: today(), objects: 2 }] });
    expect(await run("usage", usage, ["empty"])).toMatchObject({
      code: 0,
      stdout: "empty/: nothing was counted. Run npm run cleanup once a day.\n",
    });
    expect(await run("usage", usage, [bucket.name, "--from", "now"])).toMatchObject({ code: 1 });
  });
});
