import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const textOf = (path: string) => readFileSync(join(root, path), "utf8");

/** Every file of the repository, new ones included, by its path from the root. */
export function listFiles(): string[] {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
}
