/** Rows as Prisma Studio inserts them: it names the columns that a person filled in, and leaves the rest to the database. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findClusterDatabase } from "../app/databases/find-databases.server";
import { EmbedClients } from "../app/embed/embed-clients.server";
import { issueEmbedUrl } from "../app/embed/issue-embed-url.server";
import { listEmbedClients, rotateApiKey } from "../app/embed/manage-embed-clients.server";
import { createDatabase, type Database } from "../app/providers/database.server";
import { services } from "../app/services/registry.server";
import { query, startTestPostgres, type TestPostgres } from "../tests/support/databases/postgres";
import { migrate } from "./migrate";

const CUID = /^c[a-z0-9]{24}$/;

let postgres: TestPostgres;
let url: string;
let database: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  database = createDatabase({ url, poolSize: 2 });
  await query(url, "INSERT INTO companies (id, name) VALUES ('co', 'Ada Ltd.')");
});
afterAll(async () => {
  await database?.$disconnect();
  await postgres?.stop();
});

const insertClient = (columns: Record<string, unknown>) => {
  const names = Object.keys({ companyId: "co", ...columns });
  const values = Object.values({ companyId: "co", ...columns });
  const places = names.map((_, index) => `$${index + 1}`).join(", ");
  const statement = `INSERT INTO embed_clients ("${names.join('", "')}") VALUES (${places}) RETURNING id`;
  return query<{ id: string }>(url, statement, values);
};

describe("an embed client", () => {
  it("needs only its company, and gets a key by rotating", async () => {
    const [{ id } = { id: "" }] = await insertClient({});
    expect(id).toMatch(CUID);
    const { apiKey } = await rotateApiKey(database, id);
    expect(await new EmbedClients(database).find(apiKey)).toEqual({
      id,
      companyId: "co",
      allowedServices: [],
      allowedOrigins: [],
      allowedScopes: {},
    });
  });

  it("issues tokens with what a person typed", async () => {
    const [{ id } = { id: "" }] = await insertClient({
      id: "Portal of Ada",
      name: "portal",
      allowed_services: "{files}",
      allowed_origins: '{" https://Portal.example/ ","https://portal.example/app"}',
      allowed_scopes: '{ "files": { "buckets": ["docs"], "paths": ["/ada/"] } }',
    });
    const { apiKey } = await rotateApiKey(database, id);
    const client = await new EmbedClients(database).find(apiKey);
    const request = { service: "files", scope: { bucket: "docs" }, expiresInSeconds: 60 };
    const settings = { services, signingSecret: "s", platformBaseUrl: "https://p.example", nowSeconds: 1 };
    const { url: issued } = issueEmbedUrl(request, client, settings);
    const payload = Buffer.from(issued.split("?t=")[1]?.split(".")[0] ?? "", "base64url");
    expect(JSON.parse(payload.toString())).toMatchObject({
      cid: "Portal of Ada",
      scope: { bucket: "docs", path: "/ada" },
      origins: ["https://portal.example"],
    });
  });

  it.each([
    ["id", { id: "" }, "embed_clients_id_is_not_empty"],
    ["allowed_services", { allowed_services: null }, "allowed_services"],
    ["allowed_services", { allowed_services: "{files,NULL}" }, "embed_clients_allowed_services_have_no_null"],
    ["allowed_origins", { allowed_origins: "{NULL}" }, "embed_clients_allowed_origins_have_no_null"],
    ["expires_at", { expires_at: "infinity" }, "embed_clients_times_are_finite"],
    ["revoked_at", { revoked_at: "-infinity" }, "embed_clients_times_are_finite"],
    ["companyId", { companyId: "nobody" }, "embed_clients_companyId_fkey"],
  ])("is refused with the name of what is wrong: %s of %j", async (_, columns, named) => {
    await expect(insertClient(columns)).rejects.toThrow(named);
    // What was refused keeps nobody from reading the others.
    expect((await listEmbedClients(database)).length).toBeGreaterThan(0);
  });
});

it("a database needs only its company, name and region", async () => {
  const [{ id } = { id: "" }] = await query<{ id: string }>(
    url,
    `INSERT INTO client_resources ("companyId", name, region) VALUES ('co', 'orders', 'Canada') RETURNING id`,
  );
  expect(id).toMatch(CUID);
  expect(await findClusterDatabase(database, id)).toMatchObject({
    resourceType: "cluster_database",
    status: "pending",
    externalId: null,
    metadata: {},
  });
});
