import { type Env, parseEnv, readEnvOrExit, secretsOf, warningsOf } from "../env.server";
import { configureLog, logError, logWarning } from "../log.server";
import { createDataApi, type DataApi } from "../providers/data-api.server";
import { createDatabase, type Database } from "../providers/database.server";
import { createMailer, type Mailer } from "../providers/mail.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { startMetrics } from "../telemetry/metrics.server";
import { startTraces, stopTraces } from "../telemetry/traces.server";
import { createRateLimits, type RateLimits } from "./rate-limits.server";
import { takeOverServer } from "./server-takeover.server";

/** What handlers are handed: the one place where the app is bound to its environment. */
export interface Services {
  env: Env;
  database: Database;
  objectStore: ObjectStore;
  dataApi: DataApi;
  mailer: Mailer;
  rateLimits: RateLimits;
  /** unix seconds */
  now(): number;
}

function createServices(env: Env): Services {
  configureLog({ json: env.production, secrets: secretsOf(env) });
  for (const warning of warningsOf(env)) logWarning(warning);
  const database = createDatabase(env.postgres);
  if (env.metricsToken !== undefined) startMetrics(() => database.$poolState());
  if (env.traceEndpoint !== undefined) {
    startTraces().catch((error: unknown) => logError("There are no traces.", error));
  }
  takeOverServer({
    env,
    close: async () => void (await Promise.all([database.$disconnect(), stopTraces()])),
  });
  return {
    env,
    database,
    objectStore: createObjectStore(env.objectStore),
    dataApi: createDataApi(env.dataApi),
    mailer: createMailer(env.mail),
    rateLimits: createRateLimits(env.rateLimits, database),
    now: () => Math.floor(Date.now() / 1000),
  };
}

export const services: Services = createServices(readEnvOrExit(parseEnv));
