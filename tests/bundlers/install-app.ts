import { execFile } from "node:child_process";
import { cp, mkdtemp } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Copies an app with a lockfile of its own out of the repository, where it would find the product's packages, too, and installs it with the packed package.
 * @returns the folder, which the run removes at its end
 */
export async function installApp(source: string): Promise<string> {
  const packed = String(process.env.BUNDLERS_APP);
  const folder = await mkdtemp(join(packed, "..", `${basename(source)}-`));
  await cp(source, folder, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd: folder,
  });
  const element = "node_modules/platform-embed-element";
  await cp(join(packed, element), join(folder, element), { recursive: true });
  return folder;
}
