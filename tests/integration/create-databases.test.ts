import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import type { DataApi } from "../../app/providers/rds-data-api.server";
import { databaseOf } from "../support/app/embed-client";
import {
  eventsOfDatabase,
  freshName,
  getDatabase,
  isInCluster,
  makeCompany,
  postDatabase,
  type Refusal,
  recordsOf,
} from "../support/databases/cluster-databases";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;
const NO_CLUSTER = "eu-north-1";

describe("creating a database", () => {
  it("creates a database that accepts connections, and registers it", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    const created = await postDatabase(
      apiBaseUrl,
      { companyId, name, region, maxCapacityAcu: 8 },
      { "X-Request-Id": "asked-for-a-database" },
    );
    expect(created.status).toBe(201);
    expect(created.headers.get("Cache-Control")).toBe("no-store");
    expect(created.body).toEqual({
      success: true,
      resource: { id: expect.any(String), name, region, status: "active" },
      note: expect.stringContaining(region),
    });
    const url = new URL(stack.postgresUrl);
    url.pathname = `/${name}`;
    expect(await query(url.href, "SELECT current_database() AS name")).toEqual([{ name }]);
    const found = await getDatabase(apiBaseUrl, created.body.resource.id);
    expect(found.body).toEqual({
      id: created.body.resource.id,
      companyId,
      resourceType: "cluster_database",
      name,
      region,
      status: "active",
      externalId: name,
      clusterRef: expect.stringContaining("arn:"),
      maxCapacityAcu: 8,
      currentUsageAcu: null,
      storageBytes: null,
      metadata: {},
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(await eventsOfDatabase(stack, created.body.resource.id)).toMatchObject([
      {
        type: "database.created",
        companyId,
        requestId: "asked-for-a-database",
        data: { name, region },
        source: "service",
      },
    ]);
  });

  it("normalizes the name to lowercase with underscores for spaces", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    const asWritten = `My ${name.toUpperCase()}`;
    const { body } = await postDatabase(apiBaseUrl, { companyId, name: asWritten, region });
    expect(body.resource.name).toBe(`my_${name}`);
    expect(await isInCluster(stack, `my_${name}`)).toBe(true);
  });

  it("records it once as pending if the region has no cluster", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    const first = await postDatabase(apiBaseUrl, { companyId, name, region: NO_CLUSTER });
    expect(first.status).toBe(201);
    expect(first.body.resource).toMatchObject({ name, region: NO_CLUSTER, status: "pending" });
    expect(first.body.note).toContain(NO_CLUSTER);
    expect(await isInCluster(stack, name)).toBe(false);
    const { body: recorded } = await getDatabase(apiBaseUrl, first.body.resource.id);
    expect(recorded).toMatchObject({ externalId: null, clusterRef: null });
    expect(await eventsOfDatabase(stack, first.body.resource.id)).toEqual([]);
    expect(await postDatabase(apiBaseUrl, { companyId, name, region: NO_CLUSTER })).toMatchObject({
      status: 201,
      body: first.body,
    });
  });

  it("returns the same response for a repeated request and another spelling of the name", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    const first = await postDatabase(apiBaseUrl, { companyId, name, region });
    const again = await postDatabase(apiBaseUrl, { companyId, name: name.toUpperCase(), region });
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(await recordsOf(stack, name)).toHaveLength(1);
    expect(await eventsOfDatabase(stack, first.body.resource.id)).toHaveLength(1);
  });

  it("refuses a name that another company uses in the cluster, and does not name that company", async () => {
    const [one, other] = [await makeCompany(stack), await makeCompany(stack)];
    const name = freshName();
    const first = await postDatabase(apiBaseUrl, { companyId: one, name, region });
    const refused = await postDatabase<Refusal>(apiBaseUrl, { companyId: other, name, region });
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe("name_taken");
    expect(JSON.stringify(refused.body)).not.toMatch(new RegExp(`${one}|${first.body.resource.id}|arn:`));
    expect((await recordsOf(stack, name)).map(({ companyId }) => companyId)).toEqual([one]);
  });

  it("does not hand out a database of the cluster that has no record", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    await query(stack.postgresUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
    for (let attempt = 0; attempt < 2; attempt++) {
      const refused = await postDatabase<Refusal>(apiBaseUrl, { companyId, name, region });
      expect([refused.status, refused.body.code]).toEqual([409, "name_taken"]);
      expect(await recordsOf(stack, name)).toEqual([]);
    }
  });

  it("returns a suspended database unchanged, and ignores the record of a deleted one", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    const { body } = await postDatabase(apiBaseUrl, { companyId, name, region });
    const { id } = body.resource;
    const setStatus = (status: string) =>
      databaseOf(stack).clientResource.update({ where: { id }, data: { status } });
    await setStatus("suspended");
    const again = await postDatabase(apiBaseUrl, { companyId, name, region });
    expect([again.status, again.body.resource]).toEqual([201, { id, name, region, status: "suspended" }]);
    await setStatus("deleted");
    expect((await postDatabase(apiBaseUrl, { companyId, name, region })).status).toBe(409);
  });

  it("refuses a company that does not exist", async () => {
    const refused = await postDatabase<Refusal>(apiBaseUrl, {
      companyId: "nobody",
      name: freshName(),
      region,
    });
    expect([refused.status, refused.body.code]).toEqual([404, "company_not_found"]);
  });

  it("lists every error of the body at once", async () => {
    const refused = await postDatabase<Refusal>(apiBaseUrl, {
      companyId: "a\u0000b",
      name: 'x"; DROP DATABASE postgres; --',
      region: "",
      maxCapacityAcu: -1,
    });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect(refused.body.issues?.map(({ path }) => path)).toEqual([
      "companyId",
      "name",
      "region",
      "maxCapacityAcu",
    ]);
  });

  it.each([
    [0.5, 1],
    [8.0, 8],
    [null, null],
    [2 ** 31, 2 ** 31 - 1],
    [2 ** 60, 2 ** 31 - 1],
  ])("records a capacity of %j as %j", async (maxCapacityAcu, recorded) => {
    const body = {
      companyId: await makeCompany(stack),
      name: freshName(),
      region: NO_CLUSTER,
      maxCapacityAcu,
    };
    const created = await postDatabase(apiBaseUrl, body);
    expect(created.status).toBe(201);
    expect((await getDatabase(apiBaseUrl, created.body.resource.id)).body.maxCapacityAcu).toBe(recorded);
  });

  it.each([-1, "8", true])("refuses %j as a capacity", async (maxCapacityAcu) => {
    const body = { companyId: await makeCompany(stack), name: freshName(), region, maxCapacityAcu };
    expect((await postDatabase(apiBaseUrl, body)).status).toBe(400);
  });

  it("creates exactly the normalized name or refuses, for any name", async () => {
    const companyId = await makeCompany(stack);
    // Without the databases that other tests create at the same time.
    const databases = async () => {
      const rows = await query<{ datname: string }>(
        stack.postgresUrl,
        "SELECT datname FROM pg_database WHERE datname !~ '^((my_)?db|deployment)_[0-9a-f]+(_aside)?$|^any '",
      );
      return new Set(rows.map(({ datname }) => datname));
    };
    const near = fc.string({
      unit: fc.constantFrom(..."aZ09_ -\"'`;\\\u0000\u212Aé%$:.".split("")),
      minLength: 1,
      maxLength: 70,
    });
    const plain = fc.string({
      unit: fc.constantFrom(..."aBcXyZ09_ ".split("")),
      minLength: 1,
      maxLength: 70,
    });
    const any = fc.oneof(near, fc.string({ unit: "grapheme" }), plain, plain);
    await fc.assert(
      fc.asyncProperty(any, async (name) => {
        const before = await databases();
        const { status, body } = await postDatabase<{ resource?: { name: string } } & Refusal>(apiBaseUrl, {
          companyId,
          name,
          region,
        });
        const made = [...(await databases())].filter((database) => !before.has(database));
        if (status !== 201) {
          expect([status, made]).toEqual([status === 409 ? 409 : 400, []]);
          return;
        }
        const normalized = [...name].map((char) => (char === " " ? "_" : char.toLowerCase())).join("");
        expect(normalized).toMatch(/^[a-z0-9_]{1,63}$/);
        expect(body.resource?.name).toBe(normalized);
        expect(made).toEqual(before.has(normalized) ? [] : [normalized]);
      }),
      { numRuns: 40 },
    );
    // PostgreSQL copies a whole database for each new one. Forty of them take long on a slow disk.
  }, 60_000);
});

describe("a request that cannot be carried out as it is", () => {
  it("is a 409 if the database exists with another maxCapacityAcu", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    await postDatabase(apiBaseUrl, { companyId, name, region, maxCapacityAcu: 8 });
    const other = await postDatabase<Refusal>(apiBaseUrl, { companyId, name, region, maxCapacityAcu: 4 });
    expect([other.status, other.body.code]).toEqual([409, "settings_differ"]);
    expect(other.body.error).toContain("another maxCapacityAcu: 8");
    for (const maxCapacityAcu of [8, undefined]) {
      const same = await postDatabase(apiBaseUrl, { companyId, name, region, maxCapacityAcu });
      expect(same.status).toBe(201);
    }
  });

  it.each([
    [{ maxCapacityACU: 8 }, 'must not have the member "maxCapacityACU"'],
    [{ name: "  " }, "must contain a letter or a digit"],
    [{ name: "__" }, "must contain a letter or a digit"],
    [{ region: "a\u0000b" }, "must have 1 to 100 characters, and no control characters"],
  ])("is a 400 for %j", async (members, message) => {
    const companyId = await makeCompany(stack);
    const refused = await postDatabase<Refusal>(apiBaseUrl, { companyId, name: "ok", region, ...members });
    expect(refused.status).toBe(400);
    expect(refused.body.issues?.map((issue) => issue.message)).toEqual([message]);
    expect(await databaseOf(stack).clientResource.count({ where: { companyId } })).toBe(0);
  });

  it.each(["us-gov-west-1", "europe-west4", "Canada", "evil.example.com/?", "北"])(
    "is recorded as pending in the region %s",
    async (other) => {
      const companyId = await makeCompany(stack);
      const created = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: other });
      expect(created).toMatchObject({
        status: 201,
        body: { resource: { region: other, status: "pending" } },
      });
      expect(created.body.note).toContain(other);
    },
  );

  it("is a 400 for a region that CLUSTER_REGIONS does not list", async () => {
    const companyId = await makeCompany(stack);
    const tools = {
      database: databaseOf(stack),
      dataApi: {} as DataApi,
      clusters: {
        ...{ ofRegion: {}, fallback: undefined, defaultDatabase: "postgres", regions: [region] },
        limits: { connections: 40, temporaryFileGb: 10 },
      },
    };
    await expect(
      createClusterDatabase({ companyId, name: freshName(), region: "mars" }, tools),
    ).rejects.toMatchObject({
      code: "invalid_request",
      issues: [{ path: "region", message: `must be one of ${region}` }],
    });
  });
});
