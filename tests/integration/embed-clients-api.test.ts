/** Embed clients by the API, for systems that create integrations without the database's password. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { client as clientCommand } from "../../app/commands/client";
import { hashApiKey } from "../../app/embed/api-key.server";
import { startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const TOKEN = "a-token-of-the-integrators-own-system";
let url: string;
let app: RouteApp;

beforeAll(async () => {
  url = await makeDatabase(stack);
  app = createRouteApp(stack, { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN });
  await query(url, "INSERT INTO companies (id, name) VALUES ('acme', 'Acme'), ('other', 'Other')");
});
afterAll(() => app?.close());

interface Client {
  id: string;
  createdAt: string;
}

async function call(method: string, path = "", body?: unknown, headers: Record<string, string> = {}) {
  const response = await app.fetch(`${app.apiBaseUrl}/api/embed/clients${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const acme = {
  companyId: "acme",
  name: "Portal",
  allowedServices: ["files"],
  allowedOrigins: ["HTTPS://Portal.example:443/"],
  allowedScopes: { files: { buckets: ["acme-files"], paths: ["/docs"] } },
};
const create = async (changes: object = {}): Promise<{ client: Client; apiKey: string }> => {
  const { status, body } = await call("POST", "", { ...acme, ...changes });
  expect([status, body.issues]).toEqual([201, undefined]);
  return body;
};
const statusWith = async (apiKey: string) => {
  const response = await app.fetch(`${app.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": apiKey },
    body: JSON.stringify({ service: "files", scope: { bucket: "acme-files", path: "/docs" } }),
  });
  return response.status;
};
/** A key that is replaced or revoked may be accepted for 5 more seconds. */
const soon = { timeout: 10_000, interval: 200 };
const rows = () => query(url, "SELECT id FROM embed_clients");

describe("POST /api/embed/clients", () => {
  it("creates an embed client whose key works at once, and stores only its hash", async () => {
    const expiresAt = "2999-01-31T01:00:00+01:00";
    const { client, apiKey } = await create({ expiresAt });
    expect(client).toEqual({
      ...acme,
      id: expect.any(String),
      allowedOrigins: ["https://portal.example"],
      revokedAt: null,
      expiresAt: "2999-01-31T00:00:00.000Z",
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(apiKey).toMatch(/^pek_/);
    expect(await statusWith(apiKey)).toBe(200);
    const [row] = await query(url, `SELECT * FROM embed_clients WHERE id = '${client.id}'`);
    expect(row).toMatchObject({ api_key_hash: hashApiKey(apiKey) });
    expect(JSON.stringify(row)).not.toContain(apiKey);
    expect(JSON.stringify(await call("GET", `/${client.id}`))).not.toMatch(/pek_|apiKey|hash/i);
    // The command shows it, because it is the same table.
    const shown = await runHere("client", clientCommand, ["show", client.id], { POSTGRES_URL: url });
    expect(shown.stdout).toContain("Portal (until 2999-01-31");
  });

  it("is refused with every issue at once, and stores nothing", async () => {
    const before = await rows();
    const wrong = {
      ...acme,
      allowedServices: ["files", "mail"],
      allowedOrigins: ["https://*.example", "https://portal.example"],
      allowedScopes: { files: { buckets: ["b"], paths: ["docs/"], path: "/a" }, mail: {} },
    };
    const { status, body } = await call("POST", "", wrong);
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.issues).toEqual([
      { path: "allowedServices[1]", message: "is not a known service: mail" },
      {
        path: "allowedOrigins[0]",
        message: "is not an origin, like https://app.example.com (no wildcard, no path): https://*.example",
      },
      { path: "allowedScopes.files.path", message: "is not a member of the policy" },
      { path: "allowedScopes.files", message: expect.stringContaining("a folder path must") },
      { path: "allowedScopes.mail", message: "is not a known service" },
    ]);
    expect(await rows()).toEqual(before);
  });

  it.each([
    ["a past end", { expiresAt: "2020-01-31T00:00:00Z" }, "expiresAt"],
    ["an end without a time", { expiresAt: "2999-01-31" }, "expiresAt"],
    ["no service", { allowedServices: [] }, "allowedServices"],
    ["an empty name", { name: "" }, "name"],
    ["a name with a line break", { name: "a\nb" }, "name"],
    ["half a surrogate pair in a name", { name: "a\udfffb" }, "name"],
    ["half a surrogate pair in a company's id", { companyId: "\ud800" }, "companyId"],
    ["a null character in a policy", { allowedScopes: { files: { buckets: ["\0"] } } }, "allowedScopes"],
    ["half a surrogate pair in a policy", { allowedScopes: { notif: { "\ud800": 1 } } }, "allowedScopes"],
    ["a member that is misspelt", { allowedOrigin: ["https://portal.example"] }, ""],
  ])("refuses %s", async (_, changes, path) => {
    const { status, body } = await call("POST", "", { ...acme, ...changes });
    expect([status, body.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  it("accepts a name in any script", async () => {
    await create({ name: "🦊".repeat(200) });
  });

  it("accepts a backslash that only looks like a null character", async () => {
    await create({ allowedScopes: { files: { buckets: ["\\u0000"] } } });
  });

  it("is a 404 for a company that is not there", async () => {
    const { status, body } = await call("POST", "", { ...acme, companyId: "nobody" });
    expect([status, body.code]).toEqual([404, "company_not_found"]);
  });

  it("makes a second client when it is repeated", async () => {
    const [one, two] = await Promise.all([create(), create()]);
    expect(one.client.id).not.toBe(two.client.id);
    expect(await Promise.all([one, two].map(({ apiKey }) => statusWith(apiKey)))).toEqual([200, 200]);
  });
});

describe("GET /api/embed/clients", () => {
  it("lists clients newest first, in pages, of all companies or of one", async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count++)
      made.unshift((await create({ companyId: "other", name: `number ${count}` })).client.id);
    // Two have the same time.
    await query(
      url,
      `UPDATE embed_clients SET "createdAt" = (SELECT "createdAt" FROM embed_clients WHERE id = '${made[1]}')
        WHERE id = '${made[2]}'`,
    );
    const listed: string[] = [];
    let cursor: string | null = "";
    let pages = 0;
    while (cursor !== null) {
      const { status, body } = await call("GET", `?companyId=other&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      listed.push(...body.clients.map(({ id }: Client) => id));
      cursor = body.nextCursor;
      pages++;
    }
    expect(pages).toBe(3);
    expect([...listed].sort()).toEqual([...made].sort());
    expect([listed[0], listed.at(-1)]).toEqual([made[0], made.at(-1)]);

    const all = await call("GET");
    expect(all.body.clients.length).toBeGreaterThan(5);
    expect(all.body.nextCursor).toBeNull();
    expect(JSON.stringify(all.body)).not.toMatch(/pek_|hash/i);
  });

  it.each(["?limit=0", "?limit=101", "?limit=x", "?cursor=x", `?cursor=${btoa('["2026","x"]')}`])(
    "refuses %s",
    async (search) => {
      expect(await call("GET", search)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    },
  );

  it("is a 404 for a company that is not there", async () => {
    expect(await call("GET", "?companyId=nobody")).toMatchObject({
      status: 404,
      body: { code: "company_not_found" },
    });
  });
});

describe("PATCH /api/embed/clients/{id}", () => {
  it("changes the members that are sent, and no other", async () => {
    const { client } = await create();
    const changed = await call("PATCH", `/${client.id}`, {
      name: "Shop",
      allowedOrigins: ["https://shop.example/"],
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        ...client,
        name: "Shop",
        allowedOrigins: ["https://shop.example"],
        updatedAt: expect.any(String),
      },
    });
    const scopes = { files: { buckets: ["shop-files"] } };
    await call("PATCH", `/${client.id}`, { allowedScopes: scopes, expiresAt: "2999-01-31T00:00:00Z" });
    await call("PATCH", `/${client.id}`, { expiresAt: null });
    expect((await call("GET", `/${client.id}`)).body).toMatchObject({
      name: "Shop",
      allowedOrigins: ["https://shop.example"],
      allowedScopes: scopes,
      expiresAt: null,
    });
  });

  it("refuses what POST refuses, and a client that is not there", async () => {
    const { client } = await create();
    expect(await call("PATCH", `/${client.id}`, { allowedOrigins: ["https://*"] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "allowedOrigins[0]" }] },
    });
    expect(await call("PATCH", `/${client.id}`, { companyId: "other" })).toMatchObject({ status: 400 });
    for (const id of ["nobody", "%00"])
      expect(await call("PATCH", `/${id}`, { name: "x" })).toMatchObject({
        status: 404,
        body: { code: "client_not_found" },
      });
  });
});

describe("POST /api/embed/clients/{id}/rotate", () => {
  it("replaces the key", async () => {
    const { client, apiKey } = await create();
    const rotated = await call("POST", `/${client.id}/rotate`);
    expect([rotated.status, rotated.body.client.id]).toEqual([200, client.id]);
    expect(await statusWith(rotated.body.apiKey)).toBe(200);
    await expect.poll(() => statusWith(apiKey), soon).toBe(401);
    expect(await call("POST", `/${client.id}/rotate`)).toMatchObject({
      status: 409,
      body: { code: "rotation_conflict" },
    });
  });

  it("twice at once gives one key that works, and tells the other caller", async () => {
    const { client } = await create();
    const told = await Promise.all([1, 2].map(() => call("POST", `/${client.id}/rotate`)));
    expect(told.map(({ status }) => status).sort()).toEqual([200, 409]);
    const rotated = told.find(({ status }) => status === 200);
    expect(await statusWith(rotated?.body.apiKey)).toBe(200);
  });

  it("ends its tokens, unless `keepTokens` says otherwise", async () => {
    const revocations = async (search: string) => {
      const { client } = await create();
      const { status } = await call("POST", `/${client.id}/rotate${search}`);
      const rows = await query(url, "SELECT 1 FROM token_revocations WHERE client_id = $1", [client.id]);
      return [status, rows.length];
    };
    expect(await revocations("")).toEqual([200, 1]);
    expect(await revocations("?keepTokens=false")).toEqual([200, 1]);
    expect(await revocations("?keepTokens=true")).toEqual([200, 0]);
    expect(await revocations("?keepTokens=1")).toEqual([400, 0]);
    expect(await revocations("?keep=true")).toEqual([400, 0]);
  });

  it("is refused for a client that is revoked, has expired, or is not there", async () => {
    const { client } = await create();
    await query(
      url,
      `UPDATE embed_clients SET expires_at = now() - interval '2 days' WHERE id = '${client.id}'`,
    );
    const rotate = () => call("POST", `/${client.id}/rotate`);
    expect(await rotate()).toMatchObject({ status: 409, body: { code: "client_not_live" } });
    await call("PATCH", `/${client.id}`, { expiresAt: null });
    expect((await rotate()).status).toBe(200);
    await call("DELETE", `/${client.id}`);
    expect(await rotate()).toMatchObject({ status: 409, body: { code: "client_not_live" } });
    expect(await call("POST", "/nobody/rotate")).toMatchObject({
      status: 404,
      body: { code: "client_not_found" },
    });
  });
});

describe("DELETE /api/embed/clients/{id}", () => {
  it("revokes the key for good, and repeating it changes nothing", async () => {
    const { client, apiKey } = await create();
    const revoked = await call("DELETE", `/${client.id}`);
    expect(revoked).toMatchObject({ status: 200, body: { id: client.id, revokedAt: expect.any(String) } });
    expect(await call("DELETE", `/${client.id}`)).toEqual(revoked);
    await expect.poll(() => statusWith(apiKey), soon).toBe(401);
    expect(await call("DELETE", "/nobody")).toMatchObject({
      status: 404,
      body: { code: "client_not_found" },
    });
  });
});

describe("access", () => {
  const methods = [
    ["GET", ""],
    ["POST", ""],
    ["GET", "/x"],
    ["PATCH", "/x"],
    ["DELETE", "/x"],
    ["POST", "/x/rotate"],
  ] as const;

  it("needs the bearer token, before anything else is looked at", async () => {
    for (const [method, path] of methods)
      for (const Authorization of ["", "Bearer another", `Basic ${btoa(TOKEN)}`])
        expect(await call(method, path, method === "GET" ? undefined : {}, { Authorization })).toMatchObject({
          status: 401,
          body: { code: "invalid_bearer_token" },
        });
  });

  it("is closed where no token is configured, also with API_ALLOW_ANONYMOUS", async () => {
    const open = createRouteApp(stack, { POSTGRES_URL: url, API_ALLOW_ANONYMOUS: "true" });
    try {
      for (const Authorization of ["", "Bearer ", `Bearer ${TOKEN}`]) {
        const response = await open.fetch(`${open.apiBaseUrl}/api/embed/clients`, {
          headers: { Authorization },
        });
        expect(response.status).toBe(401);
        expect((await response.json()).error).toContain("the deployment has no API_BEARER_TOKEN");
      }
    } finally {
      await open.close();
    }
  });

  it("no key is in the log, and the routes are on the API's host alone", async () => {
    const built = await startBuiltApp(stack, { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN });
    try {
      const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
      const at = (base: string | undefined, path = "", init: RequestInit = {}) =>
        fetch(`${base}/api/embed/clients${path}`, { headers, ...init });
      const made = await at(built.apiBaseUrl, "", { method: "POST", body: JSON.stringify(acme) });
      const { client, apiKey } = await made.json();
      expect([made.status, made.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
      const rotated = await (await at(built.apiBaseUrl, `/${client.id}/rotate`, { method: "POST" })).json();
      const patch = {
        method: "PATCH",
        body: JSON.stringify({ name: rotated.apiKey, allowedOrigins: [apiKey] }),
      };
      expect((await at(built.apiBaseUrl, `/${client.id}`, patch)).status).toBe(400);
      expect((await at(built.apiBaseUrl, `/${client.id}`, { method: "DELETE" })).status).toBe(200);
      const put = await at(built.apiBaseUrl, `/${client.id}`, { method: "PUT", body: "{}" });
      expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE"]);
      expect((await at(built.env.PLATFORM_BASE_URL)).status).toBe(404);
      expect(built.output()).toContain('"/api/embed/clients/:id/rotate"');
      for (const secret of [apiKey, rotated.apiKey, TOKEN]) expect(built.output()).not.toContain(secret);
    } finally {
      await built.close();
    }
  });
});
