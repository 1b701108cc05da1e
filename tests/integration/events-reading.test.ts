/** `GET /api/events`: who may read which events, page by page and as a stream; and `npm run events`. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { events as eventsCommand } from "../../app/commands/events";
import { runCommand } from "../../app/commands/run-command";
import { createEmbedClient } from "../../app/embed/manage-embed-clients.server";
import type { FileEventType } from "../../app/events/event";
import { followEvents } from "../../app/events/find-events.server";
import type { StoredEvent } from "../../app/events/stored-event.server";
import type { Database } from "../../app/providers/database.server";
import { services } from "../../app/services/registry.server";
import { startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere, runProcess } from "../support/app/run-command";
import { fillWithEvents } from "../support/databases/many-events";
import { makeTestFolder, query } from "../support/databases/postgres";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
const TOKEN = "a-token-of-the-operator-of-this-deployment";
const bearer = { Authorization: `Bearer ${TOKEN}` };
let url: string;
let app: RouteApp;
/** headers with the API key of a company */
const keyOf: Record<string, { "X-Api-Key": string }> = {};

beforeAll(async () => {
  url = await makeDatabase(stack);
  app = createRouteApp(stack, { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN });
  for (const id of ["acme", "other"]) {
    await query(url, "INSERT INTO companies (id, name) VALUES ($1, $1)", [id]);
    const policies = { files: { buckets: ["b"] } };
    const settings = { name: "Portal", services: ["files"], origins: ["https://portal.example"], policies };
    const { apiKey } = await createEmbedClient(app.database, { company: { id }, ...settings }, services);
    keyOf[id] = { "X-Api-Key": apiKey };
  }
  const file = { clientId: "portal", requestId: "r", bucket: "b", data: { size: 3, etag: '"e"' } };
  const ada = { visitorId: "ada", visitorName: "Ada" };
  for (const [index, companyId] of ["acme", "other", "acme", "other", "acme", null].entries()) {
    await app.events.record({
      ...file,
      ...(index < 3 ? ada : { visitorId: undefined, visitorName: undefined }),
      type: index === 4 ? "file.deleted" : "file.uploaded",
      companyId,
      key: `docs/${index}.txt`,
      occurredAt: new Date(Date.UTC(2026, 10, 20 + index)),
    });
  }
  await query(
    url,
    `INSERT INTO events (id, type, occurred_at, "companyId", database_id, campaign_id, recipient, source) VALUES
      (gen_random_uuid(), 'database.created', '2026-01-02', 'acme', 'db-1', NULL, NULL, 'service'),
      (gen_random_uuid(), 'email.bounced', '2026-01-01', 'acme', NULL, 'spring', '=ada@example.com', 'service'),
      (gen_random_uuid(), 'email.sent', '2025-12-31', 'acme', NULL, NULL, '"Ada", ok@example.com', 'service')`,
  );
});
afterAll(() => app?.close());

type Query = Record<string, string | number>;
const fetchEvents = (wanted: Query, headers: Record<string, string> = {}) => {
  const search = new URLSearchParams(Object.entries(wanted).map(([name, value]) => [name, String(value)]));
  return app.fetch(`${app.apiBaseUrl}/api/events?${search}`, { headers });
};
async function list(wanted: Query, headers: Record<string, string> = {}) {
  const response = await fetchEvents(wanted, headers);
  return { status: response.status, body: (await response.json()) as Page };
}
interface Page {
  events: StoredEvent[];
  cursor: string | null;
  code?: string;
  error?: string;
  issues?: { path: string; message: string }[];
}
const keys = ({ body }: { body: Page }) =>
  body.events.map(({ subject }) => ("key" in subject ? subject.key : Object.values(subject).join(" ")));

describe("GET /api/events", () => {
  it("lists an API key's company, newest first, with everything that is known", async () => {
    const { status, body } = await list({}, keyOf.acme);
    expect(status).toBe(200);
    expect(body.cursor).toBeNull();
    expect(keys({ body })).toEqual([
      ...["docs/4.txt", "docs/2.txt", "docs/0.txt"],
      ...["db-1", "spring =ada@example.com", '"Ada", ok@example.com'],
    ]);
    expect(body.events[0]).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      type: "file.deleted",
      occurredAt: "2026-11-24T00:00:00.000Z",
      companyId: "acme",
      clientId: "portal",
      visitor: null,
      subject: { bucket: "b", key: "docs/4.txt" },
      data: { size: 3, etag: '"e"' },
      source: "service",
    });
    expect(body.events[1]?.visitor).toEqual({ id: "ada", name: "Ada" });
    expect(body.events[4]?.subject).toEqual({ campaignId: "spring", recipient: "=ada@example.com" });
  });

  it("lists what the policy of an API key reaches, as it is now, also as a stream", async () => {
    const company = { id: "narrow" };
    await query(url, "INSERT INTO companies (id, name) VALUES ($1, $1)", [company.id]);
    const settings = { name: "Portal", services: ["files"], origins: ["https://portal.example"] };
    const makeKey = async (files: object) => {
      const policies = { files: { buckets: ["b", "gone"], ...files } };
      return createEmbedClient(app.database, { company, ...settings, policies }, services);
    };
    const clients = {
      folder: await makeKey({ paths: ["/docs"] }),
      handIn: await makeKey({ view: "hand-in" }),
    };
    const record = (type: FileEventType, key: string, more: object = {}) =>
      app.events.record({
        ...{ type, bucket: "b", key, companyId: company.id, clientId: "portal", requestId: "r", data: {} },
        ...more,
      });
    await record("file.uploaded", "docs/a.txt");
    await record("file.uploaded", "secret/a.txt");
    await record("file.moved", "docs/in.txt", { data: { from: "secret/in.txt" } });
    await record("file.moved", "secret/out.txt", { data: { from: "docs/out.txt" } });
    await record("file.uploaded", "docs/of-a-deleted-bucket.txt", { bucket: "gone" });
    await record("file.uploaded", "docs/other-bucket.txt", { bucket: "c" });
    await record("file.uploaded", "handed-in.txt", { clientId: clients.handIn.id });
    await query(
      url,
      `INSERT INTO events (id, type, occurred_at, "companyId", client_id, bucket, key, recipient, source) VALUES
        (gen_random_uuid(), 'email.bounced', '2026-01-01', 'narrow', NULL, NULL, NULL, 'ada@example.com', 'service'),
        (gen_random_uuid(), 'file.uploaded', '2026-01-01', 'narrow', NULL, 'b', 'docs/nobodys.txt', NULL, 'store')`,
    );
    const keysOf = async (headers: Record<string, string>, wanted: Query = {}) =>
      keys(await list(wanted, headers)).sort();
    const headersOf = ({ apiKey }: { apiKey: string }) => ({ "X-Api-Key": apiKey });
    const ofFolder = ["docs/a.txt", "docs/in.txt", "docs/nobodys.txt", "docs/of-a-deleted-bucket.txt"];
    expect(await keysOf(headersOf(clients.folder))).toEqual(ofFolder);
    expect(await keysOf(headersOf(clients.folder), { type: "file.moved" })).toEqual(["docs/in.txt"]);
    expect(await keysOf(headersOf(clients.folder), { prefix: "secret/" })).toEqual([]);
    expect(await keysOf(headersOf(clients.folder), { bucket: "c" })).toEqual([]);
    expect(await keysOf(headersOf(clients.folder), { type: "email.*" })).toEqual([]);
    expect(await keysOf(headersOf(clients.handIn))).toEqual(["handed-in.txt"]);
    expect((await keysOf(bearer, { companyId: company.id })).length).toBe(9);
    for (const Accept of ["application/x-ndjson", "text/csv"]) {
      const text = await (await fetchEvents({}, { ...headersOf(clients.folder), Accept })).text();
      expect(text).toContain("docs/in.txt");
      expect(text).not.toMatch(/secret|other-bucket|ada@/);
    }
    // As somebody edits it in Prisma Studio. A process remembers a policy for five seconds.
    await query(url, "UPDATE embed_clients SET allowed_scopes = $2 WHERE id = $1", [
      clients.folder.id,
      { files: { buckets: ["c"] } },
    ]);
    await expect
      .poll(() => keysOf(headersOf(clients.folder)), { timeout: 10_000 })
      .toEqual(["ada@example.com", "docs/other-bucket.txt"]);
    await query(url, `DELETE FROM events WHERE "companyId" = $1`, [company.id]);
  });

  it("lists any company, or all, with the bearer token", async () => {
    expect(keys(await list({ companyId: "other" }, bearer))).toEqual(["docs/3.txt", "docs/1.txt"]);
    expect(keys(await list({ limit: 2 }, bearer))).toEqual(["docs/5.txt", "docs/4.txt"]);
    expect(await list({ companyId: "nobody" }, bearer)).toEqual({
      status: 200,
      body: { events: [], cursor: null },
    });
  });

  it("refuses another company's id, with an API key", async () => {
    expect(keys(await list({ companyId: "acme", type: "file.deleted" }, keyOf.acme))).toEqual(["docs/4.txt"]);
    for (const Accept of ["application/json", "text/csv", "application/x-ndjson"]) {
      const refused = await list({ companyId: "other" }, { ...keyOf.acme, Accept });
      expect([refused.status, refused.body.code]).toEqual([403, "scope_not_allowed"]);
    }
  });

  it("refuses callers without a credential, whatever else they send", async () => {
    const headersOfOthers: Record<string, string>[] = [
      {},
      { Authorization: "Bearer wrong" },
      { Accept: "text/csv" },
    ];
    for (const headers of headersOfOthers) {
      const refused = await list({ companyId: "acme" }, headers);
      expect([refused.status, refused.body.code]).toEqual([401, "invalid_bearer_token"]);
    }
    // A key that is wrong is not made up for by a token.
    const refused = await list({ companyId: "acme" }, { ...bearer, "X-Api-Key": "pek_wrong" });
    expect([refused.status, refused.body.code]).toEqual([401, "invalid_api_key"]);
  });

  it("refuses everybody without a key where the deployment has no token", async () => {
    const open = createRouteApp(stack, { POSTGRES_URL: url });
    const address = `${open.apiBaseUrl}/api/events`;
    expect((await open.fetch(address)).status).toBe(401);
    expect((await open.fetch(address, { headers: keyOf.acme ?? {} })).status).toBe(200);
    await open.close();
  });

  it.each(["%", "docs/_", "docs/%.txt", "\\%"])(
    "takes the prefix %j as it is, and not for a pattern",
    async (prefix) => {
      expect(keys(await list({ prefix }, keyOf.acme))).toEqual([]);
    },
  );

  it("filters by all that is given", async () => {
    const wanted = {
      type: "file.*",
      visitor: "ada",
      bucket: "b",
      prefix: "docs/",
      after: "2026-11-20T00:00:00Z",
    };
    expect(keys(await list(wanted, keyOf.acme))).toEqual(["docs/2.txt", "docs/0.txt"]);
    expect(keys(await list({ ...wanted, before: "2026-11-22T00:00:00Z" }, keyOf.acme))).toEqual([
      "docs/0.txt",
    ]);
    expect(keys(await list({ type: "email.*,database.created" }, keyOf.acme))).toHaveLength(3);
  });

  it.each<[Query, string]>([
    [{ limit: 0 }, "limit"],
    [{ limit: 1_001 }, "limit"],
    [{ limit: "many" }, "limit"],
    [{ type: "file.renamed" }, "type"],
    [{ vistor: "ada" }, ""],
    [{ cursor: "made-up" }, "cursor"],
  ])("refuses %j", async (wanted, path) => {
    const { status, body } = await list(wanted, bearer);
    expect([status, body.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  it("continues from a cursor, which opens neither another company nor other filters", async () => {
    const first = await list({ limit: 2 }, keyOf.acme);
    const cursor = first.body.cursor ?? "";
    const second = await list({ cursor, limit: 2 }, keyOf.acme);
    const third = await list({ cursor: second.body.cursor ?? "", limit: 2 }, keyOf.acme);
    expect([first, second, third].flatMap(keys)).toEqual(keys(await list({}, keyOf.acme)));
    expect([second.body.cursor, third.body.cursor]).toEqual([expect.any(String), null]);
    // The bearer token reads the same events, so it may continue.
    expect(keys(await list({ cursor, companyId: "acme", limit: 2 }, bearer))).toEqual(keys(second));
    for (const [wanted, headers] of [
      [{ cursor }, keyOf.other],
      [{ cursor }, bearer],
      [{ cursor, companyId: "other" }, bearer],
      [{ cursor, type: "file.deleted" }, keyOf.acme],
      [{ cursor, prefix: "docs/" }, keyOf.acme],
    ] as const) {
      for (const Accept of ["application/json", "text/csv"]) {
        const refused = await list(wanted, { ...headers, Accept });
        expect([refused.status, refused.body.issues]).toEqual([
          400,
          [{ path: "cursor", message: "is not what these filters returned" }],
        ]);
      }
    }
  });
});

describe("a stream of events", () => {
  const stream = async (Accept: string, wanted: Query, headers = keyOf.acme) => {
    const response = await fetchEvents(wanted, { ...headers, Accept });
    return { response, text: await response.text() };
  };

  it("has all of them as NDJSON, and only those of the company", async () => {
    const { response, text } = await stream("application/x-ndjson", {});
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": expect.stringMatching(/^attachment; filename="events-\d{4}-\d\d-\d\d\.ndjson"$/),
      "cache-control": "no-store, no-transform",
    });
    expect(text.endsWith("\n")).toBe(true);
    const events = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as StoredEvent);
    expect(events).toEqual((await list({}, keyOf.acme)).body.events);
  });

  it("has them as CSV, in which no value is a formula", async () => {
    const { response, text } = await stream("text/csv", { before: "2026-11-21T00:00:00Z" });
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(text.replace(/[\da-f-]{36}/g, "ID").split("\r\n")).toEqual([
      "id,type,occurredAt,companyId,clientId,visitorId,visitorName,bucket,key,databaseId,campaignId,recipient,source,data",
      'ID,file.uploaded,2026-11-20T00:00:00.000Z,acme,portal,ada,Ada,b,docs/0.txt,,,,service,"{""etag"":""\\""e\\"""",""size"":3}"',
      "ID,database.created,2026-01-02T00:00:00.000Z,acme,,,,,,db-1,,,service,{}",
      "ID,email.bounced,2026-01-01T00:00:00.000Z,acme,,,,,,,spring,'=ada@example.com,service,{}",
      'ID,email.sent,2025-12-31T00:00:00.000Z,acme,,,,,,,,"""Ada"", ok@example.com",service,{}',
      "",
    ]);
  });

  it("has at most `limit` events, and begins at a cursor", async () => {
    const { cursor } = (await list({ limit: 1 }, keyOf.acme)).body;
    const { text } = await stream("application/x-ndjson", { cursor: cursor ?? "", limit: 1 });
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect(text).toContain("docs/2.txt");
    expect((await stream("application/x-ndjson", { visitor: "nobody" })).text).toBe("");
    expect((await stream("text/csv", { visitor: "nobody" })).text).toMatch(/^id,type,.*data\r\n$/);
  });

  it("is read from the database as the caller takes it, and is interrupted when the database goes down", async () => {
    const events = 60_000;
    const many = await makeDatabase(stack);
    await fillWithEvents(many, events);
    const wire = await Wire.to(many);
    const built = await startBuiltApp(stack, { POSTGRES_URL: wire.over(many), API_BEARER_TOKEN: TOKEN });
    try {
      const get = (Accept = "application/x-ndjson") =>
        fetch(`${built.apiBaseUrl}/api/events`, { headers: { ...bearer, Accept } });
      const untaken = await get();
      expect(untaken.status).toBe(200);
      // By the time a whole stream has arrived, the other one would have been read to its end, too.
      const whole = await (await get()).text();
      expect(whole.split("\n")).toHaveLength(events + 1);
      await wire.cut();
      await expect(untaken.text()).rejects.toThrow();
      expect(built.output()).toContain("A response was interrupted.");
      expect((await get("text/csv")).status).toBe(503);
    } finally {
      await built.close();
      await wire.cut();
    }
  });
});

describe("npm run events", () => {
  const run = (...words: string[]) => runHere("events", eventsCommand, words, { POSTGRES_URL: url });
  const company = ["--company", "acme"];
  const record = (key: string, occurredAt = new Date()) =>
    app.events.record({ type: "file.uploaded", companyId: "tailed", bucket: "b", key, data: {}, occurredAt });

  it("lists the newest events, for people and as JSON", async () => {
    const { code, stdout } = await run("list", ...company, "--limit", "2");
    expect([code, stdout]).toEqual([
      0,
      "2026-11-24T00:00:00.000Z  file.deleted          acme  b/docs/4.txt\n" +
        "2026-11-22T00:00:00.000Z  file.uploaded         acme  b/docs/2.txt  by ada (Ada)\n",
    ]);
    const json = await run(
      "list",
      ...company,
      "--json",
      "--type",
      "email.*",
      "--before",
      "2026-01-01T00:00:00Z",
    );
    const { events } = (await list({ type: "email.sent" }, keyOf.acme)).body;
    expect(json.stdout).toBe(`${JSON.stringify(events[0])}\n`);
    expect((await run("list", "--visitor", "nobody")).stdout).toBe("There are no such events.\n");
    await record("a\u001b[2Jb", new Date(0));
    expect((await run("list", "--company", "tailed")).stdout).toContain("b/a\\u001b[2Jb\n");
  });

  it("says what is wrong with an option", async () => {
    expect(await run("list", "--after", "yesterday")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("It must be a date and time, as in 2026-11-23T10:00:00Z."),
    });
    expect((await run("list", "--limit", "0")).stderr).toContain("It must be at least 1.");
    expect(await run("erase", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--visitor or --recipient is required"),
    });
    expect((await run("erase", "--visitor", "u-1", "--recipient", "ada@example.com")).code).toBe(1);
    expect((await run("erase", "--recipient", "ada")).stderr).toContain("must be an e-mail address");
    const help = await run("export", "--help");
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--format <format>")]);
  });

  it("exports all of them, and says how many", async () => {
    const api = await fetchEvents({}, { ...keyOf.acme, Accept: "text/csv" });
    const csv = await run("export", ...company, "--format", "csv");
    // `text()` would leave out the byte order mark.
    const text = String(Buffer.from(await api.arrayBuffer()));
    expect(text).toMatch(/^\ufeffid,/);
    expect(csv).toEqual({
      code: 0,
      stdout: text,
      stderr: expect.stringMatching(/^6 events, \d+ a second\nExported 6 events\.\n$/),
    });
  });

  it("exports into a file, as a separate process", async () => {
    const out = join(await makeTestFolder(), "events.ndjson");
    const words = ["export", ...company, "--out", out];
    expect(await runProcess("events", words, { POSTGRES_URL: url })).toMatchObject({ code: 0, stdout: "" });
    expect((await readFile(out, "utf8")).trimEnd().split("\n")).toHaveLength(6);
    // Other users of the machine cannot read it.
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const failed = await run("export", "--out", join(out, "no-folder"));
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("the export is incomplete") });
  });

  it("prints new events until it is stopped", async () => {
    const stop = new AbortController();
    let printed = "";
    const stdout = new Writable({
      write(chunk, _, done) {
        printed += chunk;
        done();
      },
    });
    const terminal = {
      stdin: process.stdin,
      stdout,
      stderr: new Writable({ write: (_, __, done) => done() }),
    };
    const settings = { ...terminal, env: { POSTGRES_URL: url }, catchSignals: () => stop.signal };
    await record("old.txt");
    const ended = runCommand("events", eventsCommand, ["tail", "--company", "tailed"], settings);
    await expect
      .poll(
        async () => {
          await record("new.txt");
          return printed;
        },
        { timeout: 10_000 },
      )
      .toMatch(/file\.uploaded +tailed {2}b\/new\.txt\n/);
    expect(printed).not.toContain("old.txt");
    stop.abort();
    expect(await ended).toBe(0);
  });

  it("prints an event that is written late, and none twice", async () => {
    const stop = new AbortController();
    let queries = 0;
    const $queryInTurn: Database["$queryInTurn"] = async (caller, statement, row) => {
      const rows = await app.database.$queryInTurn(caller, statement, row);
      queries++;
      return rows;
    };
    const database = { $queryInTurn };
    const filter = { companyId: "tailed", prefix: "late/" };
    const following = followEvents(database, filter, { signal: stop.signal, pollMs: 1 });
    const keysOfNext = async () => {
      const { value } = await following.next();
      return value?.map(({ subject }) => ("key" in subject ? subject.key : ""));
    };
    const first = keysOfNext();
    await expect.poll(() => queries, { timeout: 10_000 }).toBeGreaterThan(1);
    await record("late/now.txt");
    expect(await first).toEqual(["late/now.txt"]);
    await record("late/before.txt", new Date(Date.now() - 30_000));
    expect(await keysOfNext()).toEqual(["late/before.txt"]);
    stop.abort();
    expect(await keysOfNext()).toBeUndefined();
  });

  it("erases a visitor from all events and changes under way, and nothing else", async () => {
    const erasing = await makeDatabase(stack);
    const runThere = (...words: string[]) =>
      runHere("events", eventsCommand, ["erase", ...words], { POSTGRES_URL: erasing });
    await fillWithEvents(erasing, 25_000);
    await query(
      erasing,
      `INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key)
       SELECT gen_random_uuid(), visitor || company, 'file.moved', now(), company, 'c', visitor, 'Name', 'r', 'b', 'k'
       FROM unnest(ARRAY['visitor-7', 'visitor-8']) AS visitor, unnest(ARRAY['company-0', 'company-1']) AS company`,
    );
    await query(erasing, "UPDATE events SET visitor_id = 'visitor-7' WHERE visitor_id LIKE 'visitor-1%'");
    const countOf = async (visitor: string, companyId = "company-%") => {
      const statement = `SELECT count(*)::int AS count FROM
        (SELECT visitor_id, "companyId" FROM events UNION ALL SELECT visitor_id, "companyId" FROM pending_events) AS e
        WHERE visitor_id = $1 AND "companyId" LIKE $2`;
      return (await query<{ count: number }>(erasing, statement, [visitor, companyId]))[0]?.count ?? 0;
    };
    const [all, ofCompany, ofOther] = [
      await countOf("visitor-7"),
      await countOf("visitor-7", "company-1"),
      await countOf("visitor-8"),
    ];
    expect(all).toBeGreaterThan(2_000);
    const said = { stdout: `${all} events have this visitor. Nothing was changed.\n` };
    expect(await runThere("--visitor", "visitor-7", "--dry-run")).toMatchObject({ code: 0, ...said });
    expect(await runThere("--visitor", "visitor-7")).toMatchObject({ code: 1, ...said });
    expect(await countOf("visitor-7")).toBe(all);

    expect(await runThere("--visitor", "visitor-7", "--company", "company-1", "--yes")).toMatchObject({
      code: 0,
      stdout: `Erased the visitor from ${ofCompany} events.\n`,
    });
    expect(await runThere("--visitor", "visitor-7", "--yes")).toMatchObject({
      code: 0,
      stdout: `Erased the visitor from ${all - ofCompany} events.\n`,
    });
    const statement = `SELECT count(*)::int AS events, count(visitor_id)::int AS visitors,
      count(*) FILTER (WHERE visitor_id IS NULL AND visitor_name IS NOT NULL)::int AS names FROM events`;
    const [left] = await query<{ events: number; visitors: number; names: number }>(erasing, statement);
    expect(left).toEqual({ events: 25_000, visitors: expect.any(Number), names: 0 });
    expect([await countOf("visitor-7"), await countOf("visitor-8")]).toEqual([0, ofOther]);
  });

  it("erases a recipient's address from all events, without reading the whole table", async () => {
    const erasing = await makeDatabase(stack);
    const runThere = (...words: string[]) =>
      runHere("events", eventsCommand, ["erase", ...words], { POSTGRES_URL: erasing });
    await fillWithEvents(erasing, 5_000);
    await query(
      erasing,
      `INSERT INTO events (id, type, occurred_at, "companyId", campaign_id, recipient, source)
       SELECT gen_random_uuid(), 'email.sent', now(), company, 'spring', name || '@example.com', 'service'
       FROM unnest(ARRAY['ada', 'bob']) AS name, unnest(ARRAY['acme', 'other']) AS company`,
    );
    await query(erasing, "ANALYZE events");
    const addresses = async () =>
      (
        await query<{ recipient: string | null }>(
          erasing,
          "SELECT recipient FROM events WHERE campaign_id = 'spring' ORDER BY recipient, id",
        )
      ).map(({ recipient }) => recipient);
    const [ada, bob] = ["ada@example.com", "bob@example.com"];

    expect(await runThere("--recipient", "Ada@Example.com")).toMatchObject({
      code: 1,
      stdout: "2 events have this recipient. Nothing was changed.\n",
    });
    expect(await addresses()).toEqual([ada, ada, bob, bob]);
    const plan = await query<object>(erasing, `EXPLAIN SELECT id FROM events WHERE recipient = '${ada}'`);
    expect(JSON.stringify(plan)).toContain("events_recipient_idx");
    expect(await runThere("--recipient", ada, "--company", "acme", "--yes")).toMatchObject({
      code: 0,
      stdout: "Erased the recipient from 1 events.\n",
    });
    await runThere("--recipient", "Ada@Example.com", "--yes");
    expect(await addresses()).toEqual([bob, bob, null, null]);
    const { stdout } = await runHere("events", eventsCommand, ["list", "--type", "email.*", "--json"], {
      POSTGRES_URL: erasing,
    });
    expect(stdout).toContain('"subject":{"campaignId":"spring","recipient":""}');
    expect(stdout).not.toContain("ada@");
  });
});
