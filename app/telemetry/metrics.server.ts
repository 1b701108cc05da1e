import cluster from "node:cluster";
import { createRequire } from "node:module";
import type { Registry } from "prom-client";
import { logError } from "../log.server";

/** What the database's connections are doing. */
interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

let metrics: ReturnType<typeof createMetrics> | undefined;

/** The metrics, once they are switched on; undefined until then, and for good where they are not. */
export function currentMetrics() {
  return metrics;
}

/** seconds; nearly every request ends within 15, and what takes longer, like creating a database, counts above them all */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Switches the metrics on: at once, so that the first request is counted too. */
export function startMetrics(poolState: () => PoolState): void {
  metrics = createMetrics(poolState);
}

/**
 * What the process measures of itself, as Prometheus reads it. Nothing is loaded and nothing counted until `startMetrics`.
 * Labels are few and known beforehand: an address is its pattern, never a path.
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
  gauge("database_connections_idle", "Open connections that nobody uses", () => poolState().idle);
  gauge("database_requests_waiting", "Queries that wait for a connection", () => poolState().waiting);
  if (cluster.isWorker) new prometheus.AggregatorRegistry();
  return {
    requests: new prometheus.Counter({
      name: "http_requests_total",
      help: "Requests answered",
      labelNames: ["address", "method", "status"] as const,
    }),
    requestSeconds: new prometheus.Histogram({
      name: "http_request_duration_seconds",
      help: "From a request's arrival to the end of its response",
      labelNames: ["address"] as const,
      buckets: BUCKETS,
    }),
    providerSeconds: new prometheus.Histogram({
      name: "provider_request_duration_seconds",
      help: "Calls of database, object store, mail and Data API, with how they ended: ok, or the error's code",
      labelNames: ["provider", "operation", "outcome"] as const,
      buckets: BUCKETS,
    }),
    emails: new prometheus.Counter({
      name: "emails_total",
      help: "E-mails handed to the mail provider, or not",
      labelNames: ["kind", "outcome"] as const,
    }),
    emailEvents: new prometheus.Counter({
      name: "email_events_total",
      help: "Notices of what became of e-mails: bounces, complaints and the like",
      labelNames: ["event"] as const,
    }),
    uploads: new prometheus.Counter({
      name: "uploads_presigned_total",
      help: "Uploads that a URL was signed for",
      labelNames: ["kind"] as const,
    }),
    /** all of it in Prometheus' text format; of every process, where several share the port */
    text: () => (cluster.isWorker ? askPrimary() : register.metrics()),
    contentType: register.contentType,
  };
}

/** Counts an e-mail that was sent, or by its kind of failure one that was not. */
export function countEmail(kind: "simple" | "campaign", outcome: string): void {
  metrics?.emails.inc({ kind, outcome });
}

/** Counts a notice of what became of an e-mail. @param event one of few */
export function countEmailEvent(event: string): void {
  metrics?.emailEvents.inc({ event });
}

/** Counts an upload that a URL was signed for. */
export function countUpload(): void {
  metrics?.uploads.inc({ kind: "single" });
}

const ASK = "platform-embed:metrics";

/** milliseconds */
const PRIMARY_TIMEOUT = 6_000;
let asked = 0;

/** The metrics of all processes: the one that started them asks each. */
function askPrimary(): Promise<string> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      process.off("message", read);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error("The other processes did not send their metrics."));
    }, PRIMARY_TIMEOUT);
    const read = (message: unknown) => {
      if (!isMessage(message) || message.id !== id || message.text === undefined) return;
      end();
      resolve(message.text);
    };
    process.on("message", read);
    process.send?.({ type: ASK, id });
  });
}

interface MetricsMessage {
  type: typeof ASK;
  id: number;
  text?: string;
}

function isMessage(message: unknown): message is MetricsMessage {
  return typeof message === "object" && message !== null && "type" in message && message.type === ASK;
}

/** In the process that starts the others: answers them when they ask for everybody's metrics. */
export async function gatherMetrics(): Promise<void> {
  const { AggregatorRegistry } = await import("prom-client");
  const registry: Registry & { clusterMetrics(): Promise<string> } = new AggregatorRegistry();
  cluster.on("message", (worker, message: unknown) => {
    if (!isMessage(message)) return;
    registry.clusterMetrics().then(
      (text) => worker.isConnected() && worker.send({ ...message, text }),
      (error: unknown) => logError("The metrics could not be gathered.", { thrown: error }),
    );
  });
}
