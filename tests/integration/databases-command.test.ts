/** `npm run databases -- list|show|create`. */
import { describe, expect, inject, it } from "vitest";
import { databases as databasesCommand } from "../../app/commands/databases";
import { deploymentEnv } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { freshName, getDatabase, listDatabases, makeCompany } from "../support/databases/cluster-databases";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;
const run = (...words: string[]) =>
  runHere("databases", databasesCommand, words, deploymentEnv(stack, stack.postgresUrl));

describe("npm run databases", () => {
  it("creates a database, repeats without harm, and shows it as the API does", async () => {
    const [companyId, name] = [await makeCompany(stack), freshName()];
    const create = ["create", "--company", companyId, "--name", name, "--region", region, "--json"];
    const made = await run(...create, "--max-capacity", "4");
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const { resource, note } = JSON.parse(made.stdout);
    expect(resource).toEqual({ id: expect.any(String), name, region, status: "active" });
    expect(note).toContain(region);
    expect(JSON.parse((await run(...create)).stdout).resource).toEqual(resource);

    const shown = await run("show", resource.id, "--json");
    expect(JSON.parse(shown.stdout)).toEqual((await getDatabase(apiBaseUrl, resource.id)).body);
    expect((await run("show", resource.id)).stdout).toMatch(/^maxCapacityAcu +4$/m);
  });

  it("lists a company's databases, by region and status too", async () => {
    const companyId = await makeCompany(stack);
    const names = [freshName(), freshName()];
    const regions = [region, "eu-north-1"];
    for (const [index, name] of names.entries())
      await run("create", "--company", companyId, "--name", name, "--region", regions[index] ?? "");
    const listed = await run("list", "--company", companyId, "--json");
    const { body } = await listDatabases(apiBaseUrl, { companyId });
    expect(JSON.parse(listed.stdout)).toEqual(body.databases);
    const pending = await run("list", "--company", companyId, "--status", "pending");
    expect(pending.stdout).toMatch(new RegExp(`^\\S+  ${names[1]}  eu-north-1  pending$`, "m"));
    expect(pending.stdout).not.toContain(names[0]);
    expect((await run("list", "--company", companyId, "--region", "us-east-1")).stdout).toContain(
      "There are no such databases.",
    );
  });

  it("names what is wrong, and exits with 1", async () => {
    const companyId = await makeCompany(stack);
    for (const [words, says] of [
      [["list", "--company", companyId, "--status", "gone"], /--status must be/],
      [["list", "--company", "nobody"], /There is no company/],
      [["show", "nothing"], /Resource not found/],
      [["create", "--company", companyId, "--name", "a;b", "--region", region], /--name /],
      [
        ["create", "--company", companyId, "--name", "a", "--region", region, "--max-capacity", "x"],
        /--max-capacity /,
      ],
    ] as const) {
      const { code, stderr } = await run(...words);
      expect([words, code, stderr]).toEqual([words, 1, expect.stringMatching(says)]);
    }
  });
});
