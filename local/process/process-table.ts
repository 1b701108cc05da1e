/** Information about other processes: from /proc, or from `ps` if there is no /proc. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const hasProc = existsSync("/proc/self/stat");

/** The command and its arguments, separated by single spaces; undefined when there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  if (hasProc) return readProc(pid, "cmdline")?.replaceAll("\0", " ");
  return ps(pid, "command=");
}

/** The start time, which differs between two processes with the same number; undefined when there is no such process. */
export function startOf(pid: number): string | undefined {
  // The 22nd field of /proc/<pid>/stat. The second field is a name in brackets, which may contain spaces.
  if (hasProc) return readProc(pid, "stat")?.split(") ").at(-1)?.split(" ")[19];
  return ps(pid, "lstart=");
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  const { status, stdout } = spawnSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && stdout.trim() ? `${stdout.trim()} ` : undefined;
}
