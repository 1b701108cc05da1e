import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { aSecondLater } from "../support/files/cut-off-changes";

const stack = inject("stack");
const app = createRouteApp(stack);
let calls: ChangeCalls;
let { bucket, change, put, below } = {} as ChangeCalls;
let made = 0;
/** Returns the name of a new folder for one test. */
const place = () => `place-${made++}`;

beforeAll(async () => {
  calls = await openChanges(stack, app.fetch);
  ({ bucket, change, put, below } = calls);
});
afterAll(() => app.close());

describe("move", () => {
  it("moves files and folders with their contents, and keeps media types", async () => {
    const at = place();
    await put({
      [`${at}/a.txt`]: "a",
      [`${at}/docs/`]: "",
      [`${at}/docs/b/c.txt`]: "c",
      [`${at}/docs//odd`]: "o",
    });
    await bucket.put(`${at}/page.html`, "<p>", "text/html; charset=utf-8");
    const items = [{ key: `${at}/a.txt` }, { key: `${at}/page.html` }, { folderPath: `/${at}/docs` }];
    const moved = await change("move", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved).toEqual({ done: 5, failed: [], conflicts: [], undo: [] });
    expect(await below(at)).toEqual({
      "to/a.txt": "a",
      "to/docs/": "",
      "to/docs//odd": "o",
      "to/docs/b/c.txt": "c",
      "to/page.html": "<p>",
    });
    expect(await calls.typeOf(`${at}/to/page.html`)).toBe("text/html; charset=utf-8");
  });

  it("renames files and folders", async () => {
    const at = place();
    await put({ [`${at}/a.txt`]: "a", [`${at}/docs/b.txt`]: "b" });
    await change("move", {
      items: [{ key: `${at}/a.txt` }],
      to: `/${at}`,
      name: "z.txt",
      onConflict: "fail",
    });
    const folder = { items: [{ folderPath: `/${at}/docs` }], to: `/${at}`, name: "papers" };
    await change("move", { ...folder, onConflict: "fail" });
    expect(await below(at)).toEqual({ "papers/b.txt": "b", "z.txt": "a" });
  });
});

describe("copy", () => {
  it("leaves the originals in place", async () => {
    const at = place();
    await put({ [`${at}/a.txt`]: "a", [`${at}/docs/b.txt`]: "b" });
    const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
    expect(await change("copy", { items, to: `/${at}/to`, onConflict: "fail" })).toMatchObject({ done: 2 });
    expect(await below(at)).toEqual({
      "a.txt": "a",
      "docs/b.txt": "b",
      "to/a.txt": "a",
      "to/docs/b.txt": "b",
    });
  });
});

describe("delete", () => {
  it("deletes files and folders, and keeps their parent folder", async () => {
    const at = place();
    await put({
      [`${at}/a.txt`]: "a",
      [`${at}/docs/`]: "",
      [`${at}/docs/b.txt`]: "b",
      [`${at}/docs-old/c`]: "c",
    });
    const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
    expect(await change("delete", { items })).toMatchObject({ done: 3, failed: [] });
    expect(await below(at)).toEqual({ "docs-old/c": "c" });
    await change("delete", { items: [{ folderPath: `/${at}/docs-old` }] });
    expect(await below(at)).toEqual({ "": "" });
  });
});

const conflict = (folderPath: string, name: string) => ({ name, folderPath });

describe("names that are taken", () => {
  /** Creates `from/a.txt` and `from/docs` and the same names in `to`. */
  async function taken() {
    const at = place();
    await put({ [`${at}/from/a.txt`]: "new", [`${at}/from/docs/b`]: "new", [`${at}/from/docs/c`]: "new" });
    await put({ [`${at}/to/a.txt`]: "old", [`${at}/to/docs/b`]: "old", [`${at}/to/docs/d`]: "old" });
    const items = [{ key: `${at}/from/a.txt` }, { folderPath: `/${at}/from/docs` }];
    return { at, request: { items, to: `/${at}/to` } };
  }

  it.each(["copy", "move"] as const)("are all reported before a %s changes anything", async (what) => {
    const { at, request } = await taken();
    const before = await below(at);
    expect(await calls.ask(what, { ...request, onConflict: "fail" })).toEqual({
      status: 200,
      body: {
        done: 0,
        failed: [],
        conflicts: [conflict(`/${at}/from/docs`, "docs"), { name: "a.txt", key: `${at}/from/a.txt` }],
        cursor: null,
      },
    });
    expect(await below(at)).toEqual(before);
  });

  it("are overwritten with `replace`, and folders are merged", async () => {
    const { at, request } = await taken();
    expect(await change("move", { ...request, onConflict: "replace" })).toMatchObject({
      done: 3,
      failed: [],
    });
    expect(await below(at)).toEqual({
      "from/": "",
      "to/a.txt": "new",
      "to/docs/b": "new",
      "to/docs/c": "new",
      "to/docs/d": "old",
    });
  });

  it("are numbered with `keep-both`, skipping numbers that are taken", async () => {
    const { at, request } = await taken();
    await put({ [`${at}/to/a (1).txt`]: "old", [`${at}/to/docs (1)/x`]: "old" });
    expect(await change("copy", { ...request, onConflict: "keep-both" })).toMatchObject({ done: 3 });
    expect(await below(`${at}/to`)).toEqual({
      "a (1).txt": "old",
      "a (2).txt": "new",
      "a.txt": "old",
      "docs (1)/x": "old",
      "docs (2)/b": "new",
      "docs (2)/c": "new",
      "docs/b": "old",
      "docs/d": "old",
    });
  });

  it("get the next number for each copy beside the original", async () => {
    const at = place();
    await put({ [`${at}/a.txt`]: "a", [`${at}/docs/b`]: "b" });
    const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
    const request = { items, to: `/${at}`, onConflict: "keep-both" };
    await change("copy", request);
    await change("copy", request);
    expect(Object.keys(await below(at))).toEqual([
      "a (1).txt",
      "a (2).txt",
      "a.txt",
      "docs (1)/b",
      "docs (2)/b",
      "docs/b",
    ]);
  });

  it("include those of the same request: two files with one name never replace each other", async () => {
    const at = place();
    await put({ [`${at}/one/a`]: "one", [`${at}/two/a`]: "two" });
    await aSecondLater();
    const items = [{ key: `${at}/one/a` }, { key: `${at}/two/a` }];
    const request = { items, to: `/${at}/to` };
    expect(await change("move", { ...request, onConflict: "fail" })).toMatchObject({
      done: 0,
      conflicts: [{ name: "a", key: `${at}/two/a` }],
    });
    expect(await change("copy", { ...request, onConflict: "keep-both" })).toMatchObject({ done: 2 });
    expect(await below(`${at}/to`)).toEqual({ a: "one", "a (1)": "two" });
    expect(await change("move", { ...request, onConflict: "replace" })).toMatchObject({
      done: 1,
      failed: [{ key: `${at}/two/a`, code: "name_taken" }],
    });
    expect(await below(at)).toMatchObject({ "to/a": "one", "two/a": "two" });
  });
});

describe("a nonsensical request", () => {
  it.each([
    ["into itself", { to: "/x/docs" }, "to"],
    ["below itself", { to: "/x/docs/deep" }, "to"],
    ["onto its own parent folder", { items: [{ folderPath: "/x/x" }], to: "/", onConflict: "replace" }, "to"],
    ["under an invalid name", { name: "a/b" }, "name"],
    ["under one name for two items", { items: [{ key: "a" }, { key: "b" }], name: "c" }, "name"],
    ["under a name that is too long", { name: "n".repeat(1024) }, "name"],
    ["if it is the whole bucket", { items: [{ folderPath: "/" }] }, "items[0]"],
    ["if the list is empty", { items: [] }, "items"],
    ["with an invalid cursor", { cursor: "abc.def" }, "cursor"],
  ])("is refused: a folder %s", async (_, changes, path) => {
    const body = { items: [{ folderPath: "/x/docs" }], to: "/y", onConflict: "keep-both", ...changes };
    for (const what of ["copy", "move"] as const) {
      const refused = await calls.ask(what, body);
      expect(refused.status).toBe(400);
      expect(refused.body.issues?.[0]?.path).toContain(path);
    }
  });

  it("does nothing if an item is moved to its own place", async () => {
    const at = place();
    await put({ [`${at}/a`]: "a", [`${at}/docs/b`]: "b" });
    const items = [{ key: `${at}/a` }, { folderPath: `/${at}/docs` }];
    for (const onConflict of ["fail", "replace", "keep-both"]) {
      const moved = await change("move", { items, to: `/${at}`, onConflict });
      expect(moved).toEqual({ done: 0, failed: [], conflicts: [], undo: [] });
    }
    expect(await below(at)).toEqual({ a: "a", "docs/b": "b" });
  });

  it("reports missing items and handles the rest", async () => {
    const at = place();
    await put({ [`${at}/a`]: "a" });
    const items = [{ key: `${at}/a` }, { key: `${at}/gone` }, { folderPath: `/${at}/none` }];
    expect(await change("copy", { items, to: `/${at}/to`, onConflict: "fail" })).toMatchObject({
      done: 1,
      failed: [
        { key: `${at}/none/`, code: "not_found" },
        { key: `${at}/gone`, code: "not_found" },
      ],
    });
  });

  it("has a cursor that is valid only for the same request and bucket", async () => {
    const at = place();
    await put({ [`${at}/docs/b`]: "b" });
    const request = { items: [{ folderPath: `/${at}/docs` }], to: `/${at}/to`, onConflict: "keep-both" };
    const { body } = await calls.ask("copy", request);
    const { cursor } = body;
    expect((await calls.ask("copy", { ...request, cursor })).status).toBe(200);
    for (const changes of [{ to: "/other" }, { onConflict: "replace" }, { items: [{ key: "a" }] }]) {
      expect((await calls.ask("copy", { ...request, ...changes, cursor })).status).toBe(400);
    }
    expect((await calls.ask("move", { ...request, cursor })).status).toBe(400);
    expect((await calls.ask("delete", { items: request.items, cursor })).status).toBe(400);
  });
});
