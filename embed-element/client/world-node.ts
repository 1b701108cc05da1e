import { createHash, randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Digest, readBlob } from "../shared/read-blob.js";
import { FilesError } from "./errors.js";
import { type LocalFile, realWorld, type World } from "./world.js";
import type { RecordStorage, StoredRecord } from "./world-storage.js";

export interface NodeWorldOptions {
  /**
   * A folder for the records of unfinished uploads, which is created if it is missing. Without one, nothing is remembered. A record can
   * continue its upload together with a token, so only the folder's owner may read it.
   */
  storage?: string;
}

/** Node: uploads files by their paths, and continues them when the program is started again. */
export function nodeWorld({ storage }: NodeWorldOptions = {}): World {
  return {
    ...realWorld,
    ...(storage !== undefined && { storage: folderStorage(storage) }),
    readBlob: (blob, algorithm) => readBlob(blob, algorithm, startMd5),
    openFile,
  };
}

async function openFile(path: string): Promise<LocalFile> {
  try {
    const [blob, { mtimeMs }] = await Promise.all([openAsBlob(path), stat(path)]);
    return Object.assign(blob, { name: basename(path), lastModified: Math.trunc(mtimeMs) });
  } catch (error) {
    throw new FilesError("unreadable", { message: String(error) });
  }
}

async function startMd5(): Promise<Digest> {
  const hash = createHash("md5");
  return {
    update: (bytes) => void hash.update(bytes),
    end: () => ({ checksum: null, md5: hash.digest("base64") }),
  };
}

/** Of a file that is not complete: a program was killed while it wrote it, or another one writes it now. */
const NEW = ".new";
/** Names of such files. The folder may hold files of others. */
const LEFTOVER = /\.json(\.[^.]+)?\.new$/;
/** No program takes so long to write a record. */
const MAX_NEW_AGE_MS = 60_000;

/** One file for each record, so that two programs with one folder do not overwrite each other's. */
function folderStorage(folder: string): RecordStorage {
  const pathOf = (id: string) => join(folder, `${encodeURIComponent(id)}.json`);
  let last: Promise<void> = Promise.resolve();
  /** One write after the other, as callers do not wait for them: a record that is deleted must not come back. */
  const inOrder = (write: () => Promise<void>) => {
    const written = last.then(write);
    last = written.catch(() => {});
    return written;
  };
  return {
    async all() {
      const names = await readdir(folder).catch(() => []);
      await Promise.all(names.map((name) => LEFTOVER.test(name) && removeLeftover(join(folder, name))));
      const records = names.filter((name) => name.endsWith(".json")).map((name) => read(join(folder, name)));
      return (await Promise.all(records)).filter((record) => record !== null);
    },
    put: (record) => {
      const text = JSON.stringify(record);
      return inOrder(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(pathOf(record.id), text);
      });
    },
    delete: (id) => inOrder(() => rm(pathOf(id), { force: true })),
    openChannel: () => null,
  };
}

/** What fails, and a program that is killed half way, leaves the file of before. Two that write the same record do not mix. */
async function replaceFile(path: string, text: string): Promise<void> {
  const written = `${path}.${randomUUID()}${NEW}`;
  try {
    const file = await open(written, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, path);
  } catch (error) {
    // Otherwise each write to a full disk would leave another one.
    await rm(written, { force: true }).catch(() => {});
    throw error;
  }
}

async function removeLeftover(path: string): Promise<void> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (realWorld.clock.date() - mtimeMs > MAX_NEW_AGE_MS) await rm(path, { force: true }).catch(() => {});
}

/** Null if it is gone meanwhile, or is no record. */
async function read(path: string): Promise<StoredRecord | null> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}
