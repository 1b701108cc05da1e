/** A disk that a test can fill. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { works } from "./installed";

export interface SmallDisk {
  folder: string;
  remove(): void;
}

/** Mounts a disk in memory. @returns undefined where this process may not mount anything */
export function mountSmallDisk(kibibytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "small-disk-"));
  const options = ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", folder];
  if (works("mount", ...options))
    return {
      folder,
      remove() {
        // Lazily: a process that was killed may not have closed its files yet.
        spawnSync("umount", ["--lazy", folder]);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  rmSync(folder, { recursive: true });
  return undefined;
}
