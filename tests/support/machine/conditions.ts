/** The conditions under which something is measured, so that others can judge the figures. */
import { spawnSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

export interface Conditions {
  date: string;
  /** with `-dirty` if files differ from it; null outside of a Git checkout */
  commit: string | null;
  processor: string;
  cores: number;
  /** GB */
  memory: number;
  /** processes that wanted a core, on average of the minute before; on a quiet machine below 1 */
  load: number;
  system: string;
  node: string;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

export function readConditions(): Conditions {
  const git = spawnSync("git", ["describe", "--always", "--dirty", "--abbrev=12"], {
    cwd: root,
    encoding: "utf8",
  });
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    commit: git.status === 0 ? git.stdout.trim() : null,
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memory: Math.round(totalmem() / 1e9),
    load: Number((loadavg()[0] ?? Number.NaN).toFixed(1)),
    system: `${type()} ${release()}`,
    node: process.version,
  };
}
