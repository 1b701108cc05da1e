import { execFile } from "node:child_process";
import { cp, mkdtemp } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Copies an app out of the repository, where it would also find the product's packages. What git ignores stays, such as `.env`,
 * packages and builds.
 * @returns the folder, which the global setup removes at the end of the run
 */
export async function copyApp(source: string): Promise<string> {
  const folder = await mkdtemp(join(dirname(tarballPath()), `${basename(source)}-`));
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const { stdout } = await run("git", list, { cwd: source });
  const ignored = new Set(
    stdout
      .split("\0")
      .filter(Boolean)
      .map((path) => resolve(source, path)),
  );
  await cp(source, folder, { recursive: true, filter: (path) => !ignored.has(resolve(path)) });
  return folder;
}

/** Copies an app with a lockfile as `copyApp` does, and installs it together with the packed element. */
export async function installApp(source: string): Promise<string> {
  const folder = await copyApp(source);
  const options = ["--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", tarballPath(), ...options], { cwd: folder });
  return folder;
}

function tarballPath(): string {
  return String(process.env.BUNDLERS_TARBALL);
}
