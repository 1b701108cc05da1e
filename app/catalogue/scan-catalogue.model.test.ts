/**
 * Own changes with their events, changes of others with notifications, scans and kills in any order of their messages to database and store: what
 * was told is never undone or forgotten, and one scan more makes the catalogue equal to its bucket. CATALOGUE_RUNS runs it for longer.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { Events } from "../events/events.server";
import { PendingChange } from "../events/pending-change.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { addCatalogue } from "./catalogues.server";
import { ChangedObjects } from "./changed-objects.server";
import { ObserveWorker } from "./observe-worker.server";
import { type ScanTools, scanCatalogue } from "./scan-catalogue.server";
import { fromStoredKey } from "./stored-key";

const RUNS = Number(process.env.CATALOGUE_RUNS ?? 8);
/** A run takes a second or two, on a busy machine several times that. */
const MAX_MS = RUNS * 20_000;
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

/** A change of a key. */
const change = fc.record({
  key: fc.constantFrom(...KEYS),
  text: fc.option(fc.constantFrom("x", "longer", "the longest")),
  /** `service`: it is our own, and has an event; `nobody`: its notification is lost */
  toldBy: fc.constantFrom("service", "service", "notifications", "nobody"),
  /** how many turns it waits before it begins */
  delay: fc.nat(60),
  /** its own process, and that of the first notification, is killed at this message */
  killAfter: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
  /** how many turns each delivery of its notification waits */
  deliveries: fc.array(fc.nat(60), { minLength: 1, maxLength: 2 }),
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

const AUTHOR = {
  companyId: "acme",
  clientId: "client",
  visitorId: undefined,
  visitorName: undefined,
  requestId: "tests",
};

/** As `npm run cleanup`, which first asks the store whether the change was made. That changes nothing for the catalogue. The record has another character for NUL. */
async function resolveCutOff(bucket: string) {
  const events = new Events(own.database, new ChangedObjects({ database: own.database, objectStore }));
  const cutOff = await query<{ id: string; type: "file.copied" | "file.deleted"; key: string }>(
    own.url,
    "SELECT id, type, key FROM pending_events WHERE bucket = $1",
    [bucket],
  );
  for (const { id, type, key } of cutOff)
    await events.record({ id, type, bucket, key: key.replaceAll("\u2400", "\0"), companyId: null, data: {} });
  await events.flush();
}

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

async function play({ before, changes, scans, expiries, choices }: Plan, areAllTold: boolean) {
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
  const wait = async (turns: number, process: Process) => {
    for (let turn = 0; turn < turns; turn++) await schedule.turn(process);
  };
  /** Changes of one key are made one after the other, as by claims. What is told of them may overtake each other. */
  const lastOfKey = new Map<string, Promise<unknown>>();
  const working = changes.map(async ({ key, text, toldBy, delay, killAfter, deliveries }, index) => {
    const process = new Process(schedule, toldBy === "service" ? killAfter : undefined, HASTE_OF_CHANGES);
    await wait(delay, process);
    const previous = lastOfKey.get(key) ?? Promise.resolve();
    const make = () => process.message(() => (text === null ? bucket.remove(key) : bucket.put(key, text)));
    if (toldBy === "service") {
      const events = new Events(process.tools.database, new ChangedObjects(process.tools));
      const type = text === null ? "file.deleted" : "file.copied";
      const pending = new PendingChange(events, { ...AUTHOR, type, bucket: name, key, data: {} });
      const made = previous.then(() => pending.run({ version: `${index}` }, make));
      const ended = Promise.race([made, process.killed]);
      lastOfKey.set(key, ended);
      return ended;
    }
    const made = previous.then(make);
    lastOfKey.set(key, made);
    await made;
    if (toldBy === "notifications" || areAllTold)
      await Promise.all(deliveries.map((turns, nth) => deliver(turns, nth === 0 ? killAfter : undefined)));

    /** A notification whose process is killed before it has noted it is delivered again. */
    async function deliver(turns: number, killAt: number | undefined): Promise<void> {
      const receiver = new Process(schedule, killAt, HASTE_OF_CHANGES);
      await wait(turns, receiver);
      const noting = new ChangedObjects(receiver.tools).note([{ bucket: name, key }]);
      const noted = await Promise.race([noting, receiver.killed]);
      if (noted === undefined) await deliver(turns, undefined);
      else await Promise.race([noted.observed, receiver.killed]);
    }
  });
  const expireLeases = () =>
    query(
      own.url,
      `UPDATE catalogue_ranges SET taken_until = now() AT TIME ZONE 'UTC';
       UPDATE catalogue_waiting_keys SET due_at = now() AT TIME ZONE 'UTC' - interval '1 second'`,
    );
  const expiring = expiries.map(async (turns) => {
    const process = new Process(schedule);
    await wait(turns, process);
    await expireLeases();
    await new ObserveWorker(process.tools).runDue();
  });
  const scanning = scans.map((killAfter) => {
    const process = new Process(schedule, killAfter);
    // Whoever waits for a range of a killed process gets it.
    return Promise.race([scan(process.tools), process.killed.then(expireLeases)]);
  });
  await schedule.run(Promise.all([...working, ...expiring, ...scanning]));

  await resolveCutOff(name);
  await expireLeases();
  const worker = new ObserveWorker({ database: own.database, objectStore });
  while ((await worker.runDue()) > 0);
  if (areAllTold) expect(await rows()).toEqual(await objects());
  // The scan that was killed is continued, and the next one begins after all changes.
  for (let more = 0; more < 2; more++) await scan({ database: own.database, objectStore });
  expect(await rows()).toEqual(await objects());
}

it(
  "what was told is forgotten by no kill, and undone by no scan",
  () =>
    fc.assert(
      fc.asyncProperty(plan, (given) => play(given, true)),
      { numRuns: RUNS },
    ),
  MAX_MS,
);

it(
  "what nobody has told is repaired by a scan",
  () =>
    fc.assert(
      fc.asyncProperty(plan, (given) => play(given, false)),
      { numRuns: RUNS },
    ),
  MAX_MS,
);
