/** The memory of a program and of everything that it has started. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

export const canMeasureMemory = process.platform === "linux";

/** Of a process and those below it, bytes; what they share is counted once. */
export function memoryOf(processId: number): number {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const sum = (id: number): number =>
    ownMemory(id) + (children.get(id) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(processId);
}

/** Null for a process that has ended meanwhile. */
function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function parentOf(id: string): number | null {
  const stat = read(`/proc/${id}/stat`);
  // The program's name, in brackets, may have spaces.
  const [, parent] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return parent === undefined ? null : Number(parent);
}

function ownMemory(id: number): number {
  const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${id}/smaps_rollup`) ?? "") ?? [];
  return Number(kilobytes) * 1_024;
}
