import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const textOf = (path: string) => readFileSync(join(root, path), "utf8");

/** The tests that a page names, as `file`: `title`, and those of them that do not exist. A title may be the part of it that does not vary. */
export function testsNamedBy(page: string): { named: string[]; missing: string[] } {
  const tests = [...textOf(page).matchAll(/`([\w-]+\/\S+\.tsx?)`: `([^`]+)`/g)];
  const missing = tests.filter(
    ([, file = "", title = ""]) => !existsSync(join(root, file)) || !textOf(file).includes(title),
  );
  return { named: tests.map(([named]) => named), missing: missing.map(([named]) => named) };
}

/** Every file of the repository, new ones included, by its path from the root. */
export function listFiles(): string[] {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
}
