/**
 * Measures how many jobs a second the built app sends, 50 at a time, to a mail provider that responds at once, and what that costs the
 * database. Then how many notifications of Amazon SES about them are recorded a second. Then the memory of the built command
 * `campaign -- publish` for files of 100,000 and of a million lines: for a dry run, and for publishing to a queue that responds at once.
 * lab/README.md
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
import { countOutcomes } from "../../app/campaigns/campaign-outcomes.server";
import { EVENT_TAG } from "../../app/email/send-message.server";
import { handleSnsMessage } from "../../app/email/ses-notifications.server";
import { Events } from "../../app/events/events.server";
import { createDatabase } from "../../app/providers/database.server";
import type { Sns } from "../../app/providers/sns.server";
import type { SnsMessage } from "../../app/providers/verify-sns-message.server";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { RequestContext } from "../../app/shared/request-context.server";
import { listen } from "../../local/listen";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { startTestStack } from "../../tests/support/app/stack";
import { query } from "../../tests/support/databases/postgres";
import { deliverJob } from "../../tests/support/email/queue-delivery";
import { startSes } from "../../tests/support/email/ses";
import { findFreePort } from "../../tests/support/machine/free-port";
import { type BenchmarkResult, inMegabytes, median, medianRow, type Row } from "./result";

const DELIVERIES = 5_000;
const ROUNDS = 4;
/** As the queue does. */
const CONCURRENT_DELIVERIES = 50;
const LINES = 1_000_000;
const command = fileURLToPath(new URL("../../build/commands/campaign.js", import.meta.url));
/** Preloaded into the command. Writes its memory in bytes to file descriptor 3, twice a second and at its end. */
const watch = `import { writeSync } from "node:fs";
const say = (peak) => writeSync(3, JSON.stringify({ now: process.memoryUsage.rss(), peak }) + "\\n");
setInterval(say, 500).unref();
process.on("exit", () => say(process.resourceUsage().maxRSS * 1024));`;

export async function run(): Promise<BenchmarkResult> {
  const { rows, raw } = await measureDeliveries();
  const folder = await mkdtemp(join(tmpdir(), "campaign-bench-"));
  const queue = await startQueue();
  try {
    for (const [lines, members] of [
      [LINES / 10, WORDS],
      [LINES / 10, {}],
      [LINES, {}],
    ] as const) {
      const file = join(folder, `${lines}.ndjson`);
      await pipeline(Readable.from(jobs(lines, members)), createWriteStream(file));
      const megabytes = ((await stat(file)).size / 1e6).toFixed(0);
      const text = "body" in members ? " with a text of its own" : "";
      const name = `${lines.toLocaleString("en")} lines${text}, ${megabytes} MB`;
      for (const [way, words] of Object.entries({
        "dry run": ["--dry-run"],
        published: ["--rate", "1000"],
      })) {
        const { row, memory } = await measure([file, ...words], queue);
        rows.push({ name: `${name}, ${way}`, ...row });
        raw[`${name}, ${way}, bytes of memory, twice a second`] = memory;
      }
    }
    return {
      title: `Sending ${DELIVERIES} jobs, ${CONCURRENT_DELIVERIES} at a time, in ${ROUNDS} rounds; recording notifications; and publishing files`,
      rows,
      raw,
    };
  } finally {
    await Promise.all([queue.close(), rm(folder, { recursive: true })]);
  }
}

/** A text of the campaign's own. */
const WORDS = {
  site: { subject: "{{first_name|You}}, spring is here" },
  preheader: "For {{first_name|you}}",
  body: "Dear {{first_name|friend}},\n\nyour **order {{order}}** is [ready](https://northwind.example/{{order}}).\n\n- Open from 9 to 18\n- Parking is behind the shop",
  button: { label: "See it", url: "https://northwind.example/orders/{{order}}" },
  variables: { first_name: "Ada", order: 7 },
};

/** Yields a thousand lines at a time. @param members of each job, in addition to the usual ones */
function* jobs(lines: number, members: object = {}): Generator<string> {
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
        ...members,
      })}\n`;
    }
    yield text;
  }
}

async function measureDeliveries(): Promise<Pick<BenchmarkResult, "rows" | "raw">> {
  const stack = await startTestStack({ app: "none" });
  const ses = await startSes();
  const app = await startBuiltApp(stack.info, { CLOUD_SES_ENDPOINT: ses.endpoint });
  const to = { apiBaseUrl: app.apiBaseUrl, signingKey: stack.info.queue.currentSigningKey };
  const transactions = async () => {
    const statement = "SELECT sum(xact_commit)::int AS count FROM pg_stat_database";
    return (await query<{ count: number }>(stack.info.postgresUrl, statement))[0]?.count ?? 0;
  };
  try {
    const [rates, statements]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round++) {
      const sent = [...jobs(DELIVERIES)].flatMap((text) => text.trimEnd().split("\n"));
      const before = await transactions();
      const started = performance.now();
      await mapConcurrently(sent, CONCURRENT_DELIVERIES, async (job) => {
        const response = await deliverJob(to, job.replace('"spring"', `"spring-${round}"`));
        if (response.status !== 200) throw new Error(`A job got ${response.status}.`);
        await response.body?.cancel();
      });
      rates.push((DELIVERIES * 1_000) / (performance.now() - started));
      // PostgreSQL's own counts are late by a second at most.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      statements.push(((await transactions()) - before) / DELIVERIES);
    }
    const each = `${median(statements).toFixed(2)} statements each`;
    const sent = medianRow("sent", rates, (rate) => `${rate.toFixed(0)} a second`, each);
    const notifications = await measureNotifications(stack.info.postgresUrl, transactions);
    return {
      rows: [sent, ...notifications],
      raw: { "sent, per second": rates, "statements for each": statements },
    };
  } finally {
    await Promise.all([app.close(), ses.close()]);
    await stack.close();
  }
}

/** Notifications of Amazon SES about messages that were sent, after their signatures were verified. */
async function measureNotifications(
  postgresUrl: string,
  transactions: () => Promise<number>,
): Promise<Row[]> {
  const database = createDatabase({ url: postgresUrl, poolSize: 10 });
  const events = new Events(database);
  const sent = await query<{ id: string; recipient: string }>(
    postgresUrl,
    "SELECT id, recipient FROM events WHERE type = 'email.sent' AND recipient IS NOT NULL",
  );
  const before = await transactions();
  const started = performance.now();
  await mapConcurrently(sent, CONCURRENT_DELIVERIES, async ({ id, recipient }) => {
    const mail = { messageId: id, destination: [recipient], tags: { [EVENT_TAG]: [id] } };
    const delivery = { recipients: [recipient], timestamp: new Date().toISOString() };
    await handleSnsMessage(
      {
        Type: "Notification",
        Message: JSON.stringify({ eventType: "Delivery", delivery, mail }),
      } as SnsMessage,
      { database, events, sns: {} as Sns, context: { requestId: id } as RequestContext },
    );
  });
  const rate = (sent.length * 1_000) / (performance.now() - started);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const each = ((await transactions()) - before) / sent.length;
  const counting = performance.now();
  await countOutcomes(database, "spring-1");
  const counted = performance.now() - counting;
  await database.$disconnect();
  return [
    {
      name: `${sent.length} notifications`,
      value: `${rate.toFixed(0)} recorded a second`,
      compared: `${each.toFixed(2)} statements each`,
    },
    { name: "counting the outcomes of one campaign", value: `${counted.toFixed(0)} ms` },
  ];
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
    const published = messages.map(() => ({ messageId: `msg_${++count}`, url: "https://api.example/" }));
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(published));
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

/** Runs the command, and returns its memory over time in bytes. */
async function measure(
  words: string[],
  queue: QueueDouble,
): Promise<{ row: Omit<Row, "name">; memory: number[] }> {
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
  const peak = samples.at(-1)?.peak ?? Number.NaN;
  return {
    row: {
      value: `at most ${inMegabytes(peak)}`,
      compared: `${queue.taken()} taken by the queue, ${seconds.toFixed(0)} s`,
    },
    memory: samples.map(({ now }) => now),
  };
}
