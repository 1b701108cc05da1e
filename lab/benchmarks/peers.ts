import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what a benchmark compares with, in the benchmark's own folder, exactly as its lockfile says. Does nothing if that is done.
 * @returns the versions of its dependencies
 * @throws Error if npm cannot install them
 */
export function installPeers(folder: string): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  // npm writes this file at the end of an installation.
  const installed = modifiedAt(join(folder, "node_modules/.package-lock.json"));
  if (installed < modifiedAt(join(folder, "package-lock.json"))) {
    console.log("Installing the packages to compare with …");
    const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
    const { status, stderr } = spawnSync("npm", options, { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm could not install the packages of ${folder}:\n${stderr}`);
  }
  return dependencies;
}

/** 0 if there is no such file */
const modifiedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
