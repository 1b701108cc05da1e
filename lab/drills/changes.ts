import { paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { StackInfo } from "../../local/stack-info";
import { type Change, type ChangeCalls, openChanges } from "../../tests/support/files/change-calls";
import { type FaultyStore, startFaultyStore } from "../../tests/support/files/faulty-store";
import { etagOf, writeObjects } from "../../tests/support/files/many-objects";
import type { ChangeOperation, DeletionFound, MoveFound, Objects } from "./checkers/changes";
import { type DrillOptions, type History, Recorder } from "./drill";
import { killAfterChanges, repeatUntilDone } from "./kills";
import { type Choose, killMoments } from "./seed";

const COUNT = 10_000;
/** objects in another folder, whose name begins alike */
const NEIGHBOURS = 100;
/** of the app, at so many of the changes at the store, each time while others are running */
const KILLS = 5;
/** Maximum time of one change including kills and restarts, seconds. */
const MAX_SECONDS = 5 * 60;

const names = Array.from({ length: COUNT }, (_, index) => `${index % 7}/${index}.txt`);
const neighbours = names.slice(0, NEIGHBOURS);
const etags = (of: string[]): Objects => Object.fromEntries(of.map((name) => [name, etagOf(name)]));

/**
 * Moves a folder of thousands of objects, and deletes another, while the app is killed repeatedly. Then restores what was deleted. Both at the
 * same time, each with an app and a store of its own: most of the time, they wait for an app to start and for claims of the killed one to end.
 */
export async function* drillChanges(
  stack: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<ChangeOperation, MoveFound | DeletionFound>> {
  yield* await Promise.all([
    onOwnStore(stack, "drill-moved", (site, faulty, calls) => move(site, faulty, calls, choose)),
    onOwnStore(stack, "drill-deleted", async (site, faulty, calls) => {
      await calls.keepVersions();
      return deleteAndRestore(site, faulty, calls, choose);
    }),
  ]);
}

async function onOwnStore<Result>(
  stack: StackInfo,
  bucket: string,
  run: (site: Site, faulty: FaultyStore, calls: ChangeCalls) => Promise<Result>,
): Promise<Result> {
  const faulty = await startFaultyStore(stack, (dataDir) => {
    const nameOf = (key: string) => key.slice(key.indexOf("/") + 1);
    const keys = [...names.map((name) => `from/${name}`), ...neighbours.map((name) => `from-2/${name}`)];
    writeObjects(dataDir, bucket, keys, nameOf);
  });
  try {
    const site = await faulty.startApp({ RATE_LIMIT_PER_TOKEN: "1000000" });
    return await run(site, faulty, await openChanges(site.stack, fetch, bucket));
  } finally {
    await faulty.close();
  }
}

type Site = Awaited<ReturnType<FaultyStore["startApp"]>>;

async function move(
  site: Site,
  faulty: FaultyStore,
  calls: ChangeCalls,
  choose: Choose,
): Promise<History<ChangeOperation, MoveFound>> {
  const body = { items: [{ folderPath: "/from" }], to: "/to", onConflict: "fail" };
  const { kills, recorder, common } = await change(site, faulty, calls, choose, "move", body);
  const folders = { from: await etagsBelow(calls, "from"), to: await etagsBelow(calls, "to/from") };
  return {
    title: `${COUNT} objects moved while the app was killed ${kills.count} times`,
    operations: recorder.operations,
    found: { ...common, folders, neighbours: await neighboursOf(calls) },
  };
}

async function deleteAndRestore(
  site: Site,
  faulty: FaultyStore,
  calls: ChangeCalls,
  choose: Choose,
): Promise<History<ChangeOperation, DeletionFound>> {
  const body = { items: [{ folderPath: "/from" }] };
  const { kills, recorder, common, undo } = await change(site, faulty, calls, choose, "delete", body);
  const deleted = await etagsBelow(calls, "from");
  for (const handle of undo) await repeatUntilDone(calls, "restore", { undo: handle }, kills, recorder);
  const restored = await etagsBelow(calls, "from");
  return {
    title: `${COUNT} objects deleted while the app was killed ${kills.count} times, and then restored`,
    operations: recorder.operations,
    found: { ...common, folders: { deleted, restored }, neighbours: await neighboursOf(calls) },
  };
}

/** Makes a change while the app is killed repeatedly. */
async function change(
  site: Site,
  faulty: FaultyStore,
  calls: ChangeCalls,
  choose: Choose,
  what: Change,
  body: object,
) {
  const recorder = new Recorder<ChangeOperation>();
  const undo: string[] = [];
  const moments = killMoments((...words) => choose(what, ...words), KILLS, COUNT);
  const kills = killAfterChanges(site.app, faulty, moments, recorder, {
    whileDown: async () => {
      const folders = { from: await etagsBelow(calls, "from"), to: await etagsBelow(calls, "to/from") };
      recorder.add({ what: "seen while the app is down", folders });
    },
  });
  await repeatUntilDone(calls, what, body, kills, recorder, (response) => {
    if (response.undo) undo.push(response.undo);
  });
  faulty.intercept = null;
  const common = {
    before: etags(names),
    seconds: recorder.milliseconds() / 1000,
    maxSeconds: MAX_SECONDS,
    wantedKills: KILLS,
  };
  return { kills, recorder, common, undo };
}

/** Returns the ETags of the objects below a folder by their keys relative to it, without folder markers. */
async function etagsBelow({ store, bucket }: ChangeCalls, folder: string): Promise<Objects> {
  const etags: Objects = {};
  const Prefix = `${folder}/`;
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: store },
    { Bucket: bucket.name, Prefix },
  )) {
    for (const { Key = "", ETag = "" } of Contents) {
      if (!Key.endsWith("/")) etags[Key.slice(Prefix.length)] = ETag;
    }
  }
  return etags;
}

const neighboursOf = async (calls: ChangeCalls) => ({
  before: etags(neighbours),
  after: await etagsBelow(calls, "from-2"),
});
