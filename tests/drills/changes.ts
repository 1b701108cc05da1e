import { paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { StackInfo } from "../../local/stack-info";
import { type Change, type ChangeCalls, openChanges } from "../support/files/change-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { etagOf, writeObjects } from "../support/files/many-objects";
import { killAfterChanges, repeatUntilDone } from "./kills";
import type { DrillResult } from "./result";

const COUNT = 10_000;
/** The app is killed after these numbers of changes at the store, each time while others are running. */
const KILL_AFTER_CHANGES = [0.05, 0.25, 0.5, 0.75, 0.99].map((share) => share * COUNT);
/** Maximum time of one change including kills and restarts, milliseconds. */
const MAX_CHANGE_MS = 5 * 60_000;

const names = Array.from({ length: COUNT }, (_, index) => `${index % 7}/${index}.txt`);
const expected = new Map(names.map((name) => [name, etagOf(name)]));

/** Moves a folder of thousands of objects, then deletes and restores another, while the app is killed repeatedly. */
export async function* drillChanges(stack: StackInfo): AsyncGenerator<DrillResult> {
  const buckets = { moved: "drill-moved", deleted: "drill-deleted" };
  const faulty = await startFaultyStore(stack, (dataDir) => {
    for (const bucket of Object.values(buckets)) {
      const keys = names.map((name) => `from/${name}`);
      writeObjects(dataDir, bucket, keys, (key) => key.slice("from/".length));
    }
  });
  try {
    const site = await faulty.startApp({ RATE_LIMIT_PER_TOKEN: "1000000" });
    yield await move(site, faulty, await openChanges(site.stack, fetch, buckets.moved));
    const deleted = await openChanges(site.stack, fetch, buckets.deleted);
    await deleted.keepVersions();
    yield await deleteAndRestore(site, faulty, deleted);
  } finally {
    await faulty.close();
  }
}

type Site = Awaited<ReturnType<FaultyStore["startApp"]>>;

async function move(site: Site, faulty: FaultyStore, calls: ChangeCalls): Promise<DrillResult> {
  const { seconds, kills, failed, lost } = await change(site, faulty, calls, "move", {
    items: [{ folderPath: "/from" }],
    to: "/to",
    onConflict: "fail",
  });
  const [left, there] = [await etagsBelow(calls, "from"), await etagsBelow(calls, "to/from")];
  return {
    drill: `${COUNT} objects moved, and the app killed ${kills} times`,
    figures: `${there.size} there, ${left.size} left behind   ${seconds.toFixed(0)} s`,
    failures: [
      ...lost,
      ...(isComplete(there) && left.size === 0 ? [] : ["not every object is in its new place only"]),
      ...(failed === 0 ? [] : [`${failed} were reported as failed`]),
      ...(seconds * 1000 <= MAX_CHANGE_MS ? [] : [`it took ${seconds.toFixed(0)} s`]),
    ],
  };
}

async function deleteAndRestore(site: Site, faulty: FaultyStore, calls: ChangeCalls): Promise<DrillResult> {
  const { seconds, kills, failed, undo } = await change(site, faulty, calls, "delete", {
    items: [{ folderPath: "/from" }],
  });
  const left = await etagsBelow(calls, "from");
  for (const handle of undo) await calls.ask("restore", { undo: handle });
  const restored = await etagsBelow(calls, "from");
  return {
    drill: `${COUNT} objects deleted and restored, and the app killed ${kills} times`,
    figures: `${left.size} left behind, ${restored.size} restored   ${seconds.toFixed(0)} s`,
    failures: [
      ...(left.size === 0 ? [] : [`${left.size} were not deleted`]),
      ...(isComplete(restored) ? [] : ["not everything was restored unchanged"]),
      ...(failed === 0 ? [] : [`${failed} were reported as failed`]),
      ...(seconds * 1000 <= MAX_CHANGE_MS ? [] : [`it took ${seconds.toFixed(0)} s`]),
    ],
  };
}

/** Makes a change while the app is killed at each of `KILL_AFTER_CHANGES`. */
async function change(site: Site, faulty: FaultyStore, calls: ChangeCalls, what: Change, body: object) {
  const started = performance.now();
  const [lost, undo] = [[] as string[], [] as string[]];
  let failed = 0;
  const kills = killAfterChanges(site.app, faulty, KILL_AFTER_CHANGES, {
    whileDown: async () => {
      if (what === "move") lost.push(...(await missing(calls)));
    },
  });
  await repeatUntilDone(calls, what, body, kills, (response) => {
    failed += response.failed?.length ?? 0;
    if (response.undo) undo.push(response.undo);
  });
  faulty.intercept = null;
  return { seconds: (performance.now() - started) / 1000, kills: kills.count, failed, lost, undo };
}

/** Reports objects that are neither in the source nor in the target folder. */
async function missing(calls: ChangeCalls): Promise<string[]> {
  const [left, there] = [await etagsBelow(calls, "from"), await etagsBelow(calls, "to/from")];
  const gone = names.filter((name) => (left.get(name) ?? there.get(name)) !== expected.get(name));
  return gone.length === 0 ? [] : [`after a kill, ${gone.length} objects were in neither place`];
}

/** Returns the ETags of the objects below a folder by their keys relative to it, without folder markers. */
async function etagsBelow({ store, bucket }: ChangeCalls, folder: string): Promise<Map<string, string>> {
  const etags = new Map<string, string>();
  const Prefix = `${folder}/`;
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: store },
    { Bucket: bucket.name, Prefix },
  )) {
    for (const { Key = "", ETag = "" } of Contents) {
      if (!Key.endsWith("/")) etags.set(Key.slice(Prefix.length), ETag);
    }
  }
  return etags;
}

const isComplete = (etags: Map<string, string>) =>
  etags.size === COUNT && names.every((name) => etags.get(name) === expected.get(name));
