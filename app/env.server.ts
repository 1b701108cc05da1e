import {
  type CapacitySettings,
  type ClusterSettings,
  type DataApiSettings,
  readClusters,
} from "./env/clusters.server";
import { issuesInProduction, withOtherNames } from "./env/deployment.server";
import type { RateLimitSettings } from "./env/limits.server";
import { type Mailbox, type MailSettings, readMailbox } from "./env/mail.server";
import { EnvError, parseVariables, type Source, withoutBlanks } from "./env/parse.server";
import { issuesOfQueueKeys } from "./env/queue.server";
import { schema } from "./env/schema.server";
import type { ObjectStoreSettings } from "./env/store.server";

/**
 * The configuration: one schema (env/schema.server.ts), read once at start and handed down. Nothing is read on import.
 * README, "Environment variables", says the same for people.
 */

export type { ClusterRefs, ClusterSettings } from "./env/clusters.server";
export type { RateLimitSettings } from "./env/limits.server";
export { EnvError } from "./env/parse.server";

export interface Env {
  production: boolean;
  /** an origin, like `https://api.example.com` */
  apiBaseUrl: string;
  /** an origin, like `https://embed.example.com` */
  platformBaseUrl: string;
  trustProxy: boolean;
  /** seconds in which running requests may end after SIGTERM */
  shutdownSeconds: number;
  rateLimits: RateLimitSettings;
  /** opens `GET /metrics`; undefined means that nothing is measured */
  metricsToken: string | undefined;
  /** Spans are sent to this OpenTelemetry collector; undefined means that there are none. */
  traceEndpoint: string | undefined;
  postgres: { url: string; poolSize: number };
  /** The first signs and verifies; the others only verify, so that a secret can be changed. */
  embedSigningSecrets: [string, ...string[]];
  /** Any of them opens the e-mail and database endpoints; with none, those are open to everybody. */
  apiBearerTokens: string[];
  objectStore: ObjectStoreSettings;
  dataApi: DataApiSettings;
  capacity: CapacitySettings;
  clusters: ClusterSettings;
  mail: MailSettings;
  /** who e-mail is from; undefined means that none can be sent */
  sender: Mailbox | undefined;
  /** template of the unsubscribe address, with `{siteUrl}` and `{token}` */
  unsubscribeUrl: string;
  /** The keys that queue messages are signed with, current and next; undefined means that signatures are not checked. */
  queueSigningKeys: [string, string] | undefined;
}

/** Only commands publish; how many processes there are is for what starts them. */
const serverSchema = schema.omit({ QUEUE_URL: true, QUEUE_TOKEN: true, WEB_CONCURRENCY: true });

/**
 * Reads the configuration from `source` (usually `process.env`). Pure.
 * @throws EnvError naming each variable that is missing or invalid, what it should be and where that is documented
 */
export function parseEnv(source: Source): Env {
  const issues: string[] = [];
  const values = withOtherNames(withoutBlanks(source), issues);
  issues.push(...issuesInProduction(values));
  const clusters = readClusters(values, issues);
  issues.push(...issuesOfQueueKeys(values));
  const env = parseVariables(serverSchema, values, issues);
  const accessKey = { accessKeyId: env.CLOUD_ACCESS_KEY_ID, secretAccessKey: env.CLOUD_SECRET_ACCESS_KEY };
  return {
    production: env.NODE_ENV === "production",
    apiBaseUrl: env.API_BASE_URL,
    platformBaseUrl: env.PLATFORM_BASE_URL,
    trustProxy: env.TRUST_PROXY,
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    rateLimits: {
      perKey: env.RATE_LIMIT_PER_KEY,
      perToken: env.RATE_LIMIT_PER_TOKEN,
      perAddress: env.RATE_LIMIT_PER_ADDRESS,
      store: env.RATE_LIMIT_STORE,
    },
    metricsToken: env.METRICS_TOKEN,
    traceEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    postgres: { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE },
    embedSigningSecrets: env.EMBED_SIGNING_SECRET_PREVIOUS
      ? [env.EMBED_SIGNING_SECRET, env.EMBED_SIGNING_SECRET_PREVIOUS]
      : [env.EMBED_SIGNING_SECRET],
    apiBearerTokens: env.API_BEARER_TOKEN ?? [],
    objectStore: {
      ...accessKey,
      region: env.CLOUD_REGION,
      endpoint: env.CLOUD_S3_ENDPOINT,
      forcePathStyle: env.CLOUD_S3_FORCE_PATH_STYLE,
      timeoutSeconds: env.CLOUD_S3_TIMEOUT_SECONDS,
    },
    dataApi: {
      ...accessKey,
      endpoint: env.CLOUD_RDS_DATA_ENDPOINT,
      timeoutSeconds: env.CLOUD_RDS_DATA_TIMEOUT_SECONDS,
    },
    capacity: {
      credentials: accessKey,
      endpoint: env.CLOUD_CLOUDWATCH_ENDPOINT,
      // Behind another Data API there is no cluster that Amazon could know.
      isMeasured: env.CLOUD_CLOUDWATCH_ENDPOINT !== undefined || env.CLOUD_RDS_DATA_ENDPOINT === undefined,
    },
    clusters: { ...clusters, defaultDatabase: env.CLUSTER_DEFAULT_DATABASE },
    mail: { ...accessKey, region: env.CLOUD_REGION, endpoint: env.CLOUD_SES_ENDPOINT },
    sender: readMailbox(env.EMAIL_FROM),
    unsubscribeUrl: env.UNSUBSCRIBE_URL,
    queueSigningKeys: env.QUEUE_VERIFY
      ? [env.QUEUE_CURRENT_SIGNING_KEY ?? "", env.QUEUE_NEXT_SIGNING_KEY ?? ""]
      : undefined,
  };
}

/** What may well be a mistake in production, a sentence each; for every start. */
export function warningsOf(env: Env): string[] {
  if (!env.production) return [];
  return [
    ...(env.queueSigningKeys === undefined
      ? [
          "QUEUE_VERIFY is not true: anybody can make this service send campaign e-mails through POST /api/queue/send-email.",
        ]
      : []),
    ...(env.sender === undefined ? ["EMAIL_FROM is not set: this service cannot send e-mail."] : []),
  ];
}

/** Values that must never be read in a log. */
export function secretsOf(env: Env): string[] {
  return [
    ...env.embedSigningSecrets,
    ...env.apiBearerTokens,
    ...(env.queueSigningKeys ?? []),
    env.objectStore.secretAccessKey,
    ...(env.metricsToken === undefined ? [] : [env.metricsToken]),
    ...(URL.canParse(env.postgres.url) ? [decodeURIComponent(new URL(env.postgres.url).password)] : []),
  ].filter((secret) => secret !== "");
}

/** `parse(process.env)`, for a process that cannot go on without it: prints what is wrong and exits with 1. */
export function readEnvOrExit<Parsed>(parse: (source: Source) => Parsed): Parsed {
  try {
    return parse(process.env);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
