/**
 * Measures the memory of the built command `campaign -- publish` for files of 100,000 and of a million lines: for a dry run, and for
 * publishing to a queue that responds at once.
 * tests/README.md
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { listen } from "../../local/listen";
import { findFreePort } from "../support/machine/free-port";

const LINES = 1_000_000;
const command = fileURLToPath(new URL("../../build/commands/campaign.js", import.meta.url));
/** Preloaded into the command. Writes its memory in bytes to file descriptor 3, twice a second and at its end. */
const watch = `import { writeSync } from "node:fs";
const say = (peak) => writeSync(3, JSON.stringify({ now: process.memoryUsage.rss(), peak }) + "\\n");
setInterval(say, 500).unref();
process.on("exit", () => say(process.resourceUsage().maxRSS * 1024));`;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "campaign-bench-"));
  const queue = await startQueue();
  try {
    for (const lines of [LINES / 10, LINES]) {
      const file = join(folder, `${lines}.ndjson`);
      await pipeline(Readable.from(jobs(lines)), createWriteStream(file));
      const megabytes = ((await stat(file)).size / 1e6).toFixed(0);
      console.log(`${lines.toLocaleString("en")} lines, ${megabytes} MB`);
      await measure("dry run", [file, "--dry-run"], queue);
      await measure("published", [file, "--rate", "1000"], queue);
    }
  } finally {
    await Promise.all([queue.close(), rm(folder, { recursive: true })]);
  }
}

/** Yields a thousand lines at a time. */
function* jobs(lines: number): Generator<string> {
  for (let line = 0; line < lines; ) {
    let text = "";
    for (const end = Math.min(lines, line + 1_000); line < end; line++) {
      text += `${JSON.stringify({
        recipient: {
          email: `reader-${line}@customers.example`,
          name: `Reader ${line}`,
          unsubscribeToken: `t${line}`,
        },
        campaignId: "spring",
        site: { subject: "Spring is here" },
        branding: {
          siteName: "Northwind",
          siteUrl: "https://northwind.example",
          supportEmail: "help@northwind.example",
        },
        featuredProducts: [{ name: "Trail Pack 40", url: "https://northwind.example/p/40" }],
        events: [{ title: "Night hike", date: "2026-12-05" }],
      })}\n`;
    }
    yield text;
  }
}

interface QueueDouble {
  endpoint: string;
  /** number of messages since the last call */
  taken(): number;
  close(): Promise<void>;
}

/** A queue that accepts every message and keeps none. */
async function startQueue(): Promise<QueueDouble> {
  let count = 0;
  const server = createServer(async (request, response) => {
    const messages = (await json(request)) as unknown[];
    const answers = messages.map(() => ({ messageId: `msg_${++count}`, url: "https://api.example/" }));
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(answers));
  });
  const { endpoint, close } = await listen(server, await findFreePort());
  return {
    endpoint,
    close,
    taken() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

async function measure(name: string, words: string[], queue: QueueDouble): Promise<void> {
  const started = performance.now();
  const preload = `data:text/javascript,${encodeURIComponent(watch)}`;
  const child = spawn(process.execPath, ["--import", preload, command, "publish", ...words], {
    env: {
      ...process.env,
      API_BASE_URL: "https://api.example",
      QUEUE_URL: queue.endpoint,
      QUEUE_TOKEN: "t",
      UNSUBSCRIBE_URL: "https://northwind.example/unsubscribe?token={token}",
    },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let errors = "";
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  (child.stdio[3] as Readable).setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The command ended with ${code}: ${errors}`);
  const samples = said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { now: number; peak?: number });
  const seconds = (performance.now() - started) / 1_000;
  const megabytes = (bytes = 0) => `${(bytes / 1e6).toFixed(0)} MB`;
  const tenths = Array.from({ length: 10 }, (_, tenth) => samples[Math.floor((samples.length * tenth) / 10)]);
  console.log(
    `  ${name}: at most ${megabytes(samples.at(-1)?.peak)}, ${queue.taken()} taken by the queue, ${seconds.toFixed(0)} s; over time ${tenths.map((sample) => megabytes(sample?.now)).join(", ")}`,
  );
}
