/** One stack for each data folder: `<dataDir>/stack.lock` names the process that has it. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StackError } from "./addresses";
import { startOf } from "./process/process-table";

/**
 * Takes the folder for this process, and returns what gives it back. A lock whose process has gone is taken over.
 * @throws StackError when another stack is running from the folder
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, "stack.lock");
  const mine = `${process.pid} ${startOf(process.pid)}`;
  const take = () => writeFile(path, mine, { flag: "wx" });
  try {
    await take();
  } catch {
    const holder = await readFile(path, "utf8").catch(() => "");
    const [pid = ""] = holder.split(" ");
    if (holder === mine || (holder && holder === `${pid} ${startOf(Number(pid))}`)) {
      throw new StackError(
        `The local stack is already running here (process ${pid}). Stop it first; a second one needs a checkout and a LOCAL_PORT_OFFSET of its own.`,
      );
    }
    await rm(path, { force: true });
    await take();
  }
  return () => rm(path, { force: true });
}
