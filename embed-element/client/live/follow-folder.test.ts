import { beforeEach, expect, test } from "vitest";
import { fileRow, folderRow } from "../../../tests/support/files/rows";
import { Changes } from "../changes/changes";
import { Events } from "../events";
import type { FilesEvents } from "../files-client";
import { Folder } from "../folder/folder";
import type { Call } from "../request";
import { type Row, rowId } from "../rows";
import { realWorld, type World } from "../world";
import type { FolderNews, FollowedSearch } from "./follow-context";
import { followFolder } from "./follow-folder";
import { readEvents } from "./read-events";

interface Request {
  query: URLSearchParams;
  token: string;
  /** sends messages, or what belongs to one */
  send(text: string): void;
  end(): void;
  signal: AbortSignal;
}

const file = (name: string, members = {}): Row => fileRow(name, members);
const withoutType = (rows: readonly Row[]) => rows.map(({ type: _, ...entry }) => entry);

let requests: Request[];
/** instead of a stream */
let refuse: Response | "nothing" | null;
let timers: { act: () => void; milliseconds: number }[];
let nowMs: number;
let listed: Row[];
let lists: number;
let events: Events<FilesEvents>;
let folder: Folder;
let news: FolderNews[];
let token: string;
let abort: AbortController;

beforeEach(() => {
  requests = [];
  refuse = null;
  timers = [];
  nowMs = 1_000;
  listed = [file("a.txt"), folderRow("/docs")];
  lists = 0;
  events = new Events();
  news = [];
  token = "token-1";
  abort = new AbortController();
});

const fetchStream: World["fetch"] = async (url, init) => {
  if (refuse === "nothing")
    return new Promise((_, reject) =>
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
    );
  if (refuse !== null) {
    const refused = refuse;
    refuse = null;
    return refused;
  }
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started;
    },
  });
  requests.push({
    query: new URL(url, "https://platform.example").searchParams,
    token: String(new Headers(init.headers).get("Authorization")).replace("Bearer ", ""),
    send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    signal: init.signal as AbortSignal,
  });
  return new Response(body);
};

const world: World = {
  ...realWorld,
  fetch: fetchStream,
  clock: { now: () => nowMs, date: () => nowMs },
  random: () => 0,
  timers: {
    start(act, milliseconds) {
      const timer = { act, milliseconds };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  },
  network: { isOnline: () => true, onOnline: () => () => {} },
};

/** Lets the time pass that the timers with this length wait for. */
async function pass(milliseconds: number) {
  await expect.poll(() => timers.some((timer) => timer.milliseconds === milliseconds)).toBe(true);
  const due = timers.filter((timer) => timer.milliseconds === milliseconds);
  timers = timers.filter((timer) => !due.includes(timer));
  nowMs += milliseconds;
  for (const { act } of due) act();
}

async function start(path = "/", search?: FollowedSearch) {
  const call = (async () => {
    lists++;
    return {
      folders: withoutType(listed.filter((row) => row.type === "folder")),
      files: withoutType(listed.filter((row) => row.type === "file")),
      nextCursor: null,
    };
  }) as unknown as Call;
  folder = new Folder({ call, events, world });
  await folder.open(path);
  lists = 0;
  const tokens = {
    freshToken: async () => token,
    reportExpired() {
      token = "token-2";
    },
  };
  const uploads = { getState: () => ({ uploads: [] }) as never };
  const context = { platform: { world, tokens }, bucket: "docs", folder, search, events, uploads };
  const changes = new Changes(call, world, events);
  const ended = followFolder({ ...context, changes, onNews: (one) => news.push(one) }, abort.signal);
  return { ended };
}

const nothing = { files: [], deleted: [], folders: [], deletedFolders: [] };
const message = (data: object, id = "1.1:1:", name = "changes") =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const changes = (members: object, id?: string) => message({ ...nothing, ...members }, id);
const ids = () => folder.getState().rows.map(rowId).sort();

async function stream(index = requests.length): Promise<Request> {
  await expect.poll(() => requests.length).toBeGreaterThan(index);
  return requests[index] as Request;
}

test("what others add, change and delete is shown, and told once", async () => {
  await start();
  const { query, send } = await stream(0);
  expect(Object.fromEntries(query)).toEqual({ bucket: "docs", folderPath: "/" });
  const [added] = withoutType([file("b.txt")]);
  send(changes({ files: [added], folders: [{ name: "new", path: "/new" }] }));
  await expect.poll(ids).toEqual(["/docs", "/new", "a.txt", "b.txt"]);
  send(changes({ files: [added], folders: [{ name: "new", path: "/new" }] }));
  const [changed] = withoutType([file("a.txt", { size: 77 })]);
  send(changes({ files: [changed], deletedFolders: ["/docs"] }));
  send(changes({ deleted: ["b.txt", "unknown.txt"] }));
  await expect.poll(ids).toEqual(["/new", "a.txt"]);
  expect(folder.getState().rows.find((row) => rowId(row) === "a.txt")).toMatchObject({ size: 77 });
  expect(news).toEqual([
    { added: ["/new", "b.txt"], gone: [] },
    { added: ["a.txt"], gone: ["/docs"] },
    { added: [], gone: ["b.txt"] },
  ]);
  expect(lists).toBe(0);
  abort.abort();
});

test("what the person does is shown once, and not told", async () => {
  await start();
  const { send } = await stream(0);
  const upload = { id: 1, isFolder: false, folderPath: "/", name: "mine.txt", size: 1, sent: 1 };
  const uploaded = { ...upload, question: null, error: null, status: "done" as const };
  events.emit("uploaded", { files: [{ upload: uploaded, key: "mine.txt", checksum: null }] });
  send(changes({ files: withoutType([file("mine.txt"), file("theirs.txt")]) }));
  await expect.poll(() => news).toEqual([{ added: ["theirs.txt"], gone: [] }]);
  expect(ids()).toEqual(["/docs", "a.txt", "mine.txt", "theirs.txt"]);
  abort.abort();
});

test("what a search finds below the folder is followed with it, and nothing else is told", async () => {
  let hits: readonly Row[] = [file("docs/deep/report 1.txt"), file("docs/deep/report 2.txt")];
  const told: { added: string[]; gone: string[] }[] = [];
  await start("/", {
    getRows: () => hits,
    finds: ({ name }) => name.startsWith("report"),
    applyChanges(added, gone) {
      told.push({ added: added.map(rowId), gone: [...gone] });
      hits = [
        ...hits.filter((row) => !gone.has(rowId(row)) && !added.some((one) => rowId(one) === rowId(row))),
        ...added,
      ];
    },
  });
  const { query, send } = await stream(0);
  expect(query.get("below")).toBe("true");
  send(
    changes({
      files: withoutType([file("docs/new/report 3.txt"), file("docs/new/photo.jpg"), file("report 4.txt")]),
      folders: [
        { name: "docs", path: "/docs" },
        { name: "new", path: "/docs/new" },
      ],
    }),
  );
  await expect.poll(() => news).toEqual([{ added: ["docs/new/report 3.txt", "report 4.txt"], gone: [] }]);
  expect(ids()).toEqual(["/docs", "a.txt", "report 4.txt"]);
  send(
    changes({
      files: withoutType([file("docs/deep/report 2.txt", { size: 9 })]),
      deleted: ["docs/deep/report 1.txt", "docs/new/photo.jpg"],
    }),
  );
  await expect
    .poll(() => news.at(-1))
    .toEqual({ added: ["docs/deep/report 2.txt"], gone: ["docs/deep/report 1.txt"] });
  expect(hits.map(rowId).sort()).toEqual(["docs/deep/report 2.txt", "docs/new/report 3.txt", "report 4.txt"]);
  expect(told.at(-1)).toEqual({
    added: ["docs/deep/report 2.txt"],
    gone: ["docs/deep/report 1.txt", "docs/new/photo.jpg"],
  });
  abort.abort();
});

test("a file that a search does not find any more, because it has changed, is gone", async () => {
  let hits: readonly Row[] = [file("docs/large.txt", { size: 100 })];
  await start("/", {
    getRows: () => hits,
    finds: (row) => row.type === "file" && row.size > 50,
    applyChanges(added, gone) {
      hits = [...hits.filter((row) => !gone.has(rowId(row))), ...added];
    },
  });
  const { send } = await stream(0);
  send(changes({ files: withoutType([file("docs/large.txt", { size: 1 })]) }));
  await expect.poll(() => news).toEqual([{ added: [], gone: ["docs/large.txt"] }]);
  expect(hits).toEqual([]);
  abort.abort();
});

test("it goes on where it was, after the connection has broken and with a new token", async () => {
  await start();
  const first = await stream(0);
  first.send(`${changes({}, "7.10:10:")}: still here\nid: 8.11:11:\n\n`);
  first.end();
  await pass(0);
  const second = await stream(1);
  expect(second.query.get("after")).toBe("8.11:11:");
  expect(second.token).toBe("token-1");
  refuse = Response.json({ code: "token_expired", error: "x" }, { status: 401 });
  second.end();
  await pass(0);
  expect((await stream(2)).token).toBe("token-2");
  abort.abort();
});

test("after a gap the folder is listed again, and not all the time", async () => {
  await start();
  const { send } = await stream(0);
  send(message({}, "1.1:1:", "reload"));
  send(message({}, "1.1:1:", "reload"));
  await pass(0);
  await expect.poll(() => lists).toBe(1);
  send(message({}, "1.1:1:", "reload"));
  await pass(10_000);
  await expect.poll(() => lists).toBe(2);
  abort.abort();
});

test("another folder has a stream of its own, and the past has none", async () => {
  await start();
  const first = await stream(0);
  await folder.open("/docs");
  const second = await stream(1);
  expect(second.query.get("folderPath")).toBe("/docs");
  expect(second.query.get("after")).toBeNull();
  expect(() => first.send(changes({ files: withoutType([file("late.txt")]) }))).toThrow("closed");
  await folder.open("/docs", { time: { kind: "at", moment: "2026-11-25T10:00:00Z" } });
  await folder.open("/", {});
  await stream(2);
  expect(ids()).not.toContain("late.txt");
  abort.abort();
});

test("where nothing gets through while a response is open, it asks every 20 seconds", async () => {
  refuse = "nothing";
  await start();
  await expect.poll(() => timers.map(({ milliseconds }) => milliseconds)).toEqual([25_000]);
  refuse = null;
  await pass(25_000);
  const asked = await stream(0);
  expect(asked.query.get("once")).toBe("true");
  asked.send(changes({ files: withoutType([file("b.txt")]) }, "5.5:5:"));
  asked.end();
  await expect.poll(ids).toContain("b.txt");
  await pass(20_000);
  const again = await stream(1);
  expect(Object.fromEntries(again.query)).toMatchObject({ once: "true", after: "5.5:5:" });
  abort.abort();
});

test("a stream that becomes silent is held back, too", async () => {
  await start();
  (await stream(0)).send(changes({}));
  await pass(25_000);
  expect((await stream(1)).query.get("once")).toBe("true");
  abort.abort();
});

test("a platform that cannot tell is not asked again", async () => {
  const { ended } = await start();
  const { send, end } = await stream(0);
  send(message({}, "", "unavailable").replace("id: \n", ""));
  end();
  await ended;
  expect(timers).toEqual([]);
  expect(requests).toHaveLength(1);
  expect(lists).toBe(0);
});

test("a refusal that will stay ends it, and the list stays as it is", async () => {
  refuse = Response.json({ code: "scope_not_allowed", error: "x" }, { status: 403 });
  const { ended } = await start();
  await ended;
  expect(folder.getState()).toMatchObject({ problem: null, status: "ready" });
});

test("messages may arrive in pieces", async () => {
  const bytes = new TextEncoder().encode(`: hi\n\n${message({ name: "ä" }, "9")}`);
  async function* pieces() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  const found = [];
  for await (const one of readEvents(pieces())) found.push(one);
  expect(found).toEqual([
    { name: null, id: undefined, data: "" },
    { name: "changes", id: "9", data: '{"name":"ä"}' },
  ]);
});
