/**
 * A folder of 5 GiB downloaded as one zip in Chromium: how fast, and how much memory all of the browser's processes take meanwhile.
 * Aim: at most 200 MB more than before. Needs 11 GB of disk for a while, and Linux, whose /proc tells of memory.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopyObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { chromium, type Page } from "@playwright/test";
import { startIntegrator } from "../e2e/integrator";
import { findChromium } from "../support/find-chromium";
import { startTestStack } from "../support/stack";

const FILES = 20;
const FILE_BYTES = 256 * 1024 ** 2;
/** How often memory is looked at, milliseconds. */
const INTERVAL = 250;
/** Playwright switches off the partitions without which a frame of another site may have no service worker; this takes the place of its list. */
const FEATURES = "--disable-features=HttpsUpgrades,MediaRouter,OptimizationHints";

export async function run(): Promise<void> {
  const stack = await startTestStack();
  const downloadsPath = await mkdtemp(join(tmpdir(), "zip-download-"));
  const integrator = await startIntegrator(stack.info);
  const browser = await chromium.launch({
    executablePath: findChromium(() => {}),
    args: ["--no-sandbox", FEATURES],
    downloadsPath,
  });
  try {
    await fill(stack.info.objectStore, integrator.bucket);
    const page = await browser.newPage();
    await page.goto(integrator.origin);
    const frame = page.frameLocator("iframe");
    const button = frame.getByRole("button", { name: "Download large" });
    await button.waitFor();
    // Once before, small: what a first download brings into memory by itself is not its size's doing.
    await download(page, frame.getByRole("button", { name: "Download small" }));

    const memory = watchMemory();
    const started = performance.now();
    const { path, way } = await download(page, button);
    const seconds = (performance.now() - started) / 1000;
    const { before, peak } = memory.end();
    const { size } = statSync(path);
    const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
    console.log(
      `archive    ${megabytes(size)} in ${seconds.toFixed(1)} s, ${megabytes(size / seconds)}/s, ${way}`,
    );
    console.log(
      `memory     ${megabytes(before)} before, ${megabytes(peak)} at most: ${megabytes(peak - before)} more`,
    );
    console.log(`unzip -t   ${testArchive(path)}`);
  } finally {
    await browser.close();
    await integrator.close();
    await stack.close();
    await rm(downloadsPath, { recursive: true, force: true });
  }
}

type Store = Awaited<ReturnType<typeof startTestStack>>["info"]["objectStore"];

async function fill(
  store: Store,
  bucket: { name: string; put(key: string, body: Uint8Array): Promise<void> },
): Promise<void> {
  const bytes = Buffer.alloc(FILE_BYTES);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  await bucket.put("small/a.bin", bytes.subarray(0, 10_000_000));
  await bucket.put("large/00.bin", bytes);
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const CopySource = `${bucket.name}/large/00.bin`;
  for (let index = 1; index < FILES; index++) {
    const Key = `large/${String(index).padStart(2, "0")}.bin`;
    await client.send(new CopyObjectCommand({ Bucket: bucket.name, Key, CopySource }));
  }
}

async function download(
  page: Page,
  button: { click(): Promise<void> },
): Promise<{ path: string; way: string }> {
  const started = page.waitForEvent("download");
  await button.click();
  const download = await started;
  const path = await download.path();
  return {
    path,
    way: download.url().startsWith("blob:") ? "made in memory" : "streamed by the service worker",
  };
}

/** Looks at the memory of all of the browser's processes, shared pages divided among them, until `end`. */
function watchMemory() {
  const before = browserMemory();
  let peak = before;
  let n = 0;
  const timer = setInterval(() => {
    const now = browserMemory();
    if (now > Math.max(peak, before + 120e6))
      console.log(n, Math.round((now - before) / 1e6), browserMemory(true));
    n++;
    peak = Math.max(peak, browserMemory());
  }, INTERVAL);
  return {
    end() {
      clearInterval(timer);
      return { before, peak };
    },
  };
}

/** Bytes, of all of this process's descendants that are Chromium's. */
function browserMemory(show?: boolean): any {
  const table: string[] = [];
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // `pid (name) state parent …`; the name may hold anything.
    const parent = / (\d+) /.exec(readProc(`${name}/stat`).replace(/^.*\) ./s, ""))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  let total = 0;
  for (const pid of parents.keys()) {
    if (!isOurs(pid) || !/chrom/i.test(readProc(`${pid}/comm`))) continue;
    const one = Number(/^Pss: +(\d+) kB$/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
    const anon = Number(/^Anonymous: +(\d+) kB/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0) / 1000;
    const sh = Number(/^Pss_Shmem: +(\d+) kB/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0) / 1000;
    if (one > 30e6) table.push(`${pid}:${Math.round(one / 1e6)}(${Math.round(anon)},shm${Math.round(sh)})`);
    total += one;
  }
  return show ? table.join(" ") : total;
}

/** Empty for a process that has just ended. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}

function testArchive(path: string): string {
  const { status, stdout, error } = spawnSync("unzip", ["-tq", path], { encoding: "utf8" });
  if (error) return "is not installed";
  return status === 0 ? "no errors" : stdout;
}

await run();
