import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { services } from "../services/registry.server";
import type { AppError } from "../shared/app-error";
import { createApiKey, hashApiKey } from "./api-key.server";
import { EmbedClients } from "./embed-clients.server";
import {
  createEmbedClient,
  listEmbedClients,
  type NewEmbedClient,
  revokeEmbedClient,
  rotateApiKey,
} from "./manage-embed-clients.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());
beforeEach(() => query(own.url, "TRUNCATE companies CASCADE"));

const create = (changes: Partial<NewEmbedClient> = {}) =>
  createEmbedClient(
    own.database,
    {
      company: { name: "Northwind" },
      name: "portal",
      services: ["files"],
      origins: ["HTTPS://App.example.com/"],
      policies: { files: { buckets: ["docs"], paths: ["/a"] } },
      ...changes,
    },
    services,
  );
const find = (rawKey: string | null) => new EmbedClients(own.database).find(rawKey);
const issuesOf = (work: Promise<unknown>) =>
  work.then(
    () => [],
    (error: AppError) => error.issues?.map(({ path, message }) => `${path} ${message}`) ?? [error.code],
  );
const rows = () => query(own.url, "SELECT * FROM embed_clients");

describe("making an embed client", () => {
  it("stores what was said, origins in their normal form and the key as its hash, with a company of its own", async () => {
    const { id, apiKey } = await create();
    expect(
      await query(own.url, 'SELECT * FROM embed_clients c JOIN companies o ON o.id = c."companyId"'),
    ).toEqual([
      expect.objectContaining({
        api_key_hash: hashApiKey(apiKey),
        allowed_services: ["files"],
        allowed_origins: ["https://app.example.com"],
        allowed_scopes: { files: { buckets: ["docs"], paths: ["/a"] } },
        revoked_at: null,
        name: "Northwind",
      }),
    ]);
    expect(await listEmbedClients(own.database)).toMatchObject([{ id, name: "portal" }]);
  });

  it("can be for a company that is there", async () => {
    await query(own.url, "INSERT INTO companies (id, name) VALUES ('there', 'Northwind')");
    const { apiKey } = await create({ company: { id: "there" } });
    expect(await find(apiKey)).toMatchObject({ companyId: "there" });
  });

  it("is refused with everything that is wrong, and stores nothing", async () => {
    await query(own.url, "INSERT INTO companies (id, name) VALUES ('there', 'Northwind')");
    const wrong = create({
      company: { id: "absent" },
      services: ["files", "notif", "nothing"],
      origins: ["https://*", "https://a.example"],
      policies: {
        files: { buckets: [], paths: ["docs", "/docs"], path: "/docs" },
        notif: { x: 1 },
        nothing: { x: 1 },
      },
    });
    expect(await issuesOf(wrong)).toEqual([
      "allowedServices[2] is not a known service: nothing",
      "allowedOrigins[0] is not an origin, like https://app.example.com (no wildcard, no path): https://*",
      "allowedScopes.files.path is not a member of the policy",
      "allowedScopes.files is wrong: a folder path must start with /: docs",
      "allowedScopes.nothing is not a known service",
      "companyId is not the id of an existing company: absent",
    ]);
    await expect(create({ company: { id: "absent" } })).rejects.toMatchObject({ code: "company_not_found" });
    expect(await rows()).toEqual([]);
  });
});

it("the list has every client, oldest first, and no key", async () => {
  const first = await create({ name: "first" });
  const second = await create({ name: "second" });
  await revokeEmbedClient(own.database, first.id);
  // Last, so that it is also the row that the database comes to last.
  await query(own.url, `UPDATE embed_clients SET "createdAt" = '2026-01-01' WHERE id = '${second.id}'`);
  const client = {
    companyId: expect.any(String),
    allowedServices: ["files"],
    allowedOrigins: ["https://app.example.com"],
    allowedScopes: { files: { buckets: ["docs"], paths: ["/a"] } },
    createdAt: expect.any(Date),
    updatedAt: expect.any(Date),
    expiresAt: null,
  };
  expect(await listEmbedClients(own.database)).toEqual([
    { ...client, id: second.id, name: "second", revokedAt: null },
    { ...client, id: first.id, name: "first", revokedAt: expect.any(Date) },
  ]);
});

describe("an API key", () => {
  it("finds its client, and what that may do", async () => {
    const { id, apiKey } = await create();
    await create();
    expect(await find(apiKey)).toEqual({
      id,
      companyId: expect.any(String),
      allowedServices: ["files"],
      allowedOrigins: ["https://app.example.com"],
      allowedScopes: { files: { buckets: ["docs"], paths: ["/a"] } },
    });
  });

  it("may be of any form, up to 512 characters", async () => {
    const { id } = await create();
    for (const length of [1, 512, 513]) {
      const key = "k".repeat(length);
      await query(own.url, `UPDATE embed_clients SET api_key_hash = '${hashApiKey(key)}'`);
      await (length > 512
        ? expect(find(key)).rejects.toMatchObject({ code: "invalid_api_key" })
        : expect(find(key)).resolves.toMatchObject({ id }));
    }
  });

  it("is refused in one and the same way when it is missing, empty, mistyped, unknown or revoked", async () => {
    const { id, apiKey } = await create();
    await revokeEmbedClient(own.database, id);
    const mistyped = apiKey.slice(0, -1) + (apiKey.endsWith("x") ? "y" : "x");
    for (const key of [null, "", mistyped, createApiKey(), apiKey]) {
      await expect(find(key)).rejects.toMatchObject({
        code: "invalid_api_key",
        message: "The API key is missing or not valid. Send a live key as X-Api-Key, from your backend only.",
      });
    }
  });

  it("that cannot be anybody's asks the database nothing", async () => {
    const asked: unknown[] = [];
    const database = {
      $driverQuery: async (_: string, values: unknown) => {
        asked.push(values);
        return [];
      },
    } as unknown as ConstructorParameters<typeof EmbedClients>[0];
    const key = createApiKey();
    for (const wrong of [null, "", "k".repeat(513), key.slice(0, -1) + (key.endsWith("x") ? "y" : "x")]) {
      await expect(new EmbedClients(database).find(wrong)).rejects.toMatchObject({ code: "invalid_api_key" });
    }
    expect(asked).toEqual([]);
  });
});

describe("a lookup", () => {
  const found = { id: "client", isExpired: false };
  const fakeClients = (respond: () => Promise<object[]>) => {
    const query = vi.fn(respond);
    const database = { $driverQuery: query } as unknown as ConstructorParameters<typeof EmbedClients>[0];
    const clock = { time: 1_000, now: () => clock.time };
    return { clients: new EmbedClients(database, clock), query, clock };
  };

  it("is one query for concurrent requests with the same key, and for 5 seconds after it", async () => {
    const { clients, query, clock } = fakeClients(async () => [found]);
    const key = createApiKey();
    await Promise.all(Array.from({ length: 500 }, () => clients.find(key)));
    clock.time += 4_900;
    await clients.find(key);
    expect(query).toHaveBeenCalledTimes(1);
    clock.time += 200;
    await clients.find(key);
    expect(query).toHaveBeenCalledTimes(2);
  });

  it("ends as it should, however many keys are looked up at once", async () => {
    const { clients, query } = fakeClients(async () => []);
    const refused = Array.from({ length: 3_000 }, () =>
      expect(clients.find(createApiKey())).rejects.toMatchObject({ code: "invalid_api_key" }),
    );
    await Promise.all(refused);
    query.mockResolvedValue([found]);
    const accepted = await Promise.all(Array.from({ length: 3_000 }, () => clients.find(createApiKey())));
    expect(new Set(accepted.map(({ id }) => id))).toEqual(new Set(["client"]));
  });

  it("remembers neither unknown keys nor failures", async () => {
    const { clients, query } = fakeClients(async () => []);
    const key = createApiKey();
    await expect(clients.find(key)).rejects.toMatchObject({ code: "invalid_api_key" });
    query.mockRejectedValueOnce(new Error("The database is down."));
    await expect(clients.find(key)).rejects.toThrow("The database is down.");
    query.mockResolvedValueOnce([found]);
    await expect(clients.find(key)).resolves.toMatchObject({ id: "client" });
  });
});

describe("changing a key", () => {
  it("gives that client alone a new one, and ends the old one", async () => {
    const [changed, other] = [await create(), await create()];
    const { apiKey } = await rotateApiKey(own.database, changed.id);
    expect(await find(apiKey)).toMatchObject({ id: changed.id });
    expect(await find(other.apiKey)).toMatchObject({ id: other.id });
    await expect(find(changed.apiKey)).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  it("twice at once gives one key that works, and tells the other that there is one", async () => {
    for (let times = 0; times < 10; times++) {
      const { id } = await create();
      const rotating = Array.from({ length: 4 }, () => rotateApiKey(own.database, id));
      const results = await Promise.allSettled(rotating);
      const keys = results.flatMap((result) => (result.status === "fulfilled" ? result.value.apiKey : []));
      expect(keys).toHaveLength(1);
      expect(await find(keys[0] ?? "")).toMatchObject({ id });
      const refused = results.flatMap((result) => (result.status === "rejected" ? result.reason.code : []));
      expect(refused).toEqual(["rotation_conflict", "rotation_conflict", "rotation_conflict"]);
      expect(await issuesOf(rotateApiKey(own.database, id))).toEqual(["rotation_conflict"]);
    }
  });

  it("is possible again once the key before is refused everywhere", async () => {
    const { id } = await create();
    const { apiKey } = await rotateApiKey(own.database, id);
    await query(own.url, "UPDATE embed_clients SET key_replaced_at = key_replaced_at - interval '5 seconds'");
    const { apiKey: next } = await rotateApiKey(own.database, id);
    expect(await find(next)).toMatchObject({ id });
    await expect(find(apiKey)).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  it("is refused for a client that is revoked, or not there", async () => {
    const { id, apiKey } = await create();
    await revokeEmbedClient(own.database, id);
    expect(await issuesOf(rotateApiKey(own.database, id))).toEqual(["client_not_live"]);
    expect(await issuesOf(rotateApiKey(own.database, "absent"))).toEqual(["client_not_found"]);
    expect(await rows()).toMatchObject([{ api_key_hash: hashApiKey(apiKey) }]);
  });
});

describe("revoking", () => {
  it("ends that client alone, for good: again changes nothing", async () => {
    const [revoked, other] = [await create(), await create()];
    await revokeEmbedClient(own.database, revoked.id);
    await query(own.url, "UPDATE embed_clients SET revoked_at = '2026-01-01' WHERE revoked_at IS NOT NULL");
    const before = await rows();
    await revokeEmbedClient(own.database, revoked.id);
    expect(await rows()).toEqual(before);
    expect(await find(other.apiKey)).toMatchObject({ id: other.id });
  });

  it("is refused for a client that is not there", async () => {
    await create();
    expect(await issuesOf(revokeEmbedClient(own.database, "absent"))).toEqual(["client_not_found"]);
  });
});
