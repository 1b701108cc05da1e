/**
 * Downloads a folder of 5 GiB as one zip in Chromium. Measures the speed and the memory of all of the browser's processes. Aim:
 * at most 200 MB
 * more memory than before the download. Needs 11 GB of disk space for a while, and Linux for /proc.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopyObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { chromium, type Page } from "@playwright/test";
import { startIntegrator } from "../../tests/e2e/integrator";
import { startTestStack } from "../../tests/support/app/stack";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { type BenchmarkResult, inMegabytes } from "./result";

const FILES = 20;
const FILE_BYTES = 256 * 1024 ** 2;
/** Time between two memory samples, milliseconds. */
const SAMPLE_INTERVAL_MS = 250;
/** Replaces Playwright's list of disabled features. That list disables storage partitioning, without which a frame of another site gets no
 * service worker. */
const FEATURES = "--disable-features=HttpsUpgrades,MediaRouter,OptimizationHints";

export async function run(): Promise<BenchmarkResult> {
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
    // A small download first, so that the memory that any first download needs is not counted.
    await download(page, frame.getByRole("button", { name: "Download small" }));

    const memory = watchMemory();
    const started = performance.now();
    const { path, way } = await download(page, button);
    const seconds = (performance.now() - started) / 1000;
    const { before, peak } = memory.end();
    const { size } = statSync(path);
    return {
      title: `Downloading a folder of ${FILES} files of ${inMegabytes(FILE_BYTES)} as one zip`,
      rows: [
        {
          name: "archive",
          value: `${seconds.toFixed(1)} s`,
          compared: `${inMegabytes(size)}, ${inMegabytes(size / seconds)}/s, ${way}`,
        },
        {
          name: "memory",
          value: `${inMegabytes(peak - before)} more`,
          compared: `${inMegabytes(before)} before, ${inMegabytes(peak)} at most`,
        },
        { name: "unzip -t", value: testArchive(path) },
      ],
      raw: {
        "download, s": [seconds],
        "archive, bytes": [size],
        "memory before and at most, bytes": [before, peak],
      },
    };
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

/** Samples the memory of all of the browser's processes until `end`. Shared pages are counted proportionally. */
function watchMemory() {
  const before = browserMemory();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, browserMemory());
  }, SAMPLE_INTERVAL_MS);
  return {
    end() {
      clearInterval(timer);
      return { before, peak };
    },
  };
}

/** Returns the memory of all Chromium processes below this process, bytes. */
function browserMemory(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // `pid (name) state parent …`; the name may contain any characters.
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
    total += Number(/^Pss: +(\d+) kB$/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
  }
  return total;
}

/** Returns an empty string if the process has just ended. */
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
