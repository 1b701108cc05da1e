import { beforeEach, expect, test, vi } from "vitest";
import { type FakeOperations, fakeCall } from "../../../tests/support/files/fake-call";
import { FilesError } from "../errors";
import { Events } from "../events";
import { realWorld, type World } from "../world";
import type { UploadEvents, UploadOptions } from "./upload";
import { createQueue, NOTIFY_INTERVAL_MS, type UploadsContext } from "./upload-queue";
import { Uploads } from "./uploads";

/** What the store has, by the file names that presigned requests have as URL. */
let stored: string[];
let confirmed: string[];
let events: Events<UploadEvents>;
/** Ends every wait, as a network that is back does. */
let onOnline: (() => void)[];

const operations: FakeOperations = {
  async "presign-upload"({ folderPath, fileName, ifNoneMatch }) {
    const key = `${folderPath}/${fileName}`.slice(1);
    if (ifNoneMatch && stored.includes(key)) throw new FilesError("name_taken", { status: 409 });
    return { url: key, method: "PUT", headers: {}, bucket: "b", key, integrity: "checksum", expiresAt: 300 };
  },
  async uploaded({ keys = [] }) {
    confirmed.push(...keys);
    return { uploaded: [] };
  },
};

const world: World = {
  ...realWorld,
  clock: { ...realWorld.clock, date: () => 0 },
  network: {
    isOnline: () => true,
    onOnline(listener) {
      onOnline.push(listener);
      return () => {};
    },
  },
  async send({ url }) {
    stored.push(url);
    return { status: 200, body: "", header: () => null };
  },
};

function create(
  options: UploadOptions = {},
  load = async () => ({ createQueue }),
  usedWorld: World = world,
): Uploads {
  const call = fakeCall(operations);
  const tokens = { freshToken: async () => "token", reportExpired() {} };
  const platform = { world: usedWorld, tokens };
  const context: UploadsContext = { bucket: "b", platform, call, events, options };
  return new Uploads(context, load);
}

beforeEach(() => {
  stored = [];
  confirmed = [];
  onOnline = [];
  events = new Events();
});

const file = (name: string) => new File(["bytes"], name);
const firstOf = (uploads: Uploads) => uploads.getState().uploads[0];
/** Waits until the first upload is asked something. */
const askedOf = (uploads: Uploads) =>
  vi.waitFor(() => {
    const upload = firstOf(uploads);
    if (!upload?.question) throw new Error("Nothing is asked.");
    return upload;
  });

test("files are stored and confirmed, and told as an event; `add` resolves when they are done", async () => {
  const uploads = create();
  const told: string[] = [];
  events.on("uploaded", ({ files }) => told.push(...files.map(({ key }) => key)));
  const bytes = { file: new Blob(["bytes"]), name: "b.txt", folderPath: "/in/deep" };
  const done = await uploads.add([file("a.txt"), bytes], "/in");
  expect(done.map(({ name, folderPath, status }) => [name, folderPath, status])).toEqual([
    ["a.txt", "/in", "done"],
    ["b.txt", "/in/deep", "done"],
  ]);
  expect(stored.sort()).toEqual(["in/a.txt", "in/deep/b.txt"]);
  await vi.waitFor(() => expect(told.sort()).toEqual(["in/a.txt", "in/deep/b.txt"]));
  await vi.waitFor(() => expect(confirmed.sort()).toEqual(["in/a.txt", "in/deep/b.txt"]));
  expect(uploads.getState()).toMatchObject({ isLoading: false, isVerified: true });
});

test("a taken name is a question, and only its answers are accepted", async () => {
  stored = ["in/a.txt"];
  const uploads = create();
  const adding = uploads.add([file("a.txt")], "/in");
  const { id, status, question } = await askedOf(uploads);
  expect([status, question]).toEqual(["waiting", { about: "conflict" }]);
  expect(() => uploads.answer(id, "continue")).toThrow(RangeError);
  uploads.answer(id, "keep-both");
  expect(await adding).toMatchObject([{ name: "a (1).txt", status: "done" }]);
  expect(() => uploads.answer(id, "skip"), "nothing is asked any more").not.toThrow();
});

test("what needs approval waits for it; a refusal is told with its reason", async () => {
  const uploads = create({ needsApproval: () => true });
  const failed: unknown[] = [];
  events.on("uploadFailed", ({ upload }) => failed.push(upload.error?.code));
  const adding = uploads.add([file("a.txt")], "/");
  const { id } = await askedOf(uploads);
  uploads.answer(id, { approved: false, code: "refused", reason: "Too old." });
  expect(await adding).toMatchObject([{ status: "failed", error: { code: "refused", message: "Too old." } }]);
  expect([failed, stored]).toEqual([["refused"], []]);
});

test("a path that is no folder's is refused at once", async () => {
  await expect(create().add([file("a.txt")], "in")).rejects.toThrow(RangeError);
});

test("a path is refused where the world opens no files", async () => {
  await expect(create().add(["a.txt"], "/")).rejects.toMatchObject({ code: "unreadable" });
});

test("code that could not be loaded is loaded again when the network is back", async () => {
  const failures = [new TypeError("offline")];
  const uploads = create({}, async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return { createQueue };
  });
  const adding = uploads.add([file("a.txt")], "/");
  expect(uploads.getState().isLoading).toBe(true);
  await vi.waitFor(() => expect(onOnline).not.toEqual([]));
  for (const back of onOnline) back();
  expect(await adding).toMatchObject([{ status: "done" }]);
});

test("whoever has seen that code can be loaded again need not wait", async () => {
  let isOnline = false;
  const uploads = create({}, async () => {
    if (!isOnline) throw new TypeError("offline");
    return { createQueue };
  });
  const adding = uploads.add([file("a.txt")], "/");
  await expect(uploads.load()).rejects.toMatchObject({ code: "code_not_loaded" });
  isOnline = true;
  await uploads.load();
  expect(await adding).toMatchObject([{ status: "done" }]);
});

test("cancelling all gives up what waits for the code", async () => {
  const uploads = create({}, () => Promise.reject(new TypeError("offline")));
  const adding = uploads.add([file("a.txt")], "/");
  await vi.waitFor(() => expect(onOnline).not.toEqual([]));
  uploads.cancelAll();
  expect(await adding).toEqual([]);
  expect(uploads.getState()).toMatchObject({ uploads: [], isLoading: false });
});

test("what is cancelled while the code loads is not sent, and what is added after that is", async () => {
  let load = () => {};
  const loaded = new Promise<void>((resolve) => {
    load = resolve;
  });
  const uploads = create({}, () => loaded.then(() => ({ createQueue })));
  const cancelled = uploads.add([file("a.txt")], "/");
  uploads.cancelAll();
  const added = uploads.add([file("b.txt")], "/");
  load();
  expect(await cancelled).toEqual([]);
  expect(await added).toMatchObject([{ name: "b.txt", status: "done" }]);
  expect(stored).toEqual(["/b.txt"]);
});

test("closing ends the wait for uploads that have not ended", async () => {
  stored = ["in/a.txt"];
  const uploads = create();
  const adding = uploads.add([file("a.txt")], "/in");
  await askedOf(uploads);
  uploads.close();
  expect(await adding).toMatchObject([{ name: "a.txt", status: "waiting" }]);
});

test("nothing is sent any more when the client is closed", async () => {
  stored = ["in/taken.txt"];
  let needsApproval = true;
  const uploads = create({ needsApproval: () => needsApproval });
  const pausing = uploads.add([file("paused.txt")], "/in");
  const { id } = await askedOf(uploads);
  uploads.pauseAll();
  uploads.answer(id, { approved: true });
  needsApproval = false;
  const asking = uploads.add([file("taken.txt")], "/in");
  await vi.waitFor(() => expect(uploads.getState().uploads[1]?.status).toBe("waiting"));
  uploads.close();
  const left = await Promise.all([pausing, asking]);
  expect(left.flat().map(({ status }) => status)).toEqual(["paused", "waiting"]);
  uploads.resumeAll();
  uploads.retry(id);
  uploads.answerConflicts("keep-both");
  await new Promise((resolve) => setTimeout(resolve, 3 * NOTIFY_INTERVAL_MS));
  expect(stored).toEqual(["in/taken.txt"]);
  expect(uploads.getState().uploads).toEqual(left.flat());
});

test("a client that is closed takes no files, also after all were cancelled", async () => {
  const uploads = create();
  uploads.close();
  uploads.cancelAll();
  expect(await uploads.add([file("a.txt")], "/")).toEqual([]);
  expect(stored).toEqual([]);
});

test("what was closed while its code was loading leaves no channel open", async () => {
  let open = 0;
  const channel = { post() {}, listen() {}, close: () => void open-- };
  const storage = {
    ...realWorld.storage,
    all: async () => [{ id: "1" }],
    openChannel: () => {
      open++;
      return channel;
    },
  };
  let load = () => {};
  const loaded = new Promise<void>((resolve) => {
    load = resolve;
  });
  let isLoading = false;
  const loadCode = async () => {
    isLoading = true;
    await loaded;
    return { createQueue };
  };
  const uploads = create({}, loadCode, { ...world, storage });
  const restored = uploads.restore();
  await vi.waitFor(() => expect(isLoading).toBe(true));
  uploads.close();
  load();
  await restored;
  expect(open).toBe(0);
});
