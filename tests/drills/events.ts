import { cleanup } from "../../app/commands/cleanup";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { age, eventsOf, pendingOf } from "../support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { writeObjects } from "../support/files/many-objects";
import { evenly, isChange, killAfterChanges, repeatUntilDone } from "./kills";
import type { DrillResult } from "./result";

const CHANGES_OF_EACH_KIND = 1_000;
const UPLOADS = 300;
const KILLS = 30;
/** A move asks the store twice. */
const CHANGES_AT_STORE = 4 * CHANGES_OF_EACH_KIND + UPLOADS;
const BUCKET = "drill-events";

const names = Array.from({ length: CHANGES_OF_EACH_KIND }, (_, index) => `${index % 7}/${index}.txt`);
const uploads = Array.from({ length: UPLOADS }, (_, index) => `upload-${index}.txt`);

/** Copies, moves, deletes and uploads while the app is killed repeatedly, and compares what is recorded with what the store has. */
export async function* drillEvents(shared: StackInfo): AsyncGenerator<DrillResult> {
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
    const kills = killAfterChanges(site.app, faulty, evenly(KILLS, CHANGES_AT_STORE), {
      counts: (request) =>
        isChange(request) ||
        (request.method === "PUT" && "x-amz-meta-platform-embed-upload" in request.headers),
    });
    const isUploaded = uploadAll(site, calls);
    for (const [what, folder] of [
      ["copy", "copied"],
      ["move", "moved"],
      ["delete", "deleted"],
    ] as const) {
      const body = {
        items: [{ folderPath: `/${folder}` }],
        ...(what !== "delete" && { to: "/to", onConflict: "fail" }),
      };
      await repeatUntilDone(calls, what, body, kills);
    }
    await isUploaded;
    faulty.intercept = null;
    await kills.running;
    const cutOff = (await pendingOf(stack.postgresUrl, BUCKET)).length;
    const resolved = await resolvePending(faulty.stack, BUCKET);
    yield {
      drill: `${3 * CHANGES_OF_EACH_KIND} changes and ${UPLOADS} uploads recorded, and the app killed ${kills.count} times`,
      figures: `${cutOff} cut off: ${resolved}`,
      failures: [
        ...(kills.count < KILLS ? [`it was killed only ${kills.count} times`] : []),
        ...(await compare(stack.postgresUrl, calls)),
      ],
    };
  } finally {
    await faulty.close();
  }
}

type Site = Awaited<ReturnType<FaultyStore["startApp"]>>;

/** Lets `npm run cleanup` resolve what is pending. Returns what it says of that. */
export async function resolvePending(stack: StackInfo, bucket: string): Promise<string> {
  await age(stack.postgresUrl, bucket, "25 hours");
  const { stdout } = await runHere("cleanup", cleanup, [], deploymentEnv(stack, stack.postgresUrl));
  return /Changes that were cut off: (.*)/.exec(stdout)?.[1] ?? "";
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

/** What is recorded and not in the store, in the store and not recorded, or recorded twice. */
async function compare(url: string, calls: ChangeCalls): Promise<string[]> {
  const below = async (folder: string) => (await calls.keysBelow(folder)).map((key) => `${folder}/${key}`);
  const made = [
    ...(await below("to/copied")).map((key) => `file.copied ${key}`),
    ...(await below("to/moved")).map((key) => `file.moved ${key}`),
    ...names.map((name) => `file.deleted deleted/${name}`),
    ...(await below("up")).map((key) => `file.uploaded ${key}`),
  ];
  const recorded = (await eventsOf(url, BUCKET)).map(({ type, key }) => `${type} ${key}`);
  return [
    ...problem(made.length === 3 * CHANGES_OF_EACH_KIND + UPLOADS ? 0 : 1, "store is not as it should be", [
      made.length,
    ]),
    ...compareRecord(made, recorded),
    ...problem((await pendingOf(url, BUCKET)).length, "pending changes are left"),
  ];
}

/** What differs between the changes that were made and those that are recorded. Each must be recorded once. */
export function compareRecord(made: readonly string[], recorded: readonly string[]): string[] {
  const [wanted, found] = [new Set(made), new Set(recorded)];
  const missing = made.filter((name) => !found.has(name));
  const invented = [...found].filter((name) => !wanted.has(name));
  const repeated = recorded.filter((name, index) => recorded.indexOf(name) < index);
  return [
    ...problem(missing.length, "changes are not recorded", missing),
    ...problem(invented.length, "events are invented", invented),
    ...problem(repeated.length, "changes are recorded more than once", repeated),
  ];
}

export const problem = (count: number, text: string, [example]: unknown[] = []): string[] =>
  count === 0 ? [] : [`${count} ${text}${example === undefined ? "" : `, such as ${example}`}`];
