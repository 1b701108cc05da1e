import { execFile } from "node:child_process";
import { cp, mkdtemp } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Copies an app with a lockfile out of the repository, where it would also find the product's packages, and installs it
 * together with the packed element.
 * @returns the folder, which the global setup removes at the end of the run
 */
export async function installApp(source: string): Promise<string> {
  const tarball = String(process.env.BUNDLERS_TARBALL);
  const folder = await mkdtemp(join(dirname(tarball), `${basename(source)}-`));
  await cp(source, folder, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  const options = ["--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", tarball, ...options], { cwd: folder });
  return folder;
}
