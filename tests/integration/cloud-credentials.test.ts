/**
 * Credentials of roles, which end every two minutes. The tests set the time of this process, in which the app's routes and the doubles of the
 * providers run, so an hour passes at once.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { standardError, standardOutput } from "../../app/shared/log.server";
import { startDataApi } from "../../local/data-api";
import type { LocalServer } from "../../local/listen";
import { type ObjectStoreServer, startObjectStore } from "../../local/object-store";
import { signDelivery } from "../../local/queue/signature";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import { deploymentEnv } from "../support/app/deployment";
import { doctorHere, expectNoSecrets, type Report } from "../support/app/doctor";
import { makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import {
  type CredentialEndpoints,
  type CredentialSource,
  ROLE_ARN,
  startCredentialEndpoints,
} from "../support/cloud/credential-endpoints";
import { freshName, makeCompany } from "../support/databases/cluster-databases";
import { makeTestFolder } from "../support/databases/postgres";
import { jobFor } from "../support/email/campaign";
import { type Ses, startSes } from "../support/email/ses";
import { openBucket } from "../support/files/bucket";
import { multipartCalls, someBytes } from "../support/files/multipart-calls";

const stack = inject("stack");
const MINUTE = 60_000;
/** milliseconds; thirty times all calls */
const HOUR_TEST_TIMEOUT = 120_000;
const SOURCES: CredentialSource[] = ["container", "instance", "web identity"];

let endpoints: CredentialEndpoints;
let store: ObjectStoreServer;
let dataApi: LocalServer;
let ses: Ses;
let client: TestEmbedClient;
let settings: Record<string, string>;
const apps: RouteApp[] = [];
const bodies: string[] = [];
const lines: string[] = [];

beforeAll(async () => {
  endpoints = await startCredentialEndpoints();
  const { accessKeyId, secretAccessKey, region } = stack.objectStore;
  const keys = { accessKeyId, secretAccessKey, temporaryKeys: endpoints.keys };
  store = await startObjectStore({ port: 0, dataDir: await makeTestFolder(), region, ...keys });
  const clusters = [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }];
  dataApi = await startDataApi({ port: 0, postgresUrl: stack.postgresUrl, clusters, ...keys });
  ses = await startSes();
  settings = {
    CLOUD_CREDENTIALS: "default",
    CLOUD_ACCESS_KEY_ID: "",
    CLOUD_SECRET_ACCESS_KEY: "",
    CLOUD_S3_ENDPOINT: store.endpoint,
    CLOUD_RDS_DATA_ENDPOINT: dataApi.endpoint,
    CLOUD_SES_ENDPOINT: ses.endpoint,
  };
  await openBucket({ ...stack.objectStore, endpoint: store.endpoint }, "roles").create();
  client = await makeEmbedClient(stack, { bucket: "roles" });
});
afterAll(async () => {
  await Promise.all([endpoints.close(), store.close(), dataApi.close(), ses.close()]);
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  for (const output of [standardError, standardOutput])
    vi.spyOn(output, "write").mockImplementation((line) => void lines.push(line));
  // SES's double checks no signatures, so the tests do it for the session.
  ses.setFault((_, request) => {
    const token = request.headers["x-amz-security-token"];
    const key = [...endpoints.keys.values()].find(({ sessionToken }) => sessionToken === token);
    if (key !== undefined && Date.now() < key.expiresAt) return undefined;
    return { error: { status: 403, type: "ExpiredTokenException" } };
  });
});
afterEach(async () => {
  endpoints.fault = undefined;
  await Promise.all(apps.splice(0).map((app) => app.close()));
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** The app in this process, whose credentials come from this source. */
function startApp(source: CredentialSource, more: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(endpoints.environment[source])) vi.stubEnv(name, value);
  const app = createRouteApp(stack, { ...settings, ...more });
  apps.push(app);
  return app;
}

/** Calls of an explorer that stays open, and renews its token. */
function callsOf(app: RouteApp) {
  async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: text,
    });
    const received = await response.text();
    bodies.push(received);
    return { status: response.status, headers: response.headers, body: JSON.parse(received) };
  }
  const token = async () => {
    const request = { service: "files", scope: { bucket: "roles" } };
    const { body } = await post(`${app.apiBaseUrl}/api/embed/url`, request, { "X-Api-Key": client.apiKey });
    return new URL(body.url).searchParams.get("t") ?? "";
  };
  return {
    post,
    token,
    ask: async (what: string, body: object) =>
      post(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
        token: await token(),
        bucket: "roles",
        ...body,
      }),
    async deliver(job: object) {
      const url = `${app.apiBaseUrl}/api/queue/send-email`;
      const text = JSON.stringify(job);
      const signature = await signDelivery(text, url, stack.queue.currentSigningKey);
      return post(url, text, { "Upstash-Signature": signature });
    },
  };
}

/** When the session of a presigned URL ends, unix seconds. */
function endOfSession(url: string): number {
  const { searchParams } = new URL(url);
  const [accessKeyId = ""] = (searchParams.get("X-Amz-Credential") ?? "").split("/");
  return (endpoints.keys.get(accessKeyId)?.expiresAt ?? 0) / 1000;
}

const upload = { folderPath: "/", contentType: "text/plain" };

describe.each(SOURCES)("with the role of the %s", (source) => {
  it(
    "an upload of an hour, a campaign and an open page go on across all renewals",
    async () => {
      const app = startApp(source);
      const calls = callsOf(app);
      const before = endpoints.keys.size;
      const parts = multipartCalls(
        "",
        { bucket: { name: "roles" } as never, token: "" },
        async (url, init) => {
          const { token: _, ...body } = JSON.parse(String(init.body));
          const { status, body: received } = await calls.post(app.platformBaseUrl + url, {
            ...body,
            token: await calls.token(),
          });
          return Response.json(received, { status });
        },
      );
      const bytes = someBytes();
      const fileName = `hour-${source}.bin`;
      const { body: created } = await parts.create({ fileName });
      for (let minute = 0; minute < 60; minute += 2) {
        if (minute % 20 === 0) expect(await parts.send(created, bytes, [minute / 20 + 1])).toEqual([200]);
        expect((await calls.ask("list", { folderPath: "/" })).status).toBe(200);
        const small = { ...upload, fileName: `${source}-${minute}.txt`, size: 2 };
        const { body: put } = await calls.ask("presign-upload", small);
        expect((await fetch(put.url, { method: "PUT", headers: put.headers, body: "hi" })).status).toBe(200);
        const { body: get } = await calls.ask("presign-download", { key: small.fileName });
        expect(await (await fetch(get.url)).text()).toBe("hi");
        // No URL is said to live longer than the session that signed it.
        for (const { url, expiresAt } of [put, get]) expect(expiresAt).toBeLessThanOrEqual(endOfSession(url));
        expect(await calls.deliver(jobFor(`${crypto.randomUUID()}@example.com`))).toMatchObject({
          status: 200,
          body: { success: true, duplicate: false },
        });
        // Once while the session is valid, once when it has ended.
        pass(minute % 4 === 0 ? MINUTE : 3 * MINUTE);
      }
      expect((await parts.ask("complete", { upload: created.upload })).status).toBe(200);
      expect(endpoints.keys.size - before).toBeGreaterThan(20);
    },
    HOUR_TEST_TIMEOUT,
  );

  it("a URL is refused after the end that was told, and a new one works", async () => {
    const calls = callsOf(startApp(source));
    const small = { ...upload, fileName: `ended-${source}.txt`, size: 2 };
    const { body } = await calls.ask("presign-upload", small);
    expect(body.expiresAt - Date.now() / 1000).toBeLessThanOrEqual(120);
    pass(121_000);
    const late = await fetch(body.url, { method: "PUT", headers: body.headers, body: "hi" });
    expect(late.ok).toBe(false);
    const { body: again } = await calls.ask("presign-upload", small);
    const put = { method: "PUT", headers: again.headers, body: "hi" };
    expect((await fetch(again.url, put)).status).toBe(200);
  });

  it("nothing is sent or lost while the provider refuses, and all goes on afterwards", async () => {
    const calls = callsOf(startApp(source));
    expect((await calls.ask("list", { folderPath: "/" })).status).toBe(200);
    endpoints.fault = "refuse";
    pass(MINUTE);
    // The session at hand is valid for another minute.
    expect((await calls.ask("list", { folderPath: "/" })).status).toBe(200);
    pass(2 * MINUTE);
    const accepted = ses.accepted.length;
    const job = jobFor(`${crypto.randomUUID()}@example.com`);
    for (const refused of [
      await calls.ask("list", { folderPath: "/" }),
      await calls.ask("presign-upload", { ...upload, fileName: "refused.txt" }),
      await calls.ask("multipart/create", { ...upload, fileName: "refused.bin", size: 9e6 }),
      await calls.deliver(job),
    ]) {
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect(ses.accepted).toHaveLength(accepted);
    endpoints.fault = undefined;
    pass(MINUTE);
    expect(await calls.deliver(job)).toMatchObject({ status: 200, body: { duplicate: false } });
    expect(await calls.deliver(job)).toMatchObject({ status: 200, body: { duplicate: true } });
    expect(ses.accepted).toHaveLength(accepted + 1);
    expect((await calls.ask("list", { folderPath: "/" })).status).toBe(200);
  });

  it("a provider that goes silent ends no request late, and is asked again", async () => {
    const calls = callsOf(startApp(source));
    endpoints.fault = "silence";
    expect(await calls.ask("list", { folderPath: "/" })).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
    // Until the pause is over, nobody waits for it again.
    const asked = endpoints.requests;
    expect((await calls.ask("list", { folderPath: "/" })).status).toBe(503);
    expect(endpoints.requests).toBe(asked);
    endpoints.fault = undefined;
    pass(MINUTE);
    expect((await calls.ask("list", { folderPath: "/" })).status).toBe(200);
  });
});

it("a database is created by a role, and not while there are no credentials", async () => {
  const calls = callsOf(startApp("container"));
  const companyId = await makeCompany(stack);
  const create = (name: string) =>
    calls.post(`${apps[0]?.apiBaseUrl}/api/cluster/databases`, { companyId, name, region: "ca-central-1" });
  expect((await create(freshName())).status).toBe(201);
  endpoints.fault = "refuse";
  pass(3 * MINUTE);
  const name = freshName();
  expect(await create(name)).toMatchObject({ status: 503, body: { code: "unavailable" } });
  endpoints.fault = undefined;
  pass(MINUTE);
  expect((await create(name)).status).toBe(201);
});

it("a role is assumed with a key, for a session that may do nothing that is not used", async () => {
  const { accessKeyId, secretAccessKey } = stack.objectStore;
  const key = {
    CLOUD_CREDENTIALS: "",
    CLOUD_ACCESS_KEY_ID: accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: secretAccessKey,
    CLOUD_ASSUME_ROLE_ARN: ROLE_ARN,
  };
  const calls = callsOf(startApp("container", key));
  const { body } = await calls.ask("presign-download", { key: "any.txt" });
  expect(endOfSession(body.url)).toBeGreaterThan(Date.now() / 1000);
  const [policy = ""] = endpoints.policies;
  expect(policy.length).toBeLessThanOrEqual(2_048);
  expect(policy).toContain("s3:GetObject");
  expect(policy).not.toContain(":*");
});

describe("the doctor", () => {
  async function doctor(changes: Record<string, string>): Promise<Report> {
    const env = { ...deploymentEnv(stack, stack.postgresUrl), ...settings, ...changes };
    const { code, stdout, stderr } = await doctorHere(["--json", "--only", "credentials"], env);
    expectNoSecrets(stdout + stderr, env);
    bodies.push(stdout + stderr);
    return { code, findings: JSON.parse(stdout) };
  }
  const stub = (source: CredentialSource) => {
    for (const [name, value] of Object.entries(endpoints.environment[source])) vi.stubEnv(name, value);
  };

  it.each(SOURCES)("says whose the credentials of the %s are, and when they end", async (source) => {
    stub(source);
    endpoints.lifeMs = 60 * MINUTE;
    const { code, findings } = await doctor({});
    endpoints.lifeMs = 2 * MINUTE;
    expect(code).toBe(0);
    expect(findings).toEqual([
      expect.objectContaining({
        check: "credentials.source",
        status: "ok",
        message: expect.stringMatching(/default chain.* They end at \d{4}-.*Z, and are renewed before/),
      }),
      expect.objectContaining({
        check: "credentials.owner",
        // Without the session's name, which is a person's address.
        message: "They are those of arn:aws:sts::123456789012:assumed-role/platform-embed.",
      }),
    ]);
  });

  it("warns of sessions that are shorter than a URL should live", async () => {
    stub("container");
    const { findings } = await doctor({});
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "credentials.life", status: "warning" }),
    );
  });

  it("finds no credentials, and begins with roles", async () => {
    stub("container");
    endpoints.fault = "silence";
    const { code, findings } = await doctor({});
    expect(code).toBe(1);
    expect(findings).toEqual([
      expect.objectContaining({
        status: "error",
        message: expect.stringMatching(/^There are no credentials: no response within/),
        remedy: expect.stringMatching(/^Give the server a role: .* set CLOUD_ACCESS_KEY_ID/),
      }),
    ]);
  });

  it("knows a key that does not end", async () => {
    const { accessKeyId, secretAccessKey } = stack.objectStore;
    const { findings } = await doctor({
      CLOUD_CREDENTIALS: "",
      CLOUD_ACCESS_KEY_ID: accessKeyId,
      CLOUD_SECRET_ACCESS_KEY: secretAccessKey,
    });
    expect(findings).toMatchObject([{ check: "credentials.source", status: "ok" }]);
  });
});

it("no secret and no session token is in the log or in an error", () => {
  expect(lines.join("\n")).toMatch("could not be renewed");
  const written = [...lines, ...bodies.filter((body) => !body.includes("X-Amz-Security-Token="))].join("\n");
  for (const { secretAccessKey, sessionToken } of endpoints.keys.values()) {
    for (const secret of [secretAccessKey, ...sessionToken.split("/")].filter(({ length }) => length >= 8))
      expect(written.includes(secret), "a secret was written").toBe(false);
  }
});
