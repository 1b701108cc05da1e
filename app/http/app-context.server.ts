import type { AppLoadContext } from "@remix-run/node";
import type { ServiceRegistry, ServiceTools } from "../embed/service";
import { type Env, parseEnv, readEnvOrExit, secretsOf, warningsOf } from "../env.server";
import { configureLog, logError, logWarning } from "../log.server";
import { createDataApi, type DataApi } from "../providers/data-api.server";
import { createDatabase, type Database } from "../providers/database.server";
import { createMailer, type Mailer } from "../providers/mail.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { createSns, type Sns } from "../providers/sns.server";
import type { RequestContext } from "../request-context.server";
import { services } from "../services/registry.server";
import { startMetrics } from "../telemetry/metrics.server";
import { startTraces, stopTraces } from "../telemetry/traces.server";
import { HeavyWork } from "./heavy-work.server";
import { createRateLimits, type RateLimits } from "./rate-limits.server";
import { takeOverServer } from "./server-takeover.server";

/** What routes work with: the environment, the providers bound to it, and the services that can be embedded. */
export interface AppContext {
  env: Env;
  database: Database;
  objectStore: ObjectStore;
  dataApi: DataApi;
  mailer: Mailer;
  sns: Sns;
  rateLimits: RateLimits;
  heavyWork: HeavyWork;
  services: ServiceRegistry;
  /** unix seconds */
  now(): number;
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    /** a test's own; the process's where it is missing */
    app?: AppContext;
  }
}

/** Connects nothing yet: each provider does so when it is first asked. */
export function createAppContext(env: Env): AppContext {
  const database = createDatabase(env.postgres);
  return {
    env,
    database,
    objectStore: createObjectStore(env.objectStore),
    dataApi: createDataApi(env.dataApi),
    mailer: createMailer(env.mail),
    sns: createSns(),
    rateLimits: createRateLimits(env.rateLimits, database),
    heavyWork: new HeavyWork(),
    services,
    now: () => Math.floor(Date.now() / 1000),
  };
}

/** What an embedded service works with while it answers the request of `context`. */
export function toolsOf({ objectStore, env, now }: AppContext, request: RequestContext): ServiceTools {
  const { production, platformBaseUrl, embedSigningSecrets: signingSecrets } = env;
  return { objectStore, request, nowSeconds: now(), production, platformBaseUrl, signingSecrets };
}

let processContext: AppContext | undefined;

/** The context that a route is called with: a test's, or that of the process. */
export function appOf(loadContext: AppLoadContext): AppContext {
  const app = loadContext.app ?? processContext;
  if (app === undefined) throw new Error("Call startApp first, or hand an AppContext to the route.");
  return app;
}

/** Reads the environment of the process, and starts what belongs to it. Ends the process where the environment is invalid. */
export function startApp(): void {
  const env = readEnvOrExit(parseEnv);
  configureLog({ json: env.production, secrets: secretsOf(env) });
  for (const warning of warningsOf(env)) logWarning(warning);
  const app = createAppContext(env);
  processContext = app;
  if (env.metricsToken !== undefined) startMetrics(() => app.database.$poolState());
  if (env.traceEndpoint !== undefined) {
    startTraces().catch((thrown: unknown) => logError("There are no traces.", { thrown }));
  }
  takeOverServer({
    env,
    close: async () => void (await Promise.all([app.database.$disconnect(), stopTraces()])),
  });
}
