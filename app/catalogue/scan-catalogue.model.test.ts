/**
 * Changes, notes of changes, scans and kills in any order of their messages to database and store: what was noted is never undone, and one
 * scan more makes the catalogue equal to its bucket. CATALOGUE_RUNS runs it for longer.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { addCatalogue } from "./catalogues.server";
import { observeObjects } from "./observe-objects.server";
import { type ScanTools, scanCatalogue } from "./scan-catalogue.server";
import { fromStoredKey } from "./stored-key";

const RUNS = Number(process.env.CATALOGUE_RUNS ?? 8);
const KEYS = ["a", "b/1", "b/2", "b/3", "b/4", "c/\0", "d", "é"];
/** Otherwise few changes are made and noted while a page is under way. */
const HASTE_OF_CHANGES = 8;
/** So small that these keys are several pages, and are divided. */
const PAGE_SIZE = 2;

let own: OwnDatabase;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let objectStore: ObjectStore;
beforeAll(async () => {
  own = await startOwnDatabase();
  store = await startStoreForTests();
  objectStore = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint: store.endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
});
afterAll(async () => {
  await store?.close();
  await own?.stop();
});

/** Decides which of the messages that wait goes on next: each has a rank, by which one may wait until almost everything else has happened. */
class Schedule {
  readonly #waiting: { process: Process; rank: number; goOn: () => void }[] = [];
  readonly #choices: Iterator<number>;
  #arrived = () => {};

  constructor(choices: Iterator<number>) {
    this.#choices = choices;
  }

  /**
   * Waits for the turn of a message, or of its answer.
   * @param haste divides the rank: whoever is in haste is done while others wait
   */
  turn(process: Process, haste = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ process, rank: this.#choices.next().value / haste, goOn: resolve });
      this.#arrived();
    });
  }

  /** Lets one message after the other go on, until all of `work` is done. */
  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
      this.#arrived();
    });
    while (!isDone) {
      await new Promise(setImmediate);
      const alive = this.#waiting.filter(({ process }) => !process.isKilled);
      this.#waiting.splice(0, this.#waiting.length, ...alive);
      if (alive.length === 0) {
        if (!isDone)
          await new Promise<void>((resolve) => {
            this.#arrived = resolve;
          });
        continue;
      }
      this.#waiting.sort((one, other) => one.rank - other.rank);
      this.#waiting.shift()?.goOn();
    }
    await done;
  }
}

/** A process, whose messages wait for their turns. */
class Process {
  isKilled = false;
  readonly killed: Promise<void>;
  #kill = () => {};
  #messages = 0;

  /** @param killAfter it is killed at this message, or at its answer; undefined: never */
  constructor(
    readonly schedule: Schedule,
    readonly killAfter?: number,
    readonly haste = 1,
  ) {
    this.killed = new Promise((resolve) => {
      this.#kill = resolve;
    });
  }

  async message<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#turn();
    const result = await work();
    await this.#turn();
    return result;
  }

  async #turn(): Promise<void> {
    if (++this.#messages === this.killAfter) {
      this.isKilled = true;
      this.#kill();
    }
    await this.schedule.turn(this, this.haste);
    if (this.isKilled) await new Promise(() => {});
  }

  get tools(): ScanTools {
    const database = new Proxy(own.database, {
      get: (target, name) =>
        name === "$driverQuery"
          ? (...given: Parameters<typeof target.$driverQuery>) =>
              this.message(() => target.$driverQuery(...given))
          : Reflect.get(target, name),
    });
    return {
      database,
      objectStore: {
        listBelow: (page, context) =>
          this.message(() =>
            objectStore.listBelow({ ...page, pageSize: page.pageSize ?? PAGE_SIZE }, context),
          ),
      },
    };
  }
}

/** A change of a key. One that is not noted is somebody else's, or its process was killed. */
const change = fc.record({
  key: fc.constantFrom(...KEYS),
  text: fc.option(fc.constantFrom("x", "longer", "the longest")),
  isNoted: fc.boolean(),
  /** how many turns it waits before it begins */
  delay: fc.nat(60),
});
const plan = fc.record({
  before: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 3 }),
  changes: fc.array(change, { minLength: 4, maxLength: 12 }),
  /** for each scan, when its process is killed */
  scans: fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }), {
    minLength: 1,
    maxLength: 3,
  }),
  /** after how many turns all claims of ranges expire, as if their processes were too slow */
  expiries: fc.array(fc.nat(100), { maxLength: 4 }),
  choices: fc.infiniteStream(fc.nat(1_000)),
});

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

async function play({ before, changes, scans, expiries, choices }: Plan, areAllNoted: boolean) {
  const bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  const { name } = bucket;
  await bucket.create();
  const catalogue = await addCatalogue(own.database, name);
  const signal = new AbortController().signal;
  const scan = (tools: ScanTools) => scanCatalogue(tools, catalogue, { signal });
  const rows = async () => {
    const found = await query<{ key: string; size: string; etag: string }>(
      own.url,
      "SELECT key, size, etag FROM catalogue_objects WHERE catalogue_id = $1 AND NOT is_deleted ORDER BY key",
      [catalogue.id],
    );
    return found.map(({ key, size, etag }) => ({ key: fromStoredKey(key), size: Number(size), etag }));
  };
  const objects = async () => {
    const { entries } = await objectStore.listBelow({ bucket: name, prefix: "" });
    return entries.map(({ key, size, etag }) => ({ key, size, etag }));
  };

  for (const key of before) await bucket.put(key, "before");
  await scan({ database: own.database, objectStore });

  const schedule = new Schedule(choices);
  /** Changes of one key are made one after the other, as by claims. Their notes may overtake each other. */
  const lastOfKey = new Map<string, Promise<void>>();
  const working = changes.map(async ({ key, text, isNoted, delay }) => {
    const process = new Process(schedule, undefined, HASTE_OF_CHANGES);
    for (let turns = 0; turns < delay; turns++) await schedule.turn(process);
    const previous = lastOfKey.get(key);
    const made = (previous ?? Promise.resolve()).then(() =>
      process.message(() => (text === null ? bucket.remove(key) : bucket.put(key, text))),
    );
    lastOfKey.set(key, made);
    await made;
    if (!isNoted && !areAllNoted) return;
    const { tools } = process;
    await observeObjects(tools, [{ bucket: name, key }]);
  });
  const expireLeases = () =>
    query(own.url, "UPDATE catalogue_ranges SET taken_until = now() AT TIME ZONE 'UTC'");
  const expiring = expiries.map(async (turns) => {
    const process = new Process(schedule);
    for (let turn = 0; turn < turns; turn++) await schedule.turn(process);
    await expireLeases();
  });
  const scanning = scans.map((killAfter) => {
    const process = new Process(schedule, killAfter);
    // Whoever waits for a range of a killed process gets it.
    return Promise.race([scan(process.tools), process.killed.then(expireLeases)]);
  });
  await schedule.run(Promise.all([...working, ...expiring, ...scanning]));

  if (areAllNoted) expect(await rows()).toEqual(await objects());
  // The scan that was killed is continued, and the next one begins after all changes.
  for (let more = 0; more < 2; more++) await scan({ database: own.database, objectStore });
  expect(await rows()).toEqual(await objects());
}

it("what was noted is not undone by any scan", () =>
  fc.assert(
    fc.asyncProperty(plan, (given) => play(given, true)),
    { numRuns: RUNS },
  ));

it("what nobody has noted is repaired by a scan", () =>
  fc.assert(
    fc.asyncProperty(plan, (given) => play(given, false)),
    { numRuns: RUNS },
  ));
