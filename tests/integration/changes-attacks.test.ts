/** Attempts to get more than a token allows, and concurrent changes. */
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { openSealedValue, sealValue } from "../../app/embed/sealed-value.server";
import { signValue } from "../../app/embed/signed-value.server";
import { openChanges } from "../support/files/change-calls";
import { aSecondLater, asks, openFaultyStore } from "../support/files/cut-off-changes";

const stack = inject("stack");
const { faulty, app, open } = await openFaultyStore();
const calls = await open();

/**
 * Begins `work` before the store's first deletion of `key`. It may have to wait for the change that deletes.
 * @returns waits for `work`
 */
function beforeDeletion(key: string, work: () => Promise<unknown>): () => Promise<void> {
  let begun: Promise<unknown> | undefined;
  faulty.intercept = (request) => {
    if (!asks.delete(request) || request.key !== key) return undefined;
    faulty.intercept = null;
    begun = work();
    return undefined;
  };
  return async () => {
    expect(begun).toBeDefined();
    await begun;
  };
}

describe("two concurrent moves", () => {
  it.each(["fail", "replace"])("of a file, there and back, lose nothing (%s)", async (onConflict) => {
    const at = `back-${onConflict}`;
    await calls.put({ [`${at}/one/a`]: "a" });
    await aSecondLater();
    const back = beforeDeletion(`${at}/one/a`, () =>
      calls.change("move", { items: [{ key: `${at}/two/a` }], to: `/${at}/one`, onConflict }),
    );
    await calls.change("move", { items: [{ key: `${at}/one/a` }], to: `/${at}/two`, onConflict: "fail" });
    await back();
    expect(await calls.below(at)).toEqual({ "one/": "", "one/a": "a", "two/": "" });
  });

  it.each(["fail", "replace"])(
    "of a file created in the same second lose nothing (%s)",
    async (onConflict) => {
      const at = `second-${onConflict}`;
      // This also stops the clock of the store, which runs in this process.
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      await calls.put({ [`${at}/one/a`]: "a" });
      const back = beforeDeletion(`${at}/one/a`, () =>
        calls.change("move", { items: [{ key: `${at}/two/a` }], to: `/${at}/one`, onConflict }),
      );
      await calls.change("move", { items: [{ key: `${at}/one/a` }], to: `/${at}/two`, onConflict });
      await back();
      expect(Object.values(await calls.below(at)).filter(Boolean)).toEqual(["a"]);
    },
  );

  it("of a file, there and back, do not keep it from being deleted and brought back within the same second", async () => {
    const versioned = await open();
    await versioned.keepVersions();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await versioned.put({ "once/one/a": "a" });
    const move = (from: string, to: string) =>
      versioned.change("move", { items: [{ key: `once/${from}/a` }], to: `/once/${to}`, onConflict: "fail" });
    await move("one", "two");
    await move("two", "one");
    const { undo } = await versioned.change("delete", { items: [{ key: "once/one/a" }] });
    expect(await versioned.ask("restore", { undo: undo[0] })).toMatchObject({
      body: { restored: 1, failed: [] },
    });
    expect(await versioned.below("once")).toMatchObject({ "one/a": "a" });
  });

  it("of a folder, there and back, lose nothing", async () => {
    await calls.put({ "whole/one/docs/a": "a", "whole/one/docs/b": "b" });
    await aSecondLater();
    const [there, back] = [
      { items: [{ folderPath: "/whole/one/docs" }], to: "/whole/two" },
      { items: [{ folderPath: "/whole/two/docs" }], to: "/whole/one" },
    ].map((request) => ({ ...request, onConflict: "replace" }));
    const hasMovedBack = beforeDeletion("whole/one/docs/b", () => calls.change("move", back ?? {}));
    await calls.change("move", there ?? {});
    await hasMovedBack();
    const texts = Object.values(await calls.below("whole"));
    expect(texts).toContain("a");
    expect(texts).toContain("b");
  });

  it("to one folder both end, and nothing is lost or duplicated", async () => {
    await calls.put({ "same/one/a": "a", "same/one/docs/b": "b" });
    const items = [{ key: "same/one/a" }, { folderPath: "/same/one/docs" }];
    const move = () => calls.change("move", { items, to: "/same/two", onConflict: "replace" });
    await Promise.all([move(), move(), move()]);
    expect(await calls.below("same/two")).toEqual({ a: "a", "docs/b": "b" });
    expect(await calls.keysBelow("same/one")).toEqual([""]);
  });
});

describe("a replacing move", () => {
  it("does not replace another item of the request that stays in place", async () => {
    await calls.put({ "stay/a": "stays", "stay/deep/a": "comes" });
    const items = [{ key: "stay/deep/a" }, { key: "stay/a" }];
    const moved = await calls.change("move", { items, to: "/stay", onConflict: "replace" });
    expect(moved.failed).toEqual([{ key: "stay/deep/a", code: "name_taken" }]);
    expect(await calls.below("stay")).toMatchObject({ a: "stays", "deep/a": "comes" });
  });

  it("is refused if it would replace an item that is still to be moved", async () => {
    await calls.put({ "turn/docs/f": "first", "turn/from/docs/f": "second" });
    const items = [{ folderPath: "/turn/from/docs" }, { key: "turn/docs/f" }];
    const { status, body } = await calls.ask("move", { items, to: "/turn", onConflict: "replace" });
    expect([status, body.issues?.[0]?.path]).toEqual([400, "items"]);
    expect(await calls.below("turn")).toMatchObject({ "docs/f": "first", "from/docs/f": "second" });
  });
});

it.each(["move", "delete"] as const)("no folder is created if there is nothing to %s", async (what) => {
  const items = [{ key: `${what}-nothing/deep/gone` }, { folderPath: `/${what}-nothing/none/docs` }];
  await calls.change(what, { items, ...(what === "move" && { to: "/nowhere", onConflict: "fail" }) });
  expect(await calls.below(`${what}-nothing`)).toEqual({});
});

it("numbers names whose number exceeds the safe integers", async () => {
  const key = "far/a (9007199254740992).txt";
  await calls.put({ [key]: "a" });
  const copied = await calls.change("copy", { items: [{ key }], to: "/far", onConflict: "keep-both" });
  expect(copied.done).toBe(1);
  expect(await calls.keysBelow("far")).toContain("a (9007199254740992) (1).txt");
});

it("a cursor is refused with another company's token, another request, purpose or secret", async () => {
  await calls.put({ "cursor/docs/a": "a" });
  const request = { items: [{ folderPath: "/cursor/docs" }], to: "/cursor/to", onConflict: "keep-both" };
  const { cursor } = (await calls.ask("copy", request)).body;
  const other = await openChanges(faulty.stack, app.fetch, calls.bucket.name);
  const secret = stack.embedSigningSecret;
  const text = openSealedValue(cursor ?? "", [secret], "files-change") ?? "";
  const sealed = (claims: object, key = secret, purpose = "files-change") =>
    sealValue(JSON.stringify(claims), key, purpose);
  const claims = JSON.parse(text);
  const refused: [string, object][] = [
    ["copy", { ...request, cursor, token: other.token }],
    ["move", { ...request, cursor }],
    ["copy", { ...request, cursor, to: "/cursor/to2" }],
    ["copy", { ...request, cursor, onConflict: "replace" }],
    ["copy", { ...request, cursor: `${cursor}A` }],
    ["copy", { ...request, cursor: sealed(claims, "f".repeat(40)) }],
    ["copy", { ...request, cursor: sealed(claims, secret, "files-search") }],
    ["copy", { ...request, cursor: sealed({ ...claims, exp: 1 }) }],
    ["copy", { ...request, cursor: signValue(claims, secret, "files-change") }],
    ["delete", { items: request.items, cursor }],
  ];
  for (const [what, body] of refused) {
    expect((await calls.ask(what as "copy", body)).status, JSON.stringify(body)).toBe(400);
  }
  expect(await calls.keysBelow("cursor")).toEqual(["docs/a"]);
  expect((await calls.ask("copy", { ...request, cursor: sealed(claims) })).body.done).toBe(1);
});

it("keys with any characters are moved, deleted and restored", async () => {
  const kept = await open();
  await kept.keepVersions();
  const odd = [
    "a\u0001b",
    "a//b",
    "c&#x1;d",
    " x ",
    "l\nf",
    "cr\rx",
    "<&>\"'",
    "%41+ü",
    "🗂/",
    "x".repeat(900),
  ];
  await kept.put(Object.fromEntries(odd.map((key) => [`odd/docs/${key}`, ""])));
  const items = [{ folderPath: "/odd/docs" }];
  const moved = await kept.change("move", { items, to: "/odd/to", onConflict: "fail" });
  expect(moved).toMatchObject({ done: odd.length, failed: [] });
  const deleted = await kept.change("delete", { items: [{ folderPath: "/odd/to/docs" }] });
  expect(deleted).toMatchObject({ done: odd.length, failed: [] });
  expect(await kept.keysBelow("odd/to")).toEqual([""]);
  // Restoring twice does no harm.
  for (const undo of [...deleted.undo, ...deleted.undo]) {
    expect((await kept.ask("restore", { undo })).status).toBe(200);
  }
  expect((await kept.keysBelow("odd/to/docs")).sort()).toEqual([...odd].sort());
});

it("is refused soon for files in hundreds of folders inside of each other, and done if they share these", async () => {
  const items = Array.from({ length: 200 }, (_, index) => ({ key: `${index}/${"a/".repeat(500)}x` }));
  const started = performance.now();
  expect(await calls.ask("delete", { items })).toMatchObject({
    status: 400,
    body: { issues: [{ path: "", message: "names files in too many folders; send fewer at once" }] },
  });
  expect(performance.now() - started).toBeLessThan(2_000);
  const siblings = items.map(({ key }, index) => ({ key: `${key.slice(key.indexOf("/") + 1)}${index}` }));
  expect(await calls.ask("delete", { items: siblings })).toMatchObject({ status: 200, body: { done: 0 } });
});

it("limits a token's concurrent searches and changes, while other tokens are served", async () => {
  const other = await open();
  let letStoreAnswer = () => {};
  const held = new Promise<void>((resolve) => {
    letStoreAnswer = resolve;
  });
  faulty.intercept = async ({ bucket }) => {
    if (bucket === calls.bucket.name) await held;
    return undefined;
  };
  const search = { token: calls.token, bucket: calls.bucket.name, query: "a" };
  const send = (what: string, body: object) =>
    app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const statuses: number[] = [];
  const many = Array.from({ length: 100 }, () =>
    send("search", search).then(({ status }) => statuses.push(status)),
  );
  await expect.poll(() => statuses).toEqual(Array(96).fill(429));
  const { token, bucket } = other;
  expect((await send("search", { token, bucket: bucket.name, query: "a" })).status).toBe(200);
  letStoreAnswer();
  await Promise.all(many);
  expect(statuses.slice(96)).toEqual(Array(4).fill(200));
  expect((await send("search", search)).status).toBe(200);
});
