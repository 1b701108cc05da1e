import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { addCatalogue, findCatalogue } from "../../app/catalogue/catalogues.server";
import { ChangedObjects } from "../../app/catalogue/changed-objects.server";
import { checkCatalogue } from "../../app/catalogue/check-catalogue.server";
import { readFigures } from "../../app/catalogue/figures.sql.server";
import { readObjects } from "../../app/catalogue/objects.sql.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { UsableCatalogues } from "../../app/catalogue/usable-catalogues.server";
import { Events } from "../../app/events/events.server";
import { createDatabase } from "../../app/providers/database.server";
import { createObjectStore } from "../../app/providers/object-store.server";
import { recordNotification } from "../../app/services/files/record-notification.server";
import { hasCode } from "../../app/shared/app-error";
import { contextOf } from "../../app/shared/request-context.server";
import { Semaphore } from "../../embed-element/shared/semaphore";
import type { StackInfo } from "../../local/stack-info";
import { makeDatabase } from "../../tests/support/app/deployment";
import { type ChangeCalls, openChanges } from "../../tests/support/files/change-calls";
import { startFaultyStore } from "../../tests/support/files/faulty-store";
import { writeObjects } from "../../tests/support/files/many-objects";
import { signedWith } from "../../tests/support/files/object-store";
import { works } from "../../tests/support/machine/installed";
import { Wire } from "../../tests/support/network/wire";
import { AWAY_MS, type CatalogueFound, type CatalogueOperation } from "./checkers/catalogue";
import { type DrillOptions, type History, Recorder } from "./drill";
import { type Kills, killAfterChanges } from "./kills";
import { type Choose, killMoments, wholeNumber } from "./seed";

const BUCKET = "drill-catalogue";
const MAX_KILLS = 20;
const CHANGES_OF_A_KILL = 500;
/** Objects that nobody changes: with them, a scan takes a while. */
const OTHER_OBJECTS = 10_000;
/** An answer may be so old. A scan begins after half of it. One whose process was killed goes on after ten seconds. */
const MAX_LAG_SECONDS = 30;
/** Otherwise there would be few to judge. */
const MIN_ANSWERS = 10;
const KEYS_OF_AN_ACTOR = 30;
/** Who changes keys of his own, one after the other. */
const ACTORS = [
  ...Array<"service">(6).fill("service"),
  ...Array<"client">(3).fill("client"),
  "AWS CLI",
  "lifecycle",
] as const;
/** Objects that expire, or that the AWS CLI changes, together. */
const TOGETHER = 20;
/** Objects that are changed in the end, when nobody is told any more. */
const LOST = 6;
/** How many changes others may make for each one of the service, and how many more while it is away. They are faster. */
const CHANGES_PER_OWN = 4;
const MAX_AHEAD = 500;
const ANSWER_EVERY_MS = 1_000;
const RETRY_MS = 100;
const MAX_LATE_MS = 3_000;
const MAX_CONCURRENT_DELIVERIES = 3;
const MAX_WAIT_MS = 120_000;

type Change = Extract<CatalogueOperation, { what: "changed" }>;

/**
 * Changes a bucket by the service, by another client, by the AWS CLI and as lifecycle rules do, while notifications are lost, doubled, late and out of order, the app
 * with its scan is killed, and PostgreSQL is away. Meanwhile the catalogue answers.
 */
export async function* drillCatalogue(
  shared: StackInfo,
  { choose, changes: wantedChanges }: DrillOptions,
): AsyncGenerator<History<CatalogueOperation, CatalogueFound>> {
  const hasAwsCli = works("aws", "--version");
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const faulty = await startFaultyStore(stack, (dataDir) =>
    writeObjects(
      dataDir,
      BUCKET,
      Array.from({ length: OTHER_OBJECTS }, (_, index) => `other/${index}`),
    ),
  );
  const wire = await Wire.to(stack.postgresUrl);
  const database = createDatabase({ url: wire.over(stack.postgresUrl), poolSize: 4 });
  const { region, accessKeyId, secretAccessKey, endpoint } = faulty.stack.objectStore;
  const objectStore = createObjectStore({
    ...signedWith({ region, accessKeyId, secretAccessKey }),
    endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
  const tools = { database, objectStore };
  try {
    const catalogue = await addCatalogue(database, BUCKET);
    const site = await faulty.startApp({
      POSTGRES_URL: wire.over(stack.postgresUrl),
      CATALOGUE_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS),
      RATE_LIMIT_PER_TOKEN: "1000000",
      RATE_LIMIT_PER_KEY: "1000000",
      HEAVY_REQUESTS_PER_COMPANY: "100",
    });
    const calls = await openChanges(site.stack, fetch, BUCKET);
    const tokenOfFolder = await calls.tokenOf({ path: "/live", actions: ["download"] });
    const recorder = new Recorder<CatalogueOperation>();
    const wantedKills = Math.min(MAX_KILLS, Math.ceil(wantedChanges / CHANGES_OF_A_KILL));
    const kills = killAfterChanges(
      site.app,
      faulty,
      killMoments(choose, wantedKills, wantedChanges),
      recorder,
      {
        counts: ({ method }) => method === "PUT" || method === "DELETE" || method === "POST",
        // Every second time, in the middle of a scan.
        killsAt: ({ method, key, query }, count) =>
          count % 2 === 0 ? method !== "GET" : method === "GET" && key === "" && !query.get("prefix"),
      },
    );
    const changedObjects = new ChangedObjects(tools);
    const events = new Events(database, changedObjects);
    const notifications = new Notifications(choose, (message) =>
      recordNotification(message, {
        ...tools,
        changedObjects,
        events,
        context: contextOf(new Request("http://drill"), "/api/storage/events"),
      }),
    );
    let made = 0;
    let own = 0;
    const isAhead = () => made - own > CHANGES_PER_OWN * own + MAX_AHEAD;
    let answers = 0;
    /** the first error. Then all else ends, so that no later one hides it */
    let failed: { error: unknown } | undefined;
    const untilEnd = (works: readonly Promise<unknown>[]) =>
      Promise.all(
        works.map((work) =>
          work.catch((error: unknown) => {
            failed ??= { error };
          }),
        ),
      );
    const isOver = () =>
      failed !== undefined || (made >= wantedChanges && kills.count >= wantedKills && answers >= MIN_ANSWERS);
    const note = (change: Change) => {
      made += 1;
      if (change.by === "service") own += 1;
      recorder.add(change);
    };
    const toLose = Array.from({ length: LOST }, (_, index) => `live/lost/${index}`);
    const putToLose = async (text: string, isTold: boolean, keys = toLose) => {
      for (const key of keys) {
        const began = Date.now();
        await calls.bucket.put(key, text);
        if (isTold) await changedObjects.note([{ bucket: BUCKET, key }]);
        recorder.add({
          what: "changed",
          by: "client",
          key,
          etag: etagOf(text),
          began,
          ended: Date.now(),
          isTold,
        });
      }
    };
    await putToLose("known", true);
    const acting = ACTORS.map((by, index) =>
      act({
        by,
        folder: `live/${index}`,
        calls,
        url: site.stack.platformBaseUrl,
        kills,
        notifications,
        note,
        isAhead,
        isOver,
        choose: (...words) => choose(index, ...words),
        copyByCommand: hasAwsCli ? awsCli(faulty.stack.objectStore) : undefined,
      }),
    );
    const answering = answer(tools.database, isOver, (given) => recorder.add(given));
    const asking = askApp(calls, tokenOfFolder, site.stack.platformBaseUrl, choose, isOver, (given) => {
      if (given.what === "answered") answers += 1;
      recorder.add(given);
    });
    const awayAfter = wantedChanges * (0.3 + 0.4 * choose("away"));
    const isAway = (async () => {
      while (made < awayAfter && !isOver()) await sleep(RETRY_MS);
      recorder.add({ what: "database away" });
      await wire.cut();
      await sleep(AWAY_MS);
      await wire.restore();
      recorder.add({ what: "database back" });
    })();
    await untilEnd([...acting, answering, asking, isAway]);
    await untilEnd([notifications.delivered()]);
    if (failed !== undefined) throw failed.error;
    faulty.intercept = null;
    await kills.running;
    const waiting = await untilNothingWaits();
    await site.app.signal("SIGTERM");
    // Nobody is left who could be told, or who scans.
    await putToLose("nobody is told", false);
    const before = await differences();
    // A scan that was under way may have listed keys before their last change.
    if ((await findCatalogue(database, BUCKET))?.scanStartedAt) await scan();
    const { objects } = (await scan()) ?? { objects: 0 };
    yield {
      title: `${made} changes of a bucket with a catalogue, the app killed ${kills.count} times, PostgreSQL away for ${AWAY_MS / 1_000} s`,
      operations: recorder.operations,
      found: {
        wantedChanges,
        wantedKills,
        hasAwsCli,
        lost: toLose,
        before,
        after: await differences(),
        waiting,
        objects,
      },
    };

    function scan() {
      return scanCatalogue(tools, catalogue, { signal: new AbortController().signal });
    }

    async function differences(): Promise<string[]> {
      const keys: string[] = [];
      for await (const page of checkCatalogue(tools, catalogue, new AbortController().signal))
        keys.push(...page.differences.map(({ key }) => key));
      return keys;
    }

    async function untilNothingWaits(): Promise<number> {
      for (const deadline = Date.now() + MAX_WAIT_MS; ; await sleep(RETRY_MS)) {
        const { waitingKeys } = await readFigures(database);
        if (waitingKeys === 0 || Date.now() > deadline) return waitingKeys;
      }
    }
  } finally {
    await database.$disconnect();
    await faulty.close();
    await wire.cut();
  }
}

/** Tells of changes as a bucket does: at least once, mostly, in any order. */
class Notifications {
  readonly #running = new Set<Promise<void>>();
  readonly #permits = new Semaphore(MAX_CONCURRENT_DELIVERIES);
  #count = 0;

  constructor(
    private readonly choose: Choose,
    private readonly receive: (message: string) => Promise<unknown>,
  ) {}

  /** @returns whether it arrives */
  tell(eventName: string, key: string): boolean {
    const number = this.#count++;
    const chance = this.choose("notification", number);
    if (chance < 0.1) return false;
    const copies = chance < 0.25 ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const lateness = this.choose("late", number, copy);
      const delivery = this.#deliver(eventName, key, lateness < 0.7 ? 0 : lateness * MAX_LATE_MS);
      this.#running.add(delivery);
      void delivery.then(() => this.#running.delete(delivery));
    }
    return true;
  }

  async delivered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #deliver(eventName: string, key: string, delayMs: number): Promise<void> {
    await sleep(delayMs);
    const object = { key: encodeURIComponent(key), sequencer: "1" };
    const record = {
      eventName,
      eventTime: new Date().toISOString(),
      s3: { bucket: { name: BUCKET }, object },
    };
    await this.#permits.run(() => this.#untilReceived(record));
  }

  async #untilReceived(record: object): Promise<void> {
    for (;;) {
      try {
        await this.receive(JSON.stringify({ Records: [record] }));
        return;
      } catch (error) {
        if (!hasCode(error, "unavailable")) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}

/** Reads the catalogue, as long as it may answer. */
async function answer(
  database: ReturnType<typeof createDatabase>,
  isOver: () => boolean,
  note: (answer: CatalogueOperation) => void,
): Promise<void> {
  const catalogues = new UsableCatalogues(database, MAX_LAG_SECONDS);
  for (; !isOver(); await sleep(ANSWER_EVERY_MS)) {
    const usable = await catalogues.find(BUCKET);
    if (usable === undefined) continue;
    const page = { after: "live/", until: "live0", limit: 10_000 };
    const found = await readObjects(database, usable.id, page).catch(() => undefined);
    if (found === undefined) continue;
    const rows = Object.fromEntries(found.map(({ key, etag }) => [key, etag]));
    note({ what: "answered", asOf: usable.asOf.getTime(), ended: Date.now(), rows });
  }
}

/**
 * Asks the app, as visitors do: for the files of a folder, newest first, which the catalogue answers; for a file that no catalogue knows; and for
 * one that a catalogue knows and the token does not allow.
 */
async function askApp(
  { bucket, token }: ChangeCalls,
  tokenOfFolder: string,
  url: string,
  choose: Choose,
  isOver: () => boolean,
  note: (operation: CatalogueOperation) => void,
): Promise<void> {
  const ask = async (what: string, body: object) => {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ bucket: BUCKET, ...body }),
    };
    const response = await fetch(`${url}/api/embed/storage/${what}`, init).catch(() => undefined);
    return {
      status: response?.status ?? ("connection lost" as const),
      body: await response?.json().catch(() => undefined),
    };
  };
  const askForAccess = async (key: string, isAllowed: boolean) => {
    const { status } = await ask("presign-download", { token: tokenOfFolder, key });
    note({ what: "asked for access", key, isAllowed, response: status });
  };
  for (let number = 0; !isOver(); number++, await sleep(ANSWER_EVERY_MS)) {
    const folder = `live/${wholeNumber(choose("asked", number), 0, ACTORS.length)}`;
    const { body } = await ask("list", { token, folderPath: `/${folder}`, order: "newest", pageSize: 1_000 });
    const ended = Date.now();
    if (body?.source === "catalogue") {
      const files: { key: string; etag: string }[] = body.files;
      const rows = Object.fromEntries(files.map(({ key, etag }) => [key, etag]));
      note({
        what: "answered",
        by: "the app",
        asOf: Date.parse(body.asOf),
        ended,
        folder: `${folder}/`,
        rows,
      });
    }
    const unknown = `live/unknown/${number}`;
    const began = Date.now();
    await bucket.put(unknown, unknown);
    note({
      what: "changed",
      by: "client",
      key: unknown,
      etag: etagOf(unknown),
      began,
      ended: Date.now(),
      isTold: false,
    });
    await askForAccess(unknown, true);
    await askForAccess("other/0", false);
  }
}

/** Copies a folder of the file system to the bucket, or removes everything below its name there. */
type CopyByCommand = (what: "copy" | "remove", folder: string, name: string) => Promise<unknown>;

function awsCli({ endpoint, region, accessKeyId, secretAccessKey }: StackInfo["objectStore"]): CopyByCommand {
  // Nothing of the person who runs the drill: no profile, no proxy.
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: process.env.NODE_ENV,
    PATH: process.env.PATH,
    HOME: tmpdir(),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: region,
  };
  const run = promisify(execFile);
  return (what, folder, name) => {
    const to = `s3://${BUCKET}/${name}/`;
    const words = what === "copy" ? ["cp", folder, to] : ["rm", to];
    return run("aws", ["s3", ...words, "--recursive", "--only-show-errors", "--endpoint-url", endpoint], {
      env,
    });
  };
}

interface Actor {
  by: Change["by"];
  folder: string;
  calls: ChangeCalls;
  url: string;
  kills: Kills;
  notifications: Notifications;
  note: (change: Change) => void;
  /** whether the service should catch up */
  isAhead: () => boolean;
  isOver: () => boolean;
  choose: Choose;
  /** undefined: the AWS CLI is not installed */
  copyByCommand: CopyByCommand | undefined;
}

const etagOf = (text: string) => `"${createHash("md5").update(text).digest("hex")}"`;

/** Changes the keys of a folder, one change after the other, until all have made enough. */
async function act({
  by,
  folder,
  calls,
  url,
  kills,
  notifications,
  note,
  isAhead,
  isOver,
  choose,
  copyByCommand,
}: Actor): Promise<void> {
  const { bucket, token } = calls;
  /** what is there */
  const texts = new Map<string, string>();
  for (let number = 0; !isOver(); number++) {
    const name = `${wholeNumber(choose("key", number), 0, KEYS_OF_AN_ACTOR)}.txt`;
    const key = `${folder}/${name}`;
    const text = `${folder} ${number}`;
    const chance = choose("what", number);
    if (by === "lifecycle") await expire(number);
    else if (by === "AWS CLI" && copyByCommand) await command(number, copyByCommand);
    else if (by !== "service") await (chance < 0.6 || !texts.has(key) ? put(key, text) : remove(key));
    else if (!texts.has(key)) await upload(key, name, text);
    else await change(chance < 0.5 ? "move" : "delete", key, name);
    while (by !== "service" && isAhead() && !isOver()) await sleep(RETRY_MS);
  }

  async function put(key: string, text: string) {
    const began = Date.now();
    await bucket.put(key, text);
    texts.set(key, text);
    tell("ObjectCreated:Put", key, began);
  }

  async function remove(key: string) {
    const began = Date.now();
    await bucket.remove(key);
    texts.delete(key);
    tell("ObjectRemoved:Delete", key, began);
  }

  /** Objects that others have put, deleted together. */
  async function expire(number: number) {
    const keys = Array.from({ length: TOGETHER }, (_, index) => `${folder}/${index}.log`);
    for (const key of keys) await put(key, `${key} ${number}`);
    const began = Date.now();
    await bucket.removeAll(keys);
    for (const key of keys) {
      texts.delete(key);
      tell("LifecycleExpiration:Delete", key, began);
    }
  }

  /** Some files at once, and every second time all of them are removed. */
  async function command(number: number, copyByCommand: CopyByCommand) {
    const from = await mkdtemp(join(tmpdir(), "drill-"));
    const keys = Array.from({ length: TOGETHER }, (_, index) => `${folder}/${index}.bin`);
    const isCopied = number % 2 === 0;
    if (isCopied)
      for (const key of keys) await writeFile(join(from, key.slice(folder.length + 1)), `${key} ${number}`);
    const began = Date.now();
    await copyByCommand(isCopied ? "copy" : "remove", from, folder);
    for (const key of keys) {
      if (isCopied) texts.set(key, `${key} ${number}`);
      else texts.delete(key);
      tell(isCopied ? "ObjectCreated:Put" : "ObjectRemoved:Delete", key, began);
    }
    await rm(from, { recursive: true });
  }

  function tell(eventName: string, key: string, began: number) {
    const ended = Date.now();
    const text = texts.get(key);
    const etag = text === undefined ? null : etagOf(text);
    note({ what: "changed", by, key, etag, began, ended, isTold: notifications.tell(eventName, key) });
  }

  async function ask(what: string, body: object): Promise<Response | undefined> {
    await kills.running;
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: BUCKET, ...body }),
    };
    return fetch(`${url}/api/embed/storage/${what}`, init).catch(() => undefined);
  }

  /** Repeats a request until the service has answered. @returns the number of attempts */
  async function askUntilAnswered(
    what: string,
    body: object,
  ): Promise<{ answer: { url?: string; headers?: HeadersInit }; attempts: number }> {
    for (let attempts = 1; ; attempts++) {
      const response = await ask(what, body);
      const answer = await response?.json().catch(() => undefined);
      if (response?.ok && answer !== undefined) return { answer, attempts };
      if (response !== undefined && response.status < 500 && response.status !== 429 && answer !== undefined)
        throw new Error(`${what}: ${response.status} ${JSON.stringify(answer)}`);
      await sleep(RETRY_MS);
    }
  }

  async function upload(key: string, fileName: string, text: string) {
    const file = { folderPath: `/${folder}`, fileName, contentType: "text/plain" };
    const { answer } = await askUntilAnswered("presign-upload", file);
    const began = Date.now();
    await fetch(answer.url ?? "", { method: "PUT", headers: answer.headers ?? {}, body: text });
    const ended = Date.now();
    const confirmed = await ask("uploaded", { keys: [key] });
    texts.set(key, text);
    note({ what: "changed", by, key, etag: etagOf(text), began, ended, isTold: confirmed?.ok === true });
    notifications.tell("ObjectCreated:Put", key);
  }

  /** What several attempts have done, only the store can tell. */
  async function change(what: "move" | "delete", key: string, name: string) {
    const target = `${folder}/moved/${name}`;
    const began = Date.now();
    const { attempts } = await askUntilAnswered(what, {
      items: [{ key }],
      ...(what === "move" && { to: `/${folder}/moved`, onConflict: "replace" }),
    });
    const ended = Date.now();
    for (const changed of what === "move" ? [key, target] : [key]) {
      const text = await bucket.get(changed);
      if (text === null) texts.delete(changed);
      else texts.set(changed, String(text));
      const etag = text === null ? null : etagOf(String(text));
      note({ what: "changed", by, key: changed, etag, began, ended, isTold: attempts === 1 });
    }
    notifications.tell("ObjectRemoved:Delete", key);
  }
}
