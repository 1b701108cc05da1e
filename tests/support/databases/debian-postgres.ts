/** Debian's PostgreSQL: another version than the local stack's, with its programs and extensions. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { spawnTied } from "../../../local/process/tied-process";
import { findFreePort } from "../machine/free-port";
import { makeTestFolder } from "./postgres";

const VERSIONS = "/usr/lib/postgresql";

export interface DebianPostgres {
  /** of the superuser's own database */
  url: string;
  stop(): Promise<void>;
}

/** The folder of the newest version's programs; undefined if no server is installed. */
export function findDebianPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
}

/** Starts a server on a free port. Its files are removed at the end. @param programs as `findDebianPostgres` found them */
export async function startDebianPostgres(programs: string): Promise<DebianPostgres> {
  const folder = await makeTestFolder();
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, "test", { mode: 0o600 });
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? postgresUser() : undefined;
  if (user) for (const path of [data, passwordFile]) await chown(path, user.uid, user.gid);
  await chmod(folder, 0o711);
  const words = ["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(join(programs, "initdb"), ["-D", data, `--pwfile=${passwordFile}`, ...words], {
    ...user,
    cwd: "/",
  });

  const port = await findFreePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "max_connections=200",
  ];
  const ready = new EventTarget();
  const isReady = once(ready, "ready");
  let log = "";
  const server = spawnTied({
    command: join(programs, "postgres"),
    args: ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    env: { LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
    ...user,
    stopSignal: "SIGINT",
    graceMs: 10_000,
    onOutput(text) {
      log += text;
      if (log.includes("ready to accept connections")) ready.dispatchEvent(new Event("ready"));
    },
  });
  const ended = server.exited.then(() => {
    throw new Error(`Debian's PostgreSQL ended. Its output:\n${log}`);
  });
  ended.catch(() => {});
  await Promise.race([isReady, ended]);
  return {
    url: `postgresql://postgres:test@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package makes this user. */
function postgresUser(): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout),
  );
  return { uid, gid };
}
