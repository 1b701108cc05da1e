import { cleanup } from "../../app/commands/cleanup";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { type Change, type ChangeCalls, openChanges } from "../support/files/change-calls";
import { age, eventsOf, pendingOf } from "../support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { writeObjects } from "../support/files/many-objects";
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
    const kills = killRepeatedly(site, faulty);
    const isUploaded = uploadAll(site, calls);
    for (const [what, folder] of [
      ["copy", "copied"],
      ["move", "moved"],
      ["delete", "deleted"],
    ] as const)
      await untilDone(calls, what, folder, kills);
    await isUploaded;
    faulty.intercept = null;
    await kills.running;
    const cutOff = (await pendingOf(stack.postgresUrl, BUCKET)).length;
    await age(stack.postgresUrl, BUCKET, "25 hours");
    const env = deploymentEnv(faulty.stack, stack.postgresUrl);
    const { stdout } = await runHere("cleanup", cleanup, [], env);
    yield {
      drill: `${3 * CHANGES_OF_EACH_KIND} changes and ${UPLOADS} uploads recorded, and the app killed ${kills.count} times`,
      figures: `${cutOff} cut off: ${/Changes that were cut off: (.*)/.exec(stdout)?.[1]}`,
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

/** Kills the app each time the store has made so many changes, also while it makes one. */
function killRepeatedly({ app }: Site, faulty: FaultyStore) {
  const kills = { count: 0, running: undefined as Promise<void> | undefined };
  let changes = 0;
  faulty.intercept = ({ method, headers }) => {
    if (method !== "DELETE" && method !== "PUT") return undefined;
    if (
      method === "PUT" &&
      !("x-amz-copy-source" in headers) &&
      !("x-amz-meta-platform-embed-upload" in headers)
    )
      return undefined;
    changes += 1;
    if (changes >= (kills.count + 1) * (CHANGES_AT_STORE / (KILLS + 1)) && kills.running === undefined) {
      kills.count += 1;
      kills.running = app
        .signal("SIGKILL")
        .then(() => app.start())
        .finally(() => {
          kills.running = undefined;
        });
    }
    return undefined;
  };
  return kills;
}

async function untilDone(
  calls: ChangeCalls,
  what: Change,
  folder: string,
  kills: { running: Promise<void> | undefined },
): Promise<void> {
  const body = {
    items: [{ folderPath: `/${folder}` }],
    ...(what !== "delete" && { to: "/to", onConflict: "fail" }),
  };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await calls.ask(what, { ...body, ...(cursor && { cursor }) }).catch(() => undefined);
    if (response?.status === 200) cursor = response.body.cursor ?? null;
    else if (response !== undefined && response.status < 500)
      throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
    await kills.running;
  }
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
  const recorded = new Map<string, number>();
  for (const { type, key } of await eventsOf(url, BUCKET)) {
    const name = `${type} ${key}`;
    recorded.set(name, (recorded.get(name) ?? 0) + 1);
  }
  const below = async (folder: string) => (await calls.keysBelow(folder)).map((key) => `${folder}/${key}`);
  const made = [
    ...(await below("to/copied")).map((key) => `file.copied ${key}`),
    ...(await below("to/moved")).map((key) => `file.moved ${key}`),
    ...names.map((name) => `file.deleted deleted/${name}`),
    ...(await below("up")).map((key) => `file.uploaded ${key}`),
  ];
  const invented = [...recorded.keys()].filter((name) => !made.includes(name));
  const missing = made.filter((name) => !recorded.has(name));
  const repeated = [...recorded].filter(([, count]) => count > 1);
  const left = (await pendingOf(url, BUCKET)).length;
  const problem = (count: number, text: string, [example]: unknown[] = []) =>
    count === 0 ? [] : [`${count} ${text}, such as ${example}`];
  return [
    ...problem(made.length === 3 * CHANGES_OF_EACH_KIND + UPLOADS ? 0 : 1, "store is not as it should be", [
      made.length,
    ]),
    ...problem(missing.length, "changes are not recorded", missing),
    ...problem(invented.length, "events are invented", invented),
    ...problem(repeated.length, "changes are recorded more than once", repeated),
    ...problem(left, "pending changes are left"),
  ];
}
