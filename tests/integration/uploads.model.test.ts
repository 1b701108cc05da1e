/**
 * Whatever visitors do with their uploads, in several tabs, while the network and the store fail and tabs are killed: no file is lost, replaced
 * without a word, or mixed with another, and nothing is said to be stored that is not. UPLOAD_RUNS and UPLOAD_STEPS run it for longer.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { GetObjectCommand, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import fc from "fast-check";
import {
  createFilesClient,
  phaseOf,
  realWorld,
  type Upload,
  type World,
} from "platform-embed-element/client";
import { afterAll, describe, expect, it } from "vitest";
import { recordChannel } from "../../embed-element/client/world-storage";
import type { StoreFault } from "../../local/object-store";
import { issueEmbedUrl } from "../support/app/embed-client";
import type { ChangeCalls } from "../support/files/change-calls";
import { asks, openFaultyStore } from "../support/files/cut-off-changes";

const RUNS = Number(process.env.UPLOAD_RUNS ?? 3);
const STEPS = Number(process.env.UPLOAD_STEPS ?? 20);
/** How long everything may take once nothing fails any more. */
const SETTLE_MS = 60_000;
/** bytes; three parts */
const LARGE = 17 * 1024 ** 2;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
/** Two files of one size, whose parts are all different. */
function twoOf(size: number): Sample[] {
  return [1, 2].map((seed) => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 997) bytes[at] = (at % 250) + seed;
    return { file: new File([bytes], "", { lastModified: 1_000 }), sha256: sha256(bytes) };
  });
}
interface Sample {
  file: File;
  sha256: string;
}
const samples = { small: twoOf(1_000), large: twoOf(LARGE) };
const contents = new Set([...samples.small, ...samples.large].map((sample) => sample.sha256));
const SIZES = ["small", "large"] as const;
/** One name, so that they get in each other's way. */
const NAME = "a.bin";

const { faulty, app, open } = await openFaultyStore();
const channels: BroadcastChannel[] = [];
afterAll(() => {
  for (const channel of channels) channel.close();
});

/** What happens to the next request of a tab to the platform. */
type PlatformFault = "refused" | "lost" | "expired" | "busy";
const storeFaults: Record<string, StoreFault> = {
  lost: { loseResponse: true },
  reset: { reset: true },
  "reset half way": { resetAfterBytes: 500 },
  slow: { bytesPerSecond: 20_000_000 },
  busy: { error: { status: 503, code: "SlowDown" } },
  "in the way": { error: { status: 409, code: "ConditionalRequestConflict" } },
  forbidden: { error: { status: 403, code: "AccessDenied" } },
};

/** What the tabs of one visitor share. */
class Browser {
  readonly records = new Map<string, { id: string }>();
  constructor(
    readonly visitor: string,
    readonly calls: ChangeCalls,
  ) {}
}

/** A tab with the engine. */
class Tab {
  readonly #death = new AbortController();
  readonly #onlineListeners = new Set<() => void>();
  #isOnline = true;
  faults: PlatformFault[] = [];
  clockJump = 0;
  /** by the ids of uploads */
  readonly given = new Map<number, Sample>();
  /** keys that were told as stored, with what was given for them */
  readonly told: { key: string; id: number }[] = [];
  readonly files;

  constructor(readonly browser: Browser) {
    const { calls, visitor } = browser;
    this.files = createFilesClient({
      bucket: calls.bucket.name,
      fetchToken: () =>
        issueEmbedUrl(faulty.stack, calls.client, {
          scope: { actions: ["upload", "download"] },
          visitor: { id: visitor },
        }),
      world: this.#world(),
    });
    this.files.on("uploaded", ({ files }) => {
      for (const { key, upload } of files) this.told.push({ key, id: upload.id });
    });
  }

  #world(): World {
    const { records } = this.browser;
    const { signal } = this.#death;
    const dead = new Promise<never>(() => {});
    const send = async <Result>(request: () => Promise<Result>): Promise<Result> => {
      if (signal.aborted) return dead;
      if (!this.#isOnline) throw new TypeError("offline");
      const result = await request().catch((error) => (signal.aborted ? dead : Promise.reject(error)));
      return signal.aborted ? dead : result;
    };
    return {
      ...realWorld,
      clock: { now: realWorld.clock.now, date: () => Date.now() + this.clockJump },
      // So that pauses are short, and ids still differ.
      random: () => Math.random() / 10,
      timers: {
        start: (act, milliseconds) => realWorld.timers.start(() => !signal.aborted && act(), milliseconds),
      },
      network: {
        isOnline: () => this.#isOnline,
        onOnline: (listener) => {
          this.#onlineListeners.add(listener);
          return () => this.#onlineListeners.delete(listener);
        },
      },
      fetch: (url, init) =>
        send(async () => {
          if (url.startsWith(faulty.stack.objectStore.endpoint)) return fetch(url, init);
          const fault = this.faults.shift();
          if (fault === "refused") throw new TypeError("refused");
          if (fault === "expired")
            return Response.json({ code: "token_expired", error: "" }, { status: 401 });
          if (fault === "busy") return Response.json({ code: "unavailable", error: "" }, { status: 503 });
          const either = AbortSignal.any([signal, ...(init.signal ? [init.signal] : [])]);
          const response = await app.fetch(url, { ...init, signal: either });
          if (fault === "lost") throw new TypeError("lost");
          return response;
        }),
      send: (request) =>
        send(() =>
          realWorld.send({ ...request, signal: AbortSignal.any([signal, request.signal]) }).then((sent) => {
            request.signal.throwIfAborted();
            return sent;
          }),
        ),
      storage: {
        all: async () => [...records.values()].map((record) => structuredClone(record)),
        put: async (record) => void (signal.aborted || records.set(record.id, structuredClone(record))),
        delete: async (id) => void (signal.aborted || records.delete(id)),
        openChannel: () => {
          const channel = new BroadcastChannel(`${this.browser.visitor} ${this.browser.calls.bucket.name}`);
          channels.push(channel);
          signal.addEventListener("abort", () => channel.close());
          return recordChannel(channel);
        },
      },
    };
  }

  get uploads(): readonly Upload[] {
    return this.files.uploads.getState().uploads;
  }

  add(sample: Sample, name: string): void {
    const file = new File([sample.file], name, { lastModified: sample.file.lastModified });
    void this.files.uploads.add([file], "/").then((ended) => {
      for (const { id } of ended) this.given.set(id, sample);
    });
  }

  setOnline(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (isOnline) for (const listener of [...this.#onlineListeners]) listener();
  }

  /** The tab is gone at once, with all that it was doing. @returns the next one in its place */
  kill(): Tab {
    this.#death.abort();
    const next = new Tab(this.browser);
    void next.files.uploads.restore();
    return next;
  }

  /** Lets every upload come to an end. @returns false while some have not */
  settle(): boolean {
    const { uploads } = this.files;
    for (const upload of this.uploads) {
      const phase = phaseOf(upload);
      if (phase === "paused" || phase === "failed") uploads.retry(upload.id);
      else if (phase === "conflict") uploads.answer(upload.id, "keep-both");
      else if (phase === "found") uploads.answer(upload.id, "continue");
      else if (phase === "file") this.giveFile(upload, 0);
    }
    return this.uploads.every(({ status }) => status === "done" || status === "cancelled");
  }

  /** @param choice which of the two files of its size, at first; the other one after a refusal */
  giveFile(upload: Upload, choice: number): void {
    const isRefused = upload.error?.code === "different_file";
    const sample = samples.large[isRefused ? 1 - choice : choice];
    if (!sample) return;
    this.given.set(upload.id, sample);
    this.files.uploads.answer(upload.id, sample.file);
  }
}

interface Real {
  tabs: Tab[];
  calls: ChangeCalls;
  /** names for which somebody has chosen to replace a file */
  replaced: Set<string>;
}

async function openReal(keepsVersions: boolean): Promise<Real> {
  faulty.intercept = null;
  const calls = await open();
  if (keepsVersions) await calls.keepVersions();
  const ada = new Browser("ada", calls);
  return {
    tabs: [new Tab(ada), new Tab(ada), new Tab(new Browser("grace", calls))],
    calls,
    replaced: new Set(),
  };
}

/** Lets everything end, and compares what was told with what the store has. */
async function expectAllStored({ tabs, calls, replaced }: Real, keepsVersions: boolean): Promise<void> {
  faulty.intercept = null;
  for (const tab of tabs) {
    tab.faults = [];
    tab.setOnline(true);
  }
  const deadline = performance.now() + SETTLE_MS;
  // Twice in a row, as the state is published a moment later.
  for (let quiet = 0; quiet < 3; ) {
    quiet = tabs.map((tab) => tab.settle()).every(Boolean) ? quiet + 1 : 0;
    if (performance.now() > deadline) {
      const states = tabs.map(({ uploads }) =>
        uploads.map((one) => [one.name, phaseOf(one), one.error?.code]),
      );
      throw new Error(`Uploads do not end: ${JSON.stringify(states)}`);
    }
    await sleep(120);
  }
  const versions = await versionsOf(calls);
  for (const { key, sha256 } of versions) expect(contents, `what ${key} holds is a file`).toContain(sha256);
  const stored = new Set(versions.map(({ key, sha256 }) => `${key} ${sha256}`));
  for (const tab of tabs) {
    for (const { key, id } of tab.told) {
      const given = tab.given.get(id)?.sha256;
      // Without versions, another upload may have replaced it.
      if (given && (keepsVersions || !replaced.has(key))) expect(stored).toContain(`${key} ${given}`);
    }
    for (const { id, name, status } of tab.uploads) {
      if (status !== "done") continue;
      expect(
        tab.told.filter((told) => told.id === id).map(({ key }) => key),
        "told once",
      ).toEqual([name]);
    }
  }
  for (const name of new Set(versions.map(({ key }) => key)))
    if (!replaced.has(name))
      expect(
        versions.filter(({ key }) => key === name),
        name,
      ).toHaveLength(1);
}

/** Everything that the store holds. */
async function versionsOf({ bucket }: ChangeCalls): Promise<{ key: string; sha256: string }[]> {
  const { endpoint, region, ...credentials } = faulty.stack.objectStore;
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket.name }));
  return Promise.all(
    Versions.map(async ({ Key = "", VersionId }) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket.name, Key, VersionId }));
      return { key: Key, sha256: sha256((await Body?.transformToByteArray()) ?? new Uint8Array()) };
    }),
  );
}

/** A step, as fast-check prints it if it finds a fault. */
const step = (name: string, run: (real: Real) => unknown) => ({
  check: () => true,
  run: async (_: object, real: Real) => void (await run(real)),
  toString: () => name,
});

const aTab = fc.constantFrom(0, 1, 2);
const aChoice = fc.constantFrom(0, 1);
/** Does something to one of the uploads of a tab, if it has any. */
const withUpload = (name: string, act: (tab: Tab, upload: Upload, real: Real) => void) =>
  fc.tuple(aTab, fc.nat({ max: 3 })).map(([index, nth]) =>
    step(`${name}(${index}, ${nth})`, (real) => {
      const tab = real.tabs[index];
      const upload = tab?.uploads[nth % tab.uploads.length];
      if (tab && upload) act(tab, upload, real);
    }),
  );
const withTab = <Value>(name: string, value: fc.Arbitrary<Value>, act: (tab: Tab, value: Value) => void) =>
  fc.tuple(aTab, value).map(([index, chosen]) =>
    step(`${name}(${index}, ${chosen})`, ({ tabs }) => {
      const tab = tabs[index];
      if (tab) act(tab, chosen);
    }),
  );

const add = fc.tuple(fc.constantFrom(...SIZES), aChoice).chain(([size, choice]) =>
  withTab(`add ${size}`, fc.constant(choice), (tab) => {
    const sample = samples[size][choice];
    if (sample) tab.add(sample, NAME);
  }),
);
const wait = fc
  .constantFrom(1, 20, 150, 400)
  .map((milliseconds) => step(`wait(${milliseconds})`, () => sleep(milliseconds)));
/** Of requests that send, and of those that complete an upload. */
const failStore = fc
  .tuple(
    fc.constantFrom(...Object.keys(storeFaults)),
    fc.constantFrom("PUT", "POST"),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([name, method, count]) =>
    step(`store(${method} ${name}, ${count})`, () => {
      let left = count;
      faulty.intercept = (request) => {
        const isMeant =
          method === "PUT" ? asks.put(request) : request.method === "POST" && request.query.has("uploadId");
        return isMeant && left-- > 0 ? storeFaults[name] : undefined;
      };
    }),
  );
const platformFaults = fc.array(fc.constantFrom<PlatformFault>("refused", "lost", "expired", "busy"), {
  minLength: 1,
  maxLength: 3,
});

const steps = [
  add,
  add,
  add,
  wait,
  wait,
  failStore,
  failStore,
  withTab("platform", platformFaults, (tab, faults) => void tab.faults.push(...faults)),
  withUpload("pause", ({ files }, { id }) => files.uploads.pause(id)),
  withUpload("retry", ({ files }, { id }) => files.uploads.retry(id)),
  withUpload("cancel", ({ files }, { id }) => files.uploads.cancel(id)),
  withUpload("answer", (tab, upload, { replaced }) => {
    const about = phaseOf(upload);
    if (about === "conflict") {
      replaced.add(upload.name);
      tab.files.uploads.answer(upload.id, "replace");
    } else if (about === "found") tab.files.uploads.answer(upload.id, "start-over");
    else if (about === "file") tab.giveFile(upload, 1);
  }),
  aTab.map((index) =>
    step(`kill(${index})`, ({ tabs }) => {
      const tab = tabs[index];
      if (tab) tabs[index] = tab.kill();
    }),
  ),
  withTab("setOnline", fc.boolean(), (tab, isOnline) => tab.setOnline(isOnline)),
  withTab("clock", fc.constantFrom(-7_200_000, 7_200_000), (tab, jump) => {
    tab.clockJump = jump;
  }),
];

describe.each([
  ["with versions", true],
  ["without versions", false],
])("in a bucket %s", (_, keepsVersions) => {
  it("no order of things loses a file, mixes two, or tells of one that is not stored", {
    timeout: RUNS * (SETTLE_MS + STEPS * 2_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: STEPS, size: "max" }), async (commands) => {
        const real = await openReal(keepsVersions);
        try {
          await fc.asyncModelRun(() => ({ model: {}, real }), commands);
          await expectAllStored(real, keepsVersions);
        } finally {
          for (const tab of real.tabs) tab.kill();
        }
      }),
      // What is under way depends on the machine's speed, so a shorter sequence would prove nothing.
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
