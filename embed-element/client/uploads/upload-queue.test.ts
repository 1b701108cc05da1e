/** In one file, because all of it is played against the scripted store below. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeCall } from "../../../tests/support/files/fake-call";
import type { UploadLimits } from "../../shared/upload-limits";
import { FilesError } from "../errors";
import { MAX_OBJECT_BYTES } from "../limits";
import type { RequestOf } from "../operations";
import { realWorld } from "../world";
import type { PutFile, PutOutcome } from "./send-context";
import { phaseOf, type Upload, type UploadApproval } from "./upload";
import { createSendTools, NOTIFY_INTERVAL_MS, UploadQueue } from "./upload-queue";
import { UploadRecords } from "./upload-records";
import { createStorageTarget } from "./upload-target";

interface Sending {
  name: string;
  ifNoneMatch: boolean;
  progress(sent: number): void;
  finish(outcome: PutOutcome): Promise<void>;
  fail(error: FilesError): Promise<void>;
}

/** Names that are on the screen. */
const known = new Set(["known.txt"]);

/** A store whose responses the test gives. */
class Store {
  sending: Sending[] = [];
  presigned: RequestOf<"presign-upload">[] = [];
  folders: string[] = [];
  /** milliseconds */
  now = 0;
  inFolder: string[] = [];
  /** what the server finds when it looks before it signs */
  found: string[] = [];
  integrity: "checksum" | "contentMd5" | null = "checksum";
  done: string[] = [];
  failed: Upload[] = [];
  diagnosis = new FilesError("cors_blocked", { requestId: "r-1" });
  diagnosed = 0;
  /** the pauses before retries, milliseconds; each ends when the test says so */
  pauses: { milliseconds: number; end(): Promise<void> }[] = [];

  constructor(
    readonly limits: UploadLimits = {},
    readonly needsApproval = () => false,
    readonly numbersNames = false,
  ) {}

  readonly call = fakeCall({
    "presign-upload": async (request) => {
      this.presigned.push(request);
      if (request.ifNoneMatch && this.found.includes(request.fileName)) throw new FilesError("name_taken");
      const key = `${request.folderPath}/${request.fileName}`.replace(/^\/+/, "");
      const { integrity } = this;
      const url = JSON.stringify(request);
      return { url, method: "PUT", headers: {}, bucket: "b", key, integrity, expiresAt: 300 };
    },
    "create-folder": async ({ folderPath, name }) => {
      this.folders.push(`${folderPath}/${name}`);
      return { path: `${folderPath}/${name}` };
    },
    list: async ({ cursor }) => {
      // The second page is where it matters.
      if (cursor === undefined) return { folders: [], files: [], nextCursor: "2" };
      const files = this.inFolder.map((name) => ({ name, key: name, size: 1, lastModified: "", etag: "" }));
      return { folders: [], files, nextCursor: null };
    },
    uploaded: async () => ({ uploaded: [] }),
  });

  states = 0;
  isVerified = true;

  readonly queue = new UploadQueue({
    bucket: "b",
    options: {
      limits: this.limits,
      needsApproval: this.needsApproval,
      contentTypeOf: () => "text/plain",
    },
    records: new UploadRecords(realWorld, "ada"),
    publish: ({ isVerified }) => {
      this.states++;
      this.isVerified = isVerified;
    },
    onUploaded: (files) => this.done.push(...files.map(({ key }) => key)),
    onFailed: (upload) => this.failed.push(upload),
    tools: {
      ...createSendTools(realWorld, {
        call: this.call,
        target: { ...createStorageTarget(this.call), numbersNames: this.numbersNames },
        diagnose: async () => {
          this.diagnosed++;
          return this.diagnosis;
        },
        platformNow: () => 0,
      }),
      read: async (body, algorithm) =>
        algorithm === "MD5"
          ? { body, checksum: null, md5: "gnzLDuqKcGxMNKFokfhOew==" }
          : { body, checksum: 0xcbf43926n, md5: null },
      timing: {
        random: () => 0.5,
        now: () => this.now,
        wait: (milliseconds, signal) => this.#wait(milliseconds, signal),
      },
      put: (target, _file, onProgress, signal) => this.#put(target.url, onProgress, signal),
    },
  });

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = () => reject(signal.reason);
      signal.addEventListener("abort", cancel);
      this.pauses.push({
        milliseconds,
        end: () => {
          signal.removeEventListener("abort", cancel);
          this.now += milliseconds;
          resolve();
          return flushPromises();
        },
      });
    });
  }

  #put(url: string, onProgress: (sent: number) => void, signal: AbortSignal): ReturnType<PutFile> {
    const { fileName, ifNoneMatch } = JSON.parse(url);
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        signal.removeEventListener("abort", cancel);
        this.sending = this.sending.filter((other) => other !== sending);
        act();
        return flushPromises();
      };
      const sending: Sending = {
        name: fileName,
        ifNoneMatch,
        progress: onProgress,
        finish: (outcome) => end(() => resolve(outcome)),
        fail: (error) => end(() => reject(error)),
      };
      const cancel = () => end(() => reject(signal.reason));
      signal.addEventListener("abort", cancel);
      this.sending.push(sending);
    });
  }

  async add(...names: string[]): Promise<void> {
    this.queue.add(
      names.map((name) => ({ file: new File(["12345"], name), name, folderPath: "/in", taken: known })),
    );
    await flushPromises();
  }

  /** by name: a status, or what the upload is asked about */
  get phases(): Record<string, string> {
    return Object.fromEntries(this.queue.getUploads().map((upload) => [upload.name, phaseOf(upload)]));
  }

  first(): Sending {
    const [sending] = this.sending;
    if (!sending) throw new Error("Nothing is being sent.");
    return sending;
  }

  lastPause(): Store["pauses"][number] {
    const pause = this.pauses.at(-1);
    if (!pause) throw new Error("Nothing waits.");
    return pause;
  }

  upload(index = 0): Upload {
    const upload = this.queue.getUploads()[index];
    if (!upload) throw new Error("There is no such upload.");
    return upload;
  }
}

/** Lets everything happen that waits for nothing but promises, and tells whoever listens. */
const flushPromises = async () => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(NOTIFY_INTERVAL_MS);
};

let store: Store;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  store = new Store();
});
afterEach(() => {
  vi.useRealTimers();
});

test("sends three files at once, and signs the next one in advance", async () => {
  await store.add("1", "2", "3", "4", "5");
  expect(store.sending.map(({ name }) => name)).toEqual(["1", "2", "3"]);
  expect(store.presigned).toHaveLength(5);
  await store.first().finish("done");
  expect(store.sending.map(({ name }) => name)).toEqual(["2", "3", "4"]);
  expect(store.done).toEqual(["in/1"]);
});

test("overwrites nothing without asking, and signs size and checksum", async () => {
  await store.add("a.txt");
  expect(store.presigned[0]).toMatchObject({
    ifNoneMatch: true,
    size: 5,
    folderPath: "/in",
    checksum: { algorithm: "CRC32", value: "y/Q5Jg==" },
  });
});

test("creates an empty folder", async () => {
  store.queue.add([{ file: null, name: "empty", folderPath: "/in" }]);
  await flushPromises();
  expect(store.folders).toEqual(["/in/empty"]);
  expect(store.done).toEqual(["in/empty/"]);
});

test("publishes progress in bytes", async () => {
  await store.add("a.txt");
  store.states = 0;
  store.first().progress(3);
  store.first().progress(4);
  expect(store.upload().sent).toBe(4);
  await flushPromises();
  expect(store.states, "once for all that came meanwhile").toBe(1);
});

test("a cancelled upload stops, makes room for another, and can be sent again", async () => {
  await store.add("1", "2", "3", "4");
  store.queue.cancel(store.upload().id);
  await flushPromises();
  expect(store.phases["1"]).toBe("cancelled");
  expect(store.sending.map(({ name }) => name)).toEqual(["2", "3", "4"]);
  expect(store.failed).toEqual([]);
  store.queue.retry(store.upload().id);
  await store.first().finish("done");
  expect(store.phases["1"]).toBe("sending");
});

test("a failed upload has a reason, and can be sent again or removed from the list", async () => {
  await store.add("a", "b");
  await store.first().fail(new FilesError("not_found"));
  await store.first().fail(new FilesError("failed"));
  expect(store.failed.map(({ error }) => error?.code)).toEqual(["not_found", "failed"]);
  store.queue.cancel(store.upload(1).id);
  store.queue.retry(store.upload(0).id);
  await flushPromises();
  await store.first().finish("done");
  expect(store.phases).toEqual({ a: "done" });
});

test("a paused upload stops, and starts from the beginning when it is resumed", async () => {
  await store.add("a");
  store.first().progress(3);
  store.queue.pause(store.upload().id);
  await flushPromises();
  expect(store.upload()).toMatchObject({ status: "paused", sent: 3 });
  expect(store.sending).toEqual([]);
  store.queue.resumeAll();
  await flushPromises();
  await store.first().finish("done");
  expect(store.phases).toEqual({ a: "done" });
});

test("all uploads can be paused, resumed, retried and cancelled together", async () => {
  await store.add("a", "b", "c");
  await store.first().fail(new FilesError("failed"));
  store.queue.pauseAll();
  await flushPromises();
  expect(store.phases).toEqual({ a: "failed", b: "paused", c: "paused" });
  store.queue.retryAll();
  store.queue.resumeAll();
  await flushPromises();
  expect(store.sending.map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
  store.queue.cancelAll();
  await flushPromises();
  expect(store.phases).toEqual({ a: "cancelled", b: "cancelled", c: "cancelled" });
});

test("waits for a network as long as it takes", async () => {
  await store.add("a");
  for (let time = 0; time < 20; time++) {
    await store.first().fail(new FilesError("offline"));
    expect(store.upload()).toMatchObject({ status: "retrying", error: { code: "offline" } });
    await store.lastPause().end();
  }
  await store.first().finish("done");
  expect(store.phases).toEqual({ a: "done" });
});

describe("a presigned URL that is refused", () => {
  test("is replaced silently if it has expired", async () => {
    await store.add("a");
    await store.first().finish("forbidden");
    await store.first().finish("forbidden");
    expect(store.presigned).toHaveLength(3);
    await store.first().finish("done");
    expect(store.phases).toEqual({ a: "done" });
    expect(store.diagnosed).toBe(0);
  });

  test("makes the queue ask the server for the reason if renewed URLs are refused, too", async () => {
    store.diagnosis = new FilesError("store_refused", { requestId: "r-1" });
    await store.add("a");
    for (const _ of [1, 2, 3]) await store.first().finish("forbidden");
    expect(store.upload().error).toMatchObject({ code: "store_refused", requestId: "r-1" });
  });

  test("is reported as `denied` if the diagnosis finds nothing wrong", async () => {
    store.diagnosis = new FilesError("unreachable");
    await store.add("a");
    for (const _ of [1, 2, 3]) await store.first().finish("forbidden");
    expect(store.upload().error?.code).toBe("denied");
  });
});

describe("a request that fails without a response", () => {
  test("is diagnosed by the server; CORS is blamed only if the server says so", async () => {
    await store.add("a");
    await store.first().finish("unexplained");
    expect(store.upload()).toMatchObject({ status: "failed", error: { code: "cors_blocked" } });
    expect(store.pauses).toEqual([]);
  });

  test("is retried if the diagnosis finds nothing wrong", async () => {
    store.diagnosis = new FilesError("unreachable");
    await store.add("a");
    await store.first().finish("unexplained");
    expect(store.phases).toEqual({ a: "retrying" });
    await store.lastPause().end();
    await store.first().finish("done");
    expect(store.phases).toEqual({ a: "done" });
  });
});

describe("a temporary failure", () => {
  test("is retried with a new URL after growing delays, and shown as retrying", async () => {
    await store.add("a");
    for (const retry of [0, 1, 2, 3, 4, 5, 6, 7]) {
      store.first().progress(3);
      const error = new FilesError(retry % 2 ? "unavailable" : "unreachable");
      await store.first().fail(error);
      expect(store.upload()).toMatchObject({ status: "retrying", sent: 0, error });
      await store.lastPause().end();
      expect(store.upload().status).toBe("sending");
    }
    expect(store.pauses.map(({ milliseconds }) => milliseconds)).toEqual([
      500, 1000, 2000, 4000, 8000, 16000, 30000, 30000,
    ]);
    expect(store.presigned).toHaveLength(9);
    expect(store.diagnosed).toBe(0);
  });

  test("is final after ten minutes", async () => {
    await store.add("a");
    while (store.now < 10 * 60_000) {
      await store.first().fail(new FilesError("unreachable"));
      await store.lastPause().end();
    }
    await store.first().fail(new FilesError("unreachable"));
    expect(store.upload()).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    expect(store.failed).toHaveLength(1);
  });

  test("is retried after the store's Retry-After", async () => {
    await store.add("a");
    await store.first().fail(new FilesError("unavailable", { retryAfter: 20 }));
    expect(store.lastPause().milliseconds).toBe(20_000);
  });

  test("leaves its place to another upload meanwhile, and can be cancelled", async () => {
    await store.add("1", "2", "3", "4");
    await store.first().fail(new FilesError("unreachable"));
    expect(store.phases["1"]).toBe("retrying");
    expect(store.sending.map(({ name }) => name)).toEqual(["2", "3", "4"]);
    store.queue.cancel(store.upload().id);
    await flushPromises();
    expect(store.phases["1"]).toBe("cancelled");
  });
});

test("does not send a file that no store can hold", async () => {
  const file = Object.defineProperty(new File([], "big"), "size", { value: MAX_OBJECT_BYTES + 1 });
  store.queue.add([{ file, name: "big", folderPath: "/" }]);
  expect(store.upload()).toMatchObject({ status: "failed", error: { code: "too_large" } });
  expect(store.failed, "and whoever listens is told").toHaveLength(1);
});

test("sends only the files that the token's limits allow", async () => {
  store = new Store({ maxFileBytes: 3, fileTypes: [".txt"] });
  const files = [new File(["1234"], "large.txt"), new File(["1"], "a.exe"), new File(["1"], "a.txt")];
  store.queue.add(files.map((file) => ({ file, name: file.name, folderPath: "/" })));
  await flushPromises();
  expect(store.queue.getUploads().map(({ error }) => error?.code)).toEqual([
    "too_large",
    "type_not_allowed",
    undefined,
  ]);
  expect(store.failed).toHaveLength(2);
});

test("finished and failed uploads can be removed from the list", async () => {
  await store.add("a", "b", "c", "d");
  await store.first().finish("done");
  await store.first().fail(new FilesError("failed"));
  store.queue.cancel(store.upload(2).id);
  await flushPromises();
  store.queue.clearEnded();
  expect(store.phases).toEqual({ d: "sending" });
});

test("cancelling all keeps failed uploads, and all of them can be retried", async () => {
  await store.add("a", "b", "c", "known.txt");
  await store.first().fail(new FilesError("failed"));
  store.queue.cancelAll();
  await flushPromises();
  expect(store.phases).toEqual({ a: "failed", b: "cancelled", c: "cancelled", "known.txt": "cancelled" });
  store.queue.retryAll();
  expect(store.phases, "what failed comes first").toMatchObject({ a: "sending", b: "cancelled" });
  await flushPromises();
  await store.first().finish("done");
  store.queue.retryAll();
  expect(store.phases).toMatchObject({ a: "done", b: "sending", c: "sending" });
});

test("a file that could not be read is sent when its drive is back", async () => {
  await store.add("a.txt");
  await store.first().fail(new FilesError("unreadable"));
  store.queue.retryAll();
  await flushPromises();
  await store.first().finish("done");
  expect(store.phases).toEqual({ "a.txt": "done" });
});

test("a file that can no longer be read is sent when it is chosen again", async () => {
  await store.add("a.txt");
  await store.first().fail(new FilesError("unreadable"));
  const { id } = store.upload();
  store.queue.retry(id, new File(["longer"], "a.txt"));
  await flushPromises();
  expect(store.upload()).toMatchObject({ size: 6, status: "sending" });
  await store.first().finish("done");
  expect(store.phases).toEqual({ "a.txt": "done" });
});

describe("a name that is taken", () => {
  test("is asked about before anything is sent if the file is on the screen", async () => {
    await store.add("known.txt");
    expect(store.phases).toEqual({ "known.txt": "conflict" });
    expect(store.presigned).toEqual([]);
  });

  test("is asked about if the store reports it; replacing overwrites the file", async () => {
    await store.add("a.txt");
    await store.first().finish("exists");
    expect(store.phases).toEqual({ "a.txt": "conflict" });
    store.queue.answer(store.upload().id, "replace");
    await flushPromises();
    expect(store.first().ifNoneMatch).toBe(false);
  });

  test("gets the next free name if the visitor keeps both", async () => {
    await store.add("a.txt");
    await store.first().finish("exists");
    store.queue.answer(store.upload().id, "keep-both");
    await flushPromises();
    expect(store.first()).toMatchObject({ name: "a (1).txt", ifNoneMatch: true });
    await store.first().finish("exists");
    expect(store.first().name).toBe("a (2).txt");
    await store.first().finish("done");
    expect(store.done).toEqual(["in/a (2).txt"]);
  });

  test("is removed from the list if the visitor skips it", async () => {
    await store.add("known.txt");
    store.queue.answer(store.upload().id, "skip");
    expect(store.phases).toEqual({});
  });

  test("can be resolved for all uploads at once", async () => {
    await store.add("a", "b");
    await store.first().finish("exists");
    await store.first().finish("exists");
    store.queue.answerConflicts("keep-both");
    await flushPromises();
    expect(store.sending.map(({ name }) => name)).toEqual(["a (1)", "b (1)"]);
  });

  test("is asked about again if the store refuses to replace the file, and another name overwrites nothing", async () => {
    await store.add("a.txt");
    await store.first().finish("exists");
    store.queue.answerConflicts("replace");
    await flushPromises();
    await store.first().finish("exists");
    expect([store.phases, store.sending]).toEqual([{ "a.txt": "conflict" }, []]);
    store.queue.answerConflicts("keep-both");
    await flushPromises();
    expect(store.first()).toMatchObject({ name: "a (1).txt", ifNoneMatch: true });
  });

  test("is not asked about again for files that were added at the same time", async () => {
    const batch = {};
    const add = (name: string, of: object) =>
      store.queue.add([{ file: new File(["x"], name), name, folderPath: "/in", batch: of, taken: known }]);
    add("known.txt", batch);
    add("found-later.txt", batch);
    await flushPromises();
    store.queue.answerConflicts("skip");
    await store.first().finish("exists");
    expect(store.phases).toEqual({});
    add("known.txt", batch);
    expect(store.phases).toEqual({});
    add("known.txt", {});
    expect(store.phases).toEqual({ "known.txt": "conflict" });
  });
});

describe("a store that ignores checksums", () => {
  beforeEach(() => {
    store.integrity = "contentMd5";
  });

  test("gets each file with its MD5; the first is signed twice", async () => {
    await store.add("a.txt", "b.txt");
    await store.first().finish("done");
    await store.add("c.txt");
    expect(store.presigned.map(({ fileName, contentMd5 }) => [fileName, contentMd5])).toEqual([
      ["a.txt", undefined],
      ["b.txt", undefined],
      ["a.txt", "gnzLDuqKcGxMNKFokfhOew=="],
      ["b.txt", "gnzLDuqKcGxMNKFokfhOew=="],
      ["c.txt", "gnzLDuqKcGxMNKFokfhOew=="],
    ]);
    expect(store.isVerified).toBe(true);
  });

  test("and MD5s gets the file, and the person is told", async () => {
    store.integrity = null;
    await store.add("a.txt");
    await store.first().finish("done");
    expect(store.phases).toEqual({ "a.txt": "done" });
    expect(store.presigned).toHaveLength(1);
    expect(store.isVerified).toBe(false);
  });
});

test("a name that the server finds taken before it signs is a conflict", async () => {
  store.found = ["a.txt"];
  await store.add("a.txt");
  expect(store.phases).toEqual({ "a.txt": "conflict" });
  store.queue.answer(store.upload().id, "replace");
  await flushPromises();
  await store.first().finish("done");
  expect(store.phases).toEqual({ "a.txt": "done" });
});

describe("a store without conditional writes", () => {
  test("is listed before each upload from then on", async () => {
    store.inFolder = ["b.txt"];
    await store.add("a.txt");
    await store.first().finish("unsupported");
    expect(store.first()).toMatchObject({ name: "a.txt", ifNoneMatch: false });
    await store.first().finish("done");
    await store.add("b.txt");
    expect(store.phases).toEqual({ "a.txt": "done", "b.txt": "conflict" });
    expect(store.presigned).toHaveLength(2);
  });

  test("and without checksums gets requests with neither", async () => {
    await store.add("a.txt");
    await store.first().finish("unsupported");
    await store.first().finish("unsupported");
    expect(store.presigned.map(({ ifNoneMatch, checksum }) => [ifNoneMatch, checksum !== undefined])).toEqual(
      [
        [true, true],
        [false, true],
        [false, false],
      ],
    );
    await store.first().finish("done");
    expect(store.phases).toEqual({ "a.txt": "done" });
  });

  test("makes the upload fail if it refuses a plain PUT, too", async () => {
    await store.add("a.txt");
    for (const _ of [1, 2, 3]) await store.first().finish("unsupported");
    expect(store.upload()).toMatchObject({ status: "failed", error: { code: "failed" } });
  });

  test("keeps both files by a name that the listing does not contain", async () => {
    store.inFolder = ["a.txt", "a (1).txt"];
    await store.add("a.txt");
    await store.first().finish("unsupported");
    store.queue.answer(store.upload().id, "keep-both");
    await flushPromises();
    expect(store.first().name).toBe("a (2).txt");
  });
});

describe("somebody who approves uploads", () => {
  let decides = true;
  const decide = async (...answers: [index: number, answer: UploadApproval][]) => {
    const uploads = store.queue.getUploads();
    for (const [index, answer] of answers) store.queue.answer(uploads[index]?.id ?? 0, answer);
    await flushPromises();
  };
  const accepted: UploadApproval = { approved: true };
  const named = (name: string): UploadApproval => ({ approved: true, name });
  beforeEach(() => {
    decides = true;
    store = new Store({ maxFileBytes: 5 }, () => decides);
  });

  test("is asked about all files, and nothing is sent before the answer", async () => {
    await store.add("a.txt", "b.txt");
    const question = { about: "approval", contentType: "text/plain" };
    expect(store.queue.getUploads()).toMatchObject([
      { name: "a.txt", status: "waiting", question },
      { name: "b.txt", status: "waiting", question },
    ]);
    expect(store.presigned).toEqual([]);
    await decide([1, accepted]);
    expect(store.presigned.map(({ fileName }) => fileName)).toEqual(["b.txt"]);
  });

  test("is not asked about empty folders or about files that the limits refuse", async () => {
    const file = new File(["123456"], "large.txt");
    store.queue.add([
      { file: null, name: "empty", folderPath: "/in" },
      { file, name: "large.txt", folderPath: "/in" },
    ]);
    await flushPromises();
    expect(store.phases).toEqual({ empty: "done", "large.txt": "failed" });
  });

  test("is not waited for when it has stopped deciding before an upload is retried", async () => {
    await store.add("a.txt");
    store.queue.cancel(store.upload().id);
    decides = false;
    store.queue.retry(store.upload().id);
    await flushPromises();
    expect(store.presigned.map(({ fileName }) => fileName)).toEqual(["a.txt"]);
  });

  test("refuses a file permanently, with its reason", async () => {
    await store.add("a.txt");
    await decide([0, { approved: false, code: "refused", reason: "Not on Sundays." }]);
    expect(store.upload()).toMatchObject({
      status: "failed",
      error: { code: "refused", message: "Not on Sundays." },
    });
    expect(store.failed).toHaveLength(1);
    store.queue.retryAll();
    expect(store.phases["a.txt"]).toBe("failed");
    expect(store.presigned).toEqual([]);
  });

  test("renames a file to a valid name", async () => {
    await store.add("a.txt", "b.txt");
    await decide([0, named("2026 a.txt")], [1, named("../b.txt")]);
    expect(store.presigned.map(({ fileName }) => fileName)).toEqual(["2026 a.txt"]);
    expect(store.upload(1)).toMatchObject({ status: "failed", error: { code: "bad_name" } });
  });

  test("is asked before the visitor resolves a conflict about the new name", async () => {
    await store.add("known.txt", "new.txt");
    await decide([0, accepted], [1, named("known.txt")]);
    expect(store.queue.getUploads().map(phaseOf)).toEqual(["conflict", "conflict"]);
  });

  test("cannot revive a cancelled upload, and is asked again when it is retried", async () => {
    await store.add("a.txt");
    store.queue.cancel(store.upload().id);
    await decide([0, accepted]);
    expect(store.phases["a.txt"]).toBe("cancelled");
    store.queue.retry(store.upload().id);
    expect(store.presigned).toEqual([]);
    expect(store.phases["a.txt"]).toBe("approval");
    await decide([0, accepted]);
    expect(store.presigned).toHaveLength(1);
  });

  test("is asked again when an upload is retried that it did not decide on in time", async () => {
    await store.add("a.txt");
    await decide([0, { approved: false, code: "unanswered" }]);
    store.queue.retryAll();
    await decide([0, named("b.txt")]);
    expect(store.phases).toEqual({ "b.txt": "sending" });
  });

  test("may decide on a paused upload", async () => {
    await store.add("a.txt", "b.txt");
    store.queue.pauseAll();
    await decide([0, accepted], [1, { approved: false, code: "refused" }]);
    expect(store.phases).toEqual({ "a.txt": "paused", "b.txt": "failed" });
    store.queue.resumeAll();
    await flushPromises();
    expect(store.presigned.map(({ fileName }) => fileName)).toEqual(["a.txt"]);
  });
});

describe("a target that numbers names", () => {
  const names = () => store.queue.getUploads().map(({ name }) => name);

  test("gives each file a name that no earlier one of its folder has had", async () => {
    store = new Store({}, () => false, true);
    await store.add("image.jpg", "image.jpg", "image (1).jpg");
    expect(names()).toEqual(["image.jpg", "image (1).jpg", "image (2).jpg"]);
    store.queue.cancelAll();
    store.queue.clearEnded();
    await store.add("image.jpg");
    expect(names()).toEqual(["image (3).jpg"]);
    store.queue.add([{ file: new File(["1"], "image.jpg"), name: "image.jpg", folderPath: "/in/deeper" }]);
    expect(names()).toEqual(["image (3).jpg", "image.jpg"]);
  });

  test("does so with names that whoever approves has given, and leaves names that are approved", async () => {
    store = new Store({}, () => true, true);
    await store.add("a.txt", "b.txt", "c.txt");
    const [a = 0, b = 0, c = 0] = store.queue.getUploads().map(({ id }) => id);
    store.queue.answer(a, { approved: true, name: "a.txt" });
    store.queue.answer(b, { approved: true, name: "a.txt" });
    store.queue.answer(c, { approved: true });
    expect(names()).toEqual(["a.txt", "a (1).txt", "c.txt"]);
  });
});

test("a retried upload is sent next, not after thousands of others", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `${index}`);
  await store.add(...names);
  await store.first().fail(new FilesError("failed"));
  store.queue.retry(store.upload().id);
  await store.first().finish("done");
  expect(store.presigned.map(({ fileName }) => fileName).slice(-2)).toEqual(["8", "0"]);
});

test("pauses, resumes and cancels ten thousand uploads, and resolves as many conflicts, in linear time", async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `${index}.txt`);
  await store.add(...names);
  const { calls } = vi.spyOn(Map.prototype, "values").mock;
  const looks = (act: () => void) => {
    calls.length = 0;
    act();
    return calls.length;
  };
  expect(looks(() => store.queue.pauseAll())).toBeLessThan(10);
  expect(looks(() => store.queue.resumeAll())).toBeLessThan(10);
  expect(looks(() => store.queue.cancelAll())).toBeLessThan(10);
  await flushPromises();
  const file = new File(["1"], "known.txt");
  store.queue.add(names.map(() => ({ file, name: "known.txt", folderPath: "/in", taken: known })));
  expect(store.queue.getUploads().filter((upload) => phaseOf(upload) === "conflict")).toHaveLength(10_000);
  expect(looks(() => store.queue.answerConflicts("skip"))).toBeLessThan(10);
  await flushPromises();
  vi.restoreAllMocks();
});
