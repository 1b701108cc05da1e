import { describe, expect, inject, it } from "vitest";
import { databaseOf } from "../support/app/embed-client";
import {
  freshName,
  getDatabase,
  listDatabases,
  makeCompany,
  postDatabase,
  type Refusal,
} from "../support/databases/cluster-databases";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;
const NO_CLUSTER = "eu-north-1";

describe("listing databases", () => {
  it("shows a company's own databases, newest first, in all regions or one", async () => {
    const [companyId, other] = [await makeCompany(stack), await makeCompany(stack)];
    const names = [freshName(), freshName(), freshName()];
    await postDatabase(apiBaseUrl, { companyId, name: names[0], region });
    await postDatabase(apiBaseUrl, { companyId, name: names[1], region: NO_CLUSTER });
    await postDatabase(apiBaseUrl, { companyId, name: names[2], region });
    await postDatabase(apiBaseUrl, { companyId: other, name: freshName(), region });
    await databaseOf(stack).clientResource.create({
      data: { companyId, resourceType: "something_else", name: "other", region, status: "active" },
    });

    const all = await listDatabases(apiBaseUrl, { companyId });
    expect(all.status).toBe(200);
    expect(all.body.databases.map(({ name }) => name)).toEqual([...names].reverse());
    const [newest] = all.body.databases;
    expect((await getDatabase(apiBaseUrl, newest?.id ?? "")).body).toEqual(newest);
    const here = await listDatabases(apiBaseUrl, { companyId, region });
    expect(here.body.databases.map(({ name }) => name)).toEqual([names[2], names[0]]);
    const nowhere = await listDatabases(apiBaseUrl, { companyId, region: "us-east-1" });
    expect(nowhere.body).toEqual({ databases: [] });
  });

  it("comes page by page if there is a limit, and by status", async () => {
    const companyId = await makeCompany(stack);
    const names = Array.from({ length: 5 }, freshName);
    for (const name of names.slice(0, 4))
      await postDatabase(apiBaseUrl, { companyId, name, region: NO_CLUSTER });
    await postDatabase(apiBaseUrl, { companyId, name: names[4], region });
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const { body } = await listDatabases(apiBaseUrl, { companyId, limit: "2", ...(cursor && { cursor }) });
      pages.push(body.databases.map(({ name }) => name));
      cursor = body.cursor;
    } while (cursor);
    expect(cursor).toBeNull();
    const [a, b, c, d, e] = [...names].reverse();
    expect(pages).toEqual([[a, b], [c, d], [e]]);

    const active = await listDatabases(apiBaseUrl, { companyId, status: "active" });
    expect(active.body.databases.map(({ name }) => name)).toEqual([names[4]]);
    expect(active.body).not.toHaveProperty("cursor");
    const pending = await listDatabases(apiBaseUrl, { companyId, status: "pending", limit: "4" });
    expect(pending.body).toMatchObject({ databases: { length: 4 }, cursor: null });
  });

  it("skips nothing if the last record of a page leaves the list", async () => {
    const companyId = await makeCompany(stack);
    for (let count = 0; count < 4; count++)
      await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: NO_CLUSTER });
    const query = { companyId, status: "pending", limit: "2" };
    const all = (await listDatabases(apiBaseUrl, { companyId })).body.databases.map(({ id }) => id);
    for (const leave of [
      (id: string) =>
        databaseOf(stack).clientResource.update({ where: { id }, data: { status: "suspended" } }),
      (id: string) => databaseOf(stack).clientResource.delete({ where: { id } }),
    ]) {
      const first = (await listDatabases(apiBaseUrl, query)).body;
      await leave(first.databases.at(-1)?.id ?? "");
      const next = await listDatabases(apiBaseUrl, { ...query, cursor: first.cursor ?? "" });
      const seen = [...first.databases, ...next.body.databases].map(({ id }) => id);
      expect(seen).toEqual(all);
      all.splice(1, 1);
    }
  });

  it("refuses a limit, a status or a cursor that there is not", async () => {
    const companyId = await makeCompany(stack);
    for (const [member, value] of [
      ["limit", "0"],
      ["limit", "101"],
      ["limit", "two"],
      ["status", "gone"],
      ["cursor", "x"],
      ["cursor", "2026-13-45T00:00:00.000Z_abc"],
      ["cursor", "0000-01-01T00:00:00.000Z_abc"],
      ["cursor", "2026-01-01T00:00:00.000Z_"],
    ] as const) {
      const refused = await listDatabases<Refusal>(apiBaseUrl, { companyId, [member]: value });
      expect([member, refused.status, refused.body.issues?.[0]?.path]).toEqual([member, 400, member]);
    }
  });

  it("shows sizes beyond two gigabytes as numbers", async () => {
    const companyId = await makeCompany(stack);
    const { body } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: NO_CLUSTER });
    const data = { storageBytes: 5_000_000_000n, currentUsageAcu: 2, metadata: { plan: "gold" } };
    await databaseOf(stack).clientResource.update({ where: { id: body.resource.id }, data });
    expect((await listDatabases(apiBaseUrl, { companyId })).body.databases).toMatchObject([
      { storageBytes: 5_000_000_000, currentUsageAcu: 2, metadata: { plan: "gold" } },
    ]);
  });

  it("requires an existing company", async () => {
    const without = await listDatabases<Refusal>(apiBaseUrl, {});
    expect([without.status, without.body.issues?.[0]?.path]).toEqual([400, "companyId"]);
    const unknown = await listDatabases<Refusal>(apiBaseUrl, { companyId: "nobody" });
    expect([unknown.status, unknown.body.code]).toEqual([404, "company_not_found"]);
    const companyId = await makeCompany(stack);
    const unknownParameter = await listDatabases<Refusal>(apiBaseUrl, { companyId, nmae: "x" });
    expect(unknownParameter.body.issues).toEqual([{ path: "", message: 'must not have the member "nmae"' }]);
  });

  it("shows all regions for an empty region, and nothing for one that there is not", async () => {
    const companyId = await makeCompany(stack);
    const { body } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: NO_CLUSTER });
    const all = await listDatabases(apiBaseUrl, { companyId, region: "" });
    expect(all.body.databases.map(({ id }) => id)).toEqual([body.resource.id]);
    const none = await listDatabases(apiBaseUrl, { companyId, region: "Not a region" });
    expect([none.status, none.body]).toEqual([200, { databases: [] }]);
  });

  it("leaves out deleted records, unless they are asked for", async () => {
    const companyId = await makeCompany(stack);
    const [kept, deleted] = [freshName(), freshName()];
    await postDatabase(apiBaseUrl, { companyId, name: kept, region: NO_CLUSTER });
    const { body } = await postDatabase(apiBaseUrl, { companyId, name: deleted, region: NO_CLUSTER });
    const { id } = body.resource;
    await databaseOf(stack).clientResource.update({ where: { id }, data: { status: "deleted" } });
    const namesIn = async (query: object) =>
      (await listDatabases(apiBaseUrl, { companyId, ...query })).body.databases.map(({ name }) => name);
    expect(await namesIn({})).toEqual([kept]);
    expect(await namesIn({ limit: "5" })).toEqual([kept]);
    expect(await namesIn({ status: "deleted" })).toEqual([deleted]);
  });

  it.each(["a text", ["a list"], 5])(
    "shows %j as metadata that is no object as an empty one",
    async (metadata) => {
      const companyId = await makeCompany(stack);
      const { body } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
      await databaseOf(stack).clientResource.update({ where: { id: body.resource.id }, data: { metadata } });
      expect((await getDatabase(apiBaseUrl, body.resource.id)).body.metadata).toEqual({});
    },
  );

  it("finds a record by any id that a person has given it", async () => {
    const companyId = await makeCompany(stack);
    for (const id of ["My database.1", "db/2", "é", "x".repeat(200)].map(
      (text) => `${text} ${freshName()}`,
    )) {
      await databaseOf(stack).clientResource.create({
        data: {
          id,
          companyId,
          resourceType: "cluster_database",
          name: freshName(),
          region,
          status: "pending",
        },
      });
      const found = await getDatabase(apiBaseUrl, encodeURIComponent(id));
      expect([found.status, found.body.id]).toEqual([200, id]);
    }
  });
});

describe("one database", () => {
  it.each(["unknown", "a%00b", "%F0%9F%98%80", "x".repeat(300), "..%2F"])(
    "that does not exist gives 404: %s",
    async (id) => {
      const answer = await getDatabase(apiBaseUrl, id);
      expect([answer.status, answer.body]).toEqual([404, { error: "Resource not found" }]);
    },
  );

  it("of another resource type gives 404", async () => {
    const companyId = await makeCompany(stack);
    const { id } = await databaseOf(stack).clientResource.create({
      data: { companyId, resourceType: "something_else", name: "other", region, status: "active" },
    });
    expect((await getDatabase(apiBaseUrl, id)).status).toBe(404);
  });

  it("refuses POST", async () => {
    const answer = await fetch(`${apiBaseUrl}/api/cluster/databases/some-id`, { method: "POST" });
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "GET, HEAD, DELETE"]);
  });
});
