import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPortFree } from "../../../local/addresses";

/**
 * The range is above the local stack's ports and below the ephemeral ports (from 32768 on Linux). An outgoing connection could take an
 * ephemeral port before the program listens on it.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/** Contains one file for each claimed port, with the id of the process that claimed it. */
const folder = join(tmpdir(), "platform-embed-test-ports");
const claimed: string[] = [];
process.once("exit", () => {
  for (const file of claimed) rmSync(file, { force: true });
});

/**
 * Finds a free port of 127.0.0.1 for a program that needs a port number. No other test gets the port until this process ends. A
 * server inside the process listens on port 0 instead.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (claim(port) && (await isPortFree(port))) return port;
  }
}

/** Claims a name among all test processes of this machine. Returns whether this process has got it. */
export function claim(name: number | string): boolean {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(name));
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    claimed.push(file);
    return true;
  } catch {
    if (isStale(file)) rmSync(file, { force: true });
    return false;
  }
}

/** Whether the file's process was killed before it could remove the file. */
function isStale(file: string): boolean {
  try {
    // A file that is empty has just been created.
    process.kill(Number(readFileSync(file, "utf8")) || process.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
