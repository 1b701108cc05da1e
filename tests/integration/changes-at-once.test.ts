/** Two changes of one object at once, in two processes. All pairs are in the drill `pairs`; these are the cases that need a certain order. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createDatabase } from "../../app/providers/database.server";
import { ObjectClaims } from "../../app/providers/object-claims.server";
import { scopeActions } from "../../app/services/files/place/actions";
import { ceph16 } from "../../local/object-store";
import { makeDatabase } from "../support/app/deployment";
import { issueEmbedUrl } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { secondsAgo } from "../support/files/cut-off-changes";
import { eventsOf, uploadCalls } from "../support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
let faulty: FaultyStore;
let apps: [RouteApp, RouteApp];
/** a bucket without versions, and one with */
let plain: ChangeCalls;
let versioned: ChangeCalls;
let made = 0;
const place = () => `place-${made++}`;

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  apps = [createRouteApp(faulty.stack), createRouteApp(faulty.stack)];
  plain = await openChanges(faulty.stack, apps[0].fetch);
  versioned = await openChanges(faulty.stack, apps[0].fetch);
  await versioned.keepVersions();
});
beforeEach(() => {
  faulty.intercept = null;
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await faulty.close();
});

/** The same bucket and key, by the other process. */
const inOther = (calls: ChangeCalls) => openChanges(faulty.stack, apps[1].fetch, calls.bucket.name);
const eventsIn = async ({ bucket }: ChangeCalls, at: string) =>
  (await eventsOf(stack.postgresUrl, bucket.name))
    .filter(({ key }) => key.startsWith(`${at}/`) && !key.endsWith("/"))
    .map(({ type }) => type);

/** As if the process that has these claims had stood still for longer than they last. */
const endClaims = ({ bucket }: ChangeCalls, at: string) =>
  query(
    stack.postgresUrl,
    "UPDATE object_claims SET expires_at = now() AT TIME ZONE 'UTC' - interval '1 second' WHERE starts_with(name, $1)",
    [`${bucket.name}/${at}/`],
  );
const removeClaims = ({ bucket }: ChangeCalls, at: string) =>
  query(stack.postgresUrl, "DELETE FROM object_claims WHERE starts_with(name, $1)", [
    `${bucket.name}/${at}/`,
  ]);

describe.each([
  ["with conditional writes", null],
  ["without conditional writes", () => ({ ignores: ceph16 })],
] as const)("on a store %s", (_, intercept) => {
  beforeEach(() => {
    faulty.intercept = intercept;
  });

  it.each([
    ["without versions", () => plain],
    ["with versions", () => versioned],
  ])("two renames of one file make one file, and the second one says so (%s)", async (_, callsOf) => {
    const calls = callsOf();
    const other = await inOther(calls);
    for (let times = 0; times < 10; times++) {
      const at = place();
      await calls.put({ [`${at}/a`]: "a" });
      const rename = (by: ChangeCalls, name: string) =>
        by.change("move", { items: [{ key: `${at}/a` }], to: `/${at}`, name, onConflict: "fail" });
      const told = await Promise.all([rename(calls, "b"), rename(other, "c")]);
      expect(told.map(({ done }) => done).sort()).toEqual([0, 1]);
      expect(told.flatMap(({ failed }) => failed)).toEqual([{ key: `${at}/a`, code: "not_found" }]);
      expect(Object.values(await calls.below(at)).filter((text) => text !== "")).toEqual(["a"]);
      expect(await eventsIn(calls, at)).toEqual(["file.moved"]);
    }
  });

  it("a source that another program moves away after it was copied: the copy is removed again", async () => {
    for (const calls of [plain, versioned]) {
      const at = place();
      await calls.put({ [`${at}/a`]: "a" });
      let isGone = false;
      faulty.intercept = ({ method, key, headers }) => {
        const isCopy = method === "PUT" && "x-amz-copy-source" in headers && key === `${at}/to/a`;
        if (isCopy) isGone = true;
        // Whoever looks at the source from now on, or deletes it, finds nothing.
        if (isGone && key === `${at}/a`) return { error: { status: 404, code: "NoSuchKey" } };
        return intercept?.();
      };
      const moved = await calls.change("move", {
        items: [{ key: `${at}/a` }],
        to: `/${at}/to`,
        onConflict: "fail",
      });
      faulty.intercept = intercept;
      expect(moved).toMatchObject({ done: 0, failed: [{ key: `${at}/a`, code: "not_found" }] });
      expect(await calls.keysBelow(`${at}/to`)).toEqual([]);
      expect(await eventsIn(calls, at)).toEqual([]);
    }
  });

  it.each([
    ["without versions", () => plain, endClaims],
    ["with versions", () => versioned, endClaims],
    ["as after a crash of the database", () => plain, removeClaims],
  ])(
    "a move that stood still while the same move was done leaves the only copy (%s)",
    async (_, callsOf, lose) => {
      const calls = callsOf();
      const other = await inOther(calls);
      const at = place();
      await secondsAgo(() => calls.put({ [`${at}/a`]: "a" }));
      const move = (by: ChangeCalls) =>
        by.change("move", { items: [{ key: `${at}/a` }], to: `/${at}/to`, onConflict: "fail" });
      let isCopied = false;
      let again: Awaited<ReturnType<typeof move>> | undefined;
      faulty.intercept = async ({ method, key }) => {
        if (method === "PUT" && key === `${at}/to/a`) isCopied = true;
        // The first move looks at its source again, or deletes it.
        else if (isCopied && key === `${at}/a`) {
          isCopied = false;
          await lose(calls, at);
          again = await move(other);
        }
        return intercept?.();
      };
      const first = await move(calls);
      expect(again).toMatchObject({ done: 1, failed: [] });
      expect(first).toMatchObject({ done: 0, failed: [{ key: `${at}/a`, code: "upload_conflict" }] });
      expect(await calls.below(`${at}/to`)).toMatchObject({ a: "a" });
      expect(await eventsIn(calls, at)).toEqual(["file.moved"]);
    },
  );

  it.each([
    ["end", endClaims],
    ["are gone", removeClaims],
  ])(
    "a move whose claims %s before its source is deleted leaves both, and the same move ends it",
    async (_, lose) => {
      const at = place();
      await secondsAgo(() => plain.put({ [`${at}/a`]: "a" }));
      let isLost = false;
      faulty.intercept = async ({ method, key }) => {
        if (method === "PUT" && key === `${at}/to/a` && !isLost) {
          isLost = true;
          await lose(plain, at);
        }
        return intercept?.();
      };
      const move = { items: [{ key: `${at}/a` }], to: `/${at}/to`, onConflict: "fail" };
      expect(await plain.change("move", move)).toMatchObject({
        done: 0,
        failed: [{ key: `${at}/a`, code: "upload_conflict" }],
      });
      expect(await plain.below(at)).toMatchObject({ a: "a", "to/a": "a" });
      expect(await eventsIn(plain, at)).toEqual([]);
      expect(await plain.change("move", move)).toMatchObject({ done: 1, failed: [] });
      expect(await plain.keysBelow(`${at}/to`)).toEqual(["a"]);
      expect(await eventsIn(plain, at)).toEqual(["file.moved"]);
    },
  );
});

it("two folders that are moved to one name at once: one has it, and the other lists the conflict", async () => {
  const other = await inOther(plain);
  for (let times = 0; times < 5; times++) {
    const at = place();
    await plain.put({ [`${at}/one/a`]: "a", [`${at}/two/b`]: "b" });
    const rename = (by: ChangeCalls, folder: string) =>
      by.change("move", {
        items: [{ folderPath: `/${at}/${folder}` }],
        to: `/${at}`,
        name: "c",
        onConflict: "fail",
      });
    const told = await Promise.all([rename(plain, "one"), rename(other, "two")]);
    expect(told.map(({ done, conflicts }) => [done, conflicts.length]).sort()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect((await plain.keysBelow(`${at}/c`)).filter((key) => key !== "")).toHaveLength(1);
  }
});

it("a deletion counts only what it has deleted", async () => {
  const at = place();
  await plain.put({ [`${at}/a`]: "a", [`${at}/stays`]: "stays" });
  const items = [{ key: `${at}/a` }];
  await plain.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
  expect((await plain.ask("delete", { items })).body).toMatchObject({ done: 0, failed: [], undo: null });
  expect(await plain.below(at)).toEqual({ stays: "stays", "to/a": "a" });
});

it("copies that keep both get names of their own, and undoing one leaves the other", async () => {
  const other = await inOther(plain);
  for (let times = 0; times < 5; times++) {
    const at = place();
    await plain.put({ [`${at}/a.txt`]: "a" });
    const copy = { items: [{ key: `${at}/a.txt` }], to: `/${at}`, onConflict: "keep-both" };
    const [one, two] = await Promise.all([plain.change("copy", copy), other.change("copy", copy)]);
    expect(await plain.keysBelow(at)).toEqual(["a (1).txt", "a (2).txt", "a.txt"]);
    await plain.ask("restore", { undo: one.undo[0] });
    expect(await plain.keysBelow(at)).toHaveLength(2);
    await other.ask("restore", { undo: two.undo[0] });
    expect(await plain.keysBelow(at)).toEqual(["a.txt"]);
  }
});

it("the undo of a copy leaves an equal file that somebody has uploaded there since", async () => {
  const at = place();
  const { token } = await issueEmbedUrl(stack, plain.client, { scope: { actions: scopeActions } });
  const uploads = uploadCalls(apps[0], faulty.stack, plain.bucket.name, token);
  await uploads.put(`${at}.txt`, "same");
  const copied = await plain.change("copy", {
    items: [{ key: `${at}.txt` }],
    to: `/${at}`,
    onConflict: "fail",
  });
  const upload = { folderPath: `/${at}`, fileName: `${at}.txt`, contentType: "text/plain", size: 4 };
  const { body } = await uploads.ask("presign-upload", upload);
  await fetch(body.url, { method: "PUT", headers: body.headers, body: "same" });
  for (const isConfirmed of [false, true]) {
    if (isConfirmed) await uploads.ask("uploaded", { keys: [`${at}/${at}.txt`] });
    const undone = await plain.ask("restore", { undo: copied.undo[0] });
    expect(undone.body).toMatchObject({ restored: 0, failed: [{ code: "changed" }] });
  }
  expect(await plain.keysBelow(at)).toEqual([`${at}.txt`]);
});

it("the undo of a copy that somebody has moved away counts nothing", async () => {
  const at = place();
  await plain.put({ [`${at}/a`]: "a" });
  const copied = await plain.change("copy", {
    items: [{ key: `${at}/a` }],
    to: `/${at}/to`,
    onConflict: "fail",
  });
  await plain.change("move", { items: [{ key: `${at}/to/a` }], to: `/${at}`, name: "b", onConflict: "fail" });
  expect((await plain.ask("restore", { undo: copied.undo[0] })).body).toMatchObject({
    restored: 0,
    failed: [],
  });
});

it("an undo waits for a long change of the same files, and then counts nothing if they were moved", async () => {
  const other = await inOther(plain);
  const at = place();
  await plain.put({ [`${at}/from/a`]: "a" });
  const copied = await plain.change("copy", {
    items: [{ key: `${at}/from/a` }],
    to: `/${at}/to`,
    onConflict: "fail",
  });
  const move = { items: [{ folderPath: `/${at}/to` }], to: `/${at}/there`, onConflict: "fail" };
  // The move of a folder takes two requests at least. Between them, its claims wait.
  const { cursor } = (await plain.ask("move", move)).body;
  expect(cursor).toEqual(expect.any(String));
  const undoing = other.ask("restore", { token: plain.token, undo: copied.undo[0] });
  expect((await plain.ask("move", { ...move, cursor })).body).toMatchObject({ done: 1, cursor: null });
  expect((await undoing).body).toMatchObject({ restored: 0, failed: [] });
  expect(await plain.below(`${at}/there/to`)).toEqual(expect.objectContaining({ a: "a" }));
  expect(await eventsIn(plain, at)).toEqual(["file.copied", "file.moved"]);
});

it("two undos of one deletion bring the file back once", async () => {
  const other = await inOther(versioned);
  for (let times = 0; times < 5; times++) {
    const at = place();
    await versioned.put({ [`${at}/a`]: "a" });
    const { undo } = await versioned.change("delete", { items: [{ key: `${at}/a` }] });
    const restore = (by: ChangeCalls) => by.ask("restore", { token: versioned.token, undo: undo[0] });
    for (const { body } of await Promise.all([restore(versioned), restore(other)]))
      expect(body).toMatchObject({ restored: 1, failed: [] });
    expect(await versioned.below(at)).toMatchObject({ a: "a" });
    expect(await eventsIn(versioned, at)).toEqual(["file.deleted", "file.restored"]);
  }
});

it("a restore and a purge at once: the file is back, or it is gone for ever", async () => {
  const other = await inOther(versioned);
  for (let times = 0; times < 6; times++) {
    const at = place();
    const key = `${at}/a`;
    await versioned.put({ [key]: "a" });
    const page = { bucket: versioned.bucket.name, prefix: key };
    const [{ versionId = "" } = {}] = (await apps[0].objectStore.listVersions(page)).versions;
    await versioned.change("delete", { items: [{ key }] });
    const restore = () => other.ask("restore", { items: [{ key, versionId }], onConflict: "fail" });
    const purge = () => versioned.ask("purge", { items: [{ key }] });
    const begun = times % 2 ? restore() : undefined;
    const [purged, restored] = await Promise.all([purge(), begun ?? restore()]);
    const end = {
      restored: restored.body.restored,
      purged: purged.body.purged,
      failed: [...(restored.body.failed ?? []), ...(purged.body.failed ?? [])].map(({ code }) => code),
      files: (await versioned.keysBelow(at)).filter((name) => name !== ""),
      events: await eventsIn(versioned, at),
    };
    expect([
      {
        restored: 1,
        purged: 0,
        failed: ["is_latest"],
        files: ["a"],
        events: ["file.deleted", "file.restored"],
      },
      { restored: 0, purged: 1, failed: ["not_found"], files: [], events: ["file.deleted", "file.purged"] },
    ]).toContainEqual(end);
  }
});

it("the undo of a deletion says so if the file was purged", async () => {
  const at = place();
  await versioned.put({ [`${at}/a`]: "a" });
  const items = [{ key: `${at}/a` }];
  const { undo } = await versioned.change("delete", { items });
  expect(await versioned.ask("purge", { items })).toMatchObject({ body: { done: 1, purged: 1 } });
  const failed = [{ key: `${at}/a`, code: "not_found" }];
  expect((await versioned.ask("restore", { undo: undo[0] })).body).toMatchObject({ restored: 0, failed });
});

describe("a claim", () => {
  const context = () => ({ deadline: performance.now() + 10_000 });
  const object = () => ({ bucket: plain.bucket.name, key: place() });

  it("lets one change in at a time, whichever process it is in", async () => {
    const objects = [object(), object()];
    let inside = 0;
    const work = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await plain.keysBelow("any");
      inside -= 1;
    };
    const tries = Array.from({ length: 20 }, (_, index) =>
      apps[index % 2]?.claims.during(index % 3 ? objects : objects.toReversed(), context(), work),
    );
    await Promise.all(tries);
  });

  it("of a process that was killed ends by itself", async () => {
    const claimed = object();
    let isTaken = false;
    await apps[0].claims.during([claimed], context(), async () => {
      const taking = apps[1].claims.during([claimed], context(), async () => {
        isTaken = true;
      });
      await expect
        .poll(async () => {
          // As if it had not been renewed. Its process lives here, and may renew it at any moment.
          await query(
            stack.postgresUrl,
            "UPDATE object_claims SET expires_at = now() AT TIME ZONE 'UTC' WHERE name = $1",
            [`${claimed.bucket}/${claimed.key}`],
          );
          return isTaken;
        })
        .toBe(true);
      await taking;
    });
  });

  it("that has ended is not renewed, and is its holder's no more", async () => {
    const at = place();
    const named = (key: string) => ({ bucket: plain.bucket.name, key: `${at}/${key}` });
    const [file, inside, folder] = [named("a"), named("folder/b"), named("folder/")];
    const { claims } = apps[0];
    await claims.during([file, folder], context(), async (holder) => {
      expect(await claims.holds(holder, [file, inside])).toBe(true);
      expect(await claims.holds(holder, [file, object()])).toBe(false);
      expect(await claims.holds("other", [file])).toBe(false);
      await endClaims(plain, at);
      expect(await claims.holds(holder, [file])).toBe(false);
      await claims.renew();
      expect(await claims.holds(holder, [file])).toBe(false);
    });
  });

  it("of changes that were begun, and whose clients have gone away, ends in time for somebody who waits", async () => {
    const at = place();
    const folders = Array.from({ length: 20 }, (_, index) => `folder-${index}`);
    await plain.put(Object.fromEntries(folders.map((folder) => [`${at}/${folder}/a`, "a"])));
    for (const folder of folders) {
      const items = [{ folderPath: `/${at}/${folder}` }];
      const { body } = await plain.ask("copy", { items, to: `/${at}`, onConflict: "keep-both" });
      // Nothing is copied yet, and nobody will send the cursor.
      expect(body).toMatchObject({ done: 0, cursor: expect.any(String) });
    }
    const renamed = await (await inOther(plain)).change("move", {
      items: [{ folderPath: `/${at}` }],
      to: "/",
      name: `${at}-renamed`,
      onConflict: "fail",
    });
    expect(renamed).toMatchObject({ failed: [], conflicts: [] });
    expect(await plain.keysBelow(at)).toEqual([]);
    expect((await plain.keysBelow(`${at}-renamed`)).sort()).toEqual(
      folders.map((folder) => `${folder}/a`).sort(),
    );
  }, 60_000);

  it("is released if a later statement of taking fails", async () => {
    const url = await makeDatabase(stack);
    // After taking, a session finds no table. The pool closes its connection then, and the next one finds it.
    await query(
      url,
      `CREATE FUNCTION hide_tables() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM set_config('search_path', 'nowhere', false); RETURN NULL; END $$;
      CREATE TRIGGER hide_tables AFTER INSERT ON object_claims EXECUTE FUNCTION hide_tables()`,
    );
    const database = createDatabase({ url, poolSize: 1 });
    try {
      const taking = new ObjectClaims(database).during([object()], context(), async () => {});
      await expect(taking).rejects.toThrow('relation "object_claims" does not exist');
      await expect.poll(() => query(url, "SELECT name FROM object_claims")).toEqual([]);
    } finally {
      await database.$disconnect();
    }
  });

  it("is waited for no longer than the request may take", async () => {
    const claimed = object();
    await apps[0].claims.during([claimed], context(), async () => {
      const short = { deadline: performance.now() + 100 };
      const late = apps[1].claims.during([claimed], short, async () => {});
      await expect(late).rejects.toMatchObject({ code: "upload_conflict" });
    });
  });

  it.each([
    ["a folder, itself", "a/", "a/", true],
    ["a folder, what is inside", "a/", "a/b/c", true],
    ["a folder, a folder that contains it", "a/b/", "a/", true],
    ["a file, the whole bucket", "a/b", "", true],
    ["a folder, another one whose name begins alike", "a/", "a-2/b", false],
    ["a folder, a file of the same name", "a/", "a", false],
    ["two files of a folder", "a/b", "a/c", false],
  ])("excludes changes that overlap: %s", async (_, one, other, overlaps) => {
    const { bucket } = object();
    // No other test uses this bucket.
    const at = { bucket: `${bucket}-${place()}` };
    await apps[0].claims.during([{ ...at, key: one }], context(), async () => {
      const limited = overlaps ? { deadline: performance.now() + 100 } : context();
      const late = apps[1].claims.during([{ ...at, key: other }], limited, async () => {});
      if (overlaps) await expect(late).rejects.toMatchObject({ code: "upload_conflict" });
      else await late;
    });
  });

  it("waits for the next request of its change, and for no other", async () => {
    const claimed = object();
    const request = (isOver: boolean, isContinued: boolean) => {
      const change = { id: "change", isContinued, isOver: () => isOver };
      return apps[0].claims.during([claimed], context(), async () => {}, change);
    };
    await request(false, false);
    const short = { deadline: performance.now() + 100 };
    const late = apps[1].claims.during([claimed], short, async () => {});
    await expect(late).rejects.toMatchObject({ code: "upload_conflict" });
    await request(true, true);
    await apps[1].claims.during([claimed], context(), async () => {});
  });

  it("is not lost to somebody who only tries to take what is inside it", async () => {
    const folder = { bucket: plain.bucket.name, key: `${place()}/` };
    const change = { id: "continued", isOver: () => false };
    const request = (isContinued: boolean, limitMs: number) =>
      apps[0].claims.during([folder], { deadline: performance.now() + limitMs }, async () => {}, {
        ...change,
        isContinued,
      });
    await request(false, 10_000);
    // As another change has, until it sees that the folder is claimed.
    const [inside, holder] = [`${folder.bucket}/${folder.key}a`, "another"];
    await query(
      stack.postgresUrl,
      "INSERT INTO object_claims (name, holder, expires_at) VALUES ($1, $2, now() AT TIME ZONE 'UTC' + interval '10 s')",
      [inside, holder],
    );
    await expect(request(true, 100)).rejects.toMatchObject({ code: "upload_conflict" });
    await query(stack.postgresUrl, "DELETE FROM object_claims WHERE holder = $1", [holder]);
    expect(
      await query(stack.postgresUrl, "SELECT holder FROM object_claims WHERE name = $1", [
        `${folder.bucket}/${folder.key}`,
      ]),
    ).toEqual([{ holder: "continued" }]);
  });

  it("of a name is its holder's until the request ends", async () => {
    const name = object();
    await apps[0].claims.during([], context(), async (holder) => {
      expect(await apps[0].claims.takeNames(holder, [name])).toEqual([true]);
      expect(await apps[1].claims.takeNames("other", [name, object()])).toEqual([false, true]);
      expect(await apps[0].claims.takeNames(holder, [name])).toEqual([true]);
    });
    // Its request has ended when nobody has to wait for the name.
    await apps[1].claims.during([name], context(), async () => {});
  });

  it("of a name goes on to the next request of its change, and ends with the last one", async () => {
    const [source, name] = [object(), object()];
    const request = (isOver: boolean, isContinued: boolean) => {
      const change = { id: `change-${name.key}`, isContinued, isOver: () => isOver };
      const { claims } = apps[0];
      return claims.during([source], context(), (holder) => claims.takeNames(holder, [name]), change);
    };
    expect(await request(false, false)).toEqual([true]);
    expect(await request(false, true)).toEqual([true]);
    // The last one needs no further name.
    await apps[0].claims.during([source], context(), async () => {}, {
      id: `change-${name.key}`,
      isContinued: true,
      isOver: () => true,
    });
    const left = "SELECT name FROM object_claims WHERE name = ANY($1)";
    const names = [source, name].map(({ bucket, key }) => `${bucket}/${key}`);
    await expect.poll(() => query(stack.postgresUrl, left, [names])).toEqual([]);
  });
});
