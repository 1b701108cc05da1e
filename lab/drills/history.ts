import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from "@aws-sdk/client-s3";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { makeDatabase } from "../../tests/support/app/deployment";
import { type Change, type ChangeCalls, openChanges } from "../../tests/support/files/change-calls";
import { eventsOf, pendingOf } from "../../tests/support/files/event-calls";
import { startFaultyStore } from "../../tests/support/files/faulty-store";
import { versionIdAt, type WrittenVersion, writeVersions } from "../../tests/support/files/many-objects";
import type { ChangeOperation } from "./checkers/changes";
import type { HistoryFound, Versions } from "./checkers/history";
import { type DrillOptions, type History, Recorder } from "./drill";
import { resolveCutOff } from "./events";
import { killAfterChanges, repeatUntilDone } from "./kills";
import { killMoments } from "./seed";

const BUCKET = "drill-history";
const KILLS = 20;
/** files of each kind */
const FILES = 1_000;
const names = Array.from({ length: FILES }, (_, index) => `${index % 7}/${index}.txt`);

/** The versions that each file of a folder has at first, oldest first. */
const folders = {
  deleted: ["first", "second", "deleted"],
  replaced: ["first", "second", "third"],
  emptied: ["first", "second", "third", "deleted"],
  trimmed: ["first", "second", "third"],
} as const;
type Folder = keyof typeof folders;

const keyOf = (folder: Folder, name: string) => `${folder}/${name}`;
/** Every version of every file has its own bytes. */
const textOf = (key: string, text: string) => `${text} text of ${key}\n`;

/** The requests, one after the other. Each names all files of a folder. */
const requests: [Change, Folder, object, (name: string) => object][] = [
  // A deleted file is restored by removing its delete marker, a replaced one by copying its first version.
  ["restore", "deleted", { onConflict: "fail" }, () => ({ versionId: versionIdAt(2) })],
  ["restore", "replaced", { onConflict: "replace" }, () => ({ versionId: versionIdAt(1) })],
  // All three versions of a deleted file, and one older version of an existing one.
  ["purge", "emptied", {}, () => ({})],
  ["purge", "trimmed", {}, () => ({ versionId: versionIdAt(2) })],
];
const CHANGES_AT_STORE = FILES * (1 + 1 + 4 + 1);

/** Restores and purges versions while the app is killed, and reads what is left, byte for byte, and what is recorded. */
export async function* drillHistory(
  shared: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<ChangeOperation, HistoryFound>> {
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const faulty = await startFaultyStore(stack, (dataDir) => writeVersions(dataDir, BUCKET, histories()));
  try {
    const site = await faulty.startApp({ RATE_LIMIT_PER_TOKEN: "1000000" });
    const calls = await openChanges(site.stack, fetch, BUCKET);
    await calls.keepVersions();
    const recorder = new Recorder<ChangeOperation>();
    const moments = killMoments(choose, KILLS, CHANGES_AT_STORE);
    const kills = killAfterChanges(site.app, faulty, moments, recorder);
    for (const [what, folder, options, item] of requests) {
      const items = names.map((name) => ({ key: keyOf(folder, name), ...item(name) }));
      await repeatUntilDone(calls, what, { items, ...options }, kills, recorder);
    }
    faulty.intercept = null;
    await kills.running;
    const cutOff = await resolveCutOff(faulty.stack, BUCKET);
    yield {
      title: `${2 * FILES} files restored and ${4 * FILES} versions purged, and the app killed ${kills.count} times`,
      operations: recorder.operations,
      found: {
        expected: expectedVersions(),
        ...(await readVersions(calls)),
        made: expectedEvents(),
        recorded: (await eventsOf(stack.postgresUrl, BUCKET)).map(nameOfEvent),
        pending: (await pendingOf(stack.postgresUrl, BUCKET)).map(({ type, key }) => `${type} ${key}`),
        cutOff,
        wantedKills: KILLS,
      },
    };
  } finally {
    await faulty.close();
  }
}

function* histories(): Generator<[string, WrittenVersion[]]> {
  for (const folder of Object.keys(folders) as Folder[]) {
    for (const name of names) {
      const key = keyOf(folder, name);
      yield [key, folders[folder].map((text) => (text === "deleted" ? text : { text: textOf(key, text) }))];
    }
  }
}

/** The texts of a file's versions afterwards, newest first. */
const expectedTexts: Record<Folder, string[]> = {
  deleted: ["second", "first"],
  replaced: ["first", "third", "second", "first"],
  emptied: [],
  trimmed: ["third", "first"],
};

const expectedVersions = (): Versions =>
  Object.fromEntries(
    (Object.keys(folders) as Folder[]).flatMap((folder) =>
      names.map((name) => {
        const key = keyOf(folder, name);
        return [key, expectedTexts[folder].map((text) => textOf(key, text))];
      }),
    ),
  );

/** Reads the bytes of every version, and finds the delete markers. */
async function readVersions({ store }: ChangeCalls) {
  const found = new Map<string, string[]>();
  const deleteMarkers: string[] = [];
  for (let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {}; next !== undefined; ) {
    const page: ListObjectVersionsCommandOutput = await store.send(
      new ListObjectVersionsCommand({ Bucket: BUCKET, ...next }),
    );
    for (const { Key = "", VersionId = "" } of page.Versions ?? [])
      found.set(Key, [...(found.get(Key) ?? []), VersionId]);
    deleteMarkers.push(...(page.DeleteMarkers ?? []).map(({ Key = "" }) => Key));
    const { IsTruncated, NextKeyMarker = "", NextVersionIdMarker = "" } = page;
    next = IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
  }
  const entries = await mapConcurrently([...found], 16, async ([key, versionIds]) => {
    const texts = await mapConcurrently(versionIds, 1, async (VersionId) => {
      const { Body } = await store.send(new GetObjectCommand({ Bucket: BUCKET, Key: key, VersionId }));
      return (await Body?.transformToString()) ?? "";
    });
    return [key, texts] as const;
  });
  const versions: Versions = Object.fromEntries(entries);
  return { versions, deleteMarkers };
}

/** A purge is recorded for each version, a restore for each file. */
const expectedEvents = () =>
  names.flatMap((name) => [
    `file.restored ${keyOf("deleted", name)}`,
    `file.restored ${keyOf("replaced", name)}`,
    ...[1, 2, 3].map((number) => `file.purged ${keyOf("emptied", name)} ${versionIdAt(number)}`),
    `file.purged ${keyOf("trimmed", name)} ${versionIdAt(2)}`,
  ]);

const nameOfEvent = ({ type, key, data }: { type: string; key: string; data: { version?: unknown } }) =>
  type === "file.purged" ? `${type} ${key} ${data.version}` : `${type} ${key}`;
