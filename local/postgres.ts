/** The local stack's PostgreSQL: a real server from npm, on 127.0.0.1, with its data kept between starts. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { messageOf } from "../app/error-text";
import { findPostgresHome, type PostgresHome } from "./postgres-home";
import { keepRunning } from "./process/kept-process";
import { commandLineOf } from "./process/process-table";

export interface PostgresOptions {
  /** the stack's folder, which has to exist; the server's own is `postgres` in it, unless it cannot be read there */
  dataDir: string;
  port: number;
  /** of the superuser `postgres`; chosen when the data folder is made */
  password: string;
  /** The data is thrown away afterwards: nothing is forced to the disk, which makes `CREATE DATABASE` about twice as fast. */
  throwaway?: boolean;
}

export interface LocalPostgres {
  /** URL of the database `platform` */
  url: string;
  /** URL of any other database of this server */
  urlOf(database: string): string;
  /** resolves when the server has gone, asked or not */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

const DATABASE = "platform";
const START_TIMEOUT_MS = 30_000;

/** Starts the server, and resolves when it takes connections and has the database `platform`. */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const home = await findPostgresHome(options.dataDir);
  const isNew = !existsSync(join(home.data, "PG_VERSION"));
  if (isNew) await initialise(home, options.password);
  else await stopLeftover(home);

  let log = "";
  let announceReady = () => {};
  const ready = new Promise<void>((resolve) => {
    announceReady = resolve;
  });
  const server = keepRunning({
    command: join(home.binaries, "postgres"),
    args: ["-D", home.data, "-p", String(options.port), ...settings(options.throwaway ?? false)],
    env: { LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
    ...home.user,
    // "Fast shutdown": ends sessions, writes everything out.
    stopSignal: "SIGINT",
    graceMs: 10_000,
    onOutput(text) {
      log = `${log}${text}`.slice(-4_000);
      if (log.includes("ready to accept connections")) announceReady();
    },
  });

  const timeout = new AbortController();
  const started = await Promise.race([
    ready.then(() => "ready" as const),
    server.exited.then(() => "exited" as const),
    sleep(START_TIMEOUT_MS, "slow" as const, { signal: timeout.signal }).catch(() => "slow" as const),
  ]);
  timeout.abort();
  if (started !== "ready") {
    await server.stop();
    throw new Error(`PostgreSQL did not start. Its last words were:\n${log.trim()}`);
  }

  const urlOf = (database: string) =>
    `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${database}`;
  if (isNew) await createDatabase(urlOf("postgres"));
  return { url: urlOf(DATABASE), urlOf, exited: server.exited, stop: server.stop };
}

/** Crash-safe (fsync stays on, unless the data is thrown away); only the last moments before a power cut may be lost, which is what makes it quick. */
function settings(throwaway: boolean): string[] {
  return [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "synchronous_commit=off",
    `fsync=${throwaway ? "off" : "on"}`,
    "max_connections=100",
    "shared_buffers=32MB",
    "timezone=UTC",
  ].flatMap((setting) => ["-c", setting]);
}

/** Made beside its place and then moved there, so that an interrupted start leaves nothing half done. */
async function initialise(home: PostgresHome, password: string): Promise<void> {
  const unfinished = `${home.data}.new`;
  const passwordFile = `${unfinished}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (home.user) {
    for (const path of [unfinished, passwordFile]) await chown(path, home.user.uid, home.user.gid);
  }
  try {
    await promisify(execFile)(
      join(home.binaries, "initdb"),
      [
        `--pgdata=${unfinished}`,
        `--pwfile=${passwordFile}`,
        "--username=postgres",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        // Nothing of value is in there yet.
        "--no-sync",
      ],
      { ...home.user, cwd: "/", env: { ...process.env, LC_ALL: "C", TZ: "UTC" } },
    );
    await chmod(unfinished, 0o700);
    await rm(home.data, { recursive: true, force: true });
    await rename(unfinished, home.data);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`PostgreSQL's data folder could not be made. ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function createDatabase(adminUrl: string): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE "${DATABASE}"`);
  } finally {
    await client.end();
  }
}

/**
 * After `kill -9` of everything, postmaster.pid may name a server of ours that lives on, nobody, or a stranger who was
 * given the same number since. Only a server that runs on this very data folder is stopped.
 */
async function stopLeftover(home: PostgresHome): Promise<void> {
  const pidFile = join(home.data, "postmaster.pid");
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!(pid > 1)) return;
  const isOurs = () => commandLineOf(pid)?.includes(`-D ${home.data} `) ?? false;
  if (!isOurs()) {
    await rm(pidFile, { force: true });
    return;
  }
  process.kill(pid, "SIGINT");
  const deadline = Date.now() + 10_000;
  while (isOurs()) {
    if (Date.now() > deadline)
      throw new Error(`An earlier PostgreSQL (process ${pid}) does not stop. End it, and start again.`);
    await sleep(50);
  }
}
