import { createRequire } from "node:module";

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

/** Nearly every request ends within 15 seconds. Slower ones, like creating a database, count above the last bucket. */
const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Switches the metrics on. It is synchronous, so that the first request is counted. */
export function startMetrics(poolState: () => PoolState): void {
  metrics = createMetrics(poolState);
}

/**
 * The metrics that Prometheus reads. Nothing is loaded or counted before `startMetrics`. The values of labels are few and known
 * beforehand: a route is a pattern, never a path.
 */
function createMetrics(poolState: () => PoolState) {
  const prometheus: typeof import("prom-client") = createRequire(import.meta.url)("prom-client");
  const { register } = prometheus;
  prometheus.collectDefaultMetrics();
  const gauge = (name: string, help: string, read: () => number) =>
    new prometheus.Gauge({
      name,
      help,
      collect() {
        this.set(read());
      },
    });
  gauge("database_connections", "Open connections to PostgreSQL", () => poolState().total);
  gauge("database_connections_idle", "Open connections that are not in use", () => poolState().idle);
  gauge("database_requests_waiting", "Queries that wait for a connection", () => poolState().waiting);
  return {
    requests: new prometheus.Counter({
      name: "http_requests_total",
      help: "Requests answered",
      labelNames: ["route", "method", "status"] as const,
    }),
    requestSeconds: new prometheus.Histogram({
      name: "http_request_duration_seconds",
      help: "Time from a request's arrival to the end of its response",
      labelNames: ["route"] as const,
      buckets: BUCKETS_SECONDS,
    }),
    providerSeconds: new prometheus.Histogram({
      name: "provider_request_duration_seconds",
      help:
        "Duration of calls to database, object store, mail and Data API, by outcome: " +
        "ok, pool_full (no free connection), or the error's code",
      labelNames: ["provider", "operation", "outcome"] as const,
      buckets: BUCKETS_SECONDS,
    }),
    emails: new prometheus.Counter({
      name: "emails_total",
      help: "E-mails by outcome: handed to the mail provider, or failed",
      labelNames: ["kind", "outcome"] as const,
    }),
    emailEvents: new prometheus.Counter({
      name: "email_events_total",
      help: "Events of sent e-mails: bounces, complaints and the like",
      labelNames: ["event"] as const,
    }),
    uploads: new prometheus.Counter({
      name: "uploads_presigned_total",
      help: "Uploads that a URL was signed for, or that were begun in parts",
      labelNames: ["kind"] as const,
    }),
    /** all of it in Prometheus' text format */
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** Counts an e-mail. @param outcome sent, or the kind of failure */
export function countEmail(kind: "simple" | "campaign", outcome: string): void {
  metrics?.emails.inc({ kind, outcome });
}

/** Counts an event of a sent e-mail. @param event one of few */
export function countEmailEvent(event: string): void {
  metrics?.emailEvents.inc({ event });
}

/** Counts an upload: one that a URL was signed for, or one that was begun in parts. */
export function countUpload(kind: "single" | "multipart"): void {
  metrics?.uploads.inc({ kind });
}
