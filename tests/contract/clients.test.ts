import { execFile, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCi } from "../support/machine/installed";
import { type Endpoint, openEndpoint } from "./endpoint";

/** What others use to reach a store, with its default settings. */
const tools = { aws: versionOf("aws"), rclone: versionOf("rclone"), s3cmd: versionOf("s3cmd") };

let endpoint: Endpoint;
let home: string;

beforeAll(async () => {
  endpoint = await openEndpoint();
  home = await mkdtemp(join(tmpdir(), "contract-clients-"));
  await mkdir(join(home, "folder/deeper"), { recursive: true });
  await writeFile(join(home, "folder/small é.txt"), "small");
  await writeFile(join(home, "folder/deeper/other.txt"), "other");
  // Above what each of them sends in one request, or by one request only if told to.
  await writeFile(join(home, "folder/large.bin"), randomBytes(20 * 1024 ** 2));
});
afterAll(async () => {
  await endpoint?.close();
  if (home) await rm(home, { recursive: true });
});

function versionOf(tool: string): string | undefined {
  const { status, stdout, stderr } = spawnSync(tool, ["--version"], { encoding: "utf8" });
  return status === 0 ? (stdout || stderr).split("\n", 1)[0] : undefined;
}

function title(tool: keyof typeof tools): string {
  return tools[tool] ?? `${tool} is not installed`;
}

/** Resolves to what it printed; rejects with what it complained of. The environment holds nothing of the caller's. */
async function run(tool: string, words: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(tool, words, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LC_ALL: "C.UTF-8", ...env } as unknown as NodeJS.ProcessEnv,
    timeout: 60_000,
  });
  return stdout;
}

async function hashOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(join(home, file)))
    .digest("hex");
}

async function expectSameFiles(folder: string): Promise<void> {
  for (const file of ["small é.txt", "deeper/other.txt", "large.bin"]) {
    expect(await hashOf(`${folder}/${file}`), file).toBe(await hashOf(`folder/${file}`));
  }
}

describe("AWS's own command line", () => {
  test.skipIf(!tools.aws && !isCi)(title("aws"), async () => {
    const { settings, bucket, prefix } = endpoint;
    const env = {
      AWS_ACCESS_KEY_ID: settings.accessKeyId,
      AWS_SECRET_ACCESS_KEY: settings.secretAccessKey,
      AWS_DEFAULT_REGION: settings.region,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_CONFIG_FILE: join(home, "aws-config"),
    };
    // Version 1 of this tool still presigns by Signature Version 2 for Amazon's oldest regions.
    const addressing = settings.forcePathStyle ? "path" : "auto";
    const config = `[default]\ns3 =\n  signature_version = s3v4\n  addressing_style = ${addressing}\n`;
    await writeFile(env.AWS_CONFIG_FILE, config);
    const aws = (...words: string[]) =>
      run("aws", ["--endpoint-url", settings.endpoint, "s3", ...words], env);
    const remote = `s3://${bucket}/${prefix}aws`;

    await aws("cp", "folder/small é.txt", `${remote}/small é.txt`);
    await aws("cp", "folder/large.bin", `${remote}/large.bin`);
    await aws("sync", "folder", remote);
    expect(await aws("ls", `${remote}/`)).toMatch(/PRE deeper\/[\s\S]*large\.bin[\s\S]*small é\.txt/);
    expect(await aws("ls", "--recursive", `${remote}/`)).toMatch(/20971520 .*large\.bin/);
    expect(await aws("sync", "folder", remote)).toBe("");
    await aws("cp", "--recursive", remote, "from-aws");
    await expectSameFiles("from-aws");
    await aws("mv", `${remote}/large.bin`, `${remote}/moved.bin`);
    const url = (await aws("presign", `${remote}/small é.txt`)).trim();
    expect(await (await fetch(url)).text()).toBe("small");
    await aws("rm", "--recursive", remote);
    // Nothing is left to be listed, which this tool calls a failure.
    await expect(aws("ls", `${remote}/`)).rejects.toMatchObject({ code: 1, stderr: "" });
  });
});

describe("rclone", () => {
  test.skipIf(!tools.rclone && !isCi)(title("rclone"), async () => {
    const { settings, bucket, prefix } = endpoint;
    const env = {
      RCLONE_CONFIG_STORE_TYPE: "s3",
      RCLONE_CONFIG_STORE_PROVIDER: "Other",
      RCLONE_CONFIG_STORE_ACCESS_KEY_ID: settings.accessKeyId,
      RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: settings.secretAccessKey,
      RCLONE_CONFIG_STORE_REGION: settings.region,
      RCLONE_CONFIG_STORE_ENDPOINT: settings.endpoint,
      RCLONE_CONFIG_STORE_FORCE_PATH_STYLE: String(settings.forcePathStyle),
      // It creates the bucket first, which those who lend one may forbid.
      RCLONE_CONFIG_STORE_NO_CHECK_BUCKET: String(endpoint.foreign),
    };
    const rclone = (...words: string[]) => run("rclone", words, env);
    const remote = `store:${bucket}/${prefix}rclone`;

    await rclone("copyto", "folder/small é.txt", `${remote}/small é.txt`);
    // It sends in parts only what is above 200 MiB.
    await rclone("copyto", "--s3-upload-cutoff", "5M", "folder/large.bin", `${remote}/large.bin`);
    await rclone("sync", "folder", remote);
    expect((await rclone("lsf", "--recursive", remote)).trim().split("\n").sort()).toEqual(
      ["deeper/", "deeper/other.txt", "large.bin", "small é.txt"].sort(),
    );
    await rclone("check", "--download", "folder", remote);
    await rclone("copy", remote, "from-rclone");
    await expectSameFiles("from-rclone");
    await rclone("moveto", `${remote}/large.bin`, `${remote}/moved.bin`);
    const url = (await rclone("link", `${remote}/small é.txt`)).trim();
    expect(await (await fetch(url)).text()).toBe("small");
    await rclone("purge", remote);
    expect(await rclone("lsf", `store:${bucket}/${prefix}`)).not.toContain("rclone");
  });
});

describe("s3cmd", () => {
  test.skipIf(!tools.s3cmd && !isCi)(title("s3cmd"), async () => {
    const { settings, bucket, prefix } = endpoint;
    const { host, protocol } = new URL(settings.endpoint);
    const config = {
      access_key: settings.accessKeyId,
      secret_key: settings.secretAccessKey,
      bucket_location: settings.region,
      host_base: host,
      host_bucket: settings.forcePathStyle ? host : `%(bucket)s.${host}`,
      use_https: protocol === "https:" ? "True" : "False",
    };
    const lines = Object.entries(config).map(([name, value]) => `${name} = ${value}`);
    await writeFile(join(home, ".s3cfg"), `[default]\n${lines.join("\n")}\n`);
    const s3cmd = (...words: string[]) => run("s3cmd", words);
    const remote = `s3://${bucket}/${prefix}s3cmd`;

    await s3cmd("put", "folder/small é.txt", `${remote}/small é.txt`);
    await s3cmd("put", "folder/large.bin", `${remote}/large.bin`);
    await s3cmd("sync", "folder/", `${remote}/`);
    expect(await s3cmd("ls", `${remote}/`)).toMatch(/DIR .*deeper\/[\s\S]*large\.bin[\s\S]*small é\.txt/);
    await mkdir(join(home, "from-s3cmd"));
    await s3cmd("get", "--recursive", `${remote}/`, "from-s3cmd/");
    await expectSameFiles("from-s3cmd");
    await s3cmd("mv", `${remote}/large.bin`, `${remote}/moved.bin`);
    // Not its `signurl`: that knows only Signature Version 2, which S3 gave up.
    await s3cmd("del", "--recursive", `${remote}/`);
    expect(await s3cmd("ls", `${remote}/`)).toBe("");
  });
});
