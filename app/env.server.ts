import { readClusters } from "./env/clusters.server";
import { issuesInProduction, withOtherNames } from "./env/deployment.server";
import { readMailbox } from "./env/mail.server";
import { EnvError, parseVariables, type Source, withoutBlanks } from "./env/parse.server";
import { issuesOfQueueKeys } from "./env/queue.server";
import { schema } from "./env/schema.server";

/**
 * The configuration: one schema (env/schema.server.ts), read once at start and handed down. Nothing is read on import.
 * docs/reference/settings.md says the same for people.
 */

export { EnvError } from "./env/parse.server";

export type Env = ReturnType<typeof parseEnv>;

/** Only commands publish; how many processes there are is for what starts them. */
const serverSchema = schema.omit({ QUEUE_URL: true, QUEUE_TOKEN: true, WEB_CONCURRENCY: true });

/**
 * Reads the configuration from `source` (usually `process.env`). Pure.
 * @throws EnvError naming each variable that is missing or invalid, what it should be and where that is documented
 */
export function parseEnv(source: Source) {
  const issues: string[] = [];
  const values = withOtherNames(withoutBlanks(source), issues);
  issues.push(...issuesInProduction(values));
  const clusters = readClusters(values, issues);
  issues.push(...issuesOfQueueKeys(values));
  const env = parseVariables(serverSchema, values, issues);
  const accessKey = { accessKeyId: env.CLOUD_ACCESS_KEY_ID, secretAccessKey: env.CLOUD_SECRET_ACCESS_KEY };
  return {
    production: env.NODE_ENV === "production",
    /** an origin, like `https://api.example.com` */
    apiBaseUrl: env.API_BASE_URL,
    /** an origin, like `https://embed.example.com` */
    platformBaseUrl: env.PLATFORM_BASE_URL,
    trustProxy: env.TRUST_PROXY,
    /** seconds in which running requests may end after SIGTERM */
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    /** Requests a minute; 0 sets no limit. */
    rateLimits: {
      /** of one API key or bearer token */
      perKey: env.RATE_LIMIT_PER_KEY,
      /** of one embed token */
      perToken: env.RATE_LIMIT_PER_TOKEN,
      /** of one caller's address, counted where a request has no valid credential */
      perAddress: env.RATE_LIMIT_PER_ADDRESS,
      /** `memory` counts in each process, `postgres` over all of them */
      store: env.RATE_LIMIT_STORE,
    },
    /** opens `GET /metrics`; undefined means that nothing is measured */
    metricsToken: env.METRICS_TOKEN,
    /** Spans are sent to this OpenTelemetry collector; undefined means that there are none. */
    traceEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    postgres: { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE },
    /** The first signs and verifies; the others only verify, so that a secret can be changed. */
    embedSigningSecrets: [
      env.EMBED_SIGNING_SECRET,
      ...(env.EMBED_SIGNING_SECRET_PREVIOUS ? [env.EMBED_SIGNING_SECRET_PREVIOUS] : []),
    ] as [string, ...string[]],
    /** Any of them opens the e-mail and database endpoints; with none, those are open to everybody. */
    apiBearerTokens: env.API_BEARER_TOKEN ?? [],
    objectStore: {
      ...accessKey,
      region: env.CLOUD_REGION,
      /** of an S3-compatible store; undefined means Amazon S3 */
      endpoint: env.CLOUD_S3_ENDPOINT,
      forcePathStyle: env.CLOUD_S3_FORCE_PATH_STYLE,
      timeoutSeconds: env.CLOUD_S3_TIMEOUT_SECONDS,
    },
    dataApi: {
      ...accessKey,
      /** of another Data API than Amazon's */
      endpoint: env.CLOUD_RDS_DATA_ENDPOINT,
      /** The Data API itself gives up on a statement after 45 seconds; this is a little longer unless told. */
      timeoutSeconds: env.CLOUD_RDS_DATA_TIMEOUT_SECONDS,
    },
    /** where clusters' capacity is measured */
    capacity: {
      credentials: accessKey,
      /** undefined means Amazon CloudWatch */
      endpoint: env.CLOUD_CLOUDWATCH_ENDPOINT,
      // Behind another Data API there is no cluster that Amazon could know.
      isMeasured: env.CLOUD_CLOUDWATCH_ENDPOINT !== undefined || env.CLOUD_RDS_DATA_ENDPOINT === undefined,
    },
    clusters: {
      ...clusters,
      /** the database in which statements about databases are run */
      defaultDatabase: env.CLUSTER_DEFAULT_DATABASE,
    },
    mail: {
      ...accessKey,
      region: env.CLOUD_REGION,
      endpoint: env.CLOUD_SES_ENDPOINT,
      /** of SES: where its events of our messages go; undefined means that it sends none */
      configurationSet: env.SES_CONFIGURATION_SET,
    },
    /** who e-mail is from; undefined means that none can be sent */
    sender: readMailbox(env.EMAIL_FROM),
    /** template of the unsubscribe address, with `{siteUrl}` and `{token}` */
    unsubscribeUrl: env.UNSUBSCRIBE_URL,
    /** Who has no token of the integrator's unsubscribes here; undefined means that there is no link for them. The first secret seals, all open. */
    hostedUnsubscribe:
      env.UNSUBSCRIBE_SECRET === undefined
        ? undefined
        : {
            baseUrl: env.PLATFORM_BASE_URL,
            secrets: [env.UNSUBSCRIBE_SECRET, ...(env.UNSUBSCRIBE_SECRET_PREVIOUS ?? [])] as const,
          },
    /** ARNs of the topics through which Amazon SES tells of bounces and complaints; with none, nobody can tell us of any */
    emailEventsTopics: env.EMAIL_EVENTS_TOPICS ?? [],
    /** The keys that queue messages are signed with, current and next; undefined means that signatures are not checked. */
    queueSigningKeys: env.QUEUE_VERIFY
      ? ([env.QUEUE_CURRENT_SIGNING_KEY ?? "", env.QUEUE_NEXT_SIGNING_KEY ?? ""] as const)
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
    ...(env.hostedUnsubscribe?.secrets ?? []),
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
