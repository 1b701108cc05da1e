/** Embed tokens of a visitor, or of a whole API key, end on every replica within 5 seconds. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  changeEmbedClient,
  revokeEmbedClient,
  rotateApiKey,
} from "../../app/embed/manage-embed-clients.server";
import { revokeTokens } from "../../app/embed/revoked-tokens.server";
import { sql } from "../../app/providers/sql.server";
import { services } from "../../app/services/registry.server";
import {
  databaseOf,
  issueEmbedUrl,
  makeEmbedClient,
  type TestEmbedClient,
} from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
let replicas: RouteApp[];
beforeAll(() => {
  replicas = [createRouteApp(stack), createRouteApp(stack)];
});
afterAll(() => Promise.all(replicas.map((app) => app.close())));

const ada = { id: "u-1", name: "Ada" };
const grace = { id: "u-2" };

async function list(app: RouteApp, client: TestEmbedClient, token: string) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/list`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, bucket: client.bucket, folderPath: "/" }),
  });
  const { code } = await response.json();
  return [response.status, code];
}

async function revoke(client: TestEmbedClient, body: object) {
  const response = await fetch(`${stack.apiBaseUrl}/api/embed/revoke`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const expectRefused = (client: TestEmbedClient, token: string) =>
  Promise.all(
    replicas.map((app) =>
      expect
        .poll(() => list(app, client, token), { timeout: 15_000, interval: 200 })
        .toEqual([401, "token_revoked"]),
    ),
  );
const expectAccepted = async (client: TestEmbedClient, token: string) => {
  for (const app of replicas) expect(await list(app, client, token)).toEqual([200, undefined]);
};

describe("POST /api/embed/revoke", () => {
  it("ends the tokens of one visitor, on every replica, and of nobody else", async () => {
    const [client, stranger] = await Promise.all([makeEmbedClient(stack), makeEmbedClient(stack)]);
    const { token: hers } = await issueEmbedUrl(stack, client, { visitor: ada });
    const { token: others } = await issueEmbedUrl(stack, client, { visitor: grace });
    const { token: nobodys } = await issueEmbedUrl(stack, client);
    const { token: strangers } = await issueEmbedUrl(stack, stranger, { visitor: ada });
    await expectAccepted(client, hers);

    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await revoke(client, { visitor: ada.id });
    expect([status, Object.keys(body)]).toEqual([200, ["revokedBefore"]]);
    expect(body.revokedBefore).toBeGreaterThan(before);
    await expectRefused(client, hers);
    await expectAccepted(client, others);
    await expectAccepted(client, nobodys);
    await expectAccepted(stranger, strangers);

    await expect.poll(() => Date.now() / 1000).toBeGreaterThanOrEqual(body.revokedBefore);
    const { token: renewed } = await issueEmbedUrl(stack, client, { visitor: ada });
    await expectAccepted(client, renewed);
    // An earlier time does not bring anything back.
    expect(await revoke(client, { visitor: ada.id, issuedBefore: 1 })).toEqual({ status: 200, body });
  });

  it("ends all tokens of the key that were issued before", async () => {
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client, { visitor: ada });
    const { token: nobodys } = await issueEmbedUrl(stack, client);
    const issuedBefore = Math.floor(Date.now() / 1000) + 1;
    expect(await revoke(client, { issuedBefore })).toEqual({
      status: 200,
      body: { revokedBefore: expect.any(Number) },
    });
    await expectRefused(client, token);
    await expectRefused(client, nobodys);
    const page = await fetch(`${stack.platformBaseUrl}/embed/files?t=${token}`, {
      headers: { Origin: stack.demoClient.origin },
    });
    expect(page.status).toBe(401);
  });

  it("revokes no token of the future", async () => {
    const client = await makeEmbedClient(stack);
    const { body } = await revoke(client, { issuedBefore: 4_000_000_000 });
    expect(body.revokedBefore).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  });

  it.each([
    [{}, "", "must have a visitor, issuedBefore, or both"],
    [{ visitor: "" }, "visitor", "must have 1 to 128 characters, and no control characters"],
    [{ visitor: "x".repeat(129) }, "visitor", "must have 1 to 128 characters, and no control characters"],
    [{ issuedBefore: "now" }, "issuedBefore", "must be a number, not a string"],
    [{ visitors: ["a"] }, "", expect.any(String)],
  ])("refuses %j", async (asked, path, message) => {
    const client = await makeEmbedClient(stack);
    const { status, body } = await revoke(client, asked);
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.issues).toContainEqual({ path, message });
  });
});

describe("very many revocations of one key", () => {
  const rowsOf = (clientId: string) =>
    query(
      stack.postgresUrl,
      `SELECT visitor FROM token_revocations WHERE client_id = '${clientId}' ORDER BY visitor`,
    );
  const addRows = (clientId: string, count: number, age: string) =>
    query(
      stack.postgresUrl,
      `INSERT INTO token_revocations SELECT '${clientId}', '${age} ' || n, now() AT TIME ZONE 'UTC' - interval '${age}'
      FROM generate_series(1, ${count}) AS n`,
    );

  it("leave no rows whose tokens have expired", async () => {
    const client = await makeEmbedClient(stack);
    await addRows(client.id, 100, "3 hours");
    await addRows(client.id, 1, "1 hour");
    for (const visitor of ["3 hours 7", "new"]) await revoke(client, { visitor });
    expect(await rowsOf(client.id)).toEqual(["1 hour 1", "3 hours 7", "new"].map((visitor) => ({ visitor })));
  });

  it("revoke all of its tokens, instead of the 10,001st visitor's", async () => {
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client, { visitor: grace });
    await addRows(client.id, 9_999, "1 hour");
    await revoke(client, { visitor: ada.id });
    await expectAccepted(client, token);
    await revoke(client, { visitor: "one more" });
    expect(await rowsOf(client.id)).toEqual([{ visitor: "" }]);
    await expectRefused(client, token);
    await revoke(client, { visitor: ada.id });
    expect(await rowsOf(client.id)).toEqual([{ visitor: "" }, { visitor: ada.id }]);
  });

  it("succeed at the same moment", async () => {
    const client = await makeEmbedClient(stack);
    await addRows(client.id, 9_990, "1 hour");
    await addRows(client.id, 2, "3 hours");
    const locker = new Client(stack.postgresUrl);
    await locker.connect();
    // As another revocation does, or the cleanup.
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM token_revocations WHERE visitor = '3 hours 1' FOR UPDATE");
    const { database } = replicas[0] as RouteApp;
    const now = Math.floor(Date.now() / 1000);
    const revokedBefore = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        revokeTokens(database, client.id, { visitor: `new ${index % 50}` }, now),
      ),
    );
    await locker.end();
    expect(new Set(revokedBefore)).toEqual(new Set([now + 1]));
    const rows = await rowsOf(client.id);
    expect(rows[0]).toEqual({ visitor: "" });
    expect(rows.length).toBeLessThan(100);
  });
});

it("a revoked API key takes its tokens with it", async () => {
  const client = await makeEmbedClient(stack);
  const { token } = await issueEmbedUrl(stack, client);
  await expectAccepted(client, token);
  await revokeEmbedClient(databaseOf(stack), client.id);
  await expectRefused(client, token);
});

describe("replacing an API key", () => {
  it("ends the tokens that were issued with the old one, also those of a server that remembers it, and of no other key", async () => {
    const [client, stranger] = await Promise.all([makeEmbedClient(stack), makeEmbedClient(stack)]);
    const { token } = await issueEmbedUrl(stack, client, { visitor: ada });
    const { token: others } = await issueEmbedUrl(stack, stranger);
    await expectAccepted(client, token);
    const { apiKey } = await rotateApiKey(databaseOf(stack), client.id);
    const { token: late } = await issueEmbedUrl(stack, client);
    await expectRefused(client, token);
    await expectRefused(client, late);
    await expectAccepted(stranger, others);
    const renewed = { ...client, apiKey };
    await expect
      .poll(async () => list(replicas[0] as RouteApp, client, (await issueEmbedUrl(stack, renewed)).token), {
        timeout: 20_000,
        interval: 500,
      })
      .toEqual([200, undefined]);
  });

  it("leaves them valid where `keepTokens` says so", async () => {
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    await rotateApiKey(databaseOf(stack), client.id, { keepTokens: true });
    const rows = await query(stack.postgresUrl, "SELECT 1 FROM token_revocations WHERE client_id = $1", [
      client.id,
    ]);
    expect(rows).toEqual([]);
    await expectAccepted(client, token);
  });
});

it("revoked tokens are refused while requests use all connections", async () => {
  const client = await makeEmbedClient(stack);
  const { token } = await issueEmbedUrl(stack, client, { visitor: ada });
  await revoke(client, { visitor: ada.id });
  const app = createRouteApp(stack, { POSTGRES_POOL_SIZE: "2" });
  const locker = new Client(stack.postgresUrl);
  await locker.connect();
  await locker.query("SELECT pg_advisory_lock(112)");
  const waitForLock = () => app.database.$driverQuery(sql`SELECT pg_advisory_xact_lock(112)`);
  const waiting = Promise.all(Array.from({ length: 3 }, waitForLock));
  await expect.poll(() => app.database.$poolState()).toEqual({ total: 2, idle: 0, waiting: 1 });
  expect(await list(app, client, token)).toEqual([401, "token_revoked"]);
  expect(app.database.$poolState()).toEqual({ total: 2, idle: 0, waiting: 1 });
  await locker.end();
  await waiting;
  await app.close();
});

it("tokens are accepted while the database is down", async () => {
  const client = await makeEmbedClient(stack);
  const { token } = await issueEmbedUrl(stack, client, { visitor: ada });
  const app = createRouteApp(stack, { POSTGRES_URL: "postgresql://nobody@127.0.0.1:9/x" });
  expect(await list(app, client, token)).toEqual([200, undefined]);
  await app.close();
});

describe("a visitor", () => {
  it.each([
    [{ id: "" }, "visitor.id"],
    [{ id: "x".repeat(129) }, "visitor.id"],
    [{ id: "a\nb" }, "visitor.id"],
    [{ id: "a\udfffb" }, "visitor.id"],
    [{ id: "a", name: "\ud800" }, "visitor.name"],
    [{ id: "a", name: "" }, "visitor.name"],
    [{ id: "a", name: "x".repeat(121) }, "visitor.name"],
    [{ name: "Ada" }, "visitor.id"],
    [{ id: "a", email: "ada@example.com" }, "visitor"],
    ["ada", "visitor"],
  ])("%j is refused", async (visitor, path) => {
    const client = await makeEmbedClient(stack);
    const response = await fetch(`${stack.apiBaseUrl}/api/embed/url`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
      body: JSON.stringify({ service: "files", scope: { bucket: client.bucket }, visitor }),
    });
    expect(response.status).toBe(400);
    expect((await response.json()).issues).toMatchObject([{ path }]);
  });

  it("may have a long id and name in any script", async () => {
    const client = await makeEmbedClient(stack);
    const visitor = { id: "🦊".repeat(128), name: "é".repeat(120) };
    const { token } = await issueEmbedUrl(stack, client, { visitor });
    await expectAccepted(client, token);
  });
});

describe("a policy that begins to require a tag", () => {
  const requireTag = { key: "scan", value: "clean" };
  const policyOf = (client: TestEmbedClient, files: object = {}) => ({
    files: { buckets: [client.bucket], ...files },
  });
  const change = (client: TestEmbedClient, files: object) =>
    changeEmbedClient(
      databaseOf(stack),
      client.id,
      { allowedScopes: policyOf(client, files) } as Parameters<typeof changeEmbedClient>[2],
      services,
    );

  it("ends the tokens that do not require it, also those issued from a remembered policy, and of no other key", async () => {
    const [client, stranger] = await Promise.all([makeEmbedClient(stack), makeEmbedClient(stack)]);
    const { token } = await issueEmbedUrl(stack, client);
    const { token: others } = await issueEmbedUrl(stack, stranger);
    await change(client, { requireTag });
    // The app that issues tokens remembers the old policy for some seconds.
    const { token: late } = await issueEmbedUrl(stack, client);
    await expectRefused(client, token);
    await expectRefused(client, late);
    await expectAccepted(stranger, others);
    await expect
      .poll(async () => list(replicas[0] as RouteApp, client, (await issueEmbedUrl(stack, client)).token), {
        timeout: 20_000,
        interval: 500,
      })
      .toEqual([200, undefined]);
  });

  it("ends no tokens when another member of it changes, or when the tag is no longer required", async () => {
    const client = await makeEmbedClient(stack, { files: { requireTag } });
    const { token } = await issueEmbedUrl(stack, client);
    await change(client, { requireTag, actions: ["download"] });
    await change(client, { actions: ["download"] });
    const rows = await query(stack.postgresUrl, "SELECT 1 FROM token_revocations WHERE client_id = $1", [
      client.id,
    ]);
    expect(rows).toEqual([]);
    await expectAccepted(client, token);
  });
});
