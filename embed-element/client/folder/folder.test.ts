import { beforeEach, expect, test, vi } from "vitest";
import { fileRow as file, folderRow as folder } from "../../../tests/support/files/rows";
import { type Change, NEW_CHANGE, type RequestedChange } from "../changes/change";
import type { ChangeEvents } from "../changes/changes";
import { FilesError } from "../errors";
import { Events } from "../events";
import type { FolderTime } from "../folder-time";
import type { Call } from "../request";
import { pathOf, type Row } from "../rows";
import type { UploadEvents } from "../uploads/upload";
import { realWorld } from "../world";
import { Folder, type FolderState } from "./folder";
import type { FileOrder } from "./folder-rows";

type Sent = {
  operation: string;
  folderPath: string;
  cursor?: string;
  at?: string;
  pageSize?: number;
  order?: FileOrder;
};

const PAST: FolderTime = { kind: "at", moment: "2026-11-25T10:00:00Z" };

let sent: Sent[];
/** the pages of every folder; an error fails the request for it */
let pages: (Row[] | FilesError)[];
/** the pages of a folder in any order; null: the platform knows no order */
let ordered: Row[][] | null;
let events: Events<ChangeEvents & UploadEvents>;
let opened: Folder;

/** The cursor of a page is its number. */
const call = async (operation: string, request: Omit<Sent, "operation">, signal?: AbortSignal) => {
  sent.push({ operation, ...request });
  await Promise.resolve();
  signal?.throwIfAborted();
  const inOrder = request.order === undefined ? null : ordered;
  const all = inOrder ?? pages;
  const number = Number(request.cursor ?? 0);
  const page = all[number];
  if (page instanceof FilesError) throw page;
  const next = number + 1 < all.length ? String(number + 1) : null;
  const folders = page?.filter((row) => row.type === "folder").map(({ type: _, ...entry }) => entry);
  const files = page?.filter((row) => row.type === "file").map(({ type: _, ...entry }) => entry);
  if (operation !== "list") return { files, cursor: next };
  const source = request.order && (inOrder ? "catalogue" : "store");
  return { folders, files, nextCursor: next, source };
};

const engine = () => {
  const clock = { ...realWorld.clock, date: () => Date.parse("2026-11-29T10:00:00.000Z") };
  return { call: call as unknown as Call, events, world: { ...realWorld, clock } };
};

beforeEach(() => {
  sent = [];
  ordered = null;
  pages = [[folder("/docs"), file("a.txt")], [file("b.txt")], [file("c.txt")]];
  events = new Events();
  opened = new Folder(engine());
});

const paths = ({ rows }: FolderState = opened.getState()) => rows.map(pathOf);
const states = () => {
  const all: FolderState[] = [];
  opened.subscribe(() => all.push(opened.getState()));
  return all;
};
const tellUploaded = (folderPath: string, name: string, isFolder = false) => {
  const upload = { id: 1, isFolder, name, folderPath, size: 1, sent: 1, question: null, error: null };
  const key = `${folderPath}/${name}`.replace(/^\/+/, "");
  events.emit("uploaded", { files: [{ upload: { ...upload, status: "done" }, key, checksum: null }] });
};
const tell = (request: RequestedChange, members: Partial<Change> = {}) => {
  const change: Change = { ...NEW_CHANGE, id: 1, ...request, ...members };
  if (members.status === undefined) events.emit("changing", { change });
  else events.emit("changed", { change, next: null });
};

test("nothing is requested before a folder is opened, and then one page after the other", async () => {
  expect(opened.getState()).toMatchObject({ path: "/", status: "ready", rows: [], complete: false });
  expect(sent).toEqual([]);
  const seen = states();
  await opened.open("/");
  expect(seen.map(({ status, rows, complete }) => [status, rows.length, complete])).toEqual([
    ["loading", 0, false],
    ["more", 2, false],
    ["more", 3, false],
    ["more", 4, true],
    ["ready", 4, true],
  ]);
  expect(sent.map(({ cursor, pageSize }) => [cursor, pageSize])).toEqual([
    [undefined, 1000],
    ["1", 1000],
    ["2", 1000],
  ]);
});

test("a row that comes twice is listed once, as it came last", async () => {
  pages = [[file("a.txt", { size: 1 })], [file("a.txt", { size: 7 })]];
  await opened.open("/");
  expect(opened.getState().rows).toEqual([file("a.txt", { size: 7 })]);
});

test("opening another folder aborts the listing of the first", async () => {
  const first = opened.open("/");
  pages = [[file("docs/x.txt")]];
  await Promise.all([first, opened.open("/docs", { time: PAST })]);
  expect(opened.getState()).toMatchObject({ path: "/docs", time: PAST, complete: true, problem: null });
  expect(paths()).toEqual(["/docs/x.txt"]);
  expect(sent.at(-1)).toMatchObject({ folderPath: "/docs", at: PAST.kind === "at" && PAST.moment });
});

test("after a failure, what is listed stays, and `more` goes on", async () => {
  const [, second = []] = pages;
  pages[1] = new FilesError("unavailable");
  await opened.open("/");
  expect(opened.getState()).toMatchObject({
    status: "ready",
    complete: false,
    problem: { code: "unavailable" },
  });
  expect(paths()).toEqual(["/docs", "/a.txt"]);
  pages[1] = second;
  await opened.more();
  expect(opened.getState()).toMatchObject({ complete: true, problem: null });
  expect(paths()).toHaveLength(4);
});

test("`more` lists a folder of which nothing is known, and does nothing where all is there", async () => {
  const [first = []] = pages;
  pages = [new FilesError("unavailable")];
  await opened.open("/");
  pages = [first];
  await opened.more();
  expect(paths()).toEqual(["/docs", "/a.txt"]);
  const before = opened.getState();
  await opened.more({ all: true });
  expect(opened.getState()).toBe(before);
  expect(sent).toHaveLength(2);
});

test("a refresh keeps the rows until as many are there", async () => {
  await opened.open("/");
  pages = [[file("a.txt")], [file("new.txt")]];
  const seen = states();
  await opened.refresh();
  expect(seen.map(({ status, rows }) => [status, rows.length])).toEqual([
    ["refreshing", 4],
    ["ready", 2],
  ]);
});

test("what is stopped goes on when asked", async () => {
  const opening = opened.open("/");
  await Promise.resolve();
  opened.stop();
  await opening;
  expect(opened.getState()).toMatchObject({ status: "ready", complete: false });
  await opened.more();
  expect(opened.getState().complete).toBe(true);
});

test("a folder that the server has listed is shown without a request, and its other pages on demand", async () => {
  const { name, ...rest } = { ...file("a.txt") } as Extract<Row, { type: "file" }>;
  const listing = { folders: [], files: [{ name, ...rest }], nextCursor: "1" };
  opened = new Folder(engine(), { path: "/", listing });
  expect(opened.getState()).toMatchObject({ status: "ready", rows: [{ name }], complete: false });
  await opened.more();
  expect(paths()).toEqual(["/a.txt", "/b.txt", "/c.txt"]);
  opened = new Folder(engine(), { path: "/", problem: new FilesError("denied") });
  expect(opened.getState()).toMatchObject({ status: "ready", problem: { code: "denied" } });
});

test("an upload is a row, the folder that it went into, or nothing of this folder", async () => {
  pages = [[]];
  await opened.open("/a");
  const added = (folderPath: string, name: string, isFolder = false) => {
    const before = opened.getState().rows;
    tellUploaded(folderPath, name, isFolder);
    return opened.getState().rows.filter((row) => !before.includes(row));
  };
  const lastModified = "2026-11-29T10:00:00.000Z";
  expect(added("/a", "n")).toEqual([file("a/n", { lastModified, etag: "" })]);
  expect(added("/a/b/c", "n")).toEqual([folder("/a/b")]);
  expect(added("/a", "new", true)).toEqual([folder("/a/new")]);
  const before = opened.getState();
  expect(added("/ab", "n")).toEqual([]);
  expect(opened.getState()).toBe(before);
});

test("rows leave when a change begins to take them away, and are listed again when it ends", async () => {
  await opened.open("/");
  pages = [[file("b.txt")]];
  const deletion = { action: "delete", items: [file("a.txt"), folder("/docs")], from: "/", to: "/" } as const;
  tell(deletion);
  expect(paths()).toEqual(["/b.txt", "/c.txt"]);
  tell(deletion, { status: "done", done: 2 });
  expect(opened.getState().status).toBe("refreshing");
  await opened.refresh();
  expect(paths()).toEqual(["/b.txt"]);
});

test("what is renamed or moved into the folder is there at once", async () => {
  await opened.open("/");
  tell({ action: "rename", items: [file("a.txt")], from: "/", to: "/", name: "z.txt" }, { status: "done" });
  expect(paths()).toEqual(["/docs", "/b.txt", "/c.txt", "/z.txt"]);
  tell({ action: "move", items: [file("docs/in.txt")], from: "/docs", to: "/" }, { status: "done" });
  expect(paths()).toContain("/in.txt");
});

test("what happens during a listing stays, though its pages were read before", async () => {
  pages = [[file("a.txt"), file("b.txt")], [file("c.txt")]];
  const opening = opened.open("/");
  tellUploaded("/", "new.txt");
  tell({ action: "delete", items: [file("a.txt"), file("c.txt")], from: "/", to: "/" });
  await opening;
  expect(paths()).toEqual(["/b.txt", "/new.txt"]);
  const refreshing = opened.refresh();
  tellUploaded("/", "newer.txt");
  await refreshing;
  expect(paths(), "what happened before it is listed as it is now").toEqual([
    "/a.txt",
    "/b.txt",
    "/newer.txt",
    "/c.txt",
  ]);
});

test("what is listed after it was uploaded is there once", async () => {
  const opening = opened.open("/");
  tellUploaded("/", "c.txt");
  await opening;
  expect(paths().sort()).toEqual(["/a.txt", "/b.txt", "/c.txt", "/docs"]);
});

test("what a failed change has taken away during a listing is listed again", async () => {
  pages = [[file("a.txt"), file("b.txt")]];
  const opening = opened.open("/");
  const deletion = { action: "delete", items: [file("a.txt")], from: "/", to: "/" } as const;
  tell(deletion);
  await opening;
  expect(paths()).toEqual(["/b.txt"]);
  tell(deletion, { status: "failed" });
  await vi.waitFor(() => expect(paths()).toEqual(["/a.txt", "/b.txt"]));
});

test("a failed change of rows of several folders is listed again in each of them", async () => {
  await opened.open("/");
  const items = [file("docs/in.txt"), file("a.txt")];
  const deletion = { action: "delete", items, from: "/docs", to: "/docs" } as const;
  tell(deletion);
  expect(paths()).not.toContain("/a.txt");
  tell(deletion, { status: "failed" });
  await vi.waitFor(() => expect(paths()).toContain("/a.txt"));
});

test("names that only the server knows are listed, and a new folder is not", async () => {
  await opened.open("/");
  const before = sent.length;
  const created = { action: "create-folder", items: [folder("/new")], from: "/", to: "/" } as const;
  tell(created, { status: "done" });
  expect(paths()).toContain("/new");
  expect(sent).toHaveLength(before);
  tell(
    { action: "copy", items: [file("a.txt")], from: "/", to: "/", choice: "keep-both" },
    { status: "done" },
  );
  expect(paths()).toHaveLength(5);
  expect(sent).toHaveLength(before + 1);
});

test("a folder of the past never changes", async () => {
  await opened.open("/", { time: PAST });
  const before = opened.getState();
  tell({ action: "delete", items: [file("a.txt")], from: "/", to: "/" });
  expect(opened.getState()).toBe(before);
});

test("what is restored leaves the deleted files, with everything in it", async () => {
  pages = [[file("x.txt"), file("docs/a.txt"), file("docs-old/a.txt")]].map((rows) =>
    rows.map((row) => ({ ...row, folderPath: pathOf(row).replace(/\/[^/]*$/, "") || "/", versionId: "v" })),
  );
  const time = { kind: "deleted" } as const;
  await opened.open("/", { time });
  expect(sent.at(-1)).toMatchObject({ operation: "deleted", folderPath: "/" });
  tell({ action: "restore", items: [folder("/docs"), file("x.txt")], from: "/", to: "/", time });
  expect(paths()).toEqual(["/docs-old/a.txt"]);
});

test("a folder that is closed hears of nothing", async () => {
  await opened.open("/");
  opened.close();
  tell({ action: "delete", items: [file("a.txt")], from: "/", to: "/" });
  expect(paths()).toContain("/a.txt");
});

test("a page is requested while the one before is shown, and pages that are small beside the list are shown together", async () => {
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => file(`${String(from + index).padStart(4, "0")}.txt`));
  pages = [many(0, 40), ...Array.from({ length: 30 }, (_, page) => many(40 + page * 2, 2))];
  const askedWhenShown: number[] = [];
  const shown: number[] = [];
  opened.subscribe(() => {
    const { rows } = opened.getState();
    if (rows.length === 0 || rows.length === shown.at(-1)) return;
    shown.push(rows.length);
    askedWhenShown.push(sent.length);
  });
  await opened.open("/");
  expect(shown).toEqual([40, 44, 50, 56, 62, 70, 78, 86, 96, 100]);
  // Of the first page, the next one is requested after it is shown.
  expect(askedWhenShown).toEqual([1, 4, 7, 10, 13, 17, 21, 25, 30, 31]);
  expect(opened.getState()).toMatchObject({ complete: true, status: "ready" });

  pages[29] = new FilesError("unavailable");
  await opened.open("/");
  expect(opened.getState().rows).toHaveLength(96);
  pages[29] = many(96, 2);
  sent = [];
  await opened.more();
  expect(sent.map(({ cursor }) => cursor)).toEqual(["29", "30"]);
  expect(opened.getState()).toMatchObject({ complete: true, problem: null });
});

const lists = () =>
  sent.map(({ folderPath, cursor, order }) => [folderPath, order ?? "by key", cursor ?? "first"]);

test("in an order, the first of all files are shown, and no further page is loaded by itself", async () => {
  await opened.open("/");
  ordered = [[folder("/docs"), file("z.txt")], [file("y.txt")], [file("x.txt")]];
  sent = [];
  opened.stop();
  await opened.sort("largest");
  // All rows are there already.
  expect(sent).toEqual([]);

  pages[1] = new FilesError("unavailable");
  await opened.open("/");
  expect(lists()).toEqual([
    ["/", "by key", "first"],
    ["/", "largest", "first"],
  ]);
  expect(opened.getState()).toMatchObject({
    order: "largest",
    complete: false,
    status: "ready",
    problem: null,
  });
  expect(paths()).toEqual(["/docs", "/z.txt"]);
  sent = [];
  await opened.more();
  expect(lists()).toEqual([["/", "largest", "1"]]);
  expect(paths()).toEqual(["/docs", "/z.txt", "/y.txt"]);
  await opened.sort("newest");
  expect(opened.getState()).toMatchObject({ order: "newest", complete: false });
  expect(paths()).toEqual(["/docs", "/z.txt"]);
});

test("all rows are loaded by key if they are asked for, and what is shown stays meanwhile", async () => {
  ordered = [[file("z.txt")], [file("c.txt")]];
  await opened.sort("largest");
  await opened.open("/");
  sent = [];
  const seen = states();
  await opened.more({ all: true });
  expect(lists()).toEqual([
    ["/", "by key", "first"],
    ["/", "by key", "1"],
    ["/", "by key", "2"],
  ]);
  expect(seen.every(({ rows }) => rows.some(({ name }) => name === "z.txt"))).toBe(true);
  expect(opened.getState()).toMatchObject({ order: null, complete: true, status: "ready" });
  expect(paths()).toEqual(["/z.txt", "/docs", "/a.txt", "/b.txt", "/c.txt"]);
  sent = [];
  await opened.refresh();
  expect(lists().every(([, order]) => order === "by key")).toBe(true);
});

test("without an order of the platform, sorting loads all rows, from where the list stands", async () => {
  const [, second = []] = pages;
  pages[1] = new FilesError("unavailable");
  await opened.open("/");
  pages[1] = second;
  sent = [];
  await opened.sort("oldest");
  expect(lists()).toEqual([
    ["/", "oldest", "first"],
    ["/", "by key", "1"],
    ["/", "by key", "2"],
  ]);
  expect(opened.getState()).toMatchObject({ order: null, complete: true });
});

test("by name again, all rows are loaded; the past knows no order", async () => {
  ordered = [[file("z.txt")], [file("y.txt")]];
  await opened.sort("smallest");
  sent = [];
  await opened.open("/", { time: PAST });
  expect(sent.every(({ order }) => order === undefined)).toBe(true);
  await opened.open("/");
  expect(opened.getState().order).toBe("smallest");
  await opened.sort(null);
  expect(opened.getState()).toMatchObject({ order: null, complete: true });
  sent = [];
  await opened.open("/");
  expect(sent.every(({ order }) => order === undefined)).toBe(true);
});
