/** Webhooks: which events are sent to whom, and what becomes of receivers that hang, fail, move or are gone. */
import { Client } from "pg";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { webhooks as webhooksCommand } from "../../app/commands/webhooks";
import { worker as workerCommand } from "../../app/commands/worker";
import { rotateApiKey } from "../../app/embed/manage-embed-clients.server";
import { newEventId } from "../../app/events/events.server";
import { services } from "../../app/services/registry.server";
import { standardError, standardOutput } from "../../app/shared/log.server";
import { openWebhookSecret, resealWebhookSecrets } from "../../app/webhooks/webhook-secret.server";
import { RETRY_SECONDS, WebhookWorker } from "../../app/webhooks/webhook-worker.server";
import { createWebhookHandler, type PlatformEvent } from "../../embed-element/src/server";
import { startBuiltApp } from "../support/app/built-app";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere, runProcess } from "../support/app/run-command";
import { freshName } from "../support/databases/cluster-databases";
import { query } from "../support/databases/postgres";
import { type ReceivedWebhook, WebhookReceiver } from "../support/integrator/webhook-receiver";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
const SECRET = stack.embedSigningSecret;
let url: string;
let wire: Wire;
let app: RouteApp;
beforeAll(async () => {
  url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = createRouteApp(stack, { POSTGRES_URL: wire.over(url), WEBHOOK_ALLOW_PRIVATE: "true" });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
});

const receivers: WebhookReceiver[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  await query(url, "TRUNCATE webhook_endpoints, webhook_deliveries, events");
});

async function receive(respond?: WebhookReceiver["respond"]): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(respond);
  receivers.push(receiver);
  return receiver;
}
const fail = (status: number) => receive((response) => response.writeHead(status).end());

const makeClient = () => makeEmbedClient({ ...stack, postgresUrl: url });

async function call(client: TestEmbedClient, method: string, path = "", body?: object, at = app) {
  const response = await at.fetch(`${at.apiBaseUrl}/api/webhooks${path}`, {
    method,
    headers: { "X-Api-Key": client.apiKey, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** A client with a webhook, and what can happen to it. */
async function subscribe(receiver: WebhookReceiver, types = ["*"]) {
  const client = await makeClient();
  const { body } = await call(client, "POST", "", { url: receiver.url, types });
  return { client, id: body.id as string, secret: body.secret as string, upload: uploadOf(client) };
}

async function companyOf({ id }: TestEmbedClient): Promise<string> {
  const statement = 'SELECT "companyId" FROM embed_clients WHERE id = $1';
  return (await query<{ companyId: string }>(url, statement, [id]))[0]?.companyId ?? "";
}

/** Records an upload of a client's visitor. @returns its id */
const uploadOf =
  (client: TestEmbedClient) =>
  async (key: string, id = newEventId()) => {
    await app.events.record({
      id,
      type: "file.uploaded",
      bucket: "acme-files",
      key,
      data: { size: 3, etag: '"e"' },
      companyId: await companyOf(client),
      clientId: client.id,
      visitorId: "u-1",
      visitorName: "Ada",
      requestId: "r-1",
    });
    return id;
  };

const makeWorker = (settings: object = {}) =>
  new WebhookWorker(app.database, { signingSecrets: [SECRET], allowPrivate: true, services, ...settings });
const sendDue = (settings: object = {}) => makeWorker(settings).runDue();
const makeDue = () =>
  query(
    url,
    "UPDATE webhook_deliveries SET next_attempt_at = now() AT TIME ZONE 'UTC' WHERE status = 'pending'",
  );

interface Delivery {
  status: string;
  attempts: number;
  last_status: number | null;
  error: string | null;
  pause: number | null;
}
const deliveries = () =>
  query<Delivery>(
    url,
    `SELECT status, attempts, last_status, error,
      extract(epoch FROM next_attempt_at - now() AT TIME ZONE 'UTC')::float8 AS pause FROM webhook_deliveries ORDER BY event_id`,
  );
const run = (words: string[], env = deploymentEnv(stack, url)) =>
  runHere("webhooks", webhooksCommand, words, { ...env, WEBHOOK_ALLOW_PRIVATE: "true" });

describe("/api/webhooks", () => {
  it("creates a webhook, shows its secret once, and stores it encrypted", async () => {
    const client = await makeClient();
    const webhook = { url: "https://acme.example/hooks", types: ["file.*", "email.bounced"] };
    const { status, body } = await call(client, "POST", "", {
      ...webhook,
      types: ["file.*", ...webhook.types],
    });
    expect([status, body]).toEqual([201, { id: expect.any(String), ...webhook, secret: expect.any(String) }]);
    expect(Buffer.from(body.secret.replace(/^whsec_/, ""), "base64")).toHaveLength(32);
    const listed = await call(client, "GET");
    expect(listed.body).toEqual({
      webhooks: [
        {
          id: body.id,
          ...webhook,
          companyId: expect.any(String),
          clientId: client.id,
          createdAt: expect.any(String),
          previousSecretUntil: null,
          failingSince: null,
          disabledAt: null,
          disabledReason: null,
        },
      ],
    });
    const stored = JSON.stringify(await query(url, "SELECT * FROM webhook_endpoints"));
    expect(stored).not.toContain(body.secret.slice("whsec_".length));
  });

  it("refuses unknown types, addresses of the own network, and an eleventh webhook", async () => {
    const client = await makeClient();
    const strict = createRouteApp(stack, { POSTGRES_URL: url });
    for (const [member, body] of Object.entries({
      "types[0]": { url: "https://acme.example/", types: ["file.painted"] },
      types: { url: "https://acme.example/", types: [] },
      url: { url: "https://169.254.169.254/", types: ["*"] },
      secret: { url: "https://acme.example/", types: ["*"], secret: "whsec_x" },
    }))
      expect(await call(client, "POST", "", body, strict)).toMatchObject({
        status: 400,
        body: {
          issues: [
            {
              path: expect.stringMatching(
                member === "secret" ? /secret|^$/ : member.replace(/[[\]]/g, "\\$&"),
              ),
            },
          ],
        },
      });
    await strict.close();
    const webhook = { url: "https://acme.example/", types: ["*"] };
    for (let count = 0; count < 10; count++)
      expect((await call(client, "POST", "", webhook)).status).toBe(201);
    expect(await call(client, "POST", "", webhook)).toMatchObject({
      status: 409,
      body: { code: "webhook_limit_reached" },
    });
  });

  it("are not counted once their key was revoked, as other keys may be unable to delete them", async () => {
    const revoked = await makeClient();
    const company = { id: await companyOf(revoked) };
    const policies = { files: { buckets: ["acme-files"], paths: ["/a"] } };
    const other = await makeEmbedClient({ ...stack, postgresUrl: url }, { company, policies });
    const webhook = { url: "https://acme.example/", types: ["*"] };
    for (let count = 0; count < 10; count++)
      expect((await call(revoked, "POST", "", webhook)).status).toBe(201);
    expect((await call(other, "POST", "", webhook)).status).toBe(409);
    await query(url, "UPDATE embed_clients SET revoked_at = now() WHERE id = $1", [revoked.id]);
    expect((await call(other, "POST", "", webhook)).status).toBe(201);
  });

  it("are at most ten for a company, however many requests arrive at once", async () => {
    const client = await makeClient();
    const webhook = { url: "https://acme.example/", types: ["*"] };
    /** As callers do: on a busy machine, there may be no connection to the database in time for all. */
    const make = async () => {
      for (;;) {
        const { status } = await call(client, "POST", "", webhook);
        if (status !== 503) return status;
      }
    };
    const statuses = await Promise.all(Array.from({ length: 30 }, make));
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(20);
  });

  it("shows and changes only webhooks of the key's company", async () => {
    const { client, id } = await subscribe(await receive());
    const stranger = await makeClient();
    expect((await call(stranger, "GET")).body).toEqual({ webhooks: [] });
    for (const [method, path] of [
      ["DELETE", `/${id}`],
      ["POST", `/${id}/rotate`],
      ["POST", `/${id}/enable`],
      ["POST", `/${id}/send-test`],
      ["GET", `/${id}/deliveries`],
      ["DELETE", "/no-such-id"],
      ["DELETE", "/%00"],
    ] as const)
      expect(await call(stranger, method, path)).toMatchObject({
        status: 404,
        body: { code: "webhook_not_found" },
      });
    const since = "2026-01-01T00:00:00Z";
    expect((await call(stranger, "POST", `/${id}/replay`, { since })).status).toBe(404);
    expect((await call({ ...client, apiKey: "pek_wrong" }, "GET")).status).toBe(401);
    expect(await call(client, "DELETE", `/${id}`)).toEqual({ status: 200, body: { id } });
    expect((await call(client, "GET")).body).toEqual({ webhooks: [] });
  });
});

describe("an API key for a part of the company", () => {
  it("neither sees nor changes the webhooks of other keys, whose URLs may contain secrets", async () => {
    const receiver = await receive();
    const { client, id, upload } = await subscribe(receiver);
    const company = { id: await companyOf(client) };
    const keyFor = (policies: Record<string, unknown>) =>
      makeEmbedClient({ ...stack, postgresUrl: url }, { company, policies });
    const parts = await Promise.all([
      keyFor({ files: { buckets: ["acme-files"], view: "hand-in", uploadFolders: ["/in"] } }),
      keyFor({ files: { buckets: ["acme-files"], paths: ["/a"] } }),
      keyFor({ activity: { buckets: ["acme-files"] } }),
    ]);
    await upload("a.txt");
    for (const part of parts) {
      const { body: own } = await call(part, "POST", "", { url: receiver.url, types: ["*"] });
      expect((await call(part, "GET")).body.webhooks).toEqual([expect.objectContaining({ id: own.id })]);
      for (const [method, path, body] of [
        ["DELETE", `/${id}`],
        ["POST", `/${id}/enable`],
        ["POST", `/${id}/send-test`],
        ["GET", `/${id}/deliveries`],
        ["POST", `/${id}/replay`, { since: "2026-01-01T00:00:00Z" }],
      ] as const)
        expect(await call(part, method, path, body)).toMatchObject({
          status: 403,
          body: { code: "scope_not_allowed" },
        });
      expect((await call(part, "DELETE", `/${own.id}`)).status).toBe(200);
    }
    expect(receiver.got).toEqual([]);
    expect((await call(client, "GET")).body.webhooks).toEqual([expect.objectContaining({ id })]);
  });

  it("leaves its webhooks to keys that reach whole buckets", async () => {
    const main = await makeClient();
    const company = { id: await companyOf(main) };
    const policies = { files: { buckets: ["acme-files"], paths: ["/a"] } };
    const part = await makeEmbedClient({ ...stack, postgresUrl: url }, { company, policies });
    const hook = { url: "https://acme.example/hooks", types: ["*"] };
    const { id } = (await call(part, "POST", "", hook)).body;
    expect((await call(main, "GET")).body.webhooks).toEqual([
      expect.objectContaining({ id, clientId: part.id }),
    ]);
    expect(await call(main, "DELETE", `/${id}`)).toEqual({ status: 200, body: { id } });
  });
});

describe("an event", () => {
  it("is sent to the webhooks of its company that take its type", async () => {
    const [all, files, emails, strangers] = await Promise.all([receive(), receive(), receive(), receive()]);
    const { client, secret, upload } = await subscribe(all);
    const { body: second } = await call(client, "POST", "", { url: files.url, types: ["file.*"] });
    await call(client, "POST", "", { url: emails.url, types: ["email.*", "file.deleted"] });
    await subscribe(strangers);
    const id = await upload("docs/ärger/💥.txt");
    await sendDue();
    const [event] = all.verified<object>(secret);
    expect(event).toEqual({
      id,
      type: "file.uploaded",
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      companyId: expect.any(String),
      clientId: client.id,
      visitor: { id: "u-1", name: "Ada" },
      subject: { bucket: "acme-files", key: "docs/ärger/💥.txt" },
      data: { size: 3, etag: '"e"' },
      source: "service",
    });
    expect(all.got[0]?.headers["webhook-id"]).toBe(id);
    expect(files.verified(second.secret)).toEqual([event]);
    expect([emails.got.length, strangers.got.length]).toEqual([0, 0]);
    expect(await deliveries()).toMatchObject([
      { status: "delivered", attempts: 1, last_status: 204, error: null, pause: null },
      { status: "delivered" },
    ]);
  });

  it("is sent to webhooks whose API key may read it, by the policy of this moment", async () => {
    const [folders, handIns, wholes] = await Promise.all([receive(), receive(), receive()]);
    const makeKey = (company: { id: string } | { name: string }, files: object) =>
      makeEmbedClient(
        { ...stack, postgresUrl: url },
        {
          company,
          services: ["files"],
          policies: { files: { buckets: ["acme-files"], ...files } },
        },
      );
    const whole = await makeKey({ name: "Acme" }, {});
    const company = { id: await companyOf(whole) };
    const folder = await makeKey(company, { paths: ["/docs"] });
    const handIn = await makeKey(company, { view: "hand-in", uploadFolders: ["/in"] });
    const add = async (client: TestEmbedClient, receiver: WebhookReceiver) => {
      const { body } = await call(client, "POST", "", { url: receiver.url, types: ["*"] });
      return { id: body.id as string, secret: body.secret as string };
    };
    const ofFolder = await add(folder, folders);
    const ofHandIn = await add(handIn, handIns);
    const ofWhole = await add(whole, wholes);
    const seen = ({ secret }: { secret: string }, receiver: WebhookReceiver) =>
      receiver
        .verified<{ subject: { key?: string }; data: object }>(secret)
        .map(({ subject, data }) => [
          subject.key,
          ...Object.values(data).filter((value) => typeof value === "string" && value.includes("/")),
        ]);
    const upload = uploadOf(whole);
    const inside = await upload("docs/a.txt");
    const outside = await upload("secret/a.txt");
    const theirs = await upload("in/theirs.txt");
    const own = await uploadOf(handIn)("in/own.txt");
    const moved = newEventId();
    await app.events.record({
      ...{ id: moved, type: "file.moved", bucket: "acme-files", key: "docs/in.txt", companyId: company.id },
      data: { from: "secret/in.txt" },
    });
    await app.events.record({
      ...{ type: "email.bounced", campaignId: null, recipient: "ada@example.com", data: {} },
      companyId: company.id,
    });
    while ((await sendDue()) > 0);
    expect(seen(ofFolder, folders).sort()).toEqual([["docs/a.txt"], ["docs/in.txt"]]);
    expect(seen(ofHandIn, handIns)).toEqual([["in/own.txt"]]);
    expect(seen(ofWhole, wholes)).toHaveLength(6);
    expect(seen(ofWhole, wholes)).toContainEqual(["docs/in.txt", "secret/in.txt"]);
    // Nothing remains of what was not sent.
    const listed = async (client: TestEmbedClient, id: string) =>
      (await call(client, "GET", `/${id}/deliveries`)).body.deliveries as {
        subject: { key: string } | null;
      }[];
    expect(await listed(folder, ofFolder.id)).toHaveLength(2);
    expect(await listed(handIn, ofHandIn.id)).toHaveLength(1);
    // The webhooks of others show nothing that the key may not read: here, only the e-mail is in no bucket.
    const otherBucket = await makeKey(company, { buckets: ["other-files"] });
    const shown = (await listed(otherBucket, ofWhole.id)).flatMap(({ subject }) => subject ?? []);
    expect(shown).toEqual([{ recipient: "ada@example.com" }]);

    const replay = async (body: object) => (await call(folder, "POST", `/${ofFolder.id}/replay`, body)).body;
    expect(await replay({ eventIds: [inside, outside, theirs, own, moved] })).toEqual({
      count: 2,
      skipped: [outside, theirs, own],
      next: null,
    });
    while ((await sendDue()) > 0);
    expect(folders.got).toHaveLength(4);
    // What waits is sent, or not, by the policy that applies then.
    await upload("docs/b.txt");
    await upload("secret/b.txt");
    await query(url, "UPDATE embed_clients SET allowed_scopes = $2 WHERE id = $1", [
      folder.id,
      { files: { buckets: ["acme-files"], paths: ["/secret"] } },
    ]);
    while ((await sendDue()) > 0);
    expect(seen(ofFolder, folders).slice(4)).toEqual([["secret/b.txt"]]);
    expect(await replay({ since: "2026-01-01T00:00:00Z" })).toMatchObject({ count: 1, skipped: [] });
  });

  it("of an e-mail or a database is sent to the webhooks of its company, and to no other", async () => {
    const [acme, emails, other] = await Promise.all([receive(), receive(), receive()]);
    const { client, secret } = await subscribe(acme);
    const { body: second } = await call(client, "POST", "", { url: emails.url, types: ["email.*"] });
    const stranger = await subscribe(other);
    const companyId = await companyOf(client);
    const post = (path: string, body: object) =>
      app.fetch(`${app.apiBaseUrl}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const email = { title: "Hello", description: "Hello" };
    const name = freshName();
    const statuses = [
      await post("/api/send-simple-email", { ...email, to: "Ada@example.com", companyId }),
      await post("/api/send-simple-email", { ...email, to: "nobody@example.com" }),
      await post("/api/cluster/databases", { companyId, name, region: stack.clusterRegion }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 201]);
    const later = [
      "email.delivered",
      "email.bounced",
      "email.complained",
      "email.opened",
      "email.clicked",
      "email.unsubscribed",
    ] as const;
    for (const [index, type] of later.entries())
      await app.events.record({
        id: uuidv7({ msecs: Date.now() + index }),
        type,
        companyId,
        campaignId: null,
        recipient: "ada@example.com",
        data: {},
      });
    while ((await sendDue()) > 0);
    const happened = acme.verified<PlatformEvent>(secret);
    expect(happened.map(({ type }) => type).sort()).toEqual(
      ["database.created", "email.sent", ...later].sort(),
    );
    const of = (type: string) => happened.find((event) => event.type === type);
    expect(of("email.sent")).toMatchObject({ companyId, subject: { recipient: "ada@example.com" } });
    expect(of("database.created")).toMatchObject({
      companyId,
      subject: { databaseId: expect.any(String) },
      data: { name, region: stack.clusterRegion },
    });
    expect(emails.verified<PlatformEvent>(second.secret).map(({ type }) => type)).toEqual([
      "email.sent",
      ...later,
    ]);
    expect(other.got).toEqual([]);
    const api = async ({ apiKey }: TestEmbedClient) => {
      const response = await app.fetch(`${app.apiBaseUrl}/api/events`, { headers: { "X-Api-Key": apiKey } });
      return (await response.json()).events.length;
    };
    expect([await api(client), await api(stranger.client)]).toEqual([8, 0]);
  });

  it("is sent once, however often it is recorded", async () => {
    const receiver = await receive();
    const { upload } = await subscribe(receiver);
    const id = await upload("a.txt");
    await upload("a.txt", id);
    await sendDue();
    await upload("a.txt", id);
    await sendDue();
    expect(receiver.got).toHaveLength(1);
  });

  it("that changes a file begun by somebody is sent with its author", async () => {
    const receiver = await receive();
    const { client, secret } = await subscribe(receiver, ["file.moved"]);
    const [row] = await query<{ companyId: string }>(
      url,
      'SELECT "companyId" FROM embed_clients WHERE id = $1',
      [client.id],
    );
    const author = {
      companyId: row?.companyId ?? "",
      clientId: client.id,
      visitorId: "u-2",
      visitorName: undefined,
      requestId: "r",
    };
    const change = { type: "file.moved" as const, bucket: "b", key: "to.txt", data: { from: "from.txt" } };
    const id = await app.events.recordPending({ ...author, ...change }, "");
    await app.events.record({ ...change, id, companyId: null, source: "store" });
    await sendDue();
    expect(receiver.verified(secret)).toMatchObject([
      { id, visitor: { id: "u-2" }, source: "store", data: { from: "from.txt" } },
    ]);
  });

  it("is sent once by several processes at once, and those of a subject in their order", async () => {
    const receiver = await receive((response) => setImmediate(() => response.end()));
    const { secret, upload } = await subscribe(receiver);
    for (let index = 0; index < 60; index++) await upload(`${index % 6}.txt`);
    const warned = vi.fn();
    process.on("warning", warned);
    const workers = Array.from({ length: 3 }, () => makeWorker());
    for (const worker of workers) worker.start();
    await expect.poll(() => receiver.got.length, { timeout: 20_000 }).toBe(60);
    await Promise.all(workers.map((worker) => worker.stop()));
    process.off("warning", warned);
    // Such as of listeners that are added and never removed.
    expect(warned.mock.calls).toEqual([]);
    const sent = receiver.verified<{ id: string; subject: { key: string } }>(secret);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(60);
    for (let key = 0; key < 6; key++) {
      const ids = sent.filter(({ subject }) => subject.key === `${key}.txt`).map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
    }
    expect(
      (await deliveries()).every(({ status, attempts }) => status === "delivered" && attempts === 1),
    ).toBe(true);
  });

  it("waits for an earlier one of its subject, until that has failed five times", async () => {
    const receiver = await fail(500);
    const { upload } = await subscribe(receiver);
    const [first, second] = [await upload("a.txt"), await upload("a.txt")];
    const got = () => receiver.got.map(({ headers }) => headers["webhook-id"]);
    for (let times = 0; times < 4; times++) {
      await sendDue();
      await makeDue();
    }
    let end = () => {};
    receiver.respond = (response) => {
      end = () => response.writeHead(500).end();
    };
    const attempt = sendDue();
    await expect.poll(() => receiver.got.length).toBe(5);
    // The fifth attempt is running.
    expect(await sendDue()).toBe(0);
    end();
    await attempt;
    receiver.respond = (response) => response.end();
    expect(got()).toEqual(Array(5).fill(first));
    await sendDue();
    expect(got().at(-1)).toBe(second);
  });

  it("of a moved file waits for those of the file before", async () => {
    const receiver = await fail(503);
    const { client, upload } = await subscribe(receiver);
    const uploaded = await upload("a.txt");
    const moved = newEventId();
    await app.events.record({
      id: moved,
      type: "file.moved",
      bucket: "acme-files",
      key: "b.txt",
      data: { from: "a.txt" },
      companyId: await companyOf(client),
      clientId: client.id,
      requestId: "r-1",
    });
    await sendDue();
    receiver.respond = (response) => response.end();
    await makeDue();
    await sendDue();
    await sendDue();
    expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual([uploaded, uploaded, moved]);
  });

  it("whose row somebody has changed by hand has failed, and stops no other", async () => {
    const log = vi.spyOn(standardError, "write").mockImplementation(() => true);
    const receiver = await receive();
    const { upload } = await subscribe(receiver);
    const odd = await upload("a.txt");
    await upload("b.txt");
    await query(url, `UPDATE events SET data = '"odd"' WHERE id = $1`, [odd]);
    expect(await sendDue()).toBe(1);
    expect(receiver.got).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { status: "failed", error: "The event or its webhook cannot be read.", pause: null },
      { status: "delivered" },
    ]);
    expect(log.mock.calls.join()).toContain(`The event ${odd} cannot be sent`);
  });

  it("whose failure cannot be recorded stops no other", async () => {
    const log = vi.spyOn(standardError, "write").mockImplementation(() => true);
    const receiver = await receive();
    const { upload } = await subscribe(receiver);
    const odd = await upload("a.txt");
    await upload("b.txt");
    await query(url, `UPDATE events SET data = '"odd"' WHERE id = $1`, [odd]);
    await query(url, "ALTER TABLE webhook_deliveries ADD CONSTRAINT no_end CHECK (status <> 'failed')");
    try {
      expect(await sendDue()).toBe(1);
    } finally {
      await query(url, "ALTER TABLE webhook_deliveries DROP CONSTRAINT no_end");
    }
    expect(receiver.got).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: "pending" }, { status: "delivered" }]);
    expect(log.mock.calls.join()).toContain("was not recorded");
  });

  it("that was deleted meanwhile has failed", async () => {
    const { upload } = await subscribe(await receive());
    await upload("a.txt");
    await query(url, "TRUNCATE events");
    await sendDue();
    expect(await deliveries()).toMatchObject([
      { status: "failed", error: "The event was deleted.", pause: null },
    ]);
  });
});

describe("a receiver", () => {
  it("may be the handler of the element's package, which types what happened", async () => {
    const got: PlatformEvent[] = [];
    const receiver = await receive();
    const { id, secret, upload } = await subscribe(receiver);
    const handle = createWebhookHandler({ secret, onEvent: (event) => got.push(event) });
    receiver.respond = async (response) => {
      const { headers, body } = receiver.got.at(-1) as ReceivedWebhook;
      response
        .writeHead((await handle(new Request(receiver.url, { method: "POST", headers, body }))).status)
        .end();
    };
    const event = await upload("a.txt");
    await sendDue();
    expect(await run(["test", id])).toMatchObject({
      code: 0,
      stdout: "Delivered. The response had the status 204.\n",
    });
    expect(got).toMatchObject([
      { type: "file.uploaded", id: event, subject: { key: "a.txt" } },
      { type: "webhook.test" },
    ]);
  });

  it("that fails is asked again by the schedule, ten times in all", async () => {
    const receiver = await fail(503);
    const { client, upload } = await subscribe(receiver);
    await upload("a.txt");
    for (const [index, seconds] of RETRY_SECONDS.entries()) {
      await sendDue();
      const [delivery] = await deliveries();
      expect(delivery).toMatchObject({
        status: "pending",
        attempts: index + 1,
        last_status: 503,
        error: "The response had the status 503.",
      });
      expect(delivery?.pause).toBeGreaterThan(seconds * 0.9 - 3);
      expect(delivery?.pause).toBeLessThanOrEqual(seconds * 1.1);
      expect(await sendDue()).toBe(0);
      await makeDue();
    }
    await sendDue();
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: 10, pause: null }]);
    expect(receiver.got).toHaveLength(10);
    expect(new Set(receiver.got.map(({ headers, body }) => headers["webhook-id"] + body)).size).toBe(1);
    const [webhook] = (await call(client, "GET")).body.webhooks;
    expect(webhook).toMatchObject({ failingSince: expect.any(String), disabledAt: null });
  });

  it("whose webhook is deleted during an attempt gets nothing more, and nothing goes wrong", async () => {
    const errors = vi.spyOn(standardError, "write");
    const receiver = await receive();
    const { client, id, upload } = await subscribe(receiver);
    for (const key of ["a.txt", "b.txt"]) await upload(key);
    // The second event of the file waits for the first one.
    await upload("a.txt");
    receiver.respond = async (response) => {
      const { status } = await call(client, "DELETE", `/${id}`);
      response.writeHead(status === 200 || status === 404 ? 503 : 500).end();
    };
    await sendDue();
    expect(receiver.got).toHaveLength(2);
    for (let times = 0; times < 3; times++) {
      await upload("a.txt");
      await makeDue();
      await sendDue();
    }
    expect(receiver.got).toHaveLength(2);
    expect((await call(client, "GET")).body).toEqual({ webhooks: [] });
    expect(errors.mock.calls.filter(([line]) => String(line).includes('"level":"error"'))).toEqual([]);
  });

  it("that works again gets what waited, and is not failing any more", async () => {
    const receiver = await fail(500);
    const { client, upload } = await subscribe(receiver);
    await upload("a.txt");
    await sendDue();
    receiver.respond = (response) => response.end();
    await makeDue();
    await sendDue();
    expect(await deliveries()).toMatchObject([
      { status: "delivered", attempts: 2, last_status: 200, error: null },
    ]);
    expect((await call(client, "GET")).body.webhooks).toMatchObject([{ failingSince: null }]);
  });

  it("of one company does not hold back another company, however many hang", async () => {
    const hanging = await receive(() => {});
    const working = await receive();
    const { client, upload: uploadThere } = await subscribe(hanging);
    for (let count = 1; count < 10; count++)
      await call(client, "POST", "", { url: hanging.url, types: ["*"] });
    for (let count = 0; count < 10; count++) await uploadThere(`${count}.txt`);
    const worker = makeWorker({ timeoutMs: 20_000 });
    worker.start();
    await expect.poll(() => hanging.got.length).toBe(10);
    const { upload } = await subscribe(working);
    await upload("a.txt");
    await expect.poll(() => working.got.length).toBe(1);
    expect(hanging.got).toHaveLength(10);
    await hanging.stop();
    receivers.splice(receivers.indexOf(hanging), 1);
    await worker.stop();
  });

  it("that hangs does not hold back others", async () => {
    const [hanging, working] = [await receive(() => {}), await receive()];
    const { upload } = await subscribe(hanging);
    for (let index = 0; index < 30; index++) await upload(`${index}.txt`);
    const other = await subscribe(working);
    await other.upload("b.txt");
    const worker = makeWorker({ timeoutMs: 20_000 });
    worker.start();
    await expect.poll(() => working.got.length, { timeout: 10_000 }).toBe(1);
    await hanging.stop();
    await worker.stop();
    // What is begun for one receiver is bounded.
    expect(hanging.got.length).toBeLessThan(10);
  });

  it.each([
    ["was revoked", "revoked_at = now() AT TIME ZONE 'UTC'", "Its API key was revoked."],
    [
      "has expired",
      "expires_at = now() AT TIME ZONE 'UTC' - interval '1 second'",
      "Its API key has expired.",
    ],
  ])("whose API key %s gets nothing more, not even what waits", async (_, end, reason) => {
    const [ended, other] = [await receive(), await receive()];
    const { client, id, upload } = await subscribe(ended);
    const companyId = await companyOf(client);
    const colleague = await makeEmbedClient({ ...stack, postgresUrl: url }, { company: { id: companyId } });
    await call(colleague, "POST", "", { url: other.url, types: ["*"] });
    await upload("waiting.txt");
    await query(url, `UPDATE embed_clients SET ${end} WHERE id = $1`, [client.id]);
    const missed = await upload("later.txt");
    while ((await sendDue()) > 0);
    expect([ended.got.length, other.got.length]).toEqual([0, 2]);

    const listed = (await call(colleague, "GET")).body.webhooks as { id: string }[];
    expect(listed).toMatchObject([
      { id, disabledAt: expect.any(String), disabledReason: reason },
      { disabledAt: null, disabledReason: null },
    ]);
    expect((await call(colleague, "GET", `/${id}/deliveries`)).body.deliveries).toMatchObject([
      { subject: { key: "waiting.txt" }, status: "pending", attempts: 0, error: reason, nextAttemptAt: null },
    ]);
    for (const [path, body] of [
      ["enable", undefined],
      ["send-test", undefined],
      ["replay", { eventIds: [missed] }],
    ] as const)
      expect(await call(colleague, "POST", `/${id}/${path}`, body)).toMatchObject({
        status: 409,
        body: { code: "webhook_disabled", error: expect.stringContaining(reason) },
      });
    const shown = await run(["list"]);
    expect(shown.stdout).toMatch(new RegExp(`^${id}  off since .*${reason}`, "m"));
    expect((await run(["replay", id, "--event", missed])).stderr).toContain(reason);

    // A key that goes on gets what waited.
    await query(url, "UPDATE embed_clients SET revoked_at = NULL, expires_at = NULL WHERE id = $1", [
      client.id,
    ]);
    while ((await sendDue()) > 0);
    expect(ended.got).toHaveLength(1);
  });

  it("goes on when its API key is replaced", async () => {
    const receiver = await receive();
    const { client, upload } = await subscribe(receiver);
    await rotateApiKey(app.database, client.id);
    await upload("a.txt");
    await sendDue();
    expect(receiver.got).toHaveLength(1);
  });

  it("cannot be created for a key that was revoked", async () => {
    const client = await makeClient();
    await query(url, "UPDATE embed_clients SET revoked_at = now() WHERE id = $1", [client.id]);
    const made = await run(["add", "--client", client.id, "--url", "https://a.example/", "--types", "*"]);
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining("is revoked") });
  });

  it("that is gone (410), or has failed for nine days, is switched off", async () => {
    const warned = vi.spyOn(standardError, "write").mockReturnValue();
    const receiver = await fail(410);
    const { client, id, upload } = await subscribe(receiver);
    await upload("a.txt");
    await sendDue();
    const state = async () => (await call(client, "GET")).body.webhooks[0];
    expect(await state()).toMatchObject({
      disabledAt: expect.any(String),
      disabledReason: "It responded with 410 Gone.",
    });
    await upload("b.txt");
    await makeDue();
    expect(await sendDue()).toBe(0);
    expect(await deliveries()).toHaveLength(1);

    expect(await run(["enable", id])).toMatchObject({ code: 0 });
    receiver.respond = (response) => response.writeHead(500).end();
    await sendDue();
    expect(await state()).toMatchObject({ disabledAt: null, failingSince: expect.any(String) });
    const { failingSince } = await state();
    const failAgain = async (change: string) => {
      await query(
        url,
        `UPDATE webhook_endpoints SET failing_since = failing_since - interval '9 days'${change}`,
      );
      await makeDue();
      await sendDue();
    };
    // It had nothing to deliver for days: the count of nine days restarts.
    await failAgain(", last_failed_at = last_failed_at - interval '3 days'");
    expect(await state()).toMatchObject({ disabledAt: null });
    expect(Date.parse((await state()).failingSince)).toBeGreaterThanOrEqual(Date.parse(failingSince));
    await failAgain("");
    expect(await state()).toMatchObject({ disabledReason: "All attempts of 9 days have failed." });
    expect(warned.mock.calls.map(([line]) => JSON.parse(line).message)).toEqual([
      expect.stringMatching(
        `The webhook ${id} of the company .* was switched off. It responded with 410 Gone.`,
      ),
      expect.stringMatching(/was switched off. All attempts of 9 days have failed/),
    ]);
    expect(JSON.stringify(warned.mock.calls)).not.toContain("127.0.0.1");
  });
});

describe("a test message", () => {
  it("is refused if the API key has four of them running, or the company eight, while another company's is sent", async () => {
    let respond = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const slow = await receive(async (response) => {
      await held;
      response.writeHead(204).end();
    });
    const { client, id } = await subscribe(slow);
    const company = { id: await companyOf(client) };
    const colleagues = await Promise.all(
      [1, 2].map(() => makeEmbedClient({ ...stack, postgresUrl: url }, { company })),
    );
    const refused: object[] = [];
    const test = (by: TestEmbedClient) =>
      call(by, "POST", `/${id}/send-test`).then((answer) => {
        if (answer.status !== 200) refused.push(answer);
        return answer.status;
      });
    const ofOne = Array.from({ length: 6 }, () => test(client));
    await expect.poll(() => [refused.length, slow.got.length]).toEqual([2, 4]);
    const ofOthers = colleagues.flatMap((colleague) => [1, 2, 3].map(() => test(colleague)));
    await expect.poll(() => [refused.length, slow.got.length]).toEqual([4, 8]);
    expect(refused[0]).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    const another = await subscribe(await receive());
    const sent = await call(another.client, "POST", `/${another.id}/send-test`);
    expect(sent).toMatchObject({ status: 200, body: { isDelivered: true } });
    respond();
    const statuses = await Promise.all([...ofOne, ...ofOthers]);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(await test(client)).toBe(200);
  });

  it("to a receiver that never responds is told so, because the request has more time than the receiver", async () => {
    const hanging = await receive(() => {});
    const { client, id } = await subscribe(hanging);
    const tested = call(client, "POST", `/${id}/send-test`);
    await expect.poll(() => hanging.got).toHaveLength(1);
    expect(await tested).toMatchObject({
      status: 200,
      body: { isDelivered: false, status: null, error: "There was no response within 15 seconds." },
    });
  });
});

describe("a secret", () => {
  it("that was changed signs beside the new one, for a day", async () => {
    const receiver = await receive();
    const { client, id, secret, upload } = await subscribe(receiver);
    const { status, body } = await call(client, "POST", `/${id}/rotate`);
    expect([status, Object.keys(body).sort()]).toEqual([200, ["id", "secret", "types", "url"]]);
    expect(body.secret).not.toBe(secret);
    await upload("a.txt");
    await sendDue();
    // A receiver that has the old secret passes the test, too.
    expect((await call(client, "POST", `/${id}/send-test`)).body).toEqual({
      isDelivered: true,
      status: 204,
      error: null,
    });
    for (const one of [secret, body.secret]) expect(receiver.verified(one)).toHaveLength(2);
    const [{ previousSecretUntil }] = (await call(client, "GET")).body.webhooks;
    expect(Date.parse(previousSecretUntil) - Date.now()).toBeGreaterThan(86_000_000);

    await query(url, "UPDATE webhook_endpoints SET previous_secret_until = now() AT TIME ZONE 'UTC'");
    receiver.got.length = 0;
    await upload("b.txt");
    await sendDue();
    expect(receiver.verified(body.secret)).toHaveLength(1);
    expect(() => receiver.verified(secret)).toThrow(/No matching signature/);
  });

  it("is changed and told by the key that has created the webhook alone, not by another key of the company", async () => {
    const receiver = await receive();
    const { client, id, upload } = await subscribe(receiver);
    const policies = { files: { buckets: ["acme-files"], view: "hand-in", uploadFolders: ["/in"] } };
    const company = { id: await companyOf(client) };
    const handIn = await makeEmbedClient({ ...stack, postgresUrl: url }, { company, policies });
    const { secret } = (await call(client, "POST", `/${id}/rotate`)).body;
    const { status, body } = await call(handIn, "POST", `/${id}/rotate`);
    expect([status, body]).toEqual([
      403,
      {
        code: "scope_not_allowed",
        error: "Only the API key that created a webhook may change its secret.",
      },
    ]);
    await upload("a.txt");
    await sendDue();
    expect(receiver.verified(secret)).toHaveLength(1);
  });

  it("is the same one if rotating is repeated after a lost response, also at once, and the old one goes on signing", async () => {
    const receiver = await receive();
    const { client, id, secret, upload } = await subscribe(receiver);
    const rotate = async () => (await call(client, "POST", `/${id}/rotate`)).body.secret;
    const told = [...(await Promise.all([rotate(), rotate(), rotate()])), await rotate()];
    expect(new Set(told).size).toBe(1);
    expect(told[0]).not.toBe(secret);
    await upload("a.txt");
    await sendDue();
    for (const one of [secret, told[0]]) expect(receiver.verified(one)).toHaveLength(1);
    // Later, it is another rotation.
    await query(
      url,
      "UPDATE webhook_endpoints SET previous_secret_until = previous_secret_until - interval '11 min'",
    );
    expect(told).not.toContain(await rotate());
  });

  it("that a process with the old EMBED_SIGNING_SECRET stores late is encrypted with the new one within an hour", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const secrets = ["another secret", SECRET] as const;
    const { id: early } = await subscribe(await receive());
    const worker = makeWorker({ signingSecrets: secrets });
    worker.start();
    const isReadable = async (id: string) => {
      const [row] = await query<{ secret: string }>(
        url,
        "SELECT secret FROM webhook_endpoints WHERE id = $1",
        [id],
      );
      return openWebhookSecret(row?.secret ?? "", ["another secret"]) !== null;
    };
    await expect.poll(() => isReadable(early)).toBe(true);
    const { id: late } = await subscribe(await receive());
    expect(await isReadable(late)).toBe(false);
    vi.setSystemTime(Date.now() + 3_601_000);
    await expect.poll(() => isReadable(late)).toBe(true);
    await worker.stop();
  });

  it("survives a change of EMBED_SIGNING_SECRET", async () => {
    const receiver = await receive();
    const { client, id, secret, upload } = await subscribe(receiver);
    await call(client, "POST", `/${id}/rotate`);
    await upload("a.txt");
    const logged = vi.spyOn(standardError, "write").mockReturnValue();
    await sendDue({ signingSecrets: ["another secret"] });
    expect(logged.mock.calls.join()).toContain("was encrypted with another EMBED_SIGNING_SECRET");
    expect(await deliveries()).toMatchObject([
      {
        status: "pending",
        attempts: 1,
        error: "The secret was encrypted with another EMBED_SIGNING_SECRET.",
      },
    ]);

    for (let times = 0; times < 2; times++)
      await resealWebhookSecrets(app.database, ["another secret", SECRET]);
    await makeDue();
    await sendDue({ signingSecrets: ["another secret"] });
    expect(receiver.verified(secret)).toHaveLength(1);
  });
});

describe("a process", () => {
  it("that is killed during an attempt leaves it to another one", async () => {
    const receiver = await receive(() => {});
    const { secret, upload } = await subscribe(receiver);
    await upload("a.txt");
    const env = { ...deploymentEnv(stack, url), WEBHOOK_ALLOW_PRIVATE: "true" };
    let kill = (_: NodeJS.Signals) => {};
    const ended = runProcess("worker", [], env, (send) => {
      kill = send;
    });
    await expect.poll(() => receiver.got.length, { timeout: 20_000 }).toBe(1);
    kill("SIGKILL");
    await ended;
    receiver.respond = (response) => response.end();
    // Until the attempt of the other process must have ended, it is not made again.
    expect(await sendDue()).toBe(0);
    expect((await deliveries())[0]?.pause).toBeLessThanOrEqual(60);
    await makeDue();
    await sendDue();
    expect(receiver.verified(secret)).toHaveLength(2);
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it("that is asked to stop ends its attempts first", async () => {
    const receiver = await receive((response) => {
      kill("SIGTERM");
      response.writeHead(204).end();
    });
    const { upload } = await subscribe(receiver);
    await upload("a.txt");
    let kill = (_: NodeJS.Signals) => {};
    const env = { ...deploymentEnv(stack, url), WEBHOOK_ALLOW_PRIVATE: "true" };
    const { code, stderr } = await runProcess("worker", [], env, (send) => {
      kill = send;
    });
    expect(code).toBe(0);
    // It says with every start what should not be so in production, and nothing else.
    expect(JSON.parse(stderr)).toMatchObject({
      level: "warn",
      message: expect.stringMatching(/^WEBHOOK_ALLOW_PRIVATE is true/),
    });
    expect(await deliveries()).toMatchObject([{ status: "delivered" }]);
    expect(await runHere("worker", workerCommand, ["--help"], {})).toMatchObject({ code: 0 });
    expect(await runHere("worker", workerCommand, [], {})).toMatchObject({ code: 1 });
  });

  it("waits for a database that is down", async () => {
    const logged = vi.spyOn(standardError, "write").mockReturnValue();
    const told = vi.spyOn(standardOutput, "write").mockReturnValue();
    const receiver = await receive();
    const { upload } = await subscribe(receiver);
    const worker = makeWorker();
    worker.start();
    await wire.cut();
    await expect
      .poll(() => logged.mock.calls.join(), { timeout: 20_000 })
      .toContain("Webhooks cannot be sent.");
    await wire.restore();
    await upload("a.txt");
    await expect.poll(() => receiver.got.length, { timeout: 20_000 }).toBe(1);
    await worker.stop();
    await expect.poll(() => told.mock.calls.join()).toContain("Webhooks are sent again.");
    expect(
      logged.mock.calls.filter(([line]) => String(line).includes("Webhooks cannot be sent.")),
    ).toHaveLength(1);
  });

  it("of the app sends them, unless WORKER is separate", async () => {
    const receiver = await receive();
    const { upload } = await subscribe(receiver);
    const quiet = await makeDatabase(stack);
    const separate = await startBuiltApp(stack, { POSTGRES_URL: quiet, WORKER: "separate" });
    const together = await startBuiltApp(stack, { POSTGRES_URL: url, WEBHOOK_ALLOW_PRIVATE: "true" });
    await upload("a.txt");
    await expect.poll(() => receiver.got.length, { timeout: 20_000 }).toBe(1);
    const asked = async (database: string) =>
      (
        await query<{ datname: string }>(
          database,
          `SELECT datname FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND query LIKE '%webhook_deliveries%'`,
        )
      ).length;
    expect(await asked(url)).toBeGreaterThan(0);
    expect(await asked(quiet)).toBe(0);
    await Promise.all([together.close(), separate.close()]);
  });
});

describe("npm run webhooks", () => {
  it("adds, lists, tests, rotates and removes webhooks", async () => {
    const client = await makeClient();
    const receiver = await receive();
    const added = await run([
      "add",
      "--client",
      client.id,
      "--url",
      receiver.url,
      "--types",
      "file.*",
      "email.*",
      "--json",
    ]);
    const { id, secret, types } = JSON.parse(added.stdout);
    expect([added.code, types]).toEqual([0, ["file.*", "email.*"]]);
    expect((await run(["list"])).stdout).toContain(`${id}  works`);
    expect(JSON.parse((await run(["list", "--client", client.id, "--json"])).stdout)).toMatchObject([{ id }]);
    expect((await run(["list", "--json"])).stdout).not.toContain(secret);

    expect(await run(["test", id])).toMatchObject({
      code: 0,
      stdout: "Delivered. The response had the status 204.\n",
    });
    expect(receiver.verified(secret)).toMatchObject([
      { type: "webhook.test", id: receiver.got[0]?.headers["webhook-id"] },
    ]);
    receiver.respond = (response) => response.writeHead(418).end();
    expect(await run(["test", id, "--json"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("418"),
    });

    const rotated = await run(["rotate", id]);
    expect(rotated.stdout).toContain("whsec_");
    expect(rotated.stdout).not.toContain(secret);
    expect(await run(["remove", id])).toMatchObject({ code: 0 });
    for (const words of [
      ["remove", id],
      ["rotate", id],
      ["test", id],
      ["deliveries", id],
      ["replay", id, "--since", "2026-01-01T00:00:00Z"],
    ])
      expect(await run(words)).toMatchObject({ code: 1, stderr: "There is no webhook with this id.\n" });
    expect((await run(["list"])).stdout).toContain("no webhooks yet");
    const wrong = ["add", "--client", client.id, "--types", "file.painted", "--url"];
    expect(await run([...wrong, receiver.url])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^--types must be one of ("[a-z._*]+"(, )?)+\n$/),
    });
    expect(await run(["add", "--client", "nobody", "--types", "*", "--url", receiver.url])).toMatchObject({
      code: 1,
    });
    expect(await run(["--help"])).toMatchObject({ code: 0 });
  });

  it("lists deliveries, and sends events again", async () => {
    const receiver = await receive();
    const { id, upload } = await subscribe(receiver, ["file.*"]);
    const delivered = await upload("a.txt");
    await sendDue();
    await query(url, "UPDATE webhook_endpoints SET disabled_at = now()");
    expect(await run(["replay", id, "--event", delivered])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("switched off"),
    });
    const missed = await upload("b.txt");
    await run(["enable", id]);
    receiver.respond = (response) => response.writeHead(500).end();
    const failed = await upload("c.txt");
    await sendDue();
    const listed = async (...words: string[]) =>
      JSON.parse((await run(["deliveries", id, "--json", ...words])).stdout);
    expect(await listed()).toMatchObject([
      { eventId: failed, type: "file.uploaded", status: "pending", attempts: 1, lastStatus: 500 },
      { eventId: delivered, status: "delivered", deliveredAt: expect.any(String) },
    ]);
    expect((await listed("--failed")).map(({ eventId }: { eventId: string }) => eventId)).toEqual([failed]);
    expect((await run(["deliveries", id])).stdout).toContain("The response had the status 500.");
    await query(
      url,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, status)
        SELECT $1, gen_random_uuid(), gen_random_uuid(), 'delivered' FROM generate_series(1, 5000)`,
      [id],
    );
    await query(url, "ANALYZE webhook_deliveries");
    const plan = await query(
      url,
      `EXPLAIN SELECT * FROM webhook_deliveries WHERE endpoint_id = '${id}' AND error IS NOT NULL ORDER BY event_id DESC LIMIT 50`,
    );
    expect(JSON.stringify(plan)).toContain("webhook_deliveries_failed_idx");

    receiver.respond = (response) => response.end();
    receiver.got.length = 0;
    const ids = () => receiver.got.map(({ headers }) => headers["webhook-id"]).sort();
    expect(await run(["replay", id, "--since", "2026-01-01T00:00:00Z"])).toMatchObject({
      code: 0,
      stdout: "2 events are sent again.\n",
    });
    await sendDue();
    expect(ids()).toEqual([missed, failed]);
    receiver.got.length = 0;
    expect(await run(["replay", id, "--event", delivered])).toMatchObject({
      code: 0,
      stdout: "1 event is sent again.\n",
    });
    await sendDue();
    expect(ids()).toEqual([delivered]);
    const unknown = newEventId();
    expect(await run(["replay", id, "--event", unknown, "nonsense"])).toMatchObject({
      code: 1,
      stdout: "0 events are sent again.\n",
      stderr: expect.stringContaining(
        `${unknown} is no event of this company that the webhook and its API key get.`,
      ),
    });
    expect(await run(["replay", id, "--since", "2026-01-01"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("with a time zone"),
    });
    expect(await run(["replay", id])).toMatchObject({ code: 1 });
  });
});

describe("a company", () => {
  it("sees with its key what became of its events, and has them sent again after an outage", async () => {
    const receiver = await fail(503);
    const { client, id, upload } = await subscribe(receiver, ["file.*"]);
    const eventId = await upload("a.txt");
    await sendDue();
    const listed = async (query = "") =>
      (await call(client, "GET", `/${id}/deliveries${query}`)).body.deliveries;
    expect(await listed("?failed=true&limit=1")).toMatchObject([
      {
        eventId,
        type: "file.uploaded",
        subject: { bucket: "acme-files", key: "a.txt" },
        status: "pending",
        lastStatus: 503,
      },
    ]);
    expect((await call(client, "GET", `/${id}/deliveries?limit=1000`)).status).toBe(400);

    receiver.respond = (response) => response.writeHead(204).end();
    receiver.got.length = 0;
    const replay = (body: object) => call(client, "POST", `/${id}/replay`, body);
    // The same moment in another zone.
    const since = new Date(Date.now() - 60_000 + 3_600_000).toISOString().replace("Z", "+01:00");
    expect((await replay({ since })).body).toEqual({ count: 1, skipped: [], next: null });
    await sendDue();
    expect(await listed("?failed=true")).toEqual([]);
    const unknown = newEventId();
    expect((await replay({ eventIds: [eventId, unknown, "nonsense"] })).body).toEqual({
      count: 1,
      skipped: [unknown, "nonsense"],
      next: null,
    });
    await sendDue();
    expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual([eventId, eventId]);
    for (const body of [{}, { since, eventIds: [eventId] }, { since: "2026-01-01" }])
      expect(await replay(body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
  });

  it("has events sent again by four requests at once of an API key, and no more", async () => {
    const { client, id } = await subscribe(await receive());
    const locker = new Client({ connectionString: url });
    await locker.connect();
    onTestFinished(() => locker.end());
    await locker.query("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE");
    const refused: object[] = [];
    const replays = Array.from({ length: 6 }, async () => {
      const answer = await call(client, "POST", `/${id}/replay`, { since: "2026-01-01T00:00:00Z" });
      if (answer.status !== 200) refused.push(answer);
      return answer.status;
    });
    await expect.poll(() => refused).toHaveLength(2);
    await locker.query("ROLLBACK");
    expect((await Promise.all(replays)).filter((status) => status === 200)).toHaveLength(4);
    expect(refused).toMatchObject(Array(2).fill({ status: 429, body: { code: "rate_limited" } }));
  });

  it("switches its webhook on again, and goes through a long record in several requests", async () => {
    const { client, id } = await subscribe(await receive());
    await query(url, "UPDATE webhook_endpoints SET disabled_at = now()");
    const replay = (since: string) => call(client, "POST", `/${id}/replay`, { since });
    expect(await replay("2026-01-01T00:00:00Z")).toMatchObject({
      status: 409,
      body: { code: "webhook_disabled" },
    });
    expect(await call(client, "POST", `/${id}/enable`)).toEqual({ status: 200, body: { id } });
    await query(
      url,
      `INSERT INTO events (id, type, occurred_at, "companyId", bucket, key, data, source)
        SELECT gen_random_uuid(), 'file.uploaded', timestamp '2026-01-01' + n * interval '1 second', $1, 'acme-files', n || '.txt', '{}', 'store'
        FROM generate_series(1, 12000) AS n`,
      [await companyOf(client)],
    );
    const first = (await replay("2026-01-01T00:00:00Z")).body;
    expect(first).toEqual({ count: 10_000, skipped: [], next: "2026-01-01T02:46:40.000Z" });
    expect((await replay(first.next)).body).toEqual({ count: 2_000, skipped: [], next: null });
    expect(await query(url, "SELECT count(*)::int AS count FROM webhook_deliveries")).toEqual([
      { count: 12_000 },
    ]);
  });
});
