/** The local stack's PostgreSQL: a real server from npm, on 127.0.0.1, which keeps its data between starts. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { quoteLiteral } from "../app/providers/cluster-sql";
import { messageOf } from "../app/shared/error-text";
import { findPostgresHome, type PostgresHome } from "./postgres-home";
import { commandLineOf } from "./process/process-table";
import { spawnTied } from "./process/tied-process";

export interface PostgresOptions {
  /** the stack's folder, which must exist; the data is in its subfolder `postgres`, or where postgres-home.ts says */
  dataDir: string;
  port: number;
  /** of the superuser `postgres`; used when the data folder is created */
  password: string;
  /** the data is not needed afterwards: nothing is synced to the disk, which makes `CREATE DATABASE` about twice as fast */
  throwaway?: boolean;
}

export interface LocalPostgres {
  /** URL of the database `platform` */
  url: string;
  /** URL for the user of the cluster's secret: no superuser (docs/guide/databases.md#the-clusters-user) */
  clusterUrl: string;
  /** URL of any other database of this server */
  urlOf(database: string): string;
  /** resolves when the server has ended for any reason */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

const DATABASE = "platform";
const CLUSTER_USER = "cluster_user";
const START_TIMEOUT_MS = 30_000;

/** Starts the server, and resolves when it accepts connections and has the database `platform`. */
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
  const server = spawnTied({
    command: join(home.binaries, "postgres"),
    args: ["-D", home.data, "-p", String(options.port), ...settings(options.throwaway ?? false)],
    env: { LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
    ...home.user,
    // "Fast shutdown": ends all sessions and writes all data to the disk.
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
    throw new Error(`PostgreSQL did not start. Its last output was:\n${log.trim()}`);
  }

  const urlOf = (database: string) =>
    `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${database}`;
  await prepareDatabases(urlOf("postgres"), options.password, isNew);
  const clusterUrl = Object.assign(new URL(urlOf("postgres")), { username: CLUSTER_USER }).href;
  return { url: urlOf(DATABASE), clusterUrl, urlOf, exited: server.exited, stop: server.stop };
}

/** Fast, but safe against crashes: only a power failure can lose the last transactions (`synchronous_commit=off`). */
function settings(throwaway: boolean): string[] {
  return [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "synchronous_commit=off",
    `fsync=${throwaway ? "off" : "on"}`,
    "max_connections=200",
    "shared_buffers=32MB",
    "timezone=UTC",
  ].flatMap((setting) => ["-c", setting]);
}

/** Creates the data folder under another name and renames it, so that an interrupted start leaves nothing incomplete. */
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
        // There is no data to lose yet.
        "--no-sync",
      ],
      { ...home.user, cwd: "/", env: { ...process.env, LC_ALL: "C", TZ: "UTC" } },
    );
    await chmod(unfinished, 0o700);
    await rm(home.data, { recursive: true, force: true });
    await rename(unfinished, home.data);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`PostgreSQL's data folder could not be created. ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * Creates our own database and the user of the cluster's secret in a new server. Customers' logins of the demo may not connect to our
 * database, or to those of PostgreSQL.
 */
async function prepareDatabases(adminUrl: string, password: string, isNew: boolean): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: adminUrl });
  // A connection that breaks also rejects the query.
  client.on("error", () => {});
  await client.connect();
  try {
    if (isNew) {
      await client.query(`CREATE DATABASE "${DATABASE}"`);
      await client.query(
        `CREATE ROLE ${CLUSTER_USER} LOGIN CREATEDB CREATEROLE PASSWORD ${quoteLiteral(password)}`,
      );
      await client.query(`GRANT SET ON PARAMETER temp_file_limit TO ${CLUSTER_USER}`);
      await client.query(`GRANT CONNECT ON DATABASE postgres TO ${CLUSTER_USER}`);
    }
    for (const name of [DATABASE, "postgres", "template1"])
      await client.query(`REVOKE ALL ON DATABASE "${name}" FROM PUBLIC`);
  } finally {
    await client.end();
  }
}

/**
 * After `kill -9`, postmaster.pid may name our server that still runs, no process, or an unrelated process that got the
 * same number. Only a server that runs on this data folder is stopped.
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
