/** The store changes something, and its response is lost. The SDK repeats the request, and the store finds it done. */
import { expect, it } from "vitest";
import { type Asked, asks, openFaultyStore } from "../support/files/cut-off-changes";
import { eventsOf, pendingOf } from "../support/files/event-calls";

const { faulty, open } = await openFaultyStore();
const plain = await open();
const versioned = await open();
await versioned.keepVersions();
const buckets = [
  ["without versions", plain],
  ["with versions", versioned],
] as const;

let made = 0;
const filled = async (calls: typeof plain) => {
  const at = `place-${made++}`;
  await calls.put({ [`${at}/a`]: "a" });
  return { at, items: [{ key: `${at}/a` }] };
};

/** Runs `work` while the response to the first request of a kind is lost. */
async function withLostResponse<Result>(
  work: () => Promise<Result>,
  isMeant: (request: Asked) => boolean = asks.delete,
): Promise<Result> {
  let isLost = false;
  faulty.intercept = (request) => {
    if (isLost || !isMeant(request)) return undefined;
    isLost = true;
    return { loseResponse: true };
  };
  const result = await work();
  expect(isLost).toBe(true);
  faulty.intercept = null;
  return result;
}

async function recordedAt({ bucket }: typeof plain, at: string) {
  const isThere = ({ key }: { key: string }) => key.startsWith(`${at}/`) && !key.endsWith("/");
  const events = await eventsOf(faulty.stack.postgresUrl, bucket.name);
  const pending = await pendingOf(faulty.stack.postgresUrl, bucket.name);
  expect(pending.filter(isThere)).toEqual([]);
  return events.filter(isThere).map(({ type }) => type);
}

it.each(buckets)("a deletion is recorded (%s)", async (_, calls) => {
  const { at, items } = await filled(calls);
  expect(await withLostResponse(() => calls.change("delete", { items }))).toMatchObject({
    done: 1,
    failed: [],
  });
  expect(await recordedAt(calls, at)).toEqual(["file.deleted"]);
});

it("undoing a deletion is recorded", async () => {
  const { at, items } = await filled(versioned);
  const { undo } = await versioned.change("delete", { items });
  const { body } = await withLostResponse(() => versioned.ask("restore", { undo: undo[0] }));
  expect(body).toMatchObject({ restored: 1, failed: [] });
  expect(await recordedAt(versioned, at)).toEqual(["file.deleted", "file.restored"]);
});

it.each(buckets)("a move, and undoing a copy, are recorded (%s)", async (_, calls) => {
  const { at, items } = await filled(calls);
  const asked = { items, to: `/${at}`, onConflict: "fail" };
  await withLostResponse(() => calls.change("move", { ...asked, name: "b" }));
  const { undo } = await calls.change("copy", { ...asked, items: [{ key: `${at}/b` }], name: "c" });
  const { body } = await withLostResponse(() => calls.ask("restore", { undo: undo[0] }));
  expect(body).toMatchObject({ restored: 1, failed: [] });
  expect(await calls.below(at)).toEqual({ b: "a" });
  expect(await recordedAt(calls, at)).toEqual(["file.moved", "file.copied", "file.deleted"]);
});

it.each(
  buckets.flatMap(([name, calls]) =>
    (["fail", "keep-both", "replace"] as const).map((onConflict) => [name, onConflict, calls] as const),
  ),
)("a copy and a move are made once, and recorded (%s, %s)", async (_, onConflict, calls) => {
  const { at, items } = await filled(calls);
  if (onConflict !== "fail") await calls.put({ [`${at}/to/a`]: "other" });
  for (const change of ["copy", "move"] as const) {
    const asked = { items, to: `/${at}/to`, onConflict, ...(change === "move" && { name: "moved" }) };
    const told = await withLostResponse(() => calls.change(change, asked), asks.copy);
    expect(told, change).toMatchObject({ done: 1, failed: [], conflicts: [] });
  }
  const copied = onConflict === "keep-both" ? { "to/a": "other", "to/a (1)": "a" } : { "to/a": "a" };
  expect(await calls.below(at)).toEqual({ ...copied, "to/moved": "a" });
  expect(await recordedAt(calls, at)).toEqual(["file.copied", "file.moved"]);
});

it.each(buckets)("a folder is created once, and recorded (%s)", async (_, calls) => {
  const at = `place-${made++}`;
  const create = () => calls.ask("create-folder", { folderPath: "/", name: at });
  const { status } = await withLostResponse(create, asks.put);
  expect(status).toBe(200);
  const events = await eventsOf(faulty.stack.postgresUrl, calls.bucket.name);
  expect(events.filter(({ key }) => key === `${at}/`).map(({ type }) => type)).toEqual(["folder.created"]);
});
