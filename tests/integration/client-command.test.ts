import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { client as clientCommand } from "../../app/commands/client";
import { databaseOf, postEmbedUrl } from "../support/app/embed-client";
import { runHere, runProcess } from "../support/app/run-command";

const stack = inject("stack");
const env = { POSTGRES_URL: stack.postgresUrl };

/** Runs `npm run client -- …words` in this process. */
const client = (...words: string[]) => runHere("client", clientCommand, words, env);
const make = async (...more: string[]): Promise<{ id: string; companyId: string; apiKey: string }> => {
  const words = ["--new-company", "Acme", "--name", "Portal", "--origin", "https://Acme.example:443/"];
  const { stdout } = await client("create", ...words, "--bucket", "acme-files", "--json", ...more);
  return JSON.parse(stdout);
};
/** Counts clients by a unique name, because tests of other files create clients at the same time. */
const countOf = (name: string) => databaseOf(stack).embedClient.count({ where: { name } });
/** The app remembers a key and its policy for 5 seconds. */
const soon = { timeout: 10_000, interval: 200 };
const statusWith = async (apiKey: string) =>
  (await postEmbedUrl(stack, apiKey, { service: "files", scope: { bucket: "acme-files" } })).status;

describe("npm run client", () => {
  it("reports errors in a sentence and exits with 1 as a separate process", async () => {
    expect(await runProcess("client", ["rotate", "nobody"], env)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "There is no embed client with this id.\n",
    });
    const help = await client("--help");
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("rotate [options] <id>")]);
    expect((await client("frobnicate")).stderr).toContain("Run with --help for usage.");
  });

  it("creates a working key and stores only its hash", async () => {
    const { id, apiKey } = await make("--path", "/docs");
    expect(apiKey).toMatch(/^pek_/);
    expect(await statusWith(apiKey)).toBe(200);
    const row = await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id } });
    expect(row.allowedOrigins).toEqual(["https://acme.example"]);
    expect(row.allowedScopes).toEqual({ files: { buckets: ["acme-files"], paths: ["/docs"] } });
    expect(JSON.stringify(row)).not.toContain(apiKey);
  });

  it("tells the id of a company that it creates", async () => {
    const words = ["--name", "n", "--origin", "https://a.example", "--bucket", "b"];
    const { stdout } = await client("create", "--new-company", "Acme", ...words);
    const [, company = ""] = /^Created the company (\S+)\.$/m.exec(stdout) ?? [];
    expect(await databaseOf(stack).company.findUnique({ where: { id: company } })).toMatchObject({
      name: "Acme",
    });
    const further = await client("create", "--company", company, ...words, "--json");
    expect(JSON.parse(further.stdout)).toEqual({
      id: expect.any(String),
      companyId: company,
      apiKey: expect.stringMatching(/^pek_/),
    });
    expect((await make()).companyId).toMatch(/^\w+$/);
  });

  it("creates a key with which visitors may change files", async () => {
    const { id } = await make("--action", "download", "organize", "delete");
    const row = await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id } });
    expect(row.allowedScopes).toEqual({
      files: { buckets: ["acme-files"], actions: ["download", "organize", "delete"] },
    });
    const words = ["--company", "acme", "--name", "n", "--origin", "https://a.example", "--bucket", "b"];
    const wrong = await client("create", ...words, "--action", "rename");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("actions");
  });

  it("requires a tag of the files that can be read, and no longer", async () => {
    const files = { buckets: ["acme-files"] };
    const requireTag = { key: "scan", value: "clean=yes" };
    const { id } = await make("--require-tag", "scan=clean=yes");
    const policyOf = async (client: string) =>
      (await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id: client } })).allowedScopes;
    expect(await policyOf(id)).toEqual({ files: { ...files, requireTag } });
    expect((await client("change", id, "--no-require-tag")).stdout).toContain("whatever tags they have");
    expect(await policyOf(id)).toEqual({ files });
    expect((await client("change", id, "--require-tag", "a=b")).stdout).toContain("a=b");
    expect(await policyOf(id)).toEqual({ files: { ...files, requireTag: { key: "a", value: "b" } } });
    for (const wrong of ["a", "=b", "a="])
      expect((await client("change", id, "--require-tag", wrong)).stderr).toContain(
        "It must be like KEY=VALUE.",
      );
    expect((await client("change", id, "--require-tag", "a*=b")).stderr).toContain("must have only letters");
    const { id: other } = await make("--service", "activity");
    expect((await client("change", other, "--require-tag", "a=b")).stderr).toContain(
      "has no policy for files",
    );
  });

  it("says how to let browsers reach the bucket, except for the local stack, which has done it", async () => {
    const words = ["--new-company", "Acme", "--name", "n", "--origin", "https://a.example", "--bucket", "b"];
    expect((await client("create", ...words)).stdout).toContain("npm run storage:cors -- --bucket b");
    const folder = await mkdtemp(join(tmpdir(), "local-state-"));
    await writeFile(join(folder, "app.env"), `POSTGRES_URL=${stack.postgresUrl}\n`);
    const made = await runHere("client", clientCommand, ["create", ...words], { LOCAL_STATE_DIR: folder });
    await rm(folder, { recursive: true });
    expect(made.stderr).toBe("Using the local stack.\n");
    expect(made.stdout).toContain("pek_");
    expect(made.stdout).not.toContain("storage:cors");
  });

  it("rotates a key: the old one stops, the new one works", async () => {
    const { id, apiKey } = await make();
    const rotated = JSON.parse((await client("rotate", id, "--json")).stdout);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(rotated.apiKey)).toBe(200);
    expect(await client("rotate", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was replaced a moment ago"),
    });
  });

  it("ends the tokens of a key that it rotates, unless told to keep them", async () => {
    const revocations = async (...options: string[]) => {
      const { id } = await make();
      expect((await client("rotate", id, ...options)).code).toBe(0);
      return databaseOf(stack).tokenRevocation.count({ where: { clientId: id } });
    };
    expect([await revocations(), await revocations("--keep-tokens")]).toEqual([1, 0]);
  });

  it("revokes a key permanently", async () => {
    const { id, apiKey } = await make();
    expect((await client("revoke", id)).code).toBe(0);
    expect((await client("revoke", id)).code).toBe(0);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await client("rotate", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("This embed client is revoked."),
    });
  });

  it("adds and removes origins, normalized and without duplicates, and shows them", async () => {
    const { id } = await make();
    const added = await client("origins", "add", id, "https://two.example/", "HTTPS://Acme.example");
    expect(added.stdout).toBe("These may embed now: https://acme.example, https://two.example.\n");
    const [one, other] = await Promise.all([
      client("origins", "add", id, "https://three.example"),
      client("origins", "remove", id, "https://acme.example:443", "https://never.example"),
    ]);
    expect([one.code, other.code]).toEqual([0, 0]);
    const shown = JSON.parse((await client("show", id, "--json")).stdout);
    expect(shown.allowedOrigins).toEqual(["https://two.example", "https://three.example"]);
    expect(shown).not.toHaveProperty("apiKeyHash");
    expect((await client("show", id)).stdout).toContain("origins   https://two.example");
    expect(await client("origins", "add", id, "https://*.example", "ftp://x")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\*\.example\n.*ftp:\/\/x\n$/),
    });
    expect((await client("show", "nobody")).stderr).toBe("There is no embed client with this id.\n");
  });

  it("sets, shows and extends the expiry of a key", async () => {
    const { id, apiKey } = await make("--expires", "90d");
    const shown = JSON.parse((await client("show", id, "--json")).stdout);
    const days = (Date.parse(shown.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    expect((await client("show", id)).stdout).toContain(`(until ${shown.expiresAt})`);
    expect(await statusWith(apiKey)).toBe(200);

    const past = new Date(Date.now() - 1_000);
    await databaseOf(stack).embedClient.update({ where: { id }, data: { expiresAt: past } });
    await expect.poll(() => statusWith(apiKey), soon).toBe(401);
    const refused = await postEmbedUrl(stack, apiKey, { service: "files", scope: { bucket: "acme-files" } });
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: "api_key_expired" }]);
    expect((await client("list")).stdout).toContain(`(expired ${past.toISOString()})`);

    expect((await client("rotate", id)).stderr).toContain("Set expiresAt (--expires) to a later date");
    expect((await client("change", id, "--expires", "never")).stdout).toBe("Its key does not expire.\n");
    await expect.poll(() => statusWith(apiKey), soon).toBe(200);
    const rotated = JSON.parse((await client("rotate", id, "--json", "--expires", "2999-01-31")).stdout);
    expect(await statusWith(rotated.apiKey)).toBe(200);
    expect((await client("show", id)).stdout).toContain("(until 2999-01-31T00:00:00.000Z)");
  });

  it.each(["2020-01-31", "0d", "soon", "90", "2027-02-31T", "9w"])(
    "refuses an expiry like %s",
    async (when) => {
      const { code, stderr } = await client("change", "nobody", "--expires", when);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/in the future|like 90d, 12h or 2027-01-31/)]);
    },
  );

  it("adds folders to a policy with folders", async () => {
    const { id, apiKey } = await make("--path", "/docs");
    const ask = async (path: string) =>
      (await postEmbedUrl(stack, apiKey, { service: "files", scope: { bucket: "acme-files", path } })).status;
    expect(await ask("/archive")).toBe(403);
    const changed = await client("change", id, "--add-path", "/archive", "/docs");
    expect(changed.stdout).toBe("These may be opened now: /docs, /archive.\n");
    await expect.poll(() => ask("/archive"), soon).toBe(200);
    expect((await client("change", id, "--add-path", "archive/")).stderr).toContain("must start with /");
    const { id: whole } = await make();
    expect((await client("change", whole, "--add-path", "/a")).stderr).toContain("may open whole buckets");
    expect((await client("change", id)).stderr).toContain("Give --add-path FOLDER, --action NAME");
  });

  it("changes what tokens may allow", async () => {
    const { id, apiKey } = await make();
    const ask = async (actions: string[]) =>
      (await postEmbedUrl(stack, apiKey, { service: "files", scope: { bucket: "acme-files", actions } }))
        .status;
    expect(await ask(["organize"])).toBe(403);
    const changed = await client("change", id, "--action", "download", "organize");
    expect(changed.stdout).toBe("Tokens may allow these actions now: download, organize.\n");
    await expect.poll(() => ask(["organize"]), soon).toBe(200);
    expect(await ask(["upload"])).toBe(403);
    const { code, stderr } = await client("change", id, "--action", "rename");
    expect([code, stderr]).toEqual([1, expect.stringContaining("actions")]);
  });

  it("lists clients without their keys", async () => {
    const { id, apiKey } = await make();
    const { stdout } = await client("list");
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(apiKey);
  });

  it("refuses invalid origins and names each", async () => {
    const odd = ["https://*", "https://*.acme.example", "https://x;sandbox", "https://me@acme.example"];
    const words = ["--new-company", "Acme", "--name", "No origin", "--bucket", "b", "--origin", ...odd];
    const { code, stderr } = await client("create", ...words);
    expect(code).toBe(1);
    for (const origin of odd)
      expect(stderr).toContain(
        `not an origin, like https://app.example.com (no wildcard, no path): ${origin}\n`,
      );
    expect(await countOf("No origin")).toBe(0);
  });

  it("accepts a policy of any service as JSON and validates it with the service's schema", async () => {
    const words = [
      "create",
      "--new-company",
      "Acme",
      "--name",
      "With a policy",
      "--origin",
      "https://acme.example",
      "--json",
    ];
    const policy = { files: { buckets: ["acme-files"], uploadFolders: ["/in"] } };
    const { stdout } = await client(...words, "--policy", JSON.stringify(policy));
    const { id, apiKey } = JSON.parse(stdout);
    expect(await statusWith(apiKey)).toBe(200);
    const row = await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id } });
    expect(row.allowedScopes).toEqual(policy);

    const refused = async (...more: string[]) => {
      const { code, stderr } = await client(...words, ...more);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused("--policy", '{ "files": { "buckets": "b" } }')).toContain(
      "allowedScopes.files.buckets must be a list",
    );
    expect(await refused("--policy", '{ "files": { "buckets": [], "paths": ["a"] } }')).toContain(
      "must start with /",
    );
    expect(await refused("--policy", '{ "mail": {} }')).toContain(
      "allowedScopes.mail is not a known service",
    );
    expect(await refused("--policy", '{ "files": { "buckets": ["b"], "path": ["/a"] } }')).toContain(
      "allowedScopes.files.path is not a member of the policy",
    );
    expect(await refused("--policy", "buckets")).toContain("It must be a JSON object");
    expect(await refused()).toContain("either --bucket NAME or --policy JSON");
    expect(await countOf("With a policy")).toBe(1);
  });

  it("creates a key for activity: with the buckets and folders of files, or with a policy of its own", async () => {
    const settings = async (...more: string[]) => {
      const words = ["--new-company", "Acme", "--name", "n", "--origin", "https://a.example", "--json"];
      const { stdout, stderr } = await client("create", ...words, ...more);
      expect(stderr).toBe("");
      const { id, apiKey } = JSON.parse(stdout);
      const { allowedServices, allowedScopes } = await databaseOf(stack).embedClient.findUniqueOrThrow({
        where: { id },
      });
      return { apiKey, allowedServices, allowedScopes };
    };
    const both = ["files", "activity"];
    const options = await settings(
      "--service",
      ...both,
      "--bucket",
      "b",
      "--path",
      "/a",
      "--action",
      "upload",
    );
    expect(options).toMatchObject({
      allowedServices: both,
      allowedScopes: {
        files: { buckets: ["b"], paths: ["/a"], actions: ["upload"] },
        activity: { buckets: ["b"], paths: ["/a"] },
      },
    });
    expect((await postEmbedUrl(stack, options.apiKey, { service: "activity", scope: {} })).status).toBe(200);

    const policy = { files: { buckets: ["b"] }, activity: {} };
    const json = await settings("--policy", JSON.stringify(policy));
    expect(json).toMatchObject({ allowedServices: both, allowedScopes: policy });
    expect((await postEmbedUrl(stack, json.apiKey, { service: "activity", scope: {} })).status).toBe(200);
  });

  it.each<[string, string[], string]>([
    [
      "a service without a policy",
      ["--service", "files", "activity", "--policy", '{ "files": { "buckets": ["b"] } }'],
      "--policy has no policy for activity. It needs one for each --service.",
    ],
    [
      "a policy without its service",
      ["--service", "files", "--policy", '{ "files": { "buckets": ["b"] }, "activity": {} }'],
      "--policy has a policy for activity, which --service does not name. Name it, or leave out --service.",
    ],
    ["no policy at all", ["--policy", "{}"], "--policy has no policy. Give one for each service."],
    [
      "an option that the policy replaces",
      ["--policy", '{ "files": { "buckets": ["b"] } }', "--path", "/a"],
      "--policy replaces --path, --upload-folder, --action and --require-tag. Write these into the policy.",
    ],
    [
      "an option of files without files",
      ["--service", "activity", "--bucket", "b", "--action", "upload"],
      "--upload-folder, --action and --require-tag need the service files. Add it to --service.",
    ],
    [
      "a service that has no buckets",
      ["--service", "files", "tasks", "--bucket", "b"],
      "--bucket is for files and activity. For tasks, give --policy JSON.",
    ],
  ])("refuses %s", async (what, more, message) => {
    const words = ["--new-company", "Acme", "--name", `Refused: ${what}`, "--origin", "https://a.example"];
    expect(await client("create", ...words, ...more)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${message}\n`,
    });
    expect(await countOf(`Refused: ${what}`)).toBe(0);
  });

  it("reports all errors at once and changes nothing", async () => {
    const words = [
      "--company",
      "nobody",
      "--name",
      "All wrong",
      "--bucket",
      "b",
      "--service",
      "files",
      "mail",
    ];
    const { code, stderr } = await client("create", ...words, "--origin", "acme.example", "--path", "docs/");
    expect(code).toBe(1);
    for (const fault of [
      "is not the id of an existing company: nobody",
      "is not a known service: mail",
      "not an origin",
      "must start with /",
    ]) {
      expect(stderr).toContain(fault);
    }
    expect(await countOf("All wrong")).toBe(0);
    expect((await client("revoke", "nobody")).code).toBe(1);
    expect((await client("frobnicate")).code).toBe(1);
  });
});
