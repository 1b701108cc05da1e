/** What a Prometheus and a Grafana of an operator get: the metrics, and the alerts and the dashboard in docs/examples/monitoring/. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { makeTestFolder } from "../support/databases/postgres";
import { jobFor } from "../support/email/campaign";
import { deliverJob } from "../support/email/queue-delivery";
import { notInstalled, works } from "../support/machine/installed";

const stack = inject("stack");
const METRICS_TOKEN = "a-token-for-the-metrics";
const folder = fileURLToPath(new URL("../../docs/examples/monitoring/", import.meta.url));
const [alerts, alertTests, dashboardText] = ["alerts.yml", "alerts.test.yml", "dashboard.json"].map((name) =>
  readFileSync(join(folder, name), "utf8"),
) as [string, string, string];

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const panels: Panel[] = JSON.parse(dashboardText).panels;
const dashboardExpressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** One line of the scrape without its value: a metric and its labels. */
interface Sample {
  name: string;
  labels: Map<string, string>;
}

let scrape: string;
let samples: Sample[];

/** Uses each part of the app that counts something, then reads the metrics. */
beforeAll(async () => {
  const app = await startBuiltApp(stack, { METRICS_TOKEN });
  try {
    const client = await makeEmbedClient(stack);
    const embed = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
    const post = (url: string, body: object) =>
      fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const upload = { folderPath: "/", fileName: "a.txt", contentType: "text/plain" };
    const storage = `${app.env.PLATFORM_BASE_URL}/api/embed/storage`;
    const statuses = [
      await post(`${storage}/list`, { token: embed.token, bucket: client.bucket }),
      await post(`${storage}/presign-upload`, { token: embed.token, bucket: client.bucket, ...upload }),
      await post(`${app.apiBaseUrl}/api/send-simple-email`, {
        to: "ada@example.com",
        title: "Hello",
        description: "Hello",
      }),
      await deliver(app),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    scrape = await (await fetch(`${app.apiBaseUrl}/metrics`, { headers })).text();
    samples = scrape.split("\n").flatMap(readSample);
  } finally {
    await app.close();
  }
});

const deliver = ({ apiBaseUrl }: BuiltApp) =>
  deliverJob({ apiBaseUrl, signingKey: stack.queue.currentSigningKey }, jobFor("grace@example.com"));

function readSample(line: string): Sample[] {
  const [, name, labels = ""] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
  if (name === undefined) return [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return [{ name, labels: new Map(pairs.map(([, label = "", value = ""]) => [label, value])) }];
}

it("every metric is ours, by its prefix, or one of every Node process", () => {
  const names = [...scrape.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? "");
  expect(names.filter((name) => !/^(platform_embed|nodejs|process)_/.test(name))).toEqual([]);
  expect(names.filter((name) => name.startsWith("platform_embed_")).length).toBeGreaterThan(8);
});

it("e-mails, events and uploads are counted from zero, so that the first one shows in a rate", () => {
  for (const line of [
    'platform_embed_emails_total{kind="campaign",outcome="failed"} 0',
    'platform_embed_email_events_total{event="complaint"} 0',
    'platform_embed_uploads_presigned_total{kind="multipart"} 0',
    'platform_embed_webhook_attempts_total{outcome="given_up"} 0',
  ])
    expect(scrape).toContain(`\n${line}\n`);
});

it("the dashboard and the alerts name only metrics that the app has", () => {
  // Every metric's name has at least three parts; nothing else in these files has.
  const metric = /\b[a-z]+(?:_[a-z0-9]+){2,}\b/g;
  const known = new Set(samples.map(({ name }) => name));
  for (const text of [alerts, dashboardExpressions.join("\n")]) {
    const used = [...new Set(text.match(metric))];
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  }
});

it("the dashboard and the alerts name only labels that the metrics have", () => {
  // Prometheus itself adds these two.
  const ofPrometheus = ["job", "instance"];
  const labelsOf = (metric: string) =>
    new Set(samples.flatMap(({ name, labels }) => (name === metric ? [...labels.keys()] : [])));
  let selectors = 0;
  for (const text of [alerts, alertTests, dashboardExpressions.join("\n")]) {
    for (const [, metric = "", selector = ""] of text.matchAll(/\b(platform_embed_\w+)\{([^}]*)\}/g)) {
      selectors++;
      const labels = [...selector.matchAll(/(\w+)\s*(?:=|!=|=~|!~)\s*"/g)].map(([, label]) => label ?? "");
      const missing = labels.filter((label) => !labelsOf(metric).has(label) && !ofPrometheus.includes(label));
      expect(missing, `${metric}{${selector}}`).toEqual([]);
    }
  }
  expect(selectors).toBeGreaterThan(30);
  for (const expression of dashboardExpressions) {
    const metrics = expression.match(/\bplatform_embed_\w+/g) ?? [];
    const labels = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
    const known = new Set([...ofPrometheus, ...metrics.flatMap((metric) => [...labelsOf(metric)])]);
    expect(
      labels.filter((label) => !known.has(label)),
      expression,
    ).toEqual([]);
  }
});

it("a panel exists for requests, providers, the pool, e-mails, the queue, uploads and webhooks", () => {
  const titles = panels.map(({ title }) => title).join("\n");
  for (const title of [
    /^Requests per second$/m,
    /^Errors per second$/m,
    /^Duration of requests by route$/m,
    /^Failed calls per second$/m,
    /^Refused by a full pool$/m,
    /^E-mails per minute$/m,
    /^Deliveries of the queue per second$/m,
    /^Uploads per minute$/m,
    /^Longest wait of a webhook$/m,
  ])
    expect(titles).toMatch(title);
});

const hasPromtool = works("promtool", "--version");
const promtool = (...words: string[]) => execFileSync("promtool", words, { encoding: "utf8", cwd: folder });

if (!hasPromtool) it("promtool is not installed", notInstalled("prometheus"));

it.runIf(hasPromtool)("promtool finds nothing to improve in our metrics", () => {
  // Three gauges of prom-client itself have names that end with _total.
  const ours = scrape.split("\n").filter((line) => /^(# (HELP|TYPE) )?platform_embed_/.test(line));
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: `${ours.join("\n")}\n`,
    encoding: "utf8",
  });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});

it.runIf(hasPromtool)(
  "promtool accepts the alerts, their tests pass, and each alert has one that fires",
  () => {
    expect(promtool("check", "rules", "alerts.yml")).toMatch("SUCCESS");
    expect(promtool("test", "rules", "alerts.test.yml")).toMatch("SUCCESS");
    const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const fired = [...alertTests.matchAll(/alertname: (\w+)\s+eval_time: \w+\s+exp_alerts:\n/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(5);
    expect([...new Set(fired)].sort()).toEqual(names.sort());
  },
);

it.runIf(hasPromtool)(
  "promtool accepts the scrape configuration, and every expression of the dashboard",
  async () => {
    promtool("check", "config", "--syntax-only", "prometheus.yml");
    const file = join(await makeTestFolder(), "dashboard.json");
    const rules = dashboardExpressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(job|instance)/g, "x"),
    }));
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(promtool("check", "rules", file)).toMatch(`${rules.length} rules found`);
  },
);
