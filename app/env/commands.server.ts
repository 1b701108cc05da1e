import { parseVariables, type Source, withoutBlanks } from "./parse.server";
import { schema } from "./schema.server";

/** What single commands need, who do without the rest of the server's environment. All throw EnvError, as `parseEnv`. */

const postgres = schema.pick({ POSTGRES_URL: true, POSTGRES_POOL_SIZE: true });
const start = schema.pick({ WEB_CONCURRENCY: true, SHUTDOWN_SECONDS: true, METRICS_TOKEN: true });
const cleanup = schema.pick({ EMAIL_DELIVERIES_KEEP_DAYS: true });
const publish = schema.pick({ API_BASE_URL: true, QUEUE_URL: true, QUEUE_TOKEN: true });

export function parsePostgresEnv(source: Source): { url: string; poolSize: number } {
  const env = parseVariables(postgres, withoutBlanks(source));
  return { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE };
}

export function parseStartEnv(source: Source) {
  const env = parseVariables(start, withoutBlanks(source));
  return {
    processes: env.WEB_CONCURRENCY,
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    hasMetrics: env.METRICS_TOKEN !== undefined,
  };
}

export function parseCleanupEnv(source: Source): { emailDeliveriesKeepDays: number } {
  const env = parseVariables(cleanup, withoutBlanks(source));
  return { emailDeliveriesKeepDays: env.EMAIL_DELIVERIES_KEEP_DAYS };
}

export function parsePublishEnv(source: Source): {
  apiBaseUrl: string;
  queueUrl: string;
  queueToken: string;
} {
  const env = parseVariables(publish, withoutBlanks(source));
  return { apiBaseUrl: env.API_BASE_URL, queueUrl: env.QUEUE_URL, queueToken: env.QUEUE_TOKEN };
}
