/** What an embed token shows of the record: the endpoints of `activity`, and the activity of a file or folder in the explorer. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { createEmbedClient } from "../../app/embed/manage-embed-clients.server";
import { newEventId } from "../../app/events/events.server";
import type { VisibleEvent } from "../../app/events/visible-events.server";
import type { ActivityPolicy, ActivityScope } from "../../app/services/activity/scope.server";
import type { FilesScope } from "../../app/services/files/place/scope.server";
import { services } from "../../app/services/registry.server";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
let app: RouteApp;
let url: string;

const ada = { visitorId: "u-1", visitorName: "Ada" };
const ben = { visitorId: "u-2", visitorName: "Ben" };

beforeAll(async () => {
  url = await makeDatabase(stack);
  app = createRouteApp(stack, { POSTGRES_URL: url });
  for (const id of ["acme", "other"])
    await query(url, "INSERT INTO companies (id, name) VALUES ($1, $1)", [id]);
  const file = { clientId: "portal", requestId: "r", data: { size: 3 } };
  const happened = [
    { ...ada, type: "file.uploaded", companyId: "acme", bucket: "b", key: "a/one.txt" },
    { ...ben, type: "file.uploaded", companyId: "acme", bucket: "b", key: "a/one.txt.bak" },
    {
      ...ben,
      type: "file.moved",
      companyId: "acme",
      bucket: "b",
      key: "a/in.txt",
      data: { from: "z/secret.txt" },
    },
    { ...ada, type: "file.uploaded", companyId: "acme", bucket: "b", key: "ab/two.txt" },
    { ...ada, type: "file.deleted", companyId: "acme", bucket: "c", key: "a/three.txt" },
    { ...ada, type: "file.uploaded", companyId: "other", bucket: "b", key: "a/theirs.txt" },
  ] as const;
  for (const [index, event] of happened.entries()) {
    await app.events.record({ ...file, ...event, occurredAt: new Date(Date.UTC(2026, 10, 1 + index)) });
  }
});
afterAll(() => app?.close());

async function issue(service: string, policy: object, scope: object) {
  const client = {
    company: { id: "acme" },
    name: "tests",
    services: ["files", "activity"],
    origins: [stack.demoClient.origin],
    policies: { [service]: policy },
  };
  const { apiKey } = await createEmbedClient(app.database, client, services);
  const response = await app.fetch(`${app.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": apiKey },
    body: JSON.stringify({ service, scope }),
  });
  const body = (await response.json()) as { url: string; code: string; error: string };
  return {
    ...body,
    status: response.status,
    token: body.url && (new URL(body.url).searchParams.get("t") ?? ""),
  };
}
const tokenFor = async (scope: ActivityScope = {}, policy: ActivityPolicy = {}) =>
  (await issue("activity", policy, scope)).token;

function post(path: string, body: object) {
  return app.fetch(`${app.platformBaseUrl}/api/embed/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}
async function list(path: string, body: object) {
  const response = await post(path, body);
  const page = (await response.json()) as { events: VisibleEvent[]; cursor: string | null; code?: string };
  return { status: response.status, ...page };
}
const keys = ({ events }: { events: VisibleEvent[] }) =>
  events.map(({ subject }) => ("key" in subject ? subject.key : ""));

it("ten slow reads of events at once leave connections to all other requests", async () => {
  const own = createRouteApp(stack, { POSTGRES_URL: url, POSTGRES_POOL_SIZE: "4" });
  onTestFinished(() => own.close());
  const token = await tokenFor();
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  onTestFinished(() => locker.end());
  await locker.query("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE");
  const send = (address: string, headers: Record<string, string>, body: object) =>
    own.fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const reads = Array.from({ length: 10 }, () =>
    send(`${own.platformBaseUrl}/api/embed/activity/list`, {}, { token }),
  );
  await expect.poll(() => own.database.$poolState().total).toBeGreaterThan(0);
  // Each looks for a key in the database.
  for (let count = 0; count < 5; count++) {
    const refused = await send(
      `${own.apiBaseUrl}/api/embed/url`,
      { "X-Api-Key": `unknown-${count}` },
      { service: "activity", scope: {} },
    );
    expect(refused.status).toBe(401);
  }
  expect(own.database.$poolState().total).toBeLessThan(4);
  await locker.query("ROLLBACK");
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(10).fill(200));
});

describe("the scope of a token", () => {
  it.each<[string, ActivityPolicy, ActivityScope, ActivityScope | string]>([
    ["everything of the company", {}, {}, {}],
    ["a bucket", {}, { bucket: "b" }, { bucket: "b" }],
    ["the policy's only bucket", { buckets: ["b"] }, {}, { bucket: "b" }],
    ["the policy's only folder", { buckets: ["b"], paths: ["/a"] }, {}, { bucket: "b", path: "/a" }],
    [
      "a folder below it",
      { buckets: ["b"], paths: ["/a"] },
      { bucket: "b", path: "/a/x" },
      { bucket: "b", path: "/a/x" },
    ],
    ["none of several buckets", { buckets: ["b", "c"] }, {}, "name one as scope.bucket (b, c)"],
    ["another bucket", { buckets: ["b"] }, { bucket: "c" }, "does not reach that bucket"],
    [
      "a folder beside",
      { buckets: ["b"], paths: ["/a"] },
      { bucket: "b", path: "/ab" },
      "does not reach that folder",
    ],
  ])("is %s", async (_, policy, scope, expected) => {
    const issued = await issue("activity", policy, scope);
    if (typeof expected === "string") {
      expect(issued).toMatchObject({ status: 403, code: "scope_not_allowed" });
      expect(issued.error).toContain(expected);
    } else {
      const [payload = ""] = issued.token.split(".");
      expect(JSON.parse(Buffer.from(payload, "base64url").toString()).scope).toEqual(expected);
    }
  });

  it("needs a bucket with a path, in the request and in the policy", async () => {
    expect(await issue("activity", {}, { path: "/a" })).toMatchObject({ status: 400 });
    await expect(issue("activity", { paths: ["/a"] }, {})).rejects.toMatchObject({
      issues: [{ path: "allowedScopes.activity.buckets", message: "is required with paths" }],
    });
  });
});

describe("POST /api/embed/activity/list", () => {
  it("lists the company's events and no other's, newest first, without its ids", async () => {
    const { events, cursor } = await list("activity/list", { token: await tokenFor() });
    expect(keys({ events })).toEqual(["a/three.txt", "ab/two.txt", "a/in.txt", "a/one.txt.bak", "a/one.txt"]);
    expect(cursor).toBeNull();
    expect(events[0]).toEqual({
      id: expect.any(String),
      type: "file.deleted",
      occurredAt: "2026-11-05T00:00:00.000Z",
      visitor: { id: "u-1", name: "Ada" },
      subject: { bucket: "c", key: "a/three.txt" },
      data: { size: 3 },
      source: "service",
    });
  });

  it("keeps to the token's bucket and folder, and does not say where a file came from beyond them", async () => {
    const token = await tokenFor({ bucket: "b", path: "/a" });
    const { events } = await list("activity/list", { token });
    expect(keys({ events })).toEqual(["a/in.txt", "a/one.txt.bak", "a/one.txt"]);
    expect(JSON.stringify(events)).not.toContain("secret");
    for (const wider of [
      { bucket: "c" },
      { folderPath: "/" },
      { folderPath: "/ab" },
      { bucket: "c", folderPath: "/a" },
    ])
      expect(await list("activity/list", { token, ...wider }), JSON.stringify(wider)).toMatchObject({
        status: 403,
        code: "scope_not_allowed",
      });
    const narrower = await list("activity/list", { token, folderPath: "/a/x" });
    expect(narrower).toMatchObject({ status: 200, events: [] });
  });

  it("filters by person, kind, folder and time", async () => {
    const token = await tokenFor();
    const found = async (filters: object) => keys(await list("activity/list", { token, ...filters }));
    expect(await found({ visitor: "u-2" })).toEqual(["a/in.txt", "a/one.txt.bak"]);
    expect(await found({ type: "file.deleted,file.moved" })).toEqual(["a/three.txt", "a/in.txt"]);
    expect(await found({ bucket: "b", folderPath: "/ab" })).toEqual(["ab/two.txt"]);
    const between = { after: "2026-11-02T00:00:00Z", before: "2026-11-04T00:00:00Z" };
    expect(await found(between)).toEqual(["a/in.txt", "a/one.txt.bak"]);
    expect(await list("activity/list", { token, folderPath: "/ab" })).toMatchObject({ status: 400 });
  });

  it("pages with a cursor that fits its own filters and scope only", async () => {
    const token = await tokenFor();
    const first = await list("activity/list", { token, limit: 2 });
    const second = await list("activity/list", { token, limit: 2, cursor: first.cursor });
    expect([...keys(first), ...keys(second)]).toEqual([
      "a/three.txt",
      "ab/two.txt",
      "a/in.txt",
      "a/one.txt.bak",
    ]);
    const narrow = await tokenFor({ bucket: "b", path: "/a" });
    expect(await list("activity/list", { token: narrow, cursor: first.cursor })).toMatchObject({
      status: 400,
    });
  });

  it("refuses tokens of other services", async () => {
    const { token } = await issue("files", { buckets: ["b"] }, { bucket: "b" });
    expect(await list("activity/list", { token })).toMatchObject({ status: 403, code: "scope_not_allowed" });
    const ours = await tokenFor();
    expect(await list("storage/list", { token: ours, bucket: "b" })).toMatchObject({ status: 403 });
  });
});

it("lists the people of recent events, within the scope", async () => {
  const people = async (scope?: ActivityScope) =>
    (await (await post("activity/people", { token: await tokenFor(scope) })).json()).people;
  expect(await people()).toEqual([
    { id: "u-1", name: "Ada" },
    { id: "u-2", name: "Ben" },
  ]);
  expect(await people({ bucket: "c" })).toEqual([{ id: "u-1", name: "Ada" }]);
});

it("exports what matches as CSV, within the scope", async () => {
  const token = await tokenFor({ bucket: "b", path: "/a" });
  const response = await post("activity/export", { token, visitor: "u-2" });
  expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  const text = String(Buffer.from(await response.arrayBuffer()));
  expect(text[0]).toBe("\ufeff");
  const [head, ...lines] = text.trim().split("\r\n");
  // Visitors do not need the integrator's own ids: the list has none either.
  expect(head).toMatch(/^id,type,occurredAt,visitorId,visitorName,/);
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain("a/one.txt.bak");
  expect(lines.join()).not.toContain("secret");
});

describe("POST /api/embed/storage/activity", () => {
  const tokenOf = async (scope: Partial<FilesScope> = {}) =>
    (
      await issue(
        "files",
        { buckets: ["b"], actions: ["download", "activity"] },
        { bucket: "b", actions: ["activity"], ...scope },
      )
    ).token;
  const of = async (token: string, body: object) => list("storage/activity", { token, bucket: "b", ...body });

  it("lists what happened to one file, or in a folder", async () => {
    const token = await tokenOf();
    expect(keys(await of(token, { key: "a/one.txt" }))).toEqual(["a/one.txt"]);
    expect(keys(await of(token, { folderPath: "/a" }))).toEqual(["a/in.txt", "a/one.txt.bak", "a/one.txt"]);
    expect(keys(await of(token, { folderPath: "/" }))).toEqual([
      "ab/two.txt",
      "a/in.txt",
      "a/one.txt.bak",
      "a/one.txt",
    ]);
  });

  it("finds what PostgreSQL could not store as it was", async () => {
    const nul = {
      type: "file.deleted",
      companyId: "acme",
      bucket: "nul",
      key: "a/\0/b\0.txt",
      data: {},
    } as const;
    await app.events.record({ ...nul, id: newEventId() });
    const { token } = await issue(
      "files",
      { buckets: ["nul"], actions: ["activity"] },
      { bucket: "nul", actions: ["activity"] },
    );
    for (const place of [{ key: "a/\0/b\0.txt" }, { folderPath: "/a/\0" }])
      expect(await list("storage/activity", { token, bucket: "nul", ...place })).toMatchObject({
        status: 200,
        events: [{ subject: { key: "a/\u2400/b\u2400.txt" } }],
      });
    const all = await tokenFor();
    const folder = { bucket: "nul", folderPath: "/a/\0" };
    expect((await list("activity/list", { token: all, ...folder })).events).toHaveLength(1);
    expect((await post("activity/export", { token: all, ...folder })).status).toBe(200);
  });

  it("takes the action `activity`, which a token has only if it is asked for", async () => {
    const { token } = await issue("files", { buckets: ["b"] }, { bucket: "b" });
    expect(await of(token, { key: "a/one.txt" })).toMatchObject({ status: 403, code: "scope_not_allowed" });
  });

  it("keeps to the token's bucket and folder", async () => {
    const token = await tokenOf({ path: "/a" });
    const { events } = await of(token, { folderPath: "/a" });
    expect(JSON.stringify(events)).not.toContain("secret");
    for (const wider of [
      { folderPath: "/" },
      { folderPath: "/ab" },
      { key: "ab/two.txt" },
      { key: "a" },
      { bucket: "c", key: "a/three.txt" },
    ])
      expect((await of(token, wider)).status, JSON.stringify(wider)).toBe(403);
    expect((await of(token, {})).status).toBe(400);
    expect((await of(token, { key: "a/one.txt", folderPath: "/a" })).status).toBe(400);
  });
});
