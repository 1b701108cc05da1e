import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import { issueEmbedUrl } from "../support/app/embed-client";
import { createRouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";

const stack = inject("stack");
const app = createRouteApp(stack);
let calls: ChangeCalls;
let made = 0;
const place = () => `place-${made++}`;

beforeAll(async () => {
  calls = await openChanges(stack, app.fetch);
  await calls.keepVersions();
});
afterAll(() => app.close());

const restore = (undo: string, changes: object = {}) => calls.ask("restore", { undo, ...changes });

/** Creates files and a folder, and the items of a request that deletes them. */
async function filled() {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "a", [`${at}/b.txt`]: "b", [`${at}/docs/`]: "", [`${at}/docs/c`]: "c" });
  const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
  return { at, items, before: await calls.below(at) };
}

it("a check reports that a deletion can be undone, and changes nothing", async () => {
  const { at, items, before } = await filled();
  const checked = await calls.ask("delete", { items, check: true });
  expect(checked.body).toEqual({ done: 0, failed: [], cursor: null, undo: null, undoable: true });
  expect(await calls.below(at)).toEqual(before);
});

it("restoring brings deleted files back and may be repeated", async () => {
  const { at, items, before } = await filled();
  const deleted = await calls.change("delete", { items });
  expect(deleted).toMatchObject({ done: 3, failed: [] });
  expect(await calls.below(at)).toEqual({ "b.txt": "b" });
  expect(deleted.undo).toHaveLength(1);
  const [undo = ""] = deleted.undo;
  for (let times = 0; times < 2; times++) {
    expect(await restore(undo)).toEqual({ status: 200, body: { restored: 3, failed: [], cursor: null } });
    expect(await calls.below(at)).toEqual(before);
  }
});

it("files that were deleted earlier or by somebody else stay deleted", async () => {
  const { at, items } = await filled();
  await calls.remove(`${at}/docs/c`);
  // Delete markers have times in whole seconds, a request allows a second of difference, and our estimate of the store's clock
  // may be a second off.
  await expect
    .poll(() => app.objectStore.storeSeconds(), { timeout: 5_000 })
    .toBeGreaterThan((await secondsOf(at)) + 1);
  const { undo } = await calls.change("delete", { items: items.slice(1) });
  await restore(undo[0] ?? "");
  expect(await calls.keysBelow(at)).toEqual(["a.txt", "b.txt", "docs/"]);
});

const secondsOf = async (at: string) => {
  const page = { bucket: calls.bucket.name, prefix: `${at}/docs/c`, after: undefined };
  return (await app.objectStore.listVersionsBelow(page)).entries[0]?.deletedAt ?? 0;
};

it("a deletion whose response was lost is undone with the response to the repeated request", async () => {
  const { at, items, before } = await filled();
  const { body: planned } = await calls.ask("delete", { items });
  expect(planned).toMatchObject({ done: 0, undo: null });
  const request = { items, cursor: planned.cursor };
  await calls.ask("delete", request);
  const { body } = await calls.ask("delete", request);
  expect(body).toMatchObject({ done: 3, cursor: null });
  await restore(body.undo ?? "");
  expect(await calls.below(at)).toEqual(before);

  const file = { items: [{ key: `${at}/b.txt` }] };
  await calls.ask("delete", file);
  const again = await calls.ask("delete", file);
  expect(again.body.done).toBe(1);
  await restore(again.body.undo ?? "");
  expect(await calls.below(at)).toEqual(before);
});

describe("undoing", () => {
  const tokenOf = async (id: string) => {
    const scope = { actions: scopeActions };
    return (await issueEmbedUrl(stack, calls.client, { scope, visitor: { id } })).token;
  };
  let ada: string;
  let ben: string;
  beforeAll(async () => {
    [ada, ben] = await Promise.all([tokenOf("ada"), tokenOf("ben")]);
  });

  it("does not bring back what somebody else has deleted a moment ago", async () => {
    const { at, items } = await filled();
    expect((await calls.change("delete", { items, token: ada })).done).toBe(3);
    // Also those that are deleted between the two requests that a folder takes.
    await calls.put({ [`${at}/later/x`]: "x", [`${at}/later/y`]: "y" });
    const folder = { items: [{ folderPath: `/${at}/later` }] };
    const { cursor } = (await calls.ask("delete", { ...folder, token: ben })).body;
    await calls.change("delete", { items: [{ key: `${at}/later/x` }], token: ada });
    const { body } = await calls.ask("delete", { ...folder, cursor, token: ben });
    expect(body).toMatchObject({ done: 1, failed: [], cursor: null });
    expect((await restore(body.undo ?? "", { token: ben })).body).toMatchObject({ restored: 1, failed: [] });
    for (const token of [ben, calls.token])
      expect(await calls.change("delete", { items: [items[0]], token })).toMatchObject({ done: 0, undo: [] });
    expect(await calls.below(at)).toEqual({ "b.txt": "b", "later/y": "y" });
  });

  it("does not bring back what somebody has moved away, or a store's other client has deleted", async () => {
    const at = place();
    await calls.put({ [`${at}/moved`]: "moved", [`${at}/removed`]: "removed" });
    const items = [{ key: `${at}/moved` }, { key: `${at}/removed` }];
    await calls.change("move", { items: [items[0]], to: `/${at}/to`, onConflict: "fail", token: ada });
    await calls.remove(`${at}/removed`);
    for (const token of [ada, ben])
      expect(await calls.change("delete", { items, token })).toMatchObject({ done: 0, failed: [], undo: [] });
    expect(await calls.below(at)).toEqual({ "to/moved": "moved" });
  });

  it("is for whoever has made the change", async () => {
    const { items } = await filled();
    const { undo } = await calls.change("delete", { items, token: ada });
    expect((await restore(undo[0] ?? "", { token: ben })).status).toBe(403);
    expect((await restore(undo[0] ?? "", { token: ada })).body).toMatchObject({ restored: 3 });
  });

  it("leaves a file deleted that somebody has deleted again, and says so", async () => {
    const { at } = await filled();
    const items = [{ key: `${at}/a.txt` }];
    const undoOf = async (token: string) => (await calls.change("delete", { items, token })).undo[0] ?? "";
    const first = await undoOf(ada);
    // A program that knows nothing of us may put a delete marker on top of another.
    await calls.remove(`${at}/a.txt`);
    const failed = [{ key: `${at}/a.txt`, code: "changed" }];
    expect((await restore(first, { token: ada })).body).toMatchObject({ restored: 0, failed });
    expect(await calls.keysBelow(at)).not.toContain("a.txt");
  });

  it("of two deletions at once is possible for the one that has deleted, and the other counts nothing", async () => {
    for (let times = 0; times < 20; times++) {
      const at = place();
      await calls.put({ [`${at}/a`]: "a" });
      const request = { items: [{ key: `${at}/a` }] };
      const both = await Promise.all([ada, ben].map((token) => calls.ask("delete", { ...request, token })));
      expect(both.map(({ body }) => body.done).sort()).toEqual([0, 1]);
      for (const { body } of both) expect(body.undo === null).toBe(body.done === 0);
    }
  });

  it("of a deletion against a move is never possible for a file that lives at its new place", async () => {
    for (let times = 0; times < 20; times++) {
      const at = place();
      await calls.put({ [`${at}/a`]: "a", [`${at}/z`]: "z" });
      const items = [{ key: `${at}/a` }];
      const [deleted] = await Promise.all([
        calls.ask("delete", { items, token: ben }),
        calls.ask("move", { items, to: `/${at}/to`, onConflict: "fail", token: ada }),
      ]);
      const { undo } = deleted.body;
      if (undo) await restore(undo, { token: ben });
      // Undoing may leave the move's copy, which was made before the deletion.
      const left = (await calls.keysBelow(at)).filter((key) => key !== "z");
      expect(left.length).toBeGreaterThan(0);
      if (!undo) expect(left).toEqual(["to/a"]);
    }
  });
});

it("restoring does not replace a newer object, and says so", async () => {
  const { at, items } = await filled();
  const { undo } = await calls.change("delete", { items });
  await calls.put({ [`${at}/a.txt`]: "newer" });
  expect((await restore(undo[0] ?? "")).body).toEqual({
    restored: 2,
    failed: [{ key: `${at}/a.txt`, code: "name_taken" }],
    cursor: null,
  });
  expect(await calls.below(at)).toMatchObject({ "a.txt": "newer", "docs/c": "c" });
});

describe.each([
  ["keeps versions", true],
  ["keeps none", false],
])("in a bucket that %s", (_, isVersioned) => {
  let plain: ChangeCalls;
  beforeAll(async () => {
    plain = isVersioned ? calls : await openChanges(stack, app.fetch);
  });
  const undoAll = async (undo: readonly string[]) => {
    const responses = [];
    for (const one of [...undo].reverse()) responses.push((await plain.ask("restore", { undo: one })).body);
    return responses;
  };
  /** Copies a file and a folder into `to`, where there is a file that stays. */
  async function copied() {
    const at = place();
    await plain.put({
      [`${at}/a.txt`]: "a",
      [`${at}/docs/`]: "",
      [`${at}/docs/b`]: "b",
      [`${at}/to/z`]: "z",
    });
    const before = await plain.below(at);
    const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
    const { undo } = await plain.change("copy", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(Object.keys(await plain.below(`${at}/to`))).toEqual(["a.txt", "docs/", "docs/b", "z"]);
    return { at, before, undo };
  }

  it("undoing a copy removes the copies, and may be repeated", async () => {
    const { at, before, undo } = await copied();
    for (let times = 0; times < 2; times++) {
      expect(await undoAll(undo)).toEqual([{ restored: 3, failed: [], cursor: null }]);
      expect(await plain.below(at)).toEqual(before);
    }
  });

  it("undoing a copy leaves what has changed since, and what was added to a copied folder", async () => {
    const { at, undo } = await copied();
    await plain.put({ [`${at}/to/a.txt`]: "changed", [`${at}/to/docs/new`]: "new" });
    const [response] = await undoAll(undo);
    expect(response).toMatchObject({ restored: 1, cursor: null });
    expect(response?.failed).toEqual([
      { key: `${at}/to/a.txt`, code: "changed" },
      { key: `${at}/to/docs/`, code: "not_empty" },
    ]);
    expect(await plain.below(`${at}/to`)).toEqual({
      "a.txt": "changed",
      "docs/": "",
      "docs/new": "new",
      z: "z",
    });
  });

  it("undoing a copy with `keep-both` removes the numbered names", async () => {
    const at = place();
    await plain.put({ [`${at}/a.txt`]: "a", [`${at}/docs/b`]: "b" });
    const before = await plain.below(at);
    const items = [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }];
    const { undo } = await plain.change("copy", { items, to: `/${at}`, onConflict: "keep-both" });
    expect(Object.keys(await plain.below(at))).toEqual(["a (1).txt", "a.txt", "docs (1)/b", "docs/b"]);
    await undoAll(undo);
    expect(await plain.below(at)).toEqual(before);
  });

  it("an equal file that was there before is not our copy, and stays", async () => {
    const at = place();
    await plain.put({ [`${at}/a`]: "same", [`${at}/b`]: "b", [`${at}/to/a`]: "same" });
    const items = [{ key: `${at}/a` }, { key: `${at}/b` }];
    const { done, undo } = await plain.change("copy", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(done).toBe(2);
    expect(await undoAll(undo)).toMatchObject([{ restored: 1 }]);
    expect(await plain.below(`${at}/to`)).toEqual({ a: "same" });
  });

  it("a new folder is removed while it is empty, and only then", async () => {
    const at = place();
    await plain.put({ [`${at}/a`]: "a" });
    const make = async (name: string) =>
      (await plain.ask("create-folder", { folderPath: `/${at}`, name })).body.undo ?? "";
    const [empty, filled] = [await make("empty"), await make("filled")];
    await plain.put({ [`${at}/filled/x`]: "x" });
    expect(await undoAll([empty])).toEqual([{ restored: 1, failed: [], cursor: null }]);
    expect(await undoAll([filled])).toEqual([
      { restored: 0, failed: [{ key: `${at}/filled/`, code: "not_empty" }], cursor: null },
    ]);
    expect(Object.keys(await plain.below(at))).toEqual(["a", "filled/", "filled/x"]);
  });
});

it("there is nothing to undo a copy by that has replaced something, or whose token may not delete", async () => {
  const at = place();
  await calls.put({ [`${at}/a`]: "a", [`${at}/to/a`]: "old" });
  const request = { items: [{ key: `${at}/a` }], to: `/${at}/to` };
  expect((await calls.ask("copy", { ...request, onConflict: "replace" })).body.undo).toBeUndefined();
  const token = await calls.tokenOf({ actions: ["organize"] });
  const other = { ...request, to: `/${at}/other`, onConflict: "fail", token };
  expect((await calls.ask("copy", other)).body).toEqual({ done: 1, failed: [], conflicts: [], cursor: null });
  const folder = { folderPath: `/${at}`, name: "new", token };
  expect((await calls.ask("create-folder", folder)).body).toEqual({ path: `/${at}/new` });
});

it("`keep-both` tells the names that it chooses", async () => {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "a", [`${at}/b.txt`]: "b", [`${at}/docs/c`]: "c" });
  await calls.put({ [`${at}/to/a.txt`]: "old", [`${at}/to/docs/c`]: "old" });
  const items = [{ key: `${at}/a.txt` }, { key: `${at}/b.txt` }, { folderPath: `/${at}/docs` }];
  const request = { items, to: `/${at}/to`, onConflict: "keep-both" };
  const renamed = [
    { name: "docs (1)", folderPath: `/${at}/docs` },
    { name: "a (1).txt", key: `${at}/a.txt` },
  ];
  const { body } = await calls.ask("move", request);
  expect(body).toMatchObject({ done: 0, renamed });
  expect((await calls.ask("move", { ...request, cursor: body.cursor })).body).toMatchObject({
    done: 3,
    renamed,
  });
});

it("a handle is valid for a day, for its company and bucket, and for tokens that may delete there", async () => {
  const { at, items } = await filled();
  const { undo } = await calls.change("delete", { items });
  const handle = undo[0] ?? "";
  const [signed = "", list = ""] = handle.split("~");
  for (const forged of [signed, `${signed}~`, `${signed}~${list.slice(4)}`, `x${handle}`, `${handle}x`]) {
    expect((await restore(forged)).status).toBe(400);
  }
  const other = await openChanges(stack, app.fetch);
  const { token } = other;
  expect((await restore(handle, { token, bucket: other.bucket.name })).status).toBe(400);
  expect((await restore(handle, { bucket: "another" })).status).toBe(403);
  for (const scope of [
    { actions: ["download", "upload", "organize"] },
    { actions: scopeActions, path: `/${at}/docs` },
    { actions: scopeActions, path: `/${at}`, uploadFolder: `/${at}/docs` },
  ]) {
    expect((await restore(handle, { token: await calls.tokenOf(scope) })).status).toBe(403);
  }
  expect(
    (await restore(handle, { token: await calls.tokenOf({ actions: ["delete"], path: `/${at}` }) })).status,
  ).toBe(200);
});

it("deletions in a bucket without versions are reported as permanent", async () => {
  const plain = await openChanges(stack, app.fetch);
  await plain.put({ "docs/a": "a", b: "b" });
  const items = [{ folderPath: "/docs" }, { key: "b" }];
  expect((await plain.ask("delete", { items, check: true })).body.undoable).toBe(false);
  const { body } = await plain.ask("delete", { items });
  expect(body).toEqual({ done: 2, failed: [], cursor: null, undo: null, undoable: false });
});
