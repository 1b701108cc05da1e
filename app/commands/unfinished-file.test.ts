import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withUnfinishedFile } from "./unfinished-file";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "unfinished-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("a file has its name once it is complete, and nothing else is left", async () => {
  const path = join(folder, "a.txt");
  await withUnfinishedFile(path, async (unfinished, complete) => {
    await writeFile(unfinished, "new");
    expect(await readdir(folder)).not.toContain("a.txt");
    await complete();
  });
  expect([await readdir(folder), await readFile(path, "utf8")]).toEqual([["a.txt"], "new"]);
});

it("only this user can read the file, also in place of one that others could read", async () => {
  const path = join(folder, "a.txt");
  for (const found of ["nothing", "a file"]) {
    await withUnfinishedFile(path, async (unfinished, complete) => {
      await writeFile(unfinished, "new");
      await complete();
    });
    expect([found, (await stat(path)).mode & 0o777]).toEqual([found, 0o600]);
    await chmod(path, 0o644);
  }
});

it("after an error, or without completion, the file is what it was", async () => {
  const path = join(folder, "a.txt");
  await writeFile(path, "old");
  const fail = withUnfinishedFile(path, async (unfinished) => {
    await writeFile(unfinished, "ne");
    throw new Error("no space left on device");
  });
  await expect(fail).rejects.toThrow("no space left on device");
  await withUnfinishedFile(path, (unfinished) => writeFile(unfinished, "new"));
  expect([await readdir(folder), await readFile(path, "utf8")]).toEqual([["a.txt"], "old"]);
});

it("what is not a file is not replaced", async () => {
  await mkdir(join(folder, "sub"));
  for (const path of [join(folder, "sub"), "/dev/null"])
    await expect(withUnfinishedFile(path, async () => {})).rejects.toThrow(`${path} is not a file.`);
  expect(await readdir(folder)).toEqual(["sub"]);
});
