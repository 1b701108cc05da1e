import { beforeAll, describe, expect, inject, it } from "vitest";
import { fileActions } from "../../app/services/files/actions";
import { type ChangeCalls, openChanges } from "../support/change-calls";
import { issueEmbedUrl, makeEmbedClient } from "../support/embed-client";

const stack = inject("stack");
let calls: ChangeCalls;
let { bucket, change, put, below } = {} as ChangeCalls;
let made = 0;
/** a folder of this test's own */
const place = () => `place-${made++}`;

beforeAll(async () => {
  calls = await openChanges(stack);
  ({ bucket, change, put, below } = calls);
});

describe("move", () => {
  it("moves files and folders with all that is in them, and keeps their types", async () => {
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
  it("leaves what is copied where it is", async () => {
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
  it("deletes files and folders, and leaves the folder that they were in", async () => {
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

describe("a token", () => {
  it.each([
    ["copy", ["organize"], 200],
    ["move", ["organize"], 200],
    ["delete", ["delete"], 200],
    ["copy", ["download", "upload", "delete"], 403],
    ["move", ["download", "upload", "delete"], 403],
    ["delete", ["download", "upload", "organize"], 403],
  ] as const)("may %s with the actions %j: %j", async (what, actions, status) => {
    const able = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...fileActions] } });
    const { token } = await issueEmbedUrl(stack, able, { scope: { actions } });
    const items = [{ key: "nothing.txt" }];
    const body = what === "delete" ? { items } : { items, to: "/x", onConflict: "fail" };
    expect((await calls.ask(what, { token, ...body })).status).toBe(status);
  });
});
