import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from "@aws-sdk/client-s3";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { makeDatabase } from "../support/app/deployment";
import { type Change, type ChangeCalls, openChanges } from "../support/files/change-calls";
import { eventsOf, pendingOf } from "../support/files/event-calls";
import { startFaultyStore } from "../support/files/faulty-store";
import { versionIdAt, type WrittenVersion, writeVersions } from "../support/files/many-objects";
import { compareRecord, problem, resolvePending } from "./events";
import { evenly, killAfterChanges, repeatUntilDone } from "./kills";
import type { DrillResult } from "./result";

const BUCKET = "drill-history";
const KILLS = 20;
/** files of each kind */
const FILES = 1_000;
const names = Array.from({ length: FILES }, (_, index) => `${index % 7}/${index}.txt`);

/** What is in the bucket before, by folder: the versions of each file, oldest first. */
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

/** What is asked for, one after the other. Each request names a file of each kind. */
const requests: [Change, Folder, object, (name: string) => object][] = [
  // A deleted file is restored by removing its delete marker, a replaced one by copying its first version.
  ["restore", "deleted", { onConflict: "fail" }, () => ({ versionId: versionIdAt(2) })],
  ["restore", "replaced", { onConflict: "replace" }, () => ({ versionId: versionIdAt(1) })],
  // All three versions of a deleted file, and one older version of an existing one.
  ["purge", "emptied", {}, () => ({})],
  ["purge", "trimmed", {}, () => ({ versionId: versionIdAt(2) })],
];
const CHANGES_AT_STORE = FILES * (1 + 1 + 4 + 1);

/** Restores and purges versions while the app is killed, and compares what is left, byte for byte, and what is recorded. */
export async function* drillHistory(shared: StackInfo): AsyncGenerator<DrillResult> {
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const faulty = await startFaultyStore(stack, (dataDir) => writeVersions(dataDir, BUCKET, histories()));
  try {
    const site = await faulty.startApp({ RATE_LIMIT_PER_TOKEN: "1000000" });
    const calls = await openChanges(site.stack, fetch, BUCKET);
    await calls.keepVersions();
    const kills = killAfterChanges(site.app, faulty, evenly(KILLS, CHANGES_AT_STORE));
    const failed: string[] = [];
    for (const [what, folder, options, item] of requests) {
      const items = names.map((name) => ({ key: keyOf(folder, name), ...item(name) }));
      await repeatUntilDone(calls, what, { items, ...options }, kills, (response) =>
        failed.push(...(response.failed ?? []).map(({ key, code }) => `${what} ${key}: ${code}`)),
      );
    }
    faulty.intercept = null;
    await kills.running;
    const cutOff = (await pendingOf(stack.postgresUrl, BUCKET)).length;
    const resolved = await resolvePending(faulty.stack, BUCKET);
    yield {
      drill: `${2 * FILES} files restored and ${4 * FILES} versions purged, and the app killed ${kills.count} times`,
      figures: `${cutOff} cut off: ${resolved}`,
      failures: [
        ...(kills.count < KILLS ? [`it was killed only ${kills.count} times`] : []),
        ...problem(failed.length, "were reported as failed", failed),
        ...(await compareContent(calls)),
        ...compareRecord(expectedEvents(), (await eventsOf(stack.postgresUrl, BUCKET)).map(nameOfEvent)),
        ...problem((await pendingOf(stack.postgresUrl, BUCKET)).length, "pending changes are left"),
      ],
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

/** Which files have other versions than they should, or other bytes in one of them. */
async function compareContent({ store }: ChangeCalls): Promise<string[]> {
  const found = new Map<string, string[]>();
  const markers: string[] = [];
  for (let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {}; next !== undefined; ) {
    const page: ListObjectVersionsCommandOutput = await store.send(
      new ListObjectVersionsCommand({ Bucket: BUCKET, ...next }),
    );
    for (const { Key = "", VersionId = "" } of page.Versions ?? [])
      found.set(Key, [...(found.get(Key) ?? []), VersionId]);
    markers.push(...(page.DeleteMarkers ?? []).map(({ Key = "" }) => Key));
    const { IsTruncated, NextKeyMarker = "", NextVersionIdMarker = "" } = page;
    next = IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
  }
  const files = (Object.keys(folders) as Folder[]).flatMap((folder) =>
    names.map((name) => ({ folder, key: keyOf(folder, name) })),
  );
  const wrong = await mapConcurrently(files, 16, async ({ folder, key }) => {
    const texts = await mapConcurrently(found.get(key) ?? [], 1, async (VersionId) => {
      const { Body } = await store.send(new GetObjectCommand({ Bucket: BUCKET, Key: key, VersionId }));
      return (await Body?.transformToString()) ?? "";
    });
    const expected = expectedTexts[folder].map((text) => textOf(key, text));
    return texts.join() === expected.join() ? [] : [`${key}: ${texts.length} versions`];
  });
  return [
    ...problem(wrong.flat().length, "files have lost a version, or have one too many", wrong.flat()),
    ...problem(markers.length, "delete markers are left", markers),
  ];
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
