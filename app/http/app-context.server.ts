import { setTimeout as sleep } from "node:timers/promises";
import type { AppLoadContext } from "@remix-run/node";
import { catalogueWorkers } from "../catalogue/catalogue-workers.server";
import { ChangeReader } from "../catalogue/change-reader.server";
import { ChangedObjects } from "../catalogue/changed-objects.server";
import { readFigures } from "../catalogue/figures.sql.server";
import { UsableCatalogues } from "../catalogue/usable-catalogues.server";
import { Quotas } from "../catalogue/usage/quotas.server";
import { CreationWorker } from "../databases/creation-worker.server";
import { createMarkdownPool, type MarkdownPool } from "../email/markdown-pool.server";
import { EmbedClients } from "../embed/embed-clients.server";
import { RevokedTokens } from "../embed/revoked-tokens.server";
import type { ServiceRegistry, ServiceTools } from "../embed/service";
import { type Env, readEnvOrExit, secretsOf, warningsOf } from "../env/env.server";
import { Events } from "../events/events.server";
import { createDatabase, type Database } from "../providers/database.server";
import { createMailer, type Mailer } from "../providers/mail.server";
import { ObjectClaims } from "../providers/object-claims.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { createDataApi, type DataApi } from "../providers/rds-data-api.server";
import { createSns, type Sns } from "../providers/sns.server";
import { services } from "../services/registry.server";
import type { BackgroundWorker } from "../shared/background-worker.server";
import { configureLog, logError, logWarning } from "../shared/log.server";
import type { KnownOfRequest, RequestContext } from "../shared/request-context.server";
import { startMetrics } from "../telemetry/metrics.server";
import { startTraces, stopTraces } from "../telemetry/traces.server";
import { WebhookWorker } from "../webhooks/webhook-worker.server";
import { findOverdueSeconds } from "../webhooks/webhooks.sql.server";
import { HeavyRequests } from "./heavy-requests.server";
import { createRateLimits, type RateLimits } from "./rate-limits.server";

/** What routes work with: the environment, the providers made from it, and the services that can be embedded. */
export interface AppContext {
  env: Env;
  database: Database;
  embedClients: EmbedClients;
  revokedTokens: RevokedTokens;
  events: Events;
  claims: ObjectClaims;
  catalogues: UsableCatalogues;
  quotas: Quotas;
  /** what others change, for open explorers */
  changeReader: ChangeReader;
  /** undefined if no bucket has a catalogue */
  changedObjects: ChangedObjects | undefined;
  /** send events to webhooks, create databases whose callers do not wait, and keep the catalogues up to date, once they are started */
  workers: readonly Pick<BackgroundWorker<object>, "start" | "stop">[];
  objectStore: ObjectStore;
  dataApi: DataApi;
  mailer: Mailer;
  markdown: MarkdownPool;
  sns: Sns;
  rateLimits: RateLimits;
  heavyRequests: HeavyRequests;
  /** Apart, so that test messages to receivers that never respond, and events that are sent again, take nothing from searches and changes. */
  webhookRequests: HeavyRequests;
  /** the responses that tell open explorers what others change */
  changeStreams: HeavyRequests;
  services: ServiceRegistry;
  /** whether the process has been asked to stop; set by the server */
  isStopping: boolean;
  /** unix seconds */
  now(): number;
}

declare module "@remix-run/node" {
  interface AppLoadContext extends KnownOfRequest {
    /** a test's own context; without one, routes use that of the process */
    app?: AppContext;
  }
}

declare global {
  namespace Express {
    /** What middleware finds out of a request, for the middleware after it and for Remix's routes. */
    interface Locals {
      requestId: string;
      callerAddress: string;
    }
  }
}

/** Each costs a connection of a browser and a few kilobytes. */
const MAX_CHANGE_STREAMS = { perCompany: 1_000, perProcess: 2_000 };
/** as many explorers as one person looks at; explorers that nobody sees have none */
const MAX_CHANGE_STREAMS_OF_VISITOR = 10;

/** Opens no connection: each provider does so when it is first used. */
export function createAppContext(env: Env): AppContext {
  const database = createDatabase(env.postgres);
  const dataApi = createDataApi(env.dataApi);
  const objectStore = createObjectStore(env.objectStore);
  const { maxLagSeconds } = env.catalogues;
  const changedObjects =
    maxLagSeconds === undefined ? undefined : new ChangedObjects({ database, objectStore });
  return {
    env,
    database,
    embedClients: new EmbedClients(database),
    revokedTokens: new RevokedTokens(database),
    events: new Events(database, changedObjects),
    claims: new ObjectClaims(database),
    catalogues: new UsableCatalogues(database, maxLagSeconds),
    changedObjects,
    changeReader: new ChangeReader(database),
    quotas: new Quotas(database, objectStore),
    workers: [
      new WebhookWorker(database, { ...env.webhooks, services }),
      new CreationWorker({ database, dataApi, clusters: env.clusters }),
      ...catalogueWorkers({ database, objectStore }, maxLagSeconds),
    ],
    objectStore,
    dataApi,
    mailer: createMailer(env.mail),
    markdown: createMarkdownPool(),
    sns: createSns(),
    rateLimits: createRateLimits(env.rateLimits, database),
    heavyRequests: new HeavyRequests(env.heavyRequests),
    webhookRequests: new HeavyRequests(env.heavyRequests, { what: "test messages and replays of webhooks" }),
    changeStreams: new HeavyRequests(MAX_CHANGE_STREAMS, {
      what: "streams of changes",
      perCaller: MAX_CHANGE_STREAMS_OF_VISITOR,
      settings: null,
    }),
    services,
    isStopping: false,
    now: () => Math.floor(Date.now() / 1000),
  };
}

/** What an embedded service needs of the app to handle a request. */
export function toolsOf(
  { objectStore, events, claims, catalogues, quotas, database, env, now }: AppContext,
  context: RequestContext,
): ServiceTools {
  const { production, platformBaseUrl, embedSigningSecrets: signingSecrets } = env;
  return {
    objectStore,
    events,
    claims,
    catalogues,
    quotas,
    database,
    context,
    nowSeconds: now(),
    production,
    platformBaseUrl,
    signingSecrets,
  };
}

let processContext: AppContext | undefined;

/** The context that a test has passed to the route, otherwise the process's. */
export function appOf(loadContext: AppLoadContext): AppContext {
  const app = loadContext.app ?? processContext;
  if (app === undefined) throw new Error("Call startApp first, or hand an AppContext to the route.");
  return app;
}

/**
 * Reads the process's environment and starts logging, metrics and traces, and the workers unless `WORKER=separate`, once. `entry.server.tsx` calls it when the build is loaded, also
 * by `remix-serve`; `server.ts` gets the same context. Exits with 1 if the environment is invalid.
 */
export function startApp(): AppContext {
  if (processContext !== undefined) return processContext;
  const env = readEnvOrExit(logError);
  configureLog({ json: env.production, secrets: secretsOf(env) });
  for (const warning of warningsOf(env)) logWarning(warning);
  const app = createAppContext(env);
  processContext = app;
  if (env.metricsToken !== undefined)
    startMetrics({
      poolState: () => app.database.$poolState(),
      webhooksOverdueSeconds: () => findOverdueSeconds(app.database),
      catalogueFigures:
        env.catalogues.maxLagSeconds === undefined ? undefined : () => readFigures(app.database),
    });
  if (env.traceEndpoint !== undefined) {
    startTraces().catch((thrown: unknown) => logError("Tracing could not be started.", { thrown }));
  }
  if (env.runsWorkers) for (const worker of app.workers) worker.start();
  return app;
}

/** milliseconds for writing the last events when the process ends, and then for closing connections */
const STOP_TIMEOUT_MS = 1_000;

/** Writes the last events, closes the database's connections, ends the worker threads and sends the remaining traces, before the process ends. */
export async function stopApp({ database, events, markdown }: AppContext): Promise<void> {
  await events.flush(STOP_TIMEOUT_MS);
  const closed = Promise.all([database.$disconnect(), markdown.close(), stopTraces()]);
  await Promise.race([closed, sleep(STOP_TIMEOUT_MS)]).catch((thrown: unknown) =>
    logError("The database's connections, the worker threads or the traces could not be closed.", { thrown }),
  );
}
