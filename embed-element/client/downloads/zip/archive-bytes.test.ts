import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  cutOff,
  reset,
  respondWith,
  type StoreForTests,
  startStore,
} from "../../../../tests/support/files/archive-store";
import { fromBufferPromise, readEntries, sha256 } from "../../../../tests/support/files/unzip";
import { notInstalled, works } from "../../../../tests/support/machine/installed";
import { FilesError } from "../../errors";
import { MIN_RETRIES, MIN_RETRYING_MS } from "../../retry";
import { type ArchiveProgress, archiveBytes } from "./archive-bytes";
import { listTree } from "./list-tree";
import { MAX_AHEAD_FILE_BYTES, MAX_CONCURRENT_FILES } from "./read-ahead";
import { zipLength } from "./zip-bytes";

/** It is not read ahead. */
const large = Uint8Array.from({ length: MAX_AHEAD_FILE_BYTES + 1 }, (_, index) => index % 251);
const files = { "a.txt": Buffer.from("first"), "b.bin": large, "c.txt": Buffer.from("third") };

/** Makes the archive, and reads it. */
async function archiveOf(
  store: StoreForTests,
  signal = new AbortController().signal,
  { reuseBuffer = false, stallTimeoutMs = 30 } = {},
) {
  const progress: ArchiveProgress[] = [];
  const chunks: Uint8Array[] = [];
  const tools = {
    ...store,
    reuseBuffer,
    stallTimeoutMs,
    onProgress: (now: ArchiveProgress) => progress.push({ ...now }),
  };
  for await (const chunk of archiveBytes(store.entries, tools, signal)) chunks.push(Uint8Array.from(chunk));
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).toBe(zipLength(store.entries));
  const entries = await readEntries(await fromBufferPromise(bytes));
  return { progress, hashes: Object.fromEntries(entries.map(({ name, sha256 }) => [name, sha256])) };
}

const intact = (contents: Record<string, Uint8Array> = files) =>
  Object.fromEntries(Object.entries(contents).map(([key, bytes]) => [key, sha256(bytes)]));

/** Has only the first requests for b.bin go wrong. */
const atFirst =
  (times: number, respond: NonNullable<StoreForTests["respond"]>): NonNullable<StoreForTests["respond"]> =>
  (request) =>
    request.key === "b.bin" && times-- > 0 ? respond(request) : undefined;

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error("It was completed.");
    },
    (error: unknown) => error,
  );

describe("an archive with changed names", () => {
  /** Names and sizes, as Python reads them; it also compares the checksums. */
  const readByPython = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[entry.filename, entry.file_size] for entry in archive.infolist()]))`;
  const words = {
    renamedFile: "Changed names.txt",
    renamedIntro: "Changed:",
    longFolder: "Long paths",
    visible: (name: string) => name,
  };

  async function archiveWithChangedNames() {
    const contents = {
      "CON.txt": Buffer.from("device"),
      "a:b?": Buffer.from("characters"),
      "trailing. ": Buffer.from("end"),
      "A.txt": Buffer.from("A"),
      "a.txt": Buffer.from("a"),
      empty: Buffer.alloc(0),
    };
    const store = startStore(contents);
    const lastModified = "2026-11-03T12:34:56.000Z";
    const listed = store.entries.map(({ key, size, etag }) => ({
      type: "file" as const,
      name: key,
      key,
      size,
      etag,
      lastModified,
    }));
    const never = new AbortController().signal;
    const list = async () => ({ rows: [], cursor: null });
    const listTools = { list, timing: store.timing, now: 0 };
    const { entries } = await listTree(listed, words, listTools, never);
    const chunks: Uint8Array[] = [];
    const progress: ArchiveProgress[] = [];
    const tools = { ...store, onProgress: (now: ArchiveProgress) => progress.push({ ...now }) };
    for await (const chunk of archiveBytes(entries, tools, never)) chunks.push(Uint8Array.from(chunk));
    expect(Buffer.concat(chunks).length).toBe(zipLength(entries));
    const files = entries.map(({ path, size }) => [path, size]);
    return { bytes: Buffer.concat(chunks), files, progress, signed: store.signed };
  }

  it("has the list of them, which is neither asked for nor counted", async () => {
    const { bytes, files, progress, signed } = await archiveWithChangedNames();
    const read = await readEntries(await fromBufferPromise(bytes, { strictFileNames: true }));
    expect(read.map(({ name, size }) => [name, size])).toEqual(files);
    expect(files.map(([path]) => path)).toEqual([
      "A.txt",
      "_CON.txt",
      "a (1).txt",
      "a_b_",
      "empty",
      "trailing__",
      "Changed names.txt",
    ]);
    expect(signed.flat()).not.toContain("");
    expect(progress.at(-1)).toMatchObject({ bytes: 6 + 10 + 3 + 1 + 1, files: 6 });
  });

  const programs = works("python3", "--version") && works("unzip", "-v");
  it(
    "is read by Python and by Info-ZIP",
    programs
      ? async () => {
          const { bytes, files } = await archiveWithChangedNames();
          const folder = mkdtempSync(join(tmpdir(), "archive-"));
          try {
            const path = join(folder, "archive.zip");
            writeFileSync(path, bytes);
            const run = (program: string, ...options: string[]) =>
              execFileSync(program, options, { encoding: "utf8" });
            expect(JSON.parse(run("python3", "-c", readByPython, path))).toEqual(files);
            expect(run("unzip", "-Z1", path).trim().split("\n")).toEqual(files.map(([name]) => name));
            run("unzip", "-tq", path);
          } finally {
            rmSync(folder, { recursive: true });
          }
        }
      : notInstalled("python3 unzip"),
  );
});

describe("an archive", () => {
  it("is read file by file with URLs that were asked for together, and tells how far it is", async () => {
    const store = startStore(files);
    const { hashes, progress } = await archiveOf(store);
    expect(hashes).toEqual(intact());
    expect(store.requests).toEqual(["a.txt", "c.txt", "b.bin"]);
    expect(store.signed).toEqual([["a.txt", "b.bin", "c.txt"]]);
    expect(progress.at(-1)).toEqual({ bytes: large.length + 10, files: 3, isRetrying: false });
    expect(store.waits).toEqual([]);
  });

  it("is the same when all is read into one buffer, or the store's bodies cannot be", async () => {
    const store = startStore(files);
    const never = new AbortController().signal;
    expect((await archiveOf(store, never, { reuseBuffer: true })).hashes).toEqual(intact());
    store.respond = ({ bytes }) => cutOff(bytes, bytes.length, () => Promise.resolve());
    expect((await archiveOf(store, never, { reuseBuffer: true })).hashes).toEqual(intact());
  });

  it("asks for nothing where a file is empty, and counts it", async () => {
    const store = startStore({ "empty.txt": Buffer.alloc(0), "a.txt": Buffer.from("x") });
    const { hashes, progress } = await archiveOf(store);
    expect(hashes).toEqual(intact({ "empty.txt": Buffer.alloc(0), "a.txt": Buffer.from("x") }));
    expect(store.requests).toEqual(["a.txt"]);
    expect(progress.at(-1)?.files).toBe(2);
  });
});

describe("small files", () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${100 + index}.txt`, Buffer.from(`file ${index}`)] as const),
  );

  it.each([
    ["into buffers of their own", false],
    ["into buffers that are used again", true],
  ])("are requested several at once, and are in the archive in their order, read %s", async (_, reuse) => {
    const store = startStore(many);
    let underWay = 0;
    let most = 0;
    // Those that were requested last respond first.
    const waiting: (() => void)[] = [];
    store.respond = async ({ bytes }) => {
      most = Math.max(most, ++underWay);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(() => waiting.pop()?.(), 0);
      });
      underWay--;
      return respondWith(bytes);
    };
    // A request that a busy machine delays is not given up here: the store would count it on.
    const options = { reuseBuffer: reuse, stallTimeoutMs: 30_000 };
    const { hashes, progress } = await archiveOf(store, undefined, options);
    expect(Object.keys(hashes)).toEqual(Object.keys(many));
    expect(hashes).toEqual(intact(many));
    expect(most).toBe(MAX_CONCURRENT_FILES);
    expect(store.requests).toEqual(Object.keys(many));
    expect(progress.at(-1)?.files).toBe(40);
  });

  it("are not requested further ahead while the browser does not read on", async () => {
    const store = startStore(many);
    const bytes = archiveBytes(store.entries, store, new AbortController().signal);
    await bytes.next();
    await bytes.next();
    await vi.waitFor(() => expect(store.requests.length).toBeGreaterThanOrEqual(MAX_CONCURRENT_FILES));
    await bytes.return();
    expect(store.requests.length).toBe(MAX_CONCURRENT_FILES);
  });

  it("whose request ahead fails are read again when it is their turn", async () => {
    const store = startStore(many);
    const failed = new Set<string>();
    store.respond = ({ key }) => {
      if (failed.has(key)) return undefined;
      failed.add(key);
      return new Response(null, { status: 503 });
    };
    expect((await archiveOf(store)).hashes).toEqual(intact(many));
    // Nobody waited for a request ahead.
    expect(store.waits).toEqual([]);
    expect(store.requests.length).toBe(80);
  });

  it("that are gone fail the archive when it is their turn, with their name", async () => {
    const store = startStore(many);
    store.respond = ({ key }) => (key === "104.txt" ? new Response(null, { status: 404 }) : undefined);
    const names: number[] = [];
    const bytes = archiveBytes(
      store.entries,
      { ...store, onProgress: ({ files }) => names.push(files) },
      new AbortController().signal,
    );
    const reading = (async () => {
      for await (const _ of bytes);
    })();
    expect(await problemOf(reading)).toMatchObject({ code: "not_found", path: "104.txt" });
    expect(names.at(-1)).toBe(4);
  });
});

describe("a connection that breaks", () => {
  it("continues where it was, with a new URL, and only if the file is the same", async () => {
    const store = startStore(files);
    const conditions: (string | null)[] = [];
    store.respond = atFirst(3, ({ bytes, headers }) => {
      conditions.push(headers.get("If-Match"));
      return cutOff(bytes, 10_000, reset, headers.has("Range") ? 206 : 200);
    });
    const { hashes, progress } = await archiveOf(store);
    expect(hashes).toEqual(intact());
    expect(store.requests).toEqual([
      "a.txt",
      "c.txt",
      "b.bin",
      "b.bin bytes=10000-",
      "b.bin bytes=20000-",
      "b.bin bytes=30000-",
    ]);
    expect(conditions).toEqual([null, '"v1"', '"v1"']);
    expect(store.signed.slice(1)).toEqual(Array(3).fill(["b.bin", "c.txt"]));
    // Bytes came each time, so each pause is one after a first failure.
    expect(store.waits).toEqual([500, 500, 500]);
    expect(progress.map(({ isRetrying }) => isRetrying)).toContain(true);
    expect(progress.at(-1)?.isRetrying).toBe(false);
  });

  it("silently, or by an early end that looks complete, is one too", async () => {
    for (const then of [() => new Promise<void>(() => {}), () => Promise.resolve()]) {
      const store = startStore(files);
      store.respond = atFirst(1, ({ bytes }) => cutOff(bytes, 20_000, then));
      expect((await archiveOf(store)).hashes).toEqual(intact());
      expect(store.requests[3]).toBe("b.bin bytes=20000-");
    }
  });

  it("continues also with a store that knows no ranges, and one that lists no ETag", async () => {
    const store = startStore(files);
    store.entries = store.entries.map((entry) => ({ ...entry, etag: "" }));
    let condition: string | null = null;
    store.respond = ({ key, headers }) => {
      if (key !== "b.bin") return undefined;
      condition = headers.get("If-Unmodified-Since");
      const modified = { "Last-Modified": "Tue, 03 Nov 2026 12:00:00 GMT" };
      if (headers.has("Range")) return respondWith(large, 200, modified);
      const response = cutOff(large, 20_000, reset);
      response.headers.set("Last-Modified", modified["Last-Modified"]);
      return response;
    };
    expect((await archiveOf(store)).hashes).toEqual(intact());
    expect(condition).toBe("Tue, 03 Nov 2026 12:00:00 GMT");
  });

  it("is given up when nothing comes for minutes, not before", async () => {
    const store = startStore(files);
    store.respond = atFirst(1_000, () => Promise.reject(new TypeError("network error")));
    const problem = await problemOf(archiveOf(store));
    expect(problem).toBeInstanceOf(FilesError);
    expect(problem).toMatchObject({ code: "unreachable", path: "b.bin" });
    expect(store.waits.length).toBeGreaterThan(MIN_RETRIES);
    expect(store.timing.now()).toBeGreaterThanOrEqual(MIN_RETRYING_MS);
    expect(store.timing.now()).toBeLessThan(2 * MIN_RETRYING_MS);
  });
});

describe("a store", () => {
  it("that is busy is asked again, not before it says", async () => {
    const store = startStore(files);
    store.respond = atFirst(1, () => new Response(null, { status: 503, headers: { "Retry-After": "7" } }));
    expect((await archiveOf(store)).hashes).toEqual(intact());
    expect(store.waits).toEqual([7_000]);
  });

  it("that refuses a URL gets a new one at once, one time", async () => {
    const store = startStore(files);
    store.respond = atFirst(1, () => new Response(null, { status: 403 }));
    expect((await archiveOf(store)).hashes).toEqual(intact());
    expect(store.waits).toEqual([]);
    expect(store.signed.length).toBe(2);

    store.respond = atFirst(2, () => new Response(null, { status: 403 }));
    const problem = await problemOf(archiveOf(store));
    expect(problem).toMatchObject({ code: "denied", path: "b.bin" });
  });

  it.each([
    [404, "not_found"],
    [412, "changed"],
    [416, "changed"],
    [302, "failed"],
  ])("that responds %i fails the archive with the file's name", async (status, code) => {
    const store = startStore(files);
    store.respond = atFirst(1, () => new Response(null, { status }));
    const problem = await problemOf(archiveOf(store));
    expect(problem).toMatchObject({ code, path: "b.bin" });
    expect(store.waits).toEqual([]);
  });

  it("whose file is not as long as it was listed never completes the archive", async () => {
    const store = startStore(files);
    store.respond = atFirst(1, () => respondWith(large.subarray(1)));
    expect(await problemOf(archiveOf(store))).toMatchObject({ code: "changed", path: "b.bin" });
    // Where the length cannot be read, the bytes tell.
    store.respond = atFirst(1, () => new Response(new Uint8Array(large.length + 1)));
    expect(await problemOf(archiveOf(store))).toMatchObject({ code: "changed", path: "b.bin" });
  });
});

describe("signing", () => {
  it("is done again when the URLs in hand have run out", async () => {
    const store = startStore(files);
    const { sign } = store;
    store.sign = async (keys, signal) => ({ ...(await sign(keys, signal)), validForMs: 0 });
    await archiveOf(store);
    expect(store.signed).toEqual([["a.txt", "b.bin", "c.txt"], ["c.txt"], ["b.bin", "c.txt"]]);
  });

  it("is done for a hundred small files at a time, and for each large one by itself", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`${index}`, Buffer.of(index)] as const),
    );
    const store = startStore(many);
    await archiveOf(store);
    expect(store.signed.map(({ length }) => length)).toEqual([100, 100, 50]);

    const two = startStore({ a: new Uint8Array(33 * 2 ** 20), b: new Uint8Array(33 * 2 ** 20) });
    await archiveOf(two);
    expect(two.signed).toEqual([["a"], ["b"]]);
  });

  it("that fails for a while is tried again; one that cannot succeed ends it", async () => {
    const store = startStore(files);
    const { sign } = store;
    let failures = ["unavailable", "offline"] as ("unavailable" | "offline")[];
    store.sign = (keys, signal) => {
      const code = failures.pop();
      return code ? Promise.reject(new FilesError(code)) : sign(keys, signal);
    };
    expect((await archiveOf(store)).hashes).toEqual(intact());
    expect(failures).toEqual([]);

    failures = [];
    store.sign = () => Promise.reject(new FilesError("session_ended", { requestId: "r1" }));
    const problem = await problemOf(archiveOf(store));
    expect(problem).toMatchObject({ code: "session_ended", requestId: "r1" });
  });
});

it("what is cancelled ends its request, and rejects with the reason", async () => {
  const store = startStore(files);
  const abort = new AbortController();
  let ended = false;
  store.respond = atFirst(1, ({ bytes, signal }) => {
    signal.addEventListener("abort", () => {
      ended = true;
    });
    setTimeout(() => abort.abort(new Error("cancelled")), 1);
    return cutOff(bytes, 10, () => new Promise(() => {}));
  });
  expect(await problemOf(archiveOf(store, abort.signal))).toMatchObject({ message: "cancelled" });
  expect(ended).toBe(true);
});

it("what is read no further ends its request", async () => {
  const store = startStore(files);
  let ended = false;
  store.respond = atFirst(1, ({ bytes, signal }) => {
    signal.addEventListener("abort", () => {
      ended = true;
    });
    return cutOff(bytes, 10, () => new Promise(() => {}));
  });
  const bytes = archiveBytes(store.entries, store, new AbortController().signal);
  let chunks = 0;
  // The bytes of a.txt are the second chunk, those of b.bin the fifth.
  for await (const _ of bytes) if (++chunks === 5) break;
  expect(ended).toBe(true);
});
