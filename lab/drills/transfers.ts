import { spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import type { Integrator } from "../../tests/e2e/integrator";
import { makeTestFolder } from "../../tests/support/databases/postgres";
import { makeProfile } from "../../tests/support/machine/browser-profile";
import type { BadNetwork, NetworkFault } from "../../tests/support/network/bad-network";
import type { TransferOperation, TransfersFound } from "./checkers/transfers";
import { type DrillOptions, type History, Recorder } from "./drill";
import { type Choose, wholeNumber } from "./seed";
import { type MadeFile, MB, makeFile, openBrowser, picker, type Site, startSite } from "./transfer-site";

/** Size of a part of the large files. */
const PART_BYTES = 8 * 1024 ** 2;
/** Maximum number of concurrent upload requests. */
const MAX_CONCURRENT_REQUESTS = 6;
/** Time without any connection, milliseconds. Tokens and signed addresses expire in 10 seconds; a request counts as hung after 30. */
const OUTAGE_MS = 90_000;
/** Time for which the store cannot be reached, milliseconds. */
const STORE_OUTAGE_MS = 20_000;
/** Maximum time of one drill, milliseconds. */
const MAX_DRILL_MS = 12 * 60_000;
/** Each of these hits the first request of a file of its own. Nothing else hangs, because that takes long. */
const CERTAIN_FAULTS: NetworkFault[] = [
  "stall",
  "stall",
  "stall",
  "busy",
  "busy, wait",
  "reset",
  "flipped",
  "lost",
];
/** Shares of the bytes that have arrived when the browser is killed, at the earliest. */
const KILL_SHARES = [0.2, 0.5];
/** Tokens that a browser gets at least: the first, and three more because they expire. */
const MIN_TOKENS = 4;

type TransferHistory = History<TransferOperation, TransfersFound>;

/** Uploads from a real browser over a network with faults, and uploads while the browser is killed and the store stops. */
export async function* drillTransfers(
  stack: StackInfo,
  options: DrillOptions,
): AsyncGenerator<TransferHistory> {
  const folder = await makeTestFolder();
  try {
    const offline = new EventEmitter();
    const start = (name: string, count: number, offset: number) => {
      const isOffline = () => offline.emit(name);
      // If it fails before it is offline, the third does not wait for it.
      return badNetwork(stack, join(folder, name), count, offset, options, isOffline).finally(isOffline);
    };
    const results = await Promise.allSettled([
      start("fast", 60, 3_600_000),
      start("slow", 40, -3_600_000),
      // While both browsers are offline, the machine has time for the third.
      Promise.all([once(offline, "fast"), once(offline, "slow")]).then(() =>
        killedBrowser(stack, join(folder, "killed"), options),
      ),
    ]);
    for (const result of results) if (result.status === "fulfilled") yield result.value;
    for (const result of results) if (result.status === "rejected") throw result.reason;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes files of various sizes: most are small, some are uploaded in parts. */
async function makeFiles(folder: string, count: number, { choose, seed }: DrillOptions): Promise<MadeFile[]> {
  const files: MadeFile[] = [];
  for (let index = 0; index < count; index++) {
    const kind = index % 10;
    const [least, limit] = kind < 6 ? [1, 2 * MB] : kind < 9 ? [2 * MB, 16 * MB] : [17 * MB, 60 * MB];
    const size = wholeNumber(choose("size", count, index), least, limit);
    files.push(await makeFile(folder, `file-${index}.bin`, size, seed));
  }
  return files;
}

/**
 * Refuses one in ten requests. Others break, lose their response or have a bit flipped, and a few hang. Each fault happens at least once. The
 * choice is made for the file, the part and the attempt, so it does not depend on the order of concurrent requests.
 */
function atRandom(choose: Choose, count: number): FaultOf {
  const range = Math.floor(count / CERTAIN_FAULTS.length);
  const certain = new Map(
    CERTAIN_FAULTS.map((fault, index) => {
      const number = wholeNumber(choose("certain fault", index), index * range, (index + 1) * range);
      return [`file-${number}.bin`, fault];
    }),
  );
  return ({ file, part, attempt }) => {
    const first = attempt === 1 && (part ?? 1) === 1 ? certain.get(file) : undefined;
    if (first !== undefined) return first;
    const chance = choose("fault", file, part ?? "whole", attempt);
    if (chance < 0.05) return "busy";
    if (chance < 0.1) return "busy, wait";
    if (chance < 0.13) return "reset";
    if (chance < 0.15) return "flipped";
    if (chance < 0.17) return "lost";
    return null;
  };
}

type FaultOf = (put: { file: string; part: number | null; attempt: number }) => NetworkFault | null;

/** Records every PUT request with the fault that `faultOf` chooses for it. */
function recordPuts(network: BadNetwork, recorder: Recorder<TransferOperation>, faultOf: FaultOf): void {
  const attempts = new Map<string, number>();
  network.fault = ({ url = "" }: IncomingMessage) => {
    const { pathname, searchParams } = new URL(url, network.endpoint);
    const file = basename(decodeURIComponent(pathname));
    const number = searchParams.get("partNumber");
    const part = number === null ? null : Number(number);
    const attempt = (attempts.get(`${file} ${part}`) ?? 0) + 1;
    attempts.set(`${file} ${part}`, attempt);
    const fault = faultOf({ file, part, attempt });
    recorder.add({ what: "PUT", file, part, attempt, fault });
    return fault;
  };
}

/** Waits until this share of the bytes has arrived. */
async function untilReceived(network: BadNetwork, files: readonly MadeFile[], share: number): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0) * share;
  while (network.received < bytes) await sleep(20);
}

async function badNetwork(
  stack: StackInfo,
  folder: string,
  count: number,
  offset: number,
  options: DrillOptions,
  isOffline: () => void,
): Promise<TransferHistory> {
  const choose: Choose = (...words) => options.choose("bad network", count, ...words);
  const files = await makeFiles(folder, count, options);
  const site = await startSite(stack, join(folder, "store"));
  const { network, integrator } = site;
  const page = await openBrowser(makeProfile(join(folder, "profile")), integrator, offset);
  const recorder = new Recorder<TransferOperation>();
  recordPuts(network, recorder, atRandom(choose, count));
  try {
    await picker(page).setInputFiles(files.map(({ path }) => path));
    await untilReceived(network, files, 0.05 + 0.15 * choose("store unreachable"));
    // At first the browser only sees failing requests. Then it is told that it is offline.
    network.isDown = true;
    recorder.add({ what: "store unreachable" });
    await sleep(STORE_OUTAGE_MS);
    network.isDown = false;
    recorder.add({ what: "store reachable" });
    await untilReceived(network, files, 0.3 + 0.2 * choose("browser offline"));
    await page.context().setOffline(true);
    recorder.add({ what: "browser offline" });
    isOffline();
    await sleep(OUTAGE_MS);
    await page.context().setOffline(false);
    recorder.add({ what: "browser online" });
    await untilAllArrived(integrator, files);
    const hours = offset / 3_600_000;
    return {
      title: `${count} files, a browser ${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}, and a bad network`,
      operations: recorder.operations,
      found: {
        ...(await found(site, files, recorder)),
        shown: await panelText(page),
        minTokens: MIN_TOKENS,
        wantedFaults: [...new Set(CERTAIN_FAULTS)],
      },
    };
  } finally {
    await page.context().close();
    await site.close();
  }
}

/** What the explorer shows of the uploads; nothing if it shows none. */
async function panelText(page: Page): Promise<string> {
  const panel = page.frameLocator("iframe").getByRole("region", { name: "Uploads" });
  return (await panel.allInnerTexts()).join("\n");
}

async function found({ network, integrator }: Site, files: MadeFile[], recorder: Recorder<unknown>) {
  const bucket: Record<string, string> = {};
  for (const key of await integrator.bucket.list()) bucket[key] = (await integrator.bucket.sha256(key)) ?? "";
  return {
    files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
    bucket,
    seconds: Math.round(recorder.milliseconds() / 1000),
    receivedBytes: network.received,
    tokensIssued: integrator.asked.length,
  };
}

/** Waits until all files have arrived intact, or until the time is over. */
async function untilAllArrived(integrator: Integrator, files: MadeFile[]): Promise<void> {
  const deadline = performance.now() + MAX_DRILL_MS;
  const missing = new Map(files.map((file) => [file.name, file]));
  while (missing.size > 0 && performance.now() < deadline) {
    await sleep(2_000);
    const there = new Set(await integrator.bucket.list());
    for (const { name, sha256 } of [...missing.values()]) {
      if (there.has(name) && (await integrator.bucket.sha256(name)) === sha256) missing.delete(name);
    }
  }
}

async function killedBrowser(
  stack: StackInfo,
  folder: string,
  { choose, seed }: DrillOptions,
): Promise<TransferHistory> {
  const file = await makeFile(folder, "film.mp4", 512 * 1024 ** 2, seed);
  const site = await startSite(stack, join(folder, "store"));
  const { network, integrator } = site;
  const profile = makeProfile(join(folder, "profile"));
  try {
    let page = await openBrowser(profile, integrator);
    const recorder = new Recorder<TransferOperation>();
    recordPuts(network, recorder, () => null);
    await picker(page).setInputFiles(file.path);
    for (const share of KILL_SHARES) {
      await untilReceived(network, [file], share + 0.2 * choose("browser killed", share));
      if (!kill(profile)) throw new Error("The browser could not be killed. The drill needs pkill.");
      recorder.add({ what: "browser killed" });
      await page
        .context()
        .close()
        .catch(() => {});
      page = await openBrowser(profile, integrator);
      const row = page.frameLocator("iframe").locator(".upload--file");
      await row.locator("input[type=file]").setInputFiles(file.path);
      recorder.add({ what: "file chosen again" });
    }
    await untilReceived(network, [file], 0.85 + 0.1 * choose("store stopped"));
    recorder.add({ what: "store stopped" });
    await site.stopStore(10_000);
    recorder.add({ what: "store started" });
    await untilAllArrived(integrator, [file]);
    const shown = await panelText(page);
    await page.context().close();
    return {
      title: "a browser killed twice, and a store that stops",
      operations: recorder.operations,
      found: {
        ...(await found(site, [file], recorder)),
        shown,
        // At most one part for each concurrent request and interruption.
        maxBytesAgain: (KILL_SHARES.length + 1) * MAX_CONCURRENT_REQUESTS * PART_BYTES,
        wantedKills: KILL_SHARES.length,
      },
    };
  } finally {
    kill(profile);
    await site.close();
  }
}

/** Kills the browser without a chance to clean up, as a power failure does. Returns whether it was running. */
function kill(profile: string): boolean {
  return spawnSync("pkill", ["-9", "-f", profile]).status === 0;
}
