import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listClusterDatabases } from "../../app/databases/find-databases.server";
import type { Database } from "../../app/providers/database.server";
import { PrismaClient } from "../../prisma/generated/client";
import { migrate } from "../../prisma/migrate";
import { fillWithDatabases } from "../support/databases/many-databases";
import { query, startTestPostgres, type TestPostgres } from "../support/databases/postgres";

let postgres: TestPostgres;
let url: string;
let companyId: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  companyId = await fillWithDatabases(url, 10_000);
});
afterAll(() => postgres.stop());

it("lists a company's databases by an index, with 10,000 of other companies present", async () => {
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url }),
    log: [{ emit: "event", level: "query" }],
  });
  const statements: { query: string; params: string }[] = [];
  prisma.$on("query", (event) => statements.push(event));
  const { databases } = await listClusterDatabases(prisma as unknown as Database, { companyId });
  await prisma.$disconnect();
  expect(databases.map(({ name }) => name)).toEqual(["many_10001", "many_10002", "many_10003"]);

  const asked = statements.filter(({ query }) => query.includes("client_resources"));
  expect(asked).toHaveLength(1);
  const plan = await query<{ "QUERY PLAN": string }>(
    url,
    `EXPLAIN ${asked[0]?.query}`,
    JSON.parse(asked[0]?.params ?? "[]"),
  );
  const lines = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(lines).toMatch(/Index Cond: \("companyId" = /);
  expect(lines).not.toContain("Seq Scan");
});
