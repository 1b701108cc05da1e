import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../tests/support/databases/own-database";
import { query } from "../../../tests/support/databases/postgres";
import { createDatabase, type Database } from "../../providers/database.server";
import type { ListedObject } from "../../providers/listings.server";
import { AppError } from "../../shared/app-error";
import { standardError } from "../../shared/log.server";
import type { CallContext } from "../../shared/request-context.server";
import { addCatalogue } from "../catalogues.server";
import { readClock, writeObserved } from "../objects.sql.server";
import { ObserveWorker } from "../observe-worker.server";
import { MAX_HELD, Quotas, type ReservationRequest } from "./quotas.server";
import { lockBuckets, sweepEnded } from "./quotas.sql.server";

let own: OwnDatabase;
let other: Database;
beforeAll(async () => {
  own = await startOwnDatabase();
  other = createDatabase({ url: own.url, poolSize: 4 });
  await other.$ping();
});
afterAll(async () => {
  await other?.$disconnect();
  await own?.stop();
});

const MB = 1_000_000;
let made = 0;

/** A bucket of a test's own with a complete catalogue, and a store that holds what the test says. */
async function newBucket() {
  const bucket = `bucket-${++made}`;
  const { id } = await addCatalogue(own.database, bucket);
  await own.database.catalogue.update({ where: { id }, data: { scannedAt: new Date(0) } });
  const held = new Map<string, number>();
  const entryOf = (key: string): ListedObject => ({
    ...{ key, size: held.get(key) ?? 0, etag: '"e"', modified: 0, lastModified: new Date(0) },
  });
  const asked: string[] = [];
  const deadlines: unknown[] = [];
  const listBelow = async ({ prefix }: { prefix: string }, context?: CallContext) => {
    asked.push(prefix);
    deadlines.push(context?.deadline);
    return { entries: held.has(prefix) ? [entryOf(prefix)] : [], next: null };
  };
  /** The catalogue learns what the store holds. */
  const note = async (...keys: string[]) => {
    const asOf = await readClock(own.database);
    const objects = keys.map((key) => ({ bucket, key, asOf, object: held.has(key) ? entryOf(key) : null }));
    await writeObserved(own.database, objects);
  };
  const store = async (key: string, bytes: number) => {
    held.set(key, bytes);
    await note(key);
  };
  const quotas = [own.database, other].map((database) => new Quotas(database, { listBelow }));
  let uploads = 0;
  const wanted = (
    key: string,
    bytes: number,
    maxBytes: number,
    changes: Partial<ReservationRequest> = {},
  ): ReservationRequest => ({
    ...{ companyId: "own", bucket, key, bytes, uploadId: `${bucket} ${++uploads}`, heldSeconds: 600 },
    quotas: [{ area: { buckets: [bucket], prefixes: [""] }, maxBytes }],
    ...changes,
  });
  const [first = new Quotas(own.database, { listBelow })] = quotas;
  /** @returns whether it was reserved */
  const tryTo = async (upload: ReservationRequest, by = first) =>
    by.reserve(upload).then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== "quota_exceeded") throw error;
        return false;
      },
    );
  const tools = { database: own.database, objectStore: { listBelow } };
  return { id, bucket, held, asked, deadlines, note, store, quotas, first, wanted, tryTo, tools };
}

/** Lets time pass for reservations: everything was made so many seconds earlier. */
const pass = (seconds: number) =>
  query(
    own.url,
    `UPDATE quota_reservations SET made_at = made_at - make_interval(secs => ${seconds}), held_until = held_until - make_interval(secs => ${seconds})`,
  );

describe("a quota", () => {
  it("gives 200 uploads at once at two processes not one byte more than there is", async () => {
    const { quotas, store, wanted, tryTo, bucket } = await newBucket();
    await store("old", 90 * MB);
    const sizes = Array.from({ length: 200 }, (_, number) => 1 + ((number * 7_919) % (2 * MB)));
    const given = await Promise.all(
      sizes.map((bytes, number) => tryTo(wanted(`new/${number}`, bytes, 100 * MB), quotas[number % 2])),
    );
    const bytes = sizes.filter((_, number) => given[number]).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(10 * MB);
    // Whatever was refused has no room now.
    const left = 10 * MB - bytes;
    expect(Math.min(...sizes.filter((_, number) => !given[number]))).toBeGreaterThan(left);
    await expect(tryTo(wanted("exactly", left, 100 * MB))).resolves.toBe(true);
    await expect(tryTo(wanted("more", 1, 100 * MB))).resolves.toBe(false);
    const [sum] = await query<{ bytes: string }>(
      own.url,
      "SELECT sum(bytes) AS bytes FROM quota_reservations JOIN catalogues ON catalogues.id = catalogue_id WHERE bucket = $1",
      [bucket],
    );
    expect(Number(sum?.bytes)).toBe(10 * MB);
  });

  it("counts an upload once, before and after the catalogue knows that it has arrived", async () => {
    const { store, held, note, wanted, tryTo } = await newBucket();
    await expect(tryTo(wanted("a", 6, 10))).resolves.toBe(true);
    held.set("a", 6);
    await expect(tryTo(wanted("b", 5, 10))).resolves.toBe(false);
    await note("a");
    await expect(tryTo(wanted("b", 5, 10))).resolves.toBe(false);
    await expect(tryTo(wanted("b", 4, 10))).resolves.toBe(true);
    await store("b", 4);
    await expect(tryTo(wanted("c", 1, 10))).resolves.toBe(false);
  });

  it("counts the larger of a file and what replaces it", async () => {
    const { store, wanted, tryTo, quotas } = await newBucket();
    await store("a", 8);
    await expect(tryTo(wanted("a", 11, 10))).resolves.toBe(false);
    await expect(tryTo(wanted("a", 9, 10))).resolves.toBe(true);
    await expect(tryTo(wanted("a", 5, 10), quotas[1])).resolves.toBe(true);
    await expect(tryTo(wanted("b", 2, 10))).resolves.toBe(false);
    await expect(tryTo(wanted("b", 1, 10))).resolves.toBe(true);
    await store("a", 5);
    await expect(tryTo(wanted("c", 1, 10))).resolves.toBe(false);
  });

  it("counts several URLs for one key once, and a repeated request for one upload not at all", async () => {
    const { wanted, tryTo, quotas } = await newBucket();
    const upload = wanted("a", 10, 10);
    await expect(Promise.all(quotas.map((by) => tryTo(upload, by)))).resolves.toEqual([true, true]);
    await expect(tryTo(wanted("a", 10, 10))).resolves.toBe(true);
    await expect(tryTo(wanted("a", 11, 10))).resolves.toBe(false);
    await expect(tryTo(wanted("b", 1, 10))).resolves.toBe(false);
  });

  it("keeps room as long as a URL may be used again, though the file was deleted", async () => {
    const { held, store, note, wanted, tryTo } = await newBucket();
    await expect(tryTo(wanted("a", 10, 10))).resolves.toBe(true);
    await store("a", 10);
    held.delete("a");
    await note("a");
    await expect(tryTo(wanted("b", 10, 10))).resolves.toBe(false);
    await pass(601);
    await expect(tryTo(wanted("b", 10, 10))).resolves.toBe(true);
  });

  it("asks the store what has become of an upload that can no longer arrive, before it refuses", async () => {
    const { held, asked, deadlines, wanted, tryTo } = await newBucket();
    await expect(tryTo(wanted("arrived", 4, 10))).resolves.toBe(true);
    await expect(tryTo(wanted("given up", 6, 10))).resolves.toBe(true);
    held.set("arrived", 4);
    await expect(tryTo(wanted("next", 6, 10))).resolves.toBe(false);
    expect(asked).toEqual([]);
    await pass(601);
    await expect(tryTo(wanted("next", 6, 10))).resolves.toBe(true);
    expect(asked.sort()).toEqual(["arrived", "given up"]);
    expect(deadlines).toEqual([expect.any(Number), expect.any(Number)]);
    await expect(tryTo(wanted("further", 1, 10))).resolves.toBe(false);
  });

  it("gives room anew to an upload that had ended", async () => {
    const { first, note, wanted, tryTo } = await newBucket();
    const upload = wanted("a", 10, 10);
    await expect(tryTo(upload)).resolves.toBe(true);
    await first.end(upload.uploadId);
    await note("a");
    await expect(tryTo(wanted("b", 10, 10))).resolves.toBe(true);
    await expect(tryTo(upload)).resolves.toBe(false);
    await expect(tryTo(wanted("a", 9, 10))).resolves.toBe(false);
  });

  it("gives back what was given up, and holds no longer what has ended", async () => {
    const { first, held, note, wanted, tryTo } = await newBucket();
    const upload = wanted("a", 10, 10);
    await expect(tryTo(upload)).resolves.toBe(true);
    await first.end(upload.uploadId);
    const next = wanted("b", 10, 10);
    await expect(tryTo(next)).resolves.toBe(true);
    held.set("b", 10);
    await first.end(next.uploadId);
    await expect(tryTo(wanted("c", 1, 10))).resolves.toBe(false);
    held.delete("b");
    await note("b");
    await expect(tryTo(wanted("c", 10, 10))).resolves.toBe(true);
  });

  it("holds for folders inside each other, for several at once, and for two keys of one folder", async () => {
    const { bucket, wanted, tryTo, quotas } = await newBucket();
    const area = (...prefixes: string[]) => ({ buckets: [bucket], prefixes });
    const inner = { quotas: [{ area: area("a/b/"), maxBytes: 5 }] };
    const outer = { quotas: [{ area: area("a/", "a/b/", "c/"), maxBytes: 8 }] };
    const both = { quotas: [...inner.quotas, ...outer.quotas] };
    await expect(tryTo(wanted("a/b/1", 4, 0, inner))).resolves.toBe(true);
    await expect(tryTo(wanted("a/b/2", 2, 0, both), quotas[1])).resolves.toBe(false);
    await expect(tryTo(wanted("a/b/2", 1, 0, both), quotas[1])).resolves.toBe(true);
    await expect(tryTo(wanted("c/3", 4, 0, outer))).resolves.toBe(false);
    await expect(tryTo(wanted("c/3", 3, 0, outer))).resolves.toBe(true);
    await expect(tryTo(wanted("a/4", 1, 0, outer), quotas[1])).resolves.toBe(false);
    await expect(
      tryTo(wanted("a0", 10, 10, { quotas: [{ area: area("a0/"), maxBytes: 10 }] })),
    ).resolves.toBe(true);
  });

  it("counts nested folders together, also when both are asked at the same time", async () => {
    const { bucket, wanted, tryTo, quotas } = await newBucket();
    const of = (prefix: string, maxBytes: number) => ({
      area: { buckets: [bucket], prefixes: [prefix] },
      maxBytes,
    });
    const given = await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        const limits = { quotas: number % 3 === 0 ? [of("a/b/", 10)] : [of("a/b/", 10), of("a/", 10)] };
        return tryTo(wanted(`a/b/${number}`, 1, 0, limits), quotas[number % 2]);
      }),
    );
    expect(given.filter(Boolean)).toHaveLength(10);
  });

  it("counts the buckets of an area together, and refuses without a complete catalogue of each", async () => {
    const one = await newBucket();
    const two = await newBucket();
    const quotas = [{ area: { buckets: [one.bucket, two.bucket], prefixes: [""] }, maxBytes: 10 }];
    await two.store("x", 6);
    await expect(one.tryTo(one.wanted("a", 5, 0, { quotas }))).resolves.toBe(false);
    await expect(one.tryTo(one.wanted("a", 4, 0, { quotas }))).resolves.toBe(true);
    await own.database.catalogue.update({ where: { id: two.id }, data: { isBeingRemoved: true } });
    await expect(one.tryTo(one.wanted("b", 1, 0, { quotas }))).rejects.toMatchObject({
      code: "unavailable",
      logDetail: expect.stringContaining(`npm run catalogue -- add ${two.bucket}`),
    });
  });

  it("never refuses for the sake of rows of deleted objects, and takes keys with NUL", async () => {
    const { held, store, note, wanted, tryTo } = await newBucket();
    await store("a\0b", 10);
    await expect(tryTo(wanted("c", 1, 10))).resolves.toBe(false);
    held.clear();
    await note("a\0b");
    await expect(tryTo(wanted("a\0c", 10, 10))).resolves.toBe(true);
    await expect(tryTo(wanted("a\0c", 10, 10))).resolves.toBe(true);
    await expect(tryTo(wanted("a\u0001c", 10, 10))).resolves.toBe(false);
  });

  it("forgets reservations once the catalogue knows what has become of them, and not before", async () => {
    const { id, wanted, tryTo, held, note } = await newBucket();
    const left = async () =>
      (
        await query<{ key: string }>(
          own.url,
          "SELECT key FROM quota_reservations WHERE catalogue_id = $1 ORDER BY key",
          [id],
        )
      ).map(({ key }) => key);
    const sweep = async () => {
      for (let last: string | undefined = "0"; last !== undefined; )
        last = (await sweepEnded(own.database, last, 1_000)).last;
    };
    await tryTo(wanted("known", 1, 10));
    await tryTo(wanted("unknown", 1, 10));
    await tryTo(wanted("held", 1, 10, { heldSeconds: 86_400 }));
    held.set("known", 1);
    await note("known", "held");
    await sweep();
    expect(await left()).toEqual(["held", "known", "unknown"]);
    await pass(700);
    await note("known", "held");
    await sweep();
    expect(await left()).toEqual(["held", "unknown"]);
    // A scan that began after the end knows all keys.
    await own.database.catalogue.update({
      where: { id },
      data: { scannedAt: new Date(Date.now() + 60_000) },
    });
    await sweep();
    expect(await left()).toEqual(["held"]);
    await own.database.catalogue.delete({ where: { id } });
    await pass(90_000);
    await sweep();
    expect(await left()).toEqual([]);
  });

  it("says how full it is", async () => {
    const { store, wanted, first, bucket } = await newBucket();
    await store("a", 4);
    await expect(first.reserve(wanted("b", 5, 10))).resolves.toMatchObject([
      { before: 4, after: 9, maxBytes: 10 },
    ]);
    await expect(first.measure("own", { buckets: [bucket], prefixes: [""] })).resolves.toBe(9);
    await expect(first.measure("own", { buckets: ["none"], prefixes: [""] })).resolves.toBeUndefined();
  });

  it("says how full it is by a total that was kept, with what was reserved since", async () => {
    const { store, wanted, first, bucket } = await newBucket();
    const area = { buckets: [bucket], prefixes: [""] };
    await store("a", 4);
    await expect(first.measure("own", area, 10)).resolves.toBe(4);
    await first.reserve(wanted("b", 5, 100));
    await store("a", 1);
    await expect(first.measure("own", area, 10)).resolves.toBe(9);
    await expect(first.measure("own", area)).resolves.toBe(6);
    await expect(first.measure("own", area, 10)).resolves.toBe(6);
    await query(own.url, "UPDATE quota_totals SET computed_at = computed_at - interval '11 seconds'");
    await store("a", 2);
    await expect(first.measure("own", area, 10)).resolves.toBe(7);
    await expect(first.measure("own", { buckets: ["none"], prefixes: [""] }, 10)).resolves.toBeUndefined();
  });
});

it("tells of each key whether something may still arrive there", async () => {
  const { first, bucket, wanted, tryTo } = await newBucket();
  const areHeld = () =>
    Promise.all(
      ["a", "b\0", "c"]
        .map((key) => first.isHeld({ bucket, key }))
        .concat(first.isHeld({ bucket: "none", key: "a" })),
    );
  for (const key of ["a", "b\0"]) await tryTo(wanted(key, 1, 10));
  await expect(areHeld()).resolves.toEqual([true, true, false, false]);
  await pass(601);
  await expect(areHeld()).resolves.toEqual([false, false, false, false]);
});

describe("a total that takes long", () => {
  /** Quotas whose totals of an area with this catalogue wait until they are told how to end. */
  function holdTotalsOf(id: number) {
    let waiting = () => {};
    let end = (_: Error | undefined) => {};
    const isWaiting = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    const ended = new Promise<Error | undefined>((resolve) => {
      end = resolve;
    });
    const hold = async ({ text, values }: { text: string; values: readonly unknown[] }) => {
      if (!text.includes("AS reserved") || !values.includes(id)) return;
      waiting();
      const error = await ended;
      if (error !== undefined) throw error;
    };
    const database: ConstructorParameters<typeof Quotas>[0] = {
      catalogue: own.database.catalogue,
      $transaction: (work) => own.database.$transaction(work),
      $driverQuery: async (statement, row) => {
        await hold(statement);
        return own.database.$driverQuery(statement, row);
      },
      $queryInTurn: async (caller, statement, row) => {
        await hold(statement);
        return own.database.$queryInTurn(caller, statement, row);
      },
    };
    const listBelow = async () => ({ entries: [], next: null });
    const pause = vi.fn(async (_: number) => {});
    return { quotas: new Quotas(database, { listBelow }, pause), isWaiting, end, pause };
  }

  it("holds up no other company, and no other area of its own", async () => {
    const slow = await newBucket();
    const [beside, foreign] = [await newBucket(), await newBucket()];
    const { quotas, isWaiting, end } = holdTotalsOf(slow.id);
    const held = slow.tryTo(slow.wanted("a", 1, 10), quotas).catch((error: Error) => error.message);
    await isWaiting;
    const others = [
      beside.tryTo(beside.wanted("a", 1, 10), quotas),
      foreign.tryTo(foreign.wanted("a", 1, 10, { companyId: "other" }), quotas),
    ];
    await expect(Promise.all(others)).resolves.toEqual([true, true]);
    end(new Error("It took too long."));
    await expect(held).resolves.toBe("It took too long.");
  });

  it("is not waited for longer than the request has time, and nothing is reserved later", async () => {
    const slow = await newBucket();
    const { quotas, isWaiting, end } = holdTotalsOf(slow.id);
    const reserved = quotas.reserve(slow.wanted("a", 1, 10)).catch((error: unknown) => error);
    await isWaiting;
    const now = performance.now();
    const clock = vi.spyOn(performance, "now").mockReturnValue(now + 60_000);
    end(undefined);
    await expect(reserved).resolves.toMatchObject({ code: "unavailable" });
    clock.mockRestore();
    await expect(slow.tryTo(slow.wanted("b", 10, 10), quotas)).resolves.toBe(true);
  });

  it("is not summed again at once, however often an upload is refused", async () => {
    const slow = await newBucket();
    const { quotas, isWaiting, end, pause } = holdTotalsOf(slow.id);
    const first = slow.tryTo(slow.wanted("a", 11, 10), quotas);
    await isWaiting;
    expect(pause).not.toHaveBeenCalled();
    const later = performance.now() + 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
    end(undefined);
    await expect(first).resolves.toBe(false);
    await expect(slow.tryTo(slow.wanted("a", 11, 10), quotas)).resolves.toBe(false);
    clock.mockRestore();
    expect(pause).toHaveBeenCalledOnce();
    // Twice the time that the sum took, as far as the clock of this test goes.
    expect(pause.mock.lastCall?.[0]).toBeGreaterThan(1_000);
  });

  it("is not needed to reserve nothing for a request that has no time left", async () => {
    const { first, tryTo, wanted } = await newBucket();
    await expect(tryTo(wanted("a", 1, 10))).resolves.toBe(true);
    const late = first.reserve(wanted("b", 9, 10), { deadline: performance.now() });
    await expect(late).rejects.toMatchObject({ code: "unavailable" });
    await expect(tryTo(wanted("c", 9, 10))).resolves.toBe(true);
  });
});

describe("a process that stands still with a bucket locked", () => {
  /** Another process has locked the bucket, and does nothing more. @returns what resolves when its connection has ended */
  async function lock(bucket: string): Promise<{ ended: Promise<unknown> }> {
    const still = new pg.Client(own.url);
    still.on("error", () => {});
    await still.connect();
    await still.query("BEGIN");
    const run = async ({ text, values }: { text: string; values: readonly unknown[] }) =>
      (await still.query(text, [...values])).rows;
    await lockBuckets({ $driverQuery: run as Database["$driverQuery"] }, [bucket]);
    return { ended: new Promise((resolve) => still.on("end", () => resolve(undefined))) };
  }

  it("loses the lock", async () => {
    const { bucket, tryTo, wanted } = await newBucket();
    const { ended } = await lock(bucket);
    await ended;
    await expect(tryTo(wanted("a", 1, 10))).resolves.toBe(true);
  });

  it("leaves connections to all that need no room in the bucket, however many do", async () => {
    const { bucket, tryTo, wanted, quotas } = await newBucket();
    const { ended } = await lock(bucket);
    const uploads = Array.from({ length: 20 }, (_, number) =>
      tryTo(wanted(`${number}`, 1, MB, { companyId: `company-${number}` }), quotas[1]).catch(() => false),
    );
    await expect.poll(() => other.$poolState().total).toBeGreaterThan(2);
    await expect(other.catalogue.count()).resolves.toBeGreaterThan(0);
    expect(other.$poolState()).toMatchObject({ total: 4, waiting: 0 });
    await ended;
    await Promise.all(uploads);
  });
});

/** Reservations of an hour ago. @param heldUntil from now @param keys how many keys they are for: each has its own, unless given */
const reserveMany = (id: number, count: number, heldUntil: string, keys = count) =>
  query(
    own.url,
    `INSERT INTO quota_reservations (bytes, made_at, held_until, catalogue_id, key, upload_id)
     SELECT 1, now() AT TIME ZONE 'UTC' - interval '1 hour', now() AT TIME ZONE 'UTC' + $3::interval, $1, 'many/' || n % $4 + 1, 'many ' || n FROM generate_series(1, $2) AS n`,
    [id, count, heldUntil, keys],
  );

describe("reservations", () => {
  it("are only so many at once in an area, and others have room meanwhile", async () => {
    const { id, wanted, tryTo, bucket } = await newBucket();
    await reserveMany(id, MAX_HELD - 1, "1 hour");
    const again = wanted("a", 1, MB);
    await expect(tryTo(again)).resolves.toBe(true);
    await expect(tryTo(wanted("b", 1, MB))).rejects.toMatchObject({ code: "unavailable" });
    await expect(tryTo(again)).resolves.toBe(true);
    const beside = { quotas: [{ area: { buckets: [bucket], prefixes: ["c/"] }, maxBytes: MB }] };
    await expect(tryTo(wanted("c/c", 1, MB, beside))).resolves.toBe(true);
    await pass(2 * 3600);
    await expect(tryTo(wanted("b", 1, MB))).resolves.toBe(true);
  });

  it("of one key may be thousands, before the last total and after it", async () => {
    const { id, wanted, tryTo } = await newBucket();
    await reserveMany(id, 10_000, "1 hour", 1);
    await expect(tryTo(wanted("a", 1, 3))).resolves.toBe(true);
    await reserveMany(id, 9_000, "1 hour", 1);
    await expect(tryTo(wanted("b", 1, 3))).resolves.toBe(true);
    await expect(tryTo(wanted("c", 1, 3))).resolves.toBe(false);
    await expect(tryTo(wanted("many/1", 1, 3))).resolves.toBe(true);
  });

  it("that have ended are forgotten by the worker, once it has asked the store about them", async () => {
    const { id, held, asked, tools, tryTo, wanted } = await newBucket();
    await query(own.url, "DELETE FROM quota_reservations");
    await reserveMany(id, 250, "-10 minutes");
    held.set("many/7", 1);
    await expect(tryTo(wanted("held", 1, 1_000))).resolves.toBe(true);
    const worker = new ObserveWorker(tools);
    while ((await worker.runDue()) > 0);
    expect(new Set(asked).size).toBe(250);
    expect(asked).toHaveLength(250);
    // The catalogue knows them now. The next round is that of another process.
    await expect(new ObserveWorker(tools).runDue()).resolves.toBe(0);
    const left = await query<{ key: string }>(own.url, "SELECT key FROM quota_reservations");
    expect(left).toEqual([{ key: "held" }]);
    const objects = await query(
      own.url,
      "SELECT key FROM catalogue_objects WHERE catalogue_id = $1 AND NOT is_deleted",
      [id],
    );
    expect(objects).toEqual([{ key: "many/7" }]);
  });

  it("that have ended wait for a store that is away, and for no other", async () => {
    const [away, other] = [await newBucket(), await newBucket()];
    await query(own.url, "DELETE FROM quota_reservations");
    for (const { id } of [away, other]) await reserveMany(id, 150, "-10 minutes");
    const silenced = vi.spyOn(standardError, "write").mockImplementation(() => {});
    const listBelow = async ({ bucket, prefix }: { bucket: string; prefix: string }) => {
      if (bucket === away.bucket) throw new AppError("unavailable", "The store is away.");
      return other.tools.objectStore.listBelow({ prefix });
    };
    const tools = { database: own.database, objectStore: { listBelow } };
    // The second round is that of another process.
    for (const worker of [new ObserveWorker(tools), new ObserveWorker(tools)])
      while ((await worker.runDue()) > 0);
    expect(other.asked).toHaveLength(150);
    expect(silenced).toHaveBeenCalledTimes(2);
    silenced.mockRestore();
    const left = await query(own.url, "SELECT DISTINCT catalogue_id AS id FROM quota_reservations");
    expect(left).toEqual([{ id: away.id }]);
  });
});
