import { createRequire } from "node:module";
import { countLostLines } from "../shared/log.server";

/** The number of connections to the database. */
interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

let metrics: ReturnType<typeof createMetrics> | undefined;

/** The metrics; undefined while they are off. */
export function currentMetrics() {
  return metrics;
}

/** What becomes of an e-mail: handed to the mail provider, not sent to a suppressed recipient, or how sending it failed. */
const EMAIL_OUTCOMES = [
  "sent",
  "suppressed",
  "throttled",
  "unreachable",
  "refused",
  "failed",
  "unknown",
  "error",
] as const;
type EmailOutcome = (typeof EMAIL_OUTCOMES)[number];

const EMAIL_KINDS = ["simple", "campaign"] as const;
type EmailKind = (typeof EMAIL_KINDS)[number];

/** What Amazon SES reports about e-mails. */
const EMAIL_EVENTS = [
  "bounce_permanent",
  "bounce_transient",
  "bounce_undetermined",
  "complaint",
  "not_spam",
  "send",
  "delivery",
  "reject",
  "open",
  "click",
  "delivery_delay",
  "rendering_failure",
  "subscription",
  "other",
] as const;
export type NotificationKind = (typeof EMAIL_EVENTS)[number];

const UPLOAD_KINDS = ["single", "multipart"] as const;
type UploadKind = (typeof UPLOAD_KINDS)[number];

/** The outcome of an attempt to send a webhook. After `failed`, there is another attempt. */
const WEBHOOK_OUTCOMES = ["delivered", "failed", "given_up"] as const;
type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

/** What is read when the metrics are. */
interface Sources {
  poolState: () => PoolState;
  /** age of the oldest due delivery, seconds */
  webhooksOverdueSeconds: () => Promise<number>;
  /** of all catalogues together; undefined if nobody uses catalogues */
  catalogueFigures?: (() => Promise<CatalogueFigures>) | undefined;
}

/** Numbers for gauges. */
interface CatalogueFigures {
  ageSeconds: number;
  objects: number;
  differences: number;
  waitingKeys: number;
}

/** Nearly every request ends within 15 seconds. Slower ones, like creating a database, count above the last bucket. */
const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Switches the metrics on. It is synchronous, so that the first request is counted. */
export function startMetrics(sources: Sources): void {
  metrics = createMetrics(sources);
}

/**
 * The metrics that Prometheus reads: ours, with the prefix `platform_embed_`, and those of every Node process, by their usual names.
 * Nothing is loaded or counted before `startMetrics`. The values of labels are few and known beforehand: a route is a pattern, never a
 * path.
 */
function createMetrics({ poolState, webhooksOverdueSeconds, catalogueFigures }: Sources) {
  const prometheus: typeof import("prom-client") = createRequire(import.meta.url)("prom-client");
  const register = new prometheus.Registry();
  const registers = [register];
  prometheus.collectDefaultMetrics({ register });
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new prometheus.Gauge({
      registers,
      name,
      help,
      async collect() {
        this.set(await read());
      },
    });
  new prometheus.Counter({
    registers,
    name: "platform_embed_log_lines_lost_total",
    help: "Lines of the log that could not be written: the disk was full, or nobody read them",
    collect() {
      this.reset();
      this.inc(countLostLines());
    },
  });
  const emails = new prometheus.Counter({
    registers,
    name: "platform_embed_emails_total",
    help: "E-mails by outcome: handed to the mail provider, suppressed, or failed",
    labelNames: ["kind", "outcome"] as const,
  });
  const emailEvents = new prometheus.Counter({
    registers,
    name: "platform_embed_email_events_total",
    help: "Events of sent e-mails: bounces, complaints and the like",
    labelNames: ["event"] as const,
  });
  const uploads = new prometheus.Counter({
    registers,
    name: "platform_embed_uploads_presigned_total",
    help: "Uploads for which a URL was signed, or which were created as multipart uploads",
    labelNames: ["kind"] as const,
  });
  const webhookAttempts = new prometheus.Counter({
    registers,
    name: "platform_embed_webhook_attempts_total",
    help: "Attempts to send a webhook: delivered, failed and to be repeated, or failed for the last time",
    labelNames: ["outcome"] as const,
  });
  const providerSeconds = new prometheus.Histogram({
    registers,
    name: "platform_embed_provider_request_duration_seconds",
    help:
      "Duration of calls to database, object store, mail and Data API, by outcome: " +
      "ok, pool_full (no free connection), or the error's code",
    labelNames: ["provider", "operation", "outcome"] as const,
    buckets: BUCKETS_SECONDS,
  });
  // A counter that first appears with its first event hides that event from rate() and increase().
  for (const kind of EMAIL_KINDS) for (const outcome of EMAIL_OUTCOMES) emails.inc({ kind, outcome }, 0);
  for (const event of EMAIL_EVENTS) emailEvents.inc({ event }, 0);
  for (const kind of UPLOAD_KINDS) uploads.inc({ kind }, 0);
  for (const outcome of WEBHOOK_OUTCOMES) webhookAttempts.inc({ outcome }, 0);
  // By the statement that nearly every request runs.
  providerSeconds.zero({ provider: "database", operation: "query", outcome: "pool_full" });
  gauge("platform_embed_database_connections", "Open connections to PostgreSQL", () => poolState().total);
  gauge(
    "platform_embed_database_connections_idle",
    "Open connections that are not in use",
    () => poolState().idle,
  );
  gauge(
    "platform_embed_database_requests_waiting",
    "Queries that wait for a connection",
    () => poolState().waiting,
  );
  gauge(
    "platform_embed_webhooks_overdue_seconds",
    "Age of the oldest webhook delivery that is due, for all processes; NaN if the query fails",
    () => webhooksOverdueSeconds().catch(() => Number.NaN),
  );
  if (catalogueFigures !== undefined) {
    let read: Promise<CatalogueFigures> | undefined;
    const ofCatalogues = (name: string, help: string, member: keyof CatalogueFigures) =>
      gauge(`platform_embed_catalogue${name}`, `${help}; NaN if the query fails`, async () => {
        // All four are read by one query.
        read ??= catalogueFigures().finally(() => {
          read = undefined;
        });
        return read.then(
          (figures) => figures[member],
          () => Number.NaN,
        );
      });
    ofCatalogues("_age_seconds", "Time since the oldest of the last complete scans began", "ageSeconds");
    ofCatalogues("_objects", "Objects that the last complete scans have found", "objects");
    ofCatalogues("_differences", "Rows that the last complete scans had to write or remove", "differences");
    ofCatalogues("_waiting_keys", "Changed keys about which the store is still to be asked", "waitingKeys");
  }
  return {
    requests: new prometheus.Counter({
      registers,
      name: "platform_embed_http_requests_total",
      help: "Requests answered",
      labelNames: ["route", "method", "status"] as const,
    }),
    requestSeconds: new prometheus.Histogram({
      registers,
      name: "platform_embed_http_request_duration_seconds",
      help: "Time from a request's arrival to the end of its response",
      labelNames: ["route"] as const,
      buckets: BUCKETS_SECONDS,
    }),
    providerSeconds,
    emails,
    emailEvents,
    uploads,
    webhookAttempts,
    /** all of it in Prometheus' text format */
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** Call this once for each e-mail, with its final outcome. */
export function countEmail(kind: EmailKind, outcome: EmailOutcome): void {
  metrics?.emails.inc({ kind, outcome });
}

export function countEmailEvent(event: NotificationKind): void {
  metrics?.emailEvents.inc({ event });
}

/** Call this when a URL for a whole file is signed, or when a multipart upload is created. */
export function countUpload(kind: UploadKind): void {
  metrics?.uploads.inc({ kind });
}

export function countWebhookAttempt(outcome: WebhookOutcome): void {
  metrics?.webhookAttempts.inc({ outcome });
}
