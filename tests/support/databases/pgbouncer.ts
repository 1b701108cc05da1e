/** A PgBouncer in front of a test's database, configured as in `docs/guide/pgbouncer.md`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../machine/free-port";
import { works } from "../machine/installed";
import { makeTestFolder, query } from "./postgres";

export const hasPgBouncer = (): boolean => works("pgbouncer", "--version");

export interface TestPgBouncer {
  /** the URL of the same database through PgBouncer */
  url: string;
  stop(): Promise<void>;
}

/** @param postgresUrl with user and password */
export async function startPgBouncer(postgresUrl: string): Promise<TestPgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(postgresUrl);
  const folder = await makeTestFolder();
  const ownPort = await findFreePort();
  const users = join(folder, "users.txt");
  const config = join(folder, "pgbouncer.ini");
  const database = pathname.slice(1);
  const lines = (await exampleIn("docs/guide/pgbouncer.md"))
    .replace(
      "platform = host=127.0.0.1 port=5432 dbname=platform",
      `${database} = host=${hostname} port=${port} dbname=${database}`,
    )
    .replace("listen_port = 6432", `listen_port = ${ownPort}`)
    .replace("/etc/pgbouncer/userlist.txt", users);
  await writeFile(users, `"${username}" "${password}"\n`);
  // Without a socket, which would be in a folder that tests share.
  await writeFile(config, `${lines}unix_socket_dir =\n`);
  await Promise.all([chmod(users, 0o644), chmod(config, 0o644)]);
  // PgBouncer refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const bouncer = spawn("pgbouncer", ["-q", config], { stdio: ["ignore", "ignore", "pipe"], ...asRoot });
  const url = `postgresql://${username}:${password}@127.0.0.1:${ownPort}${pathname}`;
  await untilReady(bouncer, url);
  return {
    url,
    async stop() {
      const ended = once(bouncer, "exit");
      bouncer.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The first block of a guide: the configuration. */
async function exampleIn(guide: string): Promise<string> {
  const text = await readFile(fileURLToPath(new URL(`../../../${guide}`, import.meta.url)), "utf8");
  const [, block] = /^```\n([\s\S]*?)^```$/m.exec(text) ?? [];
  if (block === undefined) throw new Error(`${guide} has no block.`);
  return block;
}

async function untilReady(bouncer: ChildProcess, url: string): Promise<void> {
  let output = "";
  bouncer.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  const exited = once(bouncer, "exit").then(() => {
    throw new Error(`PgBouncer ended. Its output:\n${output}`);
  });
  exited.catch(() => {});
  const answers = async () => {
    for (;;) {
      const rows = await query(url, "SELECT 1").catch(() => undefined);
      if (rows !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.race([answers(), exited]);
}
