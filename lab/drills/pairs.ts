import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { scopeActions } from "../../app/services/files/place/actions";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { ceph16 } from "../../local/object-store";
import type { StackInfo } from "../../local/stack-info";
import { issueEmbedUrl } from "../../tests/support/app/embed-client";
import { query } from "../../tests/support/databases/postgres";
import { type Change, type ChangeCalls, openChanges } from "../../tests/support/files/change-calls";
import { eventsOf, pendingOf } from "../../tests/support/files/event-calls";
import { startFaultyStore } from "../../tests/support/files/faulty-store";
import { FOLDER_FILES, type PairsFound, type Told } from "./checkers/pairs";
import { type DrillOptions, type History, Recorder } from "./drill";

const ROUNDS = 30;
/** rounds that run at the same time, each in a folder of its own */
const CONCURRENT_ROUNDS = 6;
/** Maximum time of all rounds on two buckets, seconds. */
const MAX_SECONDS = 180;

/** A request to one of the two processes, on behalf of one of two visitors. */
type Ask = (what: Change, body: object) => Promise<Told & { undo: string[] }>;

interface Place {
  /** the folder of the round */
  at: string;
  calls: ChangeCalls;
  keepsVersions: boolean;
  one: Ask;
  other: Ask;
}

type Requests = [() => Promise<Told>, () => Promise<Told>];
/** Prepares the files of a round, and returns the two requests that are sent at once. */
type Pair = (place: Place) => Promise<Requests>;

/** What must hold afterwards is in `checkers/pairs.ts`. */
const pairs: Record<string, Pair> = {
  "rename, rename": (place) => renameTwice(place, "b", "c"),
  "rename, the same rename": (place) => renameTwice(place, "b", "b"),
  "move, delete": async ({ at, calls, one, other }) => {
    await calls.put({ [`${at}/a`]: "a" });
    const items = [{ key: `${at}/a` }];
    return [
      () => one("move", { items, to: `/${at}/to`, onConflict: "fail" }),
      () => other("delete", { items }),
    ];
  },
  "move, copy to the same name": async ({ at, calls, one, other }) => {
    await calls.put({ [`${at}/a`]: "a", [`${at}/x/a`]: "x" });
    const rest = { to: `/${at}/to`, onConflict: "fail" };
    return [
      () => one("move", { items: [{ key: `${at}/a` }], ...rest }),
      () => other("copy", { items: [{ key: `${at}/x/a` }], ...rest }),
    ];
  },
  "move, move to the same name": (place) => moveBoth(place, "fail"),
  "replace, replace": (place) => moveBoth(place, "replace"),
  "moves into each other": async ({ at, calls, one, other }) => {
    await calls.put({ [`${at}/a`]: "a", [`${at}/b`]: "b" });
    const move = (ask: Ask, from: string, name: string) => () =>
      ask("move", { items: [{ key: `${at}/${from}` }], to: `/${at}`, name, onConflict: "replace" });
    return [move(one, "a", "b"), move(other, "b", "a")];
  },
  "delete, delete": async ({ at, calls, one, other }) => {
    await calls.put({ [`${at}/a`]: "a" });
    const remove = (ask: Ask) => () => ask("delete", { items: [{ key: `${at}/a` }] });
    return [remove(one), remove(other)];
  },
  "copy, copy with keep-both": async ({ at, calls, one, other }) => {
    await calls.put({ [`${at}/a`]: "a" });
    const copy = (ask: Ask) => () =>
      ask("copy", { items: [{ key: `${at}/a` }], to: `/${at}`, onConflict: "keep-both" });
    return [copy(one), copy(other)];
  },
  "undo of a copy, twice": async (place) => {
    const undo = await copyOne(place);
    return [() => place.one("restore", { undo }), () => place.one("restore", { undo })];
  },
  "undo of a copy, rename of it": async (place) => {
    const { at, one, other } = place;
    const undo = await copyOne(place);
    const rename = { items: [{ key: `${at}/to/a` }], to: `/${at}/to`, name: "c", onConflict: "fail" };
    return [() => one("restore", { undo }), () => other("move", rename)];
  },
  "rename of a folder, rename of it": async ({ at, calls, one, other }) => {
    await calls.put(filesBelow(`${at}/a`));
    const rename = (ask: Ask, name: string) => () =>
      ask("move", { items: [{ folderPath: `/${at}/a` }], to: `/${at}`, name, onConflict: "fail" });
    return [rename(one, "b"), rename(other, "c")];
  },
  "delete of a folder, with one cursor": async ({ at, calls, one, keepsVersions }) => {
    await calls.put(filesBelow(`${at}/a`));
    const request = { items: [{ folderPath: `/${at}/a` }] };
    // Where the bucket keeps no versions, the first request deletes already.
    const cursor = keepsVersions ? (await calls.ask("delete", request)).body.cursor : undefined;
    const remove = () => one("delete", { ...request, ...(cursor && { cursor }) });
    return [remove, remove];
  },
};

/** Those that need versions. */
const pairsOfVersions: Record<string, Pair> = {
  "purge, purge": async (place) => {
    await deleteOne(place);
    const purge = (ask: Ask) => () => ask("purge", { items: [{ key: `${place.at}/a` }] });
    return [purge(place.one), purge(place.other)];
  },
  "undo of a deletion, purge": async (place) => {
    const undo = await deleteOne(place);
    const items = [{ key: `${place.at}/a` }];
    return [() => place.one("restore", { undo }), () => place.other("purge", { items })];
  },
  "restore, restore": async ({ at, calls, one, other }) => {
    const key = `${at}/a`;
    await calls.bucket.put(key, "older");
    const versionId = (await versionsBelow(calls, key))[0]?.VersionId ?? "";
    await calls.bucket.put(key, "newer");
    const request = { items: [{ key, versionId }], onConflict: "replace" };
    return [() => one("restore", request), () => other("restore", request)];
  },
};

async function renameTwice(
  { at, calls, one, other }: Place,
  first: string,
  second: string,
): Promise<Requests> {
  await calls.put({ [`${at}/a`]: "a" });
  const rename = (ask: Ask, name: string) => () =>
    ask("move", { items: [{ key: `${at}/a` }], to: `/${at}`, name, onConflict: "fail" });
  return [rename(one, first), rename(other, second)];
}

async function moveBoth({ at, calls, one, other }: Place, onConflict: string): Promise<Requests> {
  await calls.put({ [`${at}/a`]: "a", [`${at}/x/a`]: "x" });
  const move = (ask: Ask, key: string) => () =>
    ask("move", { items: [{ key }], to: `/${at}/to`, onConflict });
  return [move(one, `${at}/a`), move(other, `${at}/x/a`)];
}

/** @returns what undoes the copy */
async function copyOne({ at, calls, one }: Place): Promise<string> {
  await calls.put({ [`${at}/a`]: "a" });
  const copy = { items: [{ key: `${at}/a` }], to: `/${at}/to`, onConflict: "fail" };
  return (await one("copy", copy)).undo[0] ?? "";
}

/** Deletes a file of two versions. @returns what undoes it */
async function deleteOne({ at, calls, one }: Place): Promise<string> {
  await calls.bucket.put(`${at}/a`, "older");
  await calls.bucket.put(`${at}/a`, "a");
  return (await one("delete", { items: [{ key: `${at}/a` }] })).undo[0] ?? "";
}

const filesBelow = (folder: string) =>
  Object.fromEntries(
    Array.from({ length: FOLDER_FILES }, (_, index) => [`${folder}/${index}`, `file ${index}`]),
  );

/**
 * Sends every pair of changes at once to two processes, on buckets with and without versions, and on a store with conditional writes and on
 * one without.
 */
export async function* drillPairs(
  stack: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<never, PairsFound>> {
  const faulty = await startFaultyStore(stack);
  try {
    const settings = {
      RATE_LIMIT_PER_TOKEN: "1000000",
      HEAVY_REQUESTS_PER_COMPANY: "100",
      HEAVY_REQUESTS_PER_PROCESS: "100",
    };
    const apps = await Promise.all([faulty.startApp(settings), faulty.startApp(settings)]);
    for (const hasConditions of [true, false]) {
      faulty.intercept = hasConditions ? null : () => ({ ignores: ceph16 });
      const word = (has: boolean) => (has ? "with" : "without");
      // Both buckets at the same time: a round waits more than it computes.
      yield* await Promise.all(
        [false, true].map(async (keepsVersions) => ({
          title: `pairs of changes ${word(keepsVersions)} versions, ${word(hasConditions)} conditional writes`,
          operations: [],
          found: await runPairs([apps[0].stack, apps[1].stack], keepsVersions, choose),
        })),
      );
    }
  } finally {
    await faulty.close();
  }
}

async function runPairs(
  [first, second]: [StackInfo, StackInfo],
  keepsVersions: boolean,
  choose: DrillOptions["choose"],
): Promise<PairsFound> {
  const calls = await openChanges(first);
  if (keepsVersions) await calls.keepVersions();
  const { name: bucket } = calls.bucket;
  const askOf = async (stack: StackInfo, id: string): Promise<Ask> => {
    const asked = { scope: { actions: scopeActions }, visitor: { id } };
    const { token } = await issueEmbedUrl(stack, calls.client, asked);
    return (what, body) => tellAll(stack, what, { token, bucket, ...body });
  };
  const [one, other] = await Promise.all([askOf(first, "ada"), askOf(second, "ben")]);
  const wanted = Object.entries(keepsVersions ? { ...pairs, ...pairsOfVersions } : pairs);
  const rounds = wanted.flatMap(([pair, prepare], index) =>
    Array.from({ length: ROUNDS }, (_, round) => ({ pair, prepare, at: `${index}-${round}` })),
  );
  const recorder = new Recorder<never>();
  const ended = await mapConcurrently(rounds, CONCURRENT_ROUNDS, async ({ pair, prepare, at }) => {
    const [ask, askOther] = await prepare({ at, calls, keepsVersions, one, other });
    // Neither process is always the first one.
    const isReversed = choose(pair, at) < 0.5;
    const begun = isReversed ? askOther() : undefined;
    const told = await Promise.all([ask(), begun ?? askOther()]);
    return { pair, at, told };
  });
  const seconds = recorder.milliseconds() / 1000;
  const events = await eventsOf(first.postgresUrl, bucket);
  const versions = keepsVersions ? await versionsBelow(calls, "") : [];
  return {
    rounds: await mapConcurrently(ended, CONCURRENT_ROUNDS, async ({ pair, at, told }) => {
      const isOfRound = (key = "") => key.startsWith(`${at}/`) && !key.endsWith("/");
      const files = Object.entries(await calls.below(at)).filter(([key]) => isOfRound(`${at}/${key}`));
      const types = events.filter(({ key }) => isOfRound(key)).map(({ type }) => type);
      return {
        pair,
        told,
        files: Object.fromEntries(files),
        events: types.sort(),
        versions: versions.filter(({ Key }) => isOfRound(Key)).length,
      };
    }),
    pending: (await pendingOf(first.postgresUrl, bucket)).map(({ type, key }) => `${type} of ${key}`),
    claims: (
      await query(first.postgresUrl, "SELECT name FROM object_claims WHERE starts_with(name, $1)", [
        `${bucket}/`,
      ])
    ).length,
    seconds,
    maxSeconds: MAX_SECONDS,
    wantedRounds: ROUNDS,
  };
}

/** Sends a request until nothing is left to do, and adds up what its responses told. */
async function tellAll(stack: StackInfo, what: Change, body: object) {
  const told: Told & { undo: string[] } = { done: 0, failed: [], conflicts: [], renamed: [], undo: [] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...body, ...(cursor && { cursor }) }),
    });
    const answer = await response.json();
    // On a busy machine, the other request of the pair may take longer than this one waits for it.
    if (answer.code === "upload_conflict") continue;
    if (response.status !== 200) throw new Error(`${what}: ${response.status} ${JSON.stringify(answer)}`);
    told.done += answer.purged ?? answer.restored ?? answer.done;
    told.failed.push(...(answer.failed ?? []).map(({ code }: { code: string }) => code));
    told.conflicts.push(...(answer.conflicts ?? []).map(({ name }: { name: string }) => name));
    if (answer.renamed) told.renamed = answer.renamed.map(({ name }: { name: string }) => name);
    if (answer.undo) told.undo.push(answer.undo);
    cursor = answer.cursor ?? null;
  }
  return told;
}

/** The versions with content. */
async function versionsBelow({ store, bucket }: ChangeCalls, Prefix: string) {
  const versions: { Key?: string | undefined; VersionId?: string | undefined }[] = [];
  let position: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
  while (position !== undefined) {
    const page = await listVersions(store, { Bucket: bucket.name, Prefix, ...position });
    versions.push(...(page.Versions ?? []));
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    position = IsTruncated ? { KeyMarker, VersionIdMarker } : undefined;
  }
  return versions;
}

const listVersions = (
  store: ChangeCalls["store"],
  input: ConstructorParameters<typeof ListObjectVersionsCommand>[0],
) => store.send(new ListObjectVersionsCommand(input));
