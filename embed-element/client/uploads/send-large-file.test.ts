/** In one file, because all of it is played against the store below, which keeps parts. */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type FakeOperations, fakeCall } from "../../../tests/support/files/fake-call";
import type { ChecksumAlgorithm } from "../../shared/checksums";
import { Crc, crcToBase64 } from "../../shared/crc";
import { type BlobReader, readBlob } from "../../shared/read-blob";
import { FilesError } from "../errors";
import { realWorld } from "../world";
import { phaseOf, type Upload, type UploadedFile, type UploadPhase } from "./upload";
import { createSendTools, NOTIFY_INTERVAL_MS, UploadQueue } from "./upload-queue";
import type { UploadRecord, UploadRecords } from "./upload-records";
import { createStorageTarget } from "./upload-target";

const MiB = 1024 ** 2;
/** bytes; the largest file of one request has four */
const PART = 4 * MiB;
const PARTS = 5;

interface StoredUpload {
  handle: string;
  name: string;
  size: number;
  parts: Map<number, Uint8Array>;
}

const said = (code: string) => new FilesError(code, { status: 409 });

/** A store with multipart uploads, behind the endpoints as the page calls them. */
class PartStore {
  uploads = new Map<string, StoredUpload>();
  files = new Map<string, Uint8Array>();
  /** what happens to the next requests that send a part; those beyond go well */
  faults: ("unavailable" | "reset" | "damaged" | "forbidden" | "gone" | "hang")[] = [];
  /** what completing responds first */
  completions: string[] = [];
  puts: number[] = [];
  aborted: string[] = [];
  pauses = 0;
  algorithm: ChecksumAlgorithm | null = "CRC64NVME";
  /** what it compares bytes with if there is no algorithm */
  integrity: "contentMd5" | null = "contentMd5";
  now = 0;
  /** it tells of unfinished uploads */
  finds = false;
  /** the token names no visitor */
  ownerUnknown = false;

  readonly operations = {
    "multipart/create": async ({ fileName, size, ifNoneMatch }) => {
      if (ifNoneMatch && this.files.has(fileName)) throw said("name_taken");
      const handle = `handle-${this.uploads.size + 1}`;
      this.uploads.set(handle, { handle, name: fileName, size, parts: new Map() });
      return {
        upload: handle,
        key: fileName,
        partSize: PART,
        partCount: Math.ceil(size / PART),
        checksum: this.algorithm,
        integrity: this.algorithm === null ? this.integrity : ("checksum" as const),
      };
    },
    "multipart/find": async ({ fileName, size }) => {
      const found = [...this.uploads.values()].find((one) => one.name === fileName && one.size === size);
      if (!this.finds || !found) return { upload: null };
      return {
        upload: found.handle,
        key: fileName,
        partSize: PART,
        partCount: Math.ceil(size / PART),
        checksum: this.algorithm,
        integrity: "checksum" as const,
        arrived: found.parts.size * PART,
        ownerUnknown: this.ownerUnknown,
      };
    },
    "multipart/sign": async ({ upload: handle, parts }) => ({
      parts: parts.map(({ number, ...digests }) => ({
        number,
        url: `${handle}/${number}`,
        headers: Object.fromEntries(Object.entries(digests).filter(([, value]) => value !== undefined)),
      })),
      expiresAt: 300,
      serverTime: 0,
    }),
    "multipart/list": async ({ upload: handle }) => ({
      parts: [...this.#find(handle).parts].map(([number, bytes]) => ({
        number,
        size: bytes.length,
        checksum: this.algorithm === null ? undefined : this.sumOf(bytes),
      })),
    }),
    "multipart/complete": async ({ upload: handle, checksum, overwrite }) => {
      const fault = this.completions.shift();
      if (fault === "unavailable") throw new FilesError("unavailable");
      if (fault !== undefined) throw said(fault);
      const { name, size, parts } = this.#find(handle);
      if (this.files.has(name) && !overwrite) throw said("name_taken");
      const bytes = new Uint8Array(size);
      for (const [number, part] of parts) bytes.set(part, (number - 1) * PART);
      if (parts.size !== Math.ceil(size / PART)) throw said("upload_incomplete");
      if (checksum !== undefined && checksum !== this.sumOf(bytes)) throw said("checksum_mismatch");
      this.files.set(name, bytes);
      return { bucket: "b", key: name, size, etag: "" };
    },
    "multipart/abort": async ({ upload: handle }) => {
      this.aborted.push(handle);
      return { aborted: true as boolean };
    },
  } satisfies FakeOperations;

  /** The upload has become a file, as if the response had been lost, and it has no parts any more. */
  complete(handle: string, name: string, stored: Uint8Array): void {
    this.uploads.delete(handle);
    this.files.set(name, stored);
    const complete = this.operations["multipart/complete"];
    this.operations["multipart/complete"] = async (request) => {
      if (request.upload !== handle) return complete(request);
      const isSame = request.checksum === undefined || request.checksum === this.sumOf(stored);
      if (!isSame) throw said("checksum_mismatch");
      return { bucket: "b", key: name, size: stored.length, etag: "" };
    };
  }

  readonly call = fakeCall(this.operations);

  sumOf(bytes: Uint8Array): string {
    const algorithm = this.algorithm ?? "CRC32";
    const checksum = new Crc(algorithm);
    checksum.update(bytes);
    return crcToBase64(algorithm, checksum.value);
  }

  put = async (
    { url, headers }: { url: string; headers: Record<string, string> },
    body: Blob,
    onProgress: (sent: number) => void,
    signal: AbortSignal,
  ) => {
    const [handle = "", number = "0"] = url.split("/");
    const bytes = new Uint8Array(await body.arrayBuffer());
    this.puts.push(Number(number));
    onProgress(bytes.length);
    const fault = this.faults.shift();
    if (fault === "hang") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    if (fault === "unavailable") throw new FilesError("unavailable");
    if (fault === "reset") throw new FilesError("unreachable");
    if (fault === "forbidden") return "forbidden" as const;
    if (fault === "gone") throw new FilesError("not_found");
    const stored = bytes.slice();
    if (fault === "damaged") stored[5] = (stored[5] ?? 0) ^ 1;
    const isDamaged = headers.checksum !== undefined && headers.checksum !== this.sumOf(stored);
    if (isDamaged || (headers.contentMd5 !== undefined && headers.contentMd5 !== md5Of(stored))) {
      throw new FilesError("damaged");
    }
    this.#find(handle).parts.set(Number(number), stored);
    return "done" as const;
  };

  #find(handle: string): StoredUpload {
    const upload = this.uploads.get(handle);
    if (!upload) throw said("upload_not_found");
    return upload;
  }
}

const md5Of = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("base64");

/** What a browser remembers, without a browser. */
class Remembered {
  isRemembering = true;
  uploads = new Map<string, UploadRecord>();
  claimed = new Set<string>();

  async find() {
    return [...this.uploads.values()];
  }
  keep(upload: UploadRecord) {
    this.uploads.set(upload.id, { ...upload });
  }
  forget(id: string) {
    this.uploads.delete(id);
  }
  async claim(id: string) {
    if (this.claimed.has(id)) return null;
    this.claimed.add(id);
    return () => this.claimed.delete(id);
  }
}

const readWithMd5: BlobReader = (blob, algorithm) =>
  readBlob(blob, algorithm, async () => {
    const hash = createHash("md5");
    return {
      update: (bytes) => void hash.update(bytes),
      end: () => ({ checksum: null, md5: hash.digest("base64") }),
    };
  });

/** A page with its queue. */
class Page {
  arrived: UploadedFile[] = [];
  failed: Upload[] = [];
  isVerified = true;
  onPublish = () => {};
  readonly queue: UploadQueue;

  constructor(store: PartStore, remembered: Remembered, read: BlobReader = readWithMd5) {
    const { call } = store;
    this.queue = new UploadQueue({
      bucket: "b",
      options: { contentTypeOf: () => "video/mp4" },
      records: remembered as unknown as UploadRecords,
      tools: {
        ...createSendTools(realWorld, {
          call,
          target: createStorageTarget(call),
          diagnose: async () => new FilesError("unreachable"),
          platformNow: () => 0,
        }),
        put: store.put,
        read,
        timing: {
          random: () => 0.5,
          now: () => store.now,
          wait: async (milliseconds) => {
            store.pauses++;
            store.now += milliseconds;
          },
        },
      },
      publish: ({ isVerified }) => {
        this.isVerified = isVerified;
        this.onPublish();
      },
      onUploaded: (files) => this.arrived.push(...files),
      onFailed: (upload) => this.failed.push(upload),
    });
  }

  add(file: File): void {
    this.queue.add([{ file, name: file.name, folderPath: "/" }]);
  }

  get upload(): Upload {
    const [upload] = this.queue.getUploads();
    if (!upload) throw new Error("There is no upload.");
    return upload;
  }

  async until(phase: UploadPhase): Promise<void> {
    await vi.waitFor(() => expect(phaseOf(this.upload)).toBe(phase), { timeout: 10_000 });
  }
}

/** Bytes of which no two parts are alike. */
function bytesOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index += 997) bytes[index] = (index * seed) % 251;
  return bytes;
}

const fileOf = (bytes: Uint8Array<ArrayBuffer>, lastModified = 1_000) =>
  new File([bytes], "film.mp4", { lastModified });

let store: PartStore;
let remembered: Remembered;
let page: Page;
const bytes = bytesOf(4 * PART + 1234);

beforeEach(() => {
  store = new PartStore();
  remembered = new Remembered();
  page = new Page(store, remembered);
});

function expectWhole(expected = bytes): void {
  expect(Buffer.from(store.files.get("film.mp4") ?? []).equals(Buffer.from(expected))).toBe(true);
}

test("sends a large file in parts, intact, and forgets it when it is complete", async () => {
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
  expect(store.puts.sort()).toEqual([1, 2, 3, 4, 5]);
  await vi.waitFor(() => expect(page.arrived).toHaveLength(1), { timeout: 15_000 });
  expect(page.arrived[0]).toMatchObject({
    key: "film.mp4",
    checksum: { algorithm: "CRC64NVME", value: store.sumOf(bytes) },
  });
  expect(remembered.uploads.size).toBe(0);
  expect(remembered.claimed.size).toBe(0);
});

test("an attempt that goes on after it was paused does not keep the next one from being made", async () => {
  const create = store.operations["multipart/create"];
  let respond = () => {};
  const responded = new Promise<void>((resolve) => {
    respond = resolve;
  });
  let isCreating = false;
  store.operations["multipart/create"] = async (request) => {
    isCreating = true;
    await responded;
    return create(request);
  };
  page.add(fileOf(bytes));
  await vi.waitFor(() => expect(isCreating).toBe(true));
  page.queue.pause(page.upload.id);
  page.queue.retry(page.upload.id);
  respond();
  await page.until("done");
  expectWhole();
});

test.each(["CRC64NVME", "CRC32", null] as const)("the file is intact with %s", async (algorithm) => {
  store.algorithm = algorithm;
  store.faults = ["damaged"];
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
  expect([store.puts.length, store.pauses]).toEqual([6, 1]);
  await vi.waitFor(() => expect(page.isVerified).toBe(true));
});

test("says so if the store compares nothing", async () => {
  store.algorithm = null;
  store.integrity = null;
  page.add(fileOf(bytes));
  await page.until("done");
  await vi.waitFor(() => expect(page.isVerified).toBe(false));
});

test("says so if the store compares MD5s, and the browser cannot compute them", async () => {
  store.algorithm = null;
  page = new Page(store, remembered, async (body) => ({ body, checksum: null, md5: null }));
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
  await vi.waitFor(() => expect(page.isVerified).toBe(false));
});

test("sends only failed parts again", async () => {
  store.faults = ["unavailable", "reset", "forbidden", "damaged", "reset"];
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
  expect(store.puts).toHaveLength(PARTS + 5);
  expect(store.pauses, "a stale URL waits for nothing").toBe(4);
});

test("a part that is damaged on the way is refused by the store and sent again", async () => {
  store.faults = Array.from({ length: 12 }, () => "damaged" as const);
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
});

test("progress counts stored bytes and those being sent, and never exceeds the file's size", async () => {
  const seen: number[] = [];
  page.onPublish = () => seen.push(page.upload.sent);
  store.faults = ["reset", "reset"];
  page.add(fileOf(bytes));
  await page.until("done");
  expect(Math.max(...seen, page.upload.sent)).toBe(bytes.length);
});

describe("completing", () => {
  test("is retried while the store is busy", async () => {
    store.completions = ["unavailable", "unavailable"];
    page.add(fileOf(bytes));
    await page.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(PARTS);
  });

  test("sends parts that the store has lost", async () => {
    store.completions = ["upload_incomplete"];
    const complete = store.operations["multipart/complete"];
    let isFirst = true;
    store.operations["multipart/complete"] = async (request) => {
      if (isFirst) store.uploads.get("handle-1")?.parts.delete(3);
      isFirst = false;
      return complete(request);
    };
    page.add(fileOf(bytes));
    await page.until("done");
    expectWhole();
    expect(store.puts.filter((number) => number === 3)).toHaveLength(2);
    expect(store.puts).toHaveLength(PARTS + 1);
  });

  test("sends a part again if the store has another one", async () => {
    const complete = store.operations["multipart/complete"];
    let isFirst = true;
    store.operations["multipart/complete"] = async (request) => {
      if (!isFirst) return complete(request);
      isFirst = false;
      store.uploads.get("handle-1")?.parts.set(2, bytesOf(PART, 9));
      throw said("upload_incomplete");
    };
    page.add(fileOf(bytes));
    await page.until("done");
    expectWhole();
    expect(store.puts.filter((number) => number === 2)).toHaveLength(2);
    expect(store.puts).toHaveLength(PARTS + 1);
  });

  test("gives up if the store keeps losing parts, and sends only those when it is tried again", async () => {
    const complete = store.operations["multipart/complete"];
    let losses = 3;
    store.operations["multipart/complete"] = async (request) => {
      if (losses-- > 0) store.uploads.get("handle-1")?.parts.delete(3);
      return complete(request);
    };
    page.add(fileOf(bytes));
    await page.until("failed");
    expect(store.puts).toHaveLength(PARTS + 2);
    page.queue.retry(page.upload.id);
    await page.until("done");
    expectWhole();
    expect(store.puts.filter((number) => number === 3)).toHaveLength(4);
    expect(store.puts).toHaveLength(PARTS + 3);
    expect(store.uploads.size).toBe(1);
  });

  test.each(["upload_conflict", "checksum_mismatch", "upload_not_found", "invalid_request"])(
    "starts over after %s, and gives up when that continues",
    async (code) => {
      store.completions = [code];
      page.add(fileOf(bytes));
      await page.until("done");
      expectWhole();
      expect(store.uploads.size).toBe(2);
      expect(store.aborted).toEqual(["handle-1"]);
      store.files.clear();
      store.completions = [code, code, code];
      const other = new Page(store, remembered);
      other.add(fileOf(bytes));
      await other.until("failed");
    },
  );

  test("asks about a name that was taken meanwhile, and replaces the file without sending it again", async () => {
    const created = store.operations["multipart/create"];
    store.operations["multipart/create"] = async (request) => {
      const upload = await created(request);
      store.files.set("film.mp4", bytesOf(1));
      return upload;
    };
    page.add(fileOf(bytes));
    await page.until("conflict");
    expect(store.puts).toHaveLength(PARTS);
    page.queue.answer(page.upload.id, "replace");
    await page.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(PARTS);
  });
});

test("asks about a taken name before a byte is sent", async () => {
  store.files.set("film.mp4", bytesOf(1));
  page.add(fileOf(bytes));
  await page.until("conflict");
  expect(store.puts).toEqual([]);
  page.queue.answer(page.upload.id, "keep-both");
  await page.until("done");
  expect(store.files.get("film (1).mp4")?.length).toBe(bytes.length);
});

test("starts again if the store has dropped the upload", async () => {
  store.faults = ["gone"];
  page.add(fileOf(bytes));
  await page.until("done");
  expectWhole();
  expect(store.uploads.size).toBe(2);
});

test("a cancelled upload is aborted at the store and forgotten", async () => {
  store.faults = ["hang", "hang", "hang"];
  page.add(fileOf(bytes));
  await vi.waitFor(() => expect(store.puts).toHaveLength(3), { timeout: 15_000 });
  expect(remembered.uploads.size).toBe(1);
  page.queue.cancel(page.upload.id);
  await vi.waitFor(() => expect(store.aborted).toEqual(["handle-1"]), { timeout: 15_000 });
  expect(remembered.uploads.size).toBe(0);
  page.queue.retry(page.upload.id);
  await page.until("done");
  expectWhole();
});

describe("an upload that the store has completed, while the response is lost,", () => {
  /** what was asked to be completed */
  let completed: string[];
  let lose: (error: unknown) => void;
  /** ends the wait of requests to abort it */
  let respond: () => void;

  beforeEach(async () => {
    completed = [];
    const { "multipart/complete": complete } = store.operations;
    store.operations["multipart/complete"] = async (request) => {
      completed.push(request.upload);
      if (completed.length > 1) return { bucket: "b", key: "film.mp4", size: bytes.length, etag: "" };
      await complete(request);
      return new Promise((_, reject) => {
        lose = reject;
      });
    };
    const responded = new Promise<void>((resolve) => {
      respond = resolve;
    });
    store.operations["multipart/abort"] = async ({ upload }) => {
      store.aborted.push(upload);
      if (upload !== "handle-1") return { aborted: true };
      await responded;
      return { aborted: false };
    };
    page.add(fileOf(bytes));
    await vi.waitFor(() => expect(store.files.size).toBe(1), { timeout: 15_000 });
  });

  const cancelTooLate = () => {
    page.queue.cancel(page.upload.id);
    lose(new DOMException("The request was aborted.", "AbortError"));
  };

  test("is done if it is cancelled then", async () => {
    cancelTooLate();
    respond();
    await page.until("done");
    await vi.waitFor(() => expect(page.arrived.map(({ key }) => key)).toEqual(["film.mp4"]));
    expect(page.arrived[0]?.checksum).toEqual({ algorithm: "CRC64NVME", value: store.sumOf(bytes) });
  });

  test("is completed once more if it is cancelled then, so that its target learns what the response said", async () => {
    cancelTooLate();
    respond();
    await page.until("done");
    expect(completed).toEqual(["handle-1", "handle-1"]);
  });

  test("stays cancelled if another file is being sent instead, and that is cancelled", async () => {
    cancelTooLate();
    await vi.waitFor(() => expect(store.aborted).toEqual(["handle-1"]));
    page.queue.retry(page.upload.id, fileOf(bytesOf(bytes.length + 1)));
    page.queue.cancel(page.upload.id);
    respond();
    await new Promise((resolve) => setTimeout(resolve, 3 * NOTIFY_INTERVAL_MS));
    expect([page.upload.status, page.arrived]).toEqual(["cancelled", []]);
  });

  test("is told as a file if it has failed, and is removed from the list", async () => {
    lose(new FilesError("failed"));
    await page.until("failed");
    page.queue.cancel(page.upload.id);
    respond();
    await vi.waitFor(() =>
      expect(page.arrived).toMatchObject([{ key: "film.mp4", upload: { status: "done", error: null } }]),
    );
    expect(page.queue.getUploads()).toEqual([]);
  });
});

test("a paused upload keeps its stored parts", async () => {
  store.faults = ["hang"];
  page.add(fileOf(bytes));
  await vi.waitFor(() => expect(store.uploads.get("handle-1")?.parts.size).toBe(PARTS - 1), {
    timeout: 15_000,
  });
  page.queue.pause(page.upload.id);
  await vi.waitFor(() => expect(page.upload.status).toBe("paused"), { timeout: 15_000 });
  expect(page.upload.sent).toBeGreaterThan(PART * 3);
  page.queue.retry(page.upload.id);
  await page.until("done");
  expectWhole();
  expect(store.puts, "one part twice").toHaveLength(PARTS + 1);
  expect(store.aborted).toEqual([]);
});

describe("a file that became unreadable while it was sent, and is chosen again,", () => {
  const other = bytesOf(bytes.length, 3);

  /** Two parts are stored, and the others cannot be read. */
  const failHalfWay = async (algorithm: ChecksumAlgorithm | null) => {
    store.algorithm = algorithm;
    const stored = () => store.uploads.get("handle-1")?.parts.size;
    let reads = 0;
    page = new Page(store, remembered, async (body, digest) => {
      reads++;
      if (reads <= 2 || reads > PARTS) return readWithMd5(body, digest);
      await vi.waitFor(() => expect(stored()).toBe(2), { timeout: 10_000 });
      throw new DOMException("The file has changed.", "NotReadableError");
    });
    page.add(fileOf(bytes));
    await page.until("failed");
    expect([page.upload.error?.code, stored(), reads]).toEqual(["unreadable", 2, PARTS]);
  };

  test.each(["CRC64NVME", null] as const)(
    "is sent from its beginning if it was changed, with %s",
    async (algorithm) => {
      await failHalfWay(algorithm);
      page.queue.retry(page.upload.id, fileOf(other, 2_000));
      await page.until("done");
      expectWhole(other);
      expect(store.aborted).toEqual(["handle-1"]);
    },
  );

  test.each(["CRC64NVME", null] as const)("continues if it is the same, with %s", async (algorithm) => {
    await failHalfWay(algorithm);
    page.queue.retry(page.upload.id, fileOf(bytes));
    await page.until("done");
    expectWhole();
    expect([store.uploads.size, store.aborted]).toEqual([1, []]);
  });
});

describe("after the tab was killed", () => {
  let later: Page;

  beforeEach(async () => {
    store.faults = ["hang", "hang"];
    page.add(fileOf(bytes));
    await vi.waitFor(() => expect(store.uploads.get("handle-1")?.parts.size).toBe(PARTS - 2), {
      timeout: 15_000,
    });
    await vi.waitFor(async () => expect([...remembered.uploads.values()][0]?.arrived).toBeGreaterThan(0), {
      timeout: 15_000,
    });
    remembered.claimed.clear();
    store.puts = [];
    later = new Page(store, remembered);
    await later.queue.restore();
  });

  test("the upload is shown with its progress", () => {
    const [upload] = later.queue.getUploads();
    expect(upload).toMatchObject({ question: { about: "file" }, name: "film.mp4", size: bytes.length });
    expect(upload?.sent).toBeGreaterThanOrEqual(2 * PART);
  });

  test("dropping the same file sends only the missing parts", async () => {
    later.add(fileOf(bytes));
    await later.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(2);
    expect(later.queue.getUploads()).toHaveLength(1);
    expect(remembered.uploads.size).toBe(0);
  });

  test("choosing the file works, too, even under another name", async () => {
    const renamed = new File([bytes], "renamed.mp4", { lastModified: 2 });
    later.queue.answer(later.upload.id, renamed);
    await later.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(2);
  });

  test("another file of the same size is recognized by its checksum before anything is sent", async () => {
    later.queue.answer(later.upload.id, fileOf(bytesOf(bytes.length, 3)));
    await vi.waitFor(() => expect(later.upload.error?.code).toBe("different_file"), { timeout: 10_000 });
    expect(phaseOf(later.upload)).toBe("file");
    expect(store.puts).toEqual([]);
    later.queue.answer(later.upload.id, fileOf(bytes));
    await later.until("done");
    expectWhole();
  });

  test("a file is compared whole, whatever parts the one before it had in common with the stored ones", async () => {
    const changedAt = (index: number) => {
      const changed = bytes.slice();
      changed[index] = (changed[index] ?? 0) + 1;
      return fileOf(changed);
    };
    for (const index of [bytes.length - 1, 2 * PART]) {
      later.queue.answer(later.upload.id, changedAt(index));
      expect(later.upload.error).toBeNull();
      await vi.waitFor(() => expect(later.upload.error?.code).toBe("different_file"), { timeout: 10_000 });
    }
    expect(store.puts).toEqual([]);
    later.queue.answer(later.upload.id, fileOf(bytes));
    await later.until("done");
    expectWhole();
  });

  test("everybody who has added the file hears of its end", async () => {
    const added = () => later.queue.add([{ file: fileOf(bytes), name: "film.mp4", folderPath: "/" }]);
    const other = fileOf(bytesOf(bytes.length, 3));
    const [early] = later.queue.add([{ file: other, name: "film.mp4", folderPath: "/" }]);
    await vi.waitFor(() => expect(later.upload.error?.code).toBe("different_file"), { timeout: 10_000 });
    const [late] = added();
    expect((await Promise.all([early, late])).map((upload) => upload?.status)).toEqual(["done", "done"]);
    expect(later.queue.getUploads()).toHaveLength(1);
  });

  test("ends as done if the upload was complete, and only its response was lost", async () => {
    store.complete([...remembered.uploads.values()][0]?.handle ?? "", "film.mp4", bytes);
    const sent = store.puts.length;
    later.queue.answer(later.upload.id, fileOf(bytes));
    await later.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(sent);
    expect(remembered.uploads.size).toBe(0);
  });

  test("ends as done if the session ends while it is asked whether it is complete", async () => {
    store.complete([...remembered.uploads.values()][0]?.handle ?? "", "film.mp4", bytes);
    const complete = store.operations["multipart/complete"];
    store.operations["multipart/complete"] = async () => {
      throw new FilesError("session_ended");
    };
    const sent = store.puts.length;
    later.queue.answer(later.upload.id, fileOf(bytes));
    await later.until("failed");
    store.operations["multipart/complete"] = complete;
    later.queue.retryEnded();
    await later.until("done");
    expect(store.puts).toHaveLength(sent);
  });

  test("does not take a complete upload for another file of the same size", async () => {
    store.complete([...remembered.uploads.values()][0]?.handle ?? "", "film.mp4", bytes);
    later.queue.answer(later.upload.id, fileOf(bytesOf(bytes.length, 3)));
    await later.until("conflict");
    expectWhole();
  });

  test("a file of another size is refused without reading it", () => {
    later.queue.answer(later.upload.id, fileOf(bytesOf(5)));
    expect(later.upload).toMatchObject({
      status: "waiting",
      question: { about: "file" },
      error: { code: "different_file" },
    });
  });

  test("a dropped file with another modification time is a new upload", async () => {
    later.add(fileOf(bytes, 2_000));
    await vi.waitFor(() => expect(later.queue.getUploads()[1]?.status).toBe("done"), { timeout: 15_000 });
    expect(later.upload.question?.about).toBe("file");
  });

  test("starts from the beginning if the store has dropped the upload", async () => {
    store.uploads.delete("handle-1");
    later.add(fileOf(bytes));
    await later.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(PARTS);
  });

  test("two tabs do not send it at the same time", async () => {
    const third = new Page(store, remembered);
    await third.queue.restore();
    store.faults = ["hang", "hang"];
    later.add(fileOf(bytes));
    await vi.waitFor(() => expect(store.puts).toHaveLength(2), { timeout: 15_000 });
    third.add(fileOf(bytes));
    await third.until("failed");
    expect(third.upload.error?.code).toBe("elsewhere");

    third.queue.cancel(third.upload.id);
    expect(third.queue.getUploads()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([remembered.uploads.size, store.aborted]).toEqual([1, []]);
  });

  test("a retry without its file sends nothing", async () => {
    later.queue.retry(later.upload.id);
    expect(phaseOf(later.upload)).toBe("file");
    later.queue.retry(later.upload.id, fileOf(bytes));
    await later.until("done");
    expectWhole();
  });

  test("discarding it aborts the upload at the store", async () => {
    later.queue.cancel(later.upload.id);
    await vi.waitFor(() => expect(store.aborted).toEqual(["handle-1"]), { timeout: 15_000 });
    expect(later.queue.getUploads()).toEqual([]);
    expect(remembered.uploads.size).toBe(0);
  });
});

describe("in a browser that has no record of the upload", () => {
  let elsewhere: Page;

  beforeEach(async () => {
    store.faults = ["hang", "hang"];
    page.add(fileOf(bytes));
    await vi.waitFor(() => expect(store.uploads.get("handle-1")?.parts.size).toBe(PARTS - 2), {
      timeout: 15_000,
    });
    store.puts = [];
    store.finds = true;
    elsewhere = new Page(store, new Remembered());
  });

  test("the missing parts are sent", async () => {
    elsewhere.add(fileOf(bytes));
    await elsewhere.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(2);
    expect(store.uploads.size).toBe(1);
  });

  test("another file of the same name and size is sent from its beginning, and the upload is left alone", async () => {
    const other = bytesOf(bytes.length, 3);
    elsewhere.add(fileOf(other));
    await elsewhere.until("done");
    expectWhole(other);
    expect(store.puts).toHaveLength(PARTS);
    expect(store.aborted).toEqual([]);
    expect(store.uploads.get("handle-1")?.parts.size).toBe(PARTS - 2);
  });

  test("an upload is sent from its beginning if none can be looked for", async () => {
    store.operations["multipart/find"] = () => Promise.reject(said("unavailable"));
    elsewhere.add(fileOf(bytes));
    await elsewhere.until("done");
    expectWhole();
    expect(store.puts).toHaveLength(PARTS);
  });

  describe("that may be somebody else's", () => {
    beforeEach(async () => {
      store.ownerUnknown = true;
      elsewhere.add(fileOf(bytes));
      await elsewhere.until("found");
      expect(store.puts).toEqual([]);
    });

    test("the person may continue it", async () => {
      elsewhere.queue.answer(elsewhere.upload.id, "continue");
      await elsewhere.until("done");
      expectWhole();
      expect(store.puts).toHaveLength(2);
    });

    test("the person may start over, and is not asked again", async () => {
      elsewhere.queue.answer(elsewhere.upload.id, "start-over");
      await elsewhere.until("done");
      expectWhole();
      expect(store.puts).toHaveLength(PARTS);
      expect(store.aborted).toEqual([]);
    });

    test("cancelling leaves it alone", async () => {
      elsewhere.queue.cancel(elsewhere.upload.id);
      await elsewhere.until("cancelled");
      expect(store.aborted).toEqual([]);
    });
  });
});
