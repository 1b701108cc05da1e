import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import type { Integrator } from "../e2e/integrator";
import { makeTestFolder } from "../support/databases/postgres";
import { makeProfile } from "../support/machine/browser-profile";
import type { BadNetwork } from "../support/network/bad-network";
import type { DrillResult } from "./result";
import { type MadeFile, MB, makeFile, openBrowser, picker, startSite } from "./transfer-site";

/** Size of a part of the large files. */
const PART_BYTES = 8 * 1024 ** 2;
/** Maximum number of concurrent upload requests. */
const MAX_CONCURRENT_REQUESTS = 6;
/** Time without any connection, milliseconds. */
const OUTAGE_MS = 120_000;
/** Maximum time of one drill, milliseconds. */
const MAX_DRILL_MS = 12 * 60_000;

/** Uploads from a real browser over a network with faults, and uploads while the browser is killed and the store stops. */
export async function* drillTransfers(stack: StackInfo): AsyncGenerator<DrillResult> {
  const folder = await makeTestFolder();
  try {
    // Both wait most of the time.
    yield* await Promise.all([
      badNetwork(stack, join(folder, "fast"), 60, 3_600_000),
      badNetwork(stack, join(folder, "slow"), 40, -3_600_000),
    ]);
    yield await killedBrowser(stack, join(folder, "killed"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes files of various sizes: most are small, some are uploaded in parts. */
function makeFiles(folder: string, count: number): MadeFile[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = index % 10;
    const size =
      kind < 6 ? randomInt(1, 2 * MB) : kind < 9 ? randomInt(2 * MB, 16 * MB) : randomInt(17 * MB, 60 * MB);
    return makeFile(folder, `file-${index}.bin`, size);
  });
}

/** Refuses one in ten requests. Others break, hang, lose their response or have a bit flipped. */
function atRandom(): BadNetwork["fault"] {
  let stalls = 0;
  return () => {
    const chance = Math.random();
    if (chance < 0.1) return "busy";
    if (chance < 0.13) return "reset";
    if (chance < 0.15) return "flipped";
    if (chance < 0.17) return "lost";
    if (chance < 0.19 && stalls < 3) {
      stalls++;
      return "stall";
    }
    return null;
  };
}

async function badNetwork(
  stack: StackInfo,
  folder: string,
  count: number,
  offset: number,
): Promise<DrillResult> {
  const files = makeFiles(folder, count);
  const site = await startSite(stack, join(folder, "store"));
  const { network, integrator } = site;
  network.fault = atRandom();
  const page = await openBrowser(makeProfile(join(folder, "profile")), integrator, offset);
  const started = performance.now();
  try {
    await picker(page).setInputFiles(files.map(({ path }) => path));
    await sleep(5_000);
    // At first the browser only sees failing requests. Then it is told that it is offline.
    network.isDown = true;
    await sleep(20_000);
    network.isDown = false;
    await sleep(5_000);
    await page.context().setOffline(true);
    await sleep(OUTAGE_MS);
    await page.context().setOffline(false);
    const arrived = await untilAllArrived(integrator, files, started + MAX_DRILL_MS);
    const seconds = Math.round((performance.now() - started) / 1000);
    const sent = files.reduce((sum, { size }) => sum + size, 0);
    const { happened } = network;
    const hours = offset / 3_600_000;
    return {
      drill: `${count} files, a browser ${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}, and a bad network`,
      figures:
        `${arrived} of ${count} intact after ${seconds} s, ${Math.round(sent / MB)} MB   ` +
        `${happened.busy} x 503, ${happened.reset} broken, ${happened.stall} hung, ${happened.lost} lost, ${happened.flipped} flipped   ` +
        `${integrator.asked.length - 1} tokens renewed`,
      failures: [
        ...(arrived === count
          ? []
          : [`${count - arrived} files did not arrive intact: ${await panelText(page)}`]),
        ...(integrator.asked.length > 3 ? [] : ["fewer than three tokens expired"]),
      ],
    };
  } finally {
    await page.context().close();
    await site.close();
  }
}

const panelText = (page: Page) =>
  page.frameLocator("iframe").getByRole("region", { name: "Uploads" }).innerText();

/** Waits until all files have arrived intact, or until the deadline. Returns the number of intact files. */
async function untilAllArrived(integrator: Integrator, files: MadeFile[], until: number): Promise<number> {
  const missing = new Map(files.map((file) => [file.name, file]));
  while (missing.size > 0 && performance.now() < until) {
    await sleep(2_000);
    const there = new Set(await integrator.bucket.list());
    for (const { name, sha256 } of [...missing.values()]) {
      if (there.has(name) && (await integrator.bucket.sha256(name)) === sha256) missing.delete(name);
    }
  }
  return files.length - missing.size;
}

async function killedBrowser(stack: StackInfo, folder: string): Promise<DrillResult> {
  const file = makeFile(folder, "film.mp4", 512 * 1024 ** 2);
  const site = await startSite(stack, join(folder, "store"));
  const { network, integrator } = site;
  const profile = makeProfile(join(folder, "profile"));
  const until = async (share: number) => {
    while (network.received < file.size * share) await sleep(20);
  };
  try {
    let page = await openBrowser(profile, integrator);
    await picker(page).setInputFiles(file.path);
    const shown: string[] = [];
    for (const share of [0.3, 0.6]) {
      await until(share);
      kill(profile);
      await page
        .context()
        .close()
        .catch(() => {});
      page = await openBrowser(profile, integrator);
      const row = page.frameLocator("iframe").locator(".upload--needs-file");
      shown.push(await row.locator(".upload__note").innerText());
      await row.locator("input[type=file]").setInputFiles(file.path);
    }
    await until(0.9);
    await site.stopStore(10_000);
    const arrived = await untilAllArrived(integrator, [file], performance.now() + MAX_DRILL_MS);
    await page.context().close();
    const again = network.received - file.size;
    const most = 3 * MAX_CONCURRENT_REQUESTS * PART_BYTES;
    return {
      drill: "a browser killed twice, and a store that stops",
      figures: `${arrived === 1 ? "intact" : "NOT intact"}   ${(again / MB).toFixed(1)} MB of ${Math.round(file.size / MB)} sent again (at most one part per concurrent request and interruption: ${Math.round(most / MB)})`,
      failures: [
        ...(arrived === 1 ? [] : ["the file did not arrive intact"]),
        ...(again <= most ? [] : [`${again} bytes were sent again`]),
      ],
    };
  } finally {
    kill(profile);
    await site.close();
  }
}

/** Kills the browser without a chance to clean up, as a power failure does. */
function kill(profile: string): void {
  spawnSync("pkill", ["-9", "-f", profile]);
}
