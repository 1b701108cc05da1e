import { mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../shared/error-text";

/**
 * Lets `work` write a file that appears under its name only once it is complete. If the disk is full or the process is killed, there is
 * still what there was before. Only this user can read the file, also once it is complete: what commands write has names and addresses in it.
 * @param path the file, which may exist
 * @param work gets the path of an empty file beside it, and a function that renames that file once it is complete
 * @throws Error if `path` is something else than a file
 */
export async function withUnfinishedFile<Result>(
  path: string,
  work: (unfinished: string, complete: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found !== undefined && !found.isFile()) throw new Error(`${path} is not a file.`);
  const folder = await mkdtemp(join(dirname(path), ".unfinished-"));
  const unfinished = join(folder, "file");
  try {
    await writeFile(unfinished, "", { mode: 0o600 });
    return await work(unfinished, () => rename(unfinished, path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
