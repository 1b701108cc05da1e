import { cleanup } from "../../app/commands/cleanup";
import { UPLOAD_MARK } from "../../app/providers/presigned-urls.server";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv, makeDatabase } from "../../tests/support/app/deployment";
import { runHere } from "../../tests/support/app/run-command";
import { type ChangeCalls, openChanges } from "../../tests/support/files/change-calls";
import { age, eventsOf, pendingOf } from "../../tests/support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../../tests/support/files/faulty-store";
import { writeObjects } from "../../tests/support/files/many-objects";
import type { ChangeOperation } from "./checkers/changes";
import type { EventsFound } from "./checkers/events";
import { type DrillOptions, type History, Recorder } from "./drill";
import { isChange, killAfterChanges, repeatUntilDone } from "./kills";
import { killMoments } from "./seed";

const CHANGES_OF_EACH_KIND = 1_000;
const UPLOADS = 300;
const KILLS = 30;
/** A move asks the store twice. */
const CHANGES_AT_STORE = 4 * CHANGES_OF_EACH_KIND + UPLOADS;
const BUCKET = "drill-events";

const names = Array.from({ length: CHANGES_OF_EACH_KIND }, (_, index) => `${index % 7}/${index}.txt`);
const uploads = Array.from({ length: UPLOADS }, (_, index) => `upload-${index}.txt`);

/** Copies, moves, deletes and uploads while the app is killed repeatedly, and reads what is recorded and what the store has. */
export async function* drillEvents(
  shared: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<ChangeOperation, EventsFound>> {
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const faulty = await startFaultyStore(stack, (dataDir) => {
    const folders = ["copied", "moved", "deleted"];
    writeObjects(
      dataDir,
      BUCKET,
      folders.flatMap((folder) => names.map((name) => `${folder}/${name}`)),
      (key) => key,
    );
  });
  try {
    const site = await faulty.startApp({ RATE_LIMIT_PER_TOKEN: "1000000" });
    const calls = await openChanges(site.stack, fetch, BUCKET);
    await calls.bucket.keepVersions();
    const recorder = new Recorder<ChangeOperation>();
    const moments = killMoments(choose, KILLS, CHANGES_AT_STORE);
    const kills = killAfterChanges(site.app, faulty, moments, recorder, {
      counts: (request) =>
        isChange(request) || (request.method === "PUT" && request.query.has(`x-amz-meta-${UPLOAD_MARK}`)),
    });
    const isUploaded = uploadAll(site, calls);
    // Its error is thrown below, where it is awaited.
    isUploaded.catch(() => {});
    for (const [what, folder] of [
      ["copy", "copied"],
      ["move", "moved"],
      ["delete", "deleted"],
    ] as const) {
      const body = {
        items: [{ folderPath: `/${folder}` }],
        ...(what !== "delete" && { to: "/to", onConflict: "fail" }),
      };
      await repeatUntilDone(calls, what, body, kills, recorder);
    }
    await isUploaded;
    faulty.intercept = null;
    await kills.running;
    const cutOff = await resolveCutOff(faulty.stack, BUCKET);
    yield {
      title: `${3 * CHANGES_OF_EACH_KIND} changes and ${UPLOADS} uploads recorded, and the app killed ${kills.count} times`,
      operations: recorder.operations,
      found: {
        made: await changesMade(calls),
        wantedChanges: 3 * CHANGES_OF_EACH_KIND + UPLOADS,
        recorded: (await eventsOf(stack.postgresUrl, BUCKET)).map(({ type, key }) => `${type} ${key}`),
        pending: (await pendingOf(stack.postgresUrl, BUCKET)).map(({ type, key }) => `${type} ${key}`),
        cutOff,
        wantedKills: KILLS,
      },
    };
  } finally {
    await faulty.close();
  }
}

type Site = Awaited<ReturnType<FaultyStore["startApp"]>>;

/** Lets `npm run cleanup` resolve what is pending. Returns how many changes that were, and what it says of them. */
export async function resolveCutOff(stack: StackInfo, bucket: string) {
  const count = (await pendingOf(stack.postgresUrl, bucket)).length;
  await age(stack.postgresUrl, bucket, "25 hours");
  const { stdout } = await runHere("cleanup", cleanup, [], deploymentEnv(stack, stack.postgresUrl));
  return { count, resolved: /Changes that were cut off: (.*)/.exec(stdout)?.[1] ?? "" };
}

/** Uploads by presigned URLs. Of each three, two are confirmed, unless the app is down; some are signed and never sent. */
async function uploadAll({ stack }: Site, calls: ChangeCalls): Promise<void> {
  const ask = async (what: string, body: object) => {
    const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: calls.token, bucket: BUCKET, ...body }),
    });
    return response.json();
  };
  const sign = async (fileName: string) => {
    const file = { folderPath: "/up", fileName, contentType: "text/plain" };
    for (;;) {
      const signed = await ask("presign-upload", file).catch(() => undefined);
      if (signed?.url !== undefined) return signed;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await mapConcurrently(uploads, 2, async (name) => {
    const index = uploads.indexOf(name);
    if (index % 10 === 0) await sign(`never-${index}.txt`);
    const { url, headers } = await sign(name);
    await fetch(url, { method: "PUT", headers, body: name });
    if (index % 3 > 0) await ask("uploaded", { keys: [`up/${name}`] }).catch(() => {});
    // The changes take longer: uploads go on as long as they do.
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
}

/** The changes that the store's content shows. */
async function changesMade(calls: ChangeCalls): Promise<string[]> {
  const below = async (folder: string) => (await calls.keysBelow(folder)).map((key) => `${folder}/${key}`);
  const left = new Set(await below("deleted"));
  return [
    ...(await below("to/copied")).map((key) => `file.copied ${key}`),
    ...(await below("to/moved")).map((key) => `file.moved ${key}`),
    ...names
      .map((name) => `deleted/${name}`)
      .filter((key) => !left.has(key))
      .map((key) => `file.deleted ${key}`),
    ...(await below("up")).map((key) => `file.uploaded ${key}`),
  ];
}
