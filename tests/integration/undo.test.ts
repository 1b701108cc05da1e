import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { fileActions } from "../../app/services/files/actions";
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
    expect(await restore(undo)).toEqual({ status: 200, body: { restored: 3, cursor: null } });
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

it("restoring does not replace a newer object", async () => {
  const { at, items } = await filled();
  const { undo } = await calls.change("delete", { items });
  await calls.put({ [`${at}/a.txt`]: "newer" });
  expect((await restore(undo[0] ?? "")).status).toBe(200);
  expect(await calls.below(at)).toMatchObject({ "a.txt": "newer", "docs/c": "c" });
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
    { actions: fileActions, path: `/${at}/docs` },
    { actions: fileActions, path: `/${at}`, uploadFolder: `/${at}/docs` },
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
