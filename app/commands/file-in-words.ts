import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { codeOf } from "../error-text";

/** What a file is that a command was given. @throws Error that says in plain words why it cannot be read */
export async function fileInWords(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new Error(`There is no file ${path}.`);
    throw error;
  });
  if (stats.isDirectory()) throw new Error(`${path} is a folder.`);
  return stats;
}
