import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { databaseOf, postEmbedUrl } from "../support/embed-client";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `npm run client -- …words`, as npm would. */
async function client(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = ["--import", "tsx", "app/commands/client.ts", ...words];
  const env = { ...process.env, POSTGRES_URL: stack.postgresUrl };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: root, env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
const make = async (...more: string[]): Promise<{ id: string; apiKey: string }> => {
  const words = ["--new-company", "Acme", "--name", "Portal", "--origin", "https://Acme.example:443/"];
  const { stdout } = await client("create", ...words, "--bucket", "acme-files", "--json", ...more);
  return JSON.parse(stdout);
};
const statusWith = async (apiKey: string) =>
  (await postEmbedUrl(stack, apiKey, { service: "files", scope: { bucket: "acme-files" } })).status;

describe("npm run client", () => {
  it("makes a key that works, and stores only its hash", async () => {
    const { id, apiKey } = await make("--path", "/docs");
    expect(apiKey).toMatch(/^pek_/);
    expect(await statusWith(apiKey)).toBe(200);
    const row = await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id } });
    expect(row.allowedOrigins).toEqual(["https://acme.example"]);
    expect(row.allowedScopes).toEqual({ files: { buckets: ["acme-files"], paths: ["/docs"] } });
    expect(JSON.stringify(row)).not.toContain(apiKey);
  });

  it("rotates a key: the old one stops, the new one works", async () => {
    const { id, apiKey } = await make();
    const rotated = JSON.parse((await client("rotate", id, "--json")).stdout);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(rotated.apiKey)).toBe(200);
  });

  it("revokes a key, for good", async () => {
    const { id, apiKey } = await make();
    expect((await client("revoke", id)).code).toBe(0);
    expect((await client("revoke", id)).code).toBe(0);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await client("rotate", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no live embed client"),
    });
  });

  it("lists clients without their keys", async () => {
    const { id, apiKey } = await make();
    const { stdout } = await client("list");
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(apiKey);
  });

  it("refuses what is no plain origin, naming each", async () => {
    const before = await databaseOf(stack).embedClient.count();
    const odd = ["https://*", "https://*.acme.example", "https://x;sandbox", "https://me@acme.example"];
    const words = ["--new-company", "Acme", "--name", "x", "--bucket", "b", "--origin", ...odd];
    const { code, stderr } = await client("create", ...words);
    expect(code).toBe(1);
    for (const origin of odd)
      expect(stderr).toContain(
        `not an origin, like https://app.example.com (no wildcard, no path): ${origin}\n`,
      );
    expect(await databaseOf(stack).embedClient.count()).toBe(before);
  });

  it("says everything that is wrong at once, and changes nothing", async () => {
    const before = await databaseOf(stack).embedClient.count();
    const words = ["--company", "nobody", "--name", "x", "--bucket", "b", "--service", "mail"];
    const { code, stderr } = await client("create", ...words, "--origin", "acme.example", "--path", "docs/");
    expect(code).toBe(1);
    for (const fault of [
      "no such company: nobody",
      "no such service: mail",
      "not an origin",
      "must start with /",
    ]) {
      expect(stderr).toContain(fault);
    }
    expect(await databaseOf(stack).embedClient.count()).toBe(before);
    expect((await client("revoke", "nobody")).code).toBe(1);
    expect((await client("frobnicate")).code).toBe(1);
  });
});
