import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { freshName, makeCompany, postDatabase } from "../../tests/support/databases/cluster-databases";
import { query } from "../../tests/support/databases/postgres";
import { copyApp } from "./install-app";

const run = promisify(execFile);

/** Libraries of customers, with the login that the API gives them. tests/integration/database-tools.test.ts has Prisma, Alembic and pg_dump. */
test.describe.configure({ mode: "default", timeout: 240_000 });

const stack = JSON.parse(String(process.env.TEST_STACK));
let folder = "";
test.beforeAll(async () => {
  folder = await copyApp(fileURLToPath(new URL("databases", import.meta.url)));
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["ci", ...options], { cwd: folder });
});

/** The URLs of two logins of a new database. */
async function makeLogins(): Promise<[string, string]> {
  const { apiBaseUrl, clusterRegion: region } = stack;
  const companyId = await makeCompany(stack);
  const { body } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
  const issue = async (): Promise<string> => {
    const path = `${apiBaseUrl}/api/cluster/databases/${body.resource.id}/credentials`;
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: "{}" });
    return (await response.json()).url;
  };
  return [await issue(), await issue()];
}

const using = (url: string) => {
  const options = { cwd: folder, env: { ...process.env, DATABASE_URL: url } };
  return {
    npmRun: (script: string) => run("npm", ["run", "--silent", script], options),
    print: async (program: string) => (await run(process.execPath, [program], options)).stdout.trim(),
  };
};

test("drizzle-kit generates and applies migrations, and another login uses the tables", async () => {
  const [first, second] = await makeLogins();
  await using(first).npmRun("drizzle:generate");
  await using(first).npmRun("drizzle:migrate");
  expect(await using(second).print("drizzle-use.js")).toBe("Sketch");
  // Nothing is left to do.
  await using(second).npmRun("drizzle:migrate");
});

test("drizzle-kit pushes a schema, also again", async () => {
  const [first, second] = await makeLogins();
  await using(first).npmRun("drizzle:push");
  const { stdout } = await using(second).npmRun("drizzle:push");
  expect(stdout).toContain("No changes detected");
  expect(await using(second).print("drizzle-use.js")).toBe("Sketch");
});

test("Knex migrates, works, and another login takes the migration back", async () => {
  const [first, second] = await makeLogins();
  await using(first).npmRun("knex:latest");
  expect(await using(first).print("knex-use.js")).toBe("Ada");
  await using(second).npmRun("knex:rollback");
  const tables = await query<{ name: string }>(
    first,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  expect(tables.map(({ name }) => name)).toEqual(["knex_migrations", "knex_migrations_lock"]);
});
