/**
 * The configuration: one schema (variables.server.ts), read once at start and passed on. Nothing is read on import.
 * docs/reference/settings.md explains each variable.
 */
import { z } from "zod";
import { MAILBOX, schema, withHost } from "./variables.server";

/** Environment variables by name, as `process.env` has them. */
export type EnvVariables = Record<string, string | undefined>;

/** Thrown for an environment that cannot be used; the message lists every issue in a line of its own, and contains no value. */
export class EnvError extends Error {
  override readonly name = "EnvError";

  /** @param issues a sentence each, which begins with the name of the variable */
  constructor(readonly issues: readonly string[]) {
    const lines = issues.map((issue) => `  ${issue}`).join("\n");
    super(`The environment is invalid:\n${lines}\nSee docs/reference/settings.md.`);
  }
}

/** A value in quotes, as Docker and kubectl keep them from the file that it was in. systemd, Node and Docker Compose take them away. */
const QUOTED = /^(["'`])((?:(?!\1).)*)\1$/s;

/** The values without spaces and quotes around them. Blanks count as unset: many deployment tools leave variables empty. */
export function plainValues(variables: EnvVariables): EnvVariables {
  const entries = Object.entries(variables).map(([name, value]) => {
    const trimmed = value?.trim();
    const [, , unquoted = trimmed] = QUOTED.exec(trimmed ?? "") ?? [];
    return [name, unquoted?.trim()] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** A value with a comment behind it, as Docker, kubectl and systemd keep it. The name of a sender may contain ` #`. */
function issuesOfComments(values: EnvVariables): string[] {
  return Object.keys(schema.shape)
    .filter((name) => name !== "EMAIL_FROM" && /\s#/.test(values[name] ?? ""))
    .map((name) => `${name} has a comment behind its value; write the comment in a line of its own`);
}

/**
 * @param found issues that are already known, to be thrown together with those found here
 * @throws EnvError
 */
function parseVariables<Shape extends Record<string, z.ZodType>>(
  schema: z.ZodObject<Shape>,
  values: EnvVariables,
  found: readonly string[] = [],
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(values);
  const issues = new Set(found);
  for (const { path } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    const state = values[name] === undefined ? "is not set" : "is invalid";
    issues.add(`${name} ${state}; it must be ${schema.shape[name]?.description}`);
  }
  if (issues.size > 0 || !parsed.success) throw new EnvError([...issues]);
  return parsed.data;
}

/** For a command that needs only these variables. @throws EnvError */
export function parseOnly<Name extends keyof typeof schema.shape>(variables: EnvVariables, ...names: Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, schema.shape[name]]));
  return parseVariables(z.object(shape as Pick<typeof schema.shape, Name>), plainValues(variables));
}

export type Env = ReturnType<typeof parseEnv>;

/** Only commands publish campaigns. */
const serverSchema = schema.omit({ QUEUE_URL: true, QUEUE_TOKEN: true });

/**
 * Reads the configuration from environment variables (usually `process.env`). Pure.
 * @throws EnvError naming each variable that is missing or invalid, what it should be and where that is documented
 */
export function parseEnv(variables: EnvVariables) {
  const issues: string[] = [];
  const values = withOtherNames(plainValues(variables), issues);
  issues.push(...issuesOfComments(values), ...issuesInProduction(values));
  const { incomplete, ...clusters } = readClusters(values, issues);
  issues.push(...issuesOfQueueKeys(values), ...issuesOfCredentials(values));
  const env = parseVariables(serverSchema, values, issues);
  const credentials = readCredentials(env);
  const embedSigningSecrets: [string, ...string[]] = [
    env.EMBED_SIGNING_SECRET,
    ...(env.EMBED_SIGNING_SECRET_PREVIOUS ? [env.EMBED_SIGNING_SECRET_PREVIOUS] : []),
  ];
  return {
    production: env.NODE_ENV === "production",
    port: env.PORT,
    /** the address to listen on; undefined means all of them */
    host: env.HOST,
    /** an origin, like `https://api.example.com` */
    apiBaseUrl: env.API_BASE_URL,
    /** an origin, like `https://embed.example.com` */
    platformBaseUrl: env.PLATFORM_BASE_URL,
    trustProxy: env.TRUST_PROXY,
    /** seconds that running requests have to end after SIGTERM */
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    /** requests per minute; 0 means no limit */
    rateLimits: {
      /** for one API key or bearer token */
      perKey: env.RATE_LIMIT_PER_KEY,
      /** for one visitor, or for one embed token if it names none */
      perToken: env.RATE_LIMIT_PER_TOKEN,
      /** for one caller's address, of requests without a valid credential */
      perAddress: env.RATE_LIMIT_PER_ADDRESS,
      /** events that one visitor records, or one embed token if it names none */
      eventsPerDay: env.RATE_LIMIT_EVENTS_PER_DAY,
      /** `memory` counts in each process, `postgres` across all of them */
      store: env.RATE_LIMIT_STORE,
    },
    /** searches and changes that may run at once in this process */
    heavyRequests: {
      perCompany: env.HEAVY_REQUESTS_PER_COMPANY,
      /** of all companies together */
      perProcess: env.HEAVY_REQUESTS_PER_PROCESS,
    },
    /** the bearer token of `GET /metrics`; undefined means that nothing is measured */
    metricsToken: env.METRICS_TOKEN,
    /** of the OpenTelemetry collector that spans are sent to; undefined means no traces */
    traceEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    postgres: { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE },
    /** The first signs and verifies. The others only verify, while a secret is being changed. */
    embedSigningSecrets,
    /** Each is accepted by the e-mail and database endpoints. Without any, those are open to everybody. */
    apiBearerTokens: env.API_BEARER_TOKEN ?? [],
    objectStore: {
      credentials,
      region: env.CLOUD_REGION,
      /** of an S3-compatible store; undefined means Amazon S3 */
      endpoint: env.CLOUD_S3_ENDPOINT,
      forcePathStyle: env.CLOUD_S3_FORCE_PATH_STYLE,
      timeoutSeconds: env.CLOUD_S3_TIMEOUT_SECONDS,
    },
    catalogues: {
      /** A catalogue whose last scan began earlier is not used. undefined: none is */
      maxLagSeconds: env.CATALOGUE_MAX_LAG_SECONDS,
    },
    dataApi: {
      credentials,
      /** of a Data API that is not Amazon's */
      endpoint: env.CLOUD_RDS_DATA_ENDPOINT,
      /** The Data API ends a statement after 45 seconds; the default is a little longer. */
      timeoutSeconds: env.CLOUD_RDS_DATA_TIMEOUT_SECONDS,
    },
    /** where the clusters' capacity is read */
    capacity: {
      credentials,
      /** undefined means Amazon CloudWatch */
      endpoint: env.CLOUD_CLOUDWATCH_ENDPOINT,
      // Clusters behind another Data API are not Amazon's.
      isMeasured: env.CLOUD_CLOUDWATCH_ENDPOINT !== undefined || env.CLOUD_RDS_DATA_ENDPOINT === undefined,
    },
    clusters: {
      ...clusters,
      /** the database in which CREATE DATABASE is run */
      defaultDatabase: env.CLUSTER_DEFAULT_DATABASE,
      /** the regions that databases may be created in; undefined means all */
      regions: env.CLUSTER_REGIONS,
      /** what one database may take of its cluster */
      limits: {
        connections: env.CLUSTER_DATABASE_CONNECTIONS,
        /** of each session */
        temporaryFileGb: env.CLUSTER_DATABASE_TEMPORARY_FILE_GB,
      },
    },
    /** variables of clusters that count as unset, because the other one of their pair is not set */
    incompleteClusters: incomplete,
    /** how long a deleted database can be restored */
    databaseDeleteAfterDays: env.DATABASE_DELETE_AFTER_DAYS,
    mail: {
      credentials,
      region: env.CLOUD_REGION,
      endpoint: env.CLOUD_SES_ENDPOINT,
      /** a configuration set of SES, which reports what became of messages; undefined means no reports */
      configurationSet: env.SES_CONFIGURATION_SET,
    },
    /** the sender of e-mail; undefined means that none can be sent */
    sender: readMailbox(env.EMAIL_FROM),
    /** where links to unsubscribe lead */
    unsubscribing: {
      /** the integrator's page, with `{siteUrl}` and `{token}` */
      template: env.UNSUBSCRIBE_URL,
      /**
       * Our own page, for recipients without a token of the integrator's; undefined means that they get no link. The
       * first secret encrypts its tokens, all decrypt them.
       */
      hosted:
        env.UNSUBSCRIBE_SECRET === undefined
          ? undefined
          : {
              baseUrl: env.PLATFORM_BASE_URL,
              secrets: [env.UNSUBSCRIBE_SECRET, ...(env.UNSUBSCRIBE_SECRET_PREVIOUS ?? [])] as const,
            },
    },
    /** ARNs of the topics through which Amazon SES reports bounces and complaints */
    emailEventsTopics: env.EMAIL_EVENTS_TOPICS ?? [],
    /** ARNs of the topics through which buckets report what happens in them */
    storageEventsTopics: env.STORAGE_EVENTS_TOPICS ?? [],
    /** The secrets encrypt those of webhooks. `allowPrivate`: whether webhooks may have http URLs and private addresses */
    webhooks: { signingSecrets: embedSigningSecrets, allowPrivate: env.WEBHOOK_ALLOW_PRIVATE },
    /** whether this process sends webhooks, and creates databases whose callers do not wait; otherwise `npm run worker` does */
    runsWorkers: env.WORKER === "app",
    /** current and next key of the queue's signatures; undefined means that signatures are not checked */
    queueSigningKeys: env.QUEUE_VERIFY
      ? ([env.QUEUE_CURRENT_SIGNING_KEY ?? "", env.QUEUE_NEXT_SIGNING_KEY ?? ""] as const)
      : undefined,
  };
}

/** Settings that may be a mistake, most of them only in production: a sentence each, for the log of every start. */
export function warningsOf(env: Env): string[] {
  const ofClusters = env.incompleteClusters.map(
    ({ missing, set }) =>
      `${missing} is not set, so ${set} is ignored: databases of that region are created in the cluster of CLUSTER_REF.`,
  );
  if (!env.production) return ofClusters;
  return [
    ...ofClusters,
    ...(env.queueSigningKeys === undefined
      ? [
          "QUEUE_VERIFY is not true, and QUEUE_ALLOW_UNVERIFIED is: unless something in front guards it, anybody can make this service send campaign e-mails through POST /api/queue/send-email.",
        ]
      : []),
    ...(env.webhooks.allowPrivate
      ? [
          "WEBHOOK_ALLOW_PRIVATE is true: whoever has an API key can make this service send requests into its own network.",
        ]
      : []),
    ...(env.sender === undefined ? ["EMAIL_FROM is not set: this service cannot send e-mail."] : []),
  ];
}

/** Values that must never be in a log. */
export function secretsOf(env: Env): string[] {
  return [
    ...env.embedSigningSecrets,
    ...env.apiBearerTokens,
    ...(env.queueSigningKeys ?? []),
    ...(env.unsubscribing.hosted?.secrets ?? []),
    env.objectStore.credentials.accessKey?.secretAccessKey ?? "",
    env.objectStore.credentials.accessKey?.sessionToken ?? "",
    ...(env.metricsToken === undefined ? [] : [env.metricsToken]),
    ...passwordOf(env.postgres.url),
  ].filter((secret) => secret !== "");
}

/** As it is written, and as it is sent: what follows a `%` need not be a code. */
function passwordOf(postgresUrl: string): string[] {
  const { password } = new URL(withHost(postgresUrl));
  const decoded = password.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
  return [...new Set([password, decoded])];
}

/** The process's environment. If it is invalid, reports what is wrong, and exits with 1. */
export function readEnvOrExit(report: (message: string) => void): Env {
  try {
    return parseEnv(process.env);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    report(error.message);
    process.exit(1);
  }
}

const MIN_SECRET_BYTES = 32;
const MIN_BEARER_TOKEN_LENGTH = 32;

/** Fills in the values of a variable's other name, and the base URLs of a developer's machine. Adds to `issues`. */
function withOtherNames(variables: EnvVariables, issues: string[]): EnvVariables {
  const values = { ...variables };
  const otherName = values.PLATFORM_EMBED_SIGNING_SECRET;
  if (otherName !== undefined) values.EMBED_SIGNING_SECRET ??= otherName;
  if (otherName !== undefined && values.EMBED_SIGNING_SECRET !== otherName) {
    issues.push(
      "PLATFORM_EMBED_SIGNING_SECRET is not EMBED_SIGNING_SECRET; they must be equal, or only one set",
    );
  }
  if (values.NODE_ENV === "development" || values.NODE_ENV === "test") {
    values.API_BASE_URL ??= "http://127.0.0.1:3000";
    values.PLATFORM_BASE_URL ??= "http://localhost:3000";
  }
  return values;
}

/** What is allowed only on a developer's machine. */
function issuesInProduction(values: EnvVariables): string[] {
  const issues: string[] = [];
  if (values.NODE_ENV !== undefined && values.NODE_ENV !== "production") return issues;
  for (const name of ["EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS", "UNSUBSCRIBE_SECRET"]) {
    const secret = values[name];
    if (secret !== undefined && Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
      issues.push(`${name} is too short; in production it must be at least ${MIN_SECRET_BYTES} bytes long`);
    }
  }
  if (values.API_BEARER_TOKEN?.split(",").some((token) => isGuessable(token.trim()))) {
    issues.push(
      "API_BEARER_TOKEN is too easy to guess; it guards sending e-mail and making databases, so in " +
        `production each token must be random and at least ${MIN_BEARER_TOKEN_LENGTH} characters long`,
    );
  }
  if (values.API_BEARER_TOKEN === undefined && values.API_ALLOW_ANONYMOUS !== "true") {
    issues.push(
      "API_BEARER_TOKEN is not set; in production it must be, unless API_ALLOW_ANONYMOUS=true says that " +
        "something in front of the API guards it",
    );
  }
  if (values.QUEUE_VERIFY !== "true" && values.QUEUE_ALLOW_UNVERIFIED !== "true") {
    issues.push(
      "QUEUE_VERIFY is not true; in production it must be, unless QUEUE_ALLOW_UNVERIFIED=true says that " +
        "something in front of POST /api/queue/send-email guards it",
    );
  }
  return issues;
}

/** Too short, or one character over and over. */
function isGuessable(token: string): boolean {
  return token.length < MIN_BEARER_TOKEN_LENGTH || new Set(token).size === 1;
}

function issuesOfQueueKeys(values: EnvVariables): string[] {
  if (values.QUEUE_VERIFY !== "true") return [];
  return ["QUEUE_CURRENT_SIGNING_KEY", "QUEUE_NEXT_SIGNING_KEY"]
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is not set; with QUEUE_VERIFY=true it must be`);
}

/** What signs requests to the cloud. The object store, e-mail and clusters share one object. */
export interface CloudCredentials {
  /** undefined: the default provider chain of the AWS SDK */
  accessKey?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined } | undefined;
  /** a role that is assumed with them */
  assumeRoleArn?: string | undefined;
  /** where Amazon STS is asked */
  region: string;
}

type CredentialVariable =
  | "CLOUD_REGION"
  | "CLOUD_ASSUME_ROLE_ARN"
  | "CLOUD_ACCESS_KEY_ID"
  | "CLOUD_SECRET_ACCESS_KEY"
  | "CLOUD_SESSION_TOKEN";

function readCredentials(
  env: Pick<z.output<typeof serverSchema>, CredentialVariable>,
): Readonly<CloudCredentials> {
  const { CLOUD_ACCESS_KEY_ID: accessKeyId, CLOUD_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const isKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    accessKey: isKey ? { accessKeyId, secretAccessKey, sessionToken: env.CLOUD_SESSION_TOKEN } : undefined,
    assumeRoleArn: env.CLOUD_ASSUME_ROLE_ARN,
    region: env.CLOUD_REGION,
  };
}

/** A key that was forgotten is an error: the default chain has to be asked for. */
function issuesOfCredentials(values: EnvVariables): string[] {
  const names = ["CLOUD_ACCESS_KEY_ID", "CLOUD_SECRET_ACCESS_KEY"] as const;
  const set = [...names, "CLOUD_SESSION_TOKEN"].filter((name) => values[name] !== undefined);
  if (values.CLOUD_CREDENTIALS !== undefined)
    return set.map((name) => `${name} is set, and so is CLOUD_CREDENTIALS; only one of them may be`);
  if (set.length === 0)
    return [
      "CLOUD_CREDENTIALS is not set; it must be default for a role on AWS, or else CLOUD_ACCESS_KEY_ID and " +
        "CLOUD_SECRET_ACCESS_KEY must be set",
    ];
  return names
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is not set; it must be, because ${set[0]} is`);
}

/** A database cluster and the secret that contains its user's password; both are ARNs on Amazon. */
export interface ClusterRefs {
  clusterRef: string;
  secretRef: string;
  /** where clients of its databases connect */
  address?: { host: string; port: number };
}

const POSTGRES_PORT = 5432;

/** `host` or `host:port`. */
const HOST = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$/;

/**
 * The pairs CLUSTER_REF_<REGION> and SECRET_REF_<REGION>, and the pair without a region. Half a pair of a region counts as unset if there is a
 * pair without a region, and is in `incomplete`. Adds to `issues`.
 */
function readClusters(values: EnvVariables, issues: string[]) {
  /** by region suffix, like `CA_CENTRAL_1` */
  const ofRegion: Record<string, ClusterRefs> = {};
  /** for every other region */
  let fallback: ClusterRefs | undefined;
  const incomplete: { missing: string; set: string }[] = [];
  const hasFallback = Boolean(values.CLUSTER_REF && values.SECRET_REF);
  const names = Object.keys(values).flatMap(
    (name) => /^(?:CLUSTER_REF|SECRET_REF|CLUSTER_HOST)($|_.*)/.exec(name)?.[1] ?? [],
  );
  for (const suffix of new Set(names)) {
    const [clusterName, secretName] = [`CLUSTER_REF${suffix}`, `SECRET_REF${suffix}`];
    const clusterRef = values[clusterName];
    const secretRef = values[secretName];
    const hostName = `CLUSTER_HOST${suffix}`;
    const address = readHost(hostName, values, issues);
    if (!/^(_[A-Z0-9]+)*$/.test(suffix)) {
      const right = `CLUSTER_REF${suffix.toUpperCase().replaceAll("-", "_")}`;
      issues.push(`${clusterName} names no region; for a region like ca-central-1 write ${right}`);
    } else if (!clusterRef && !secretRef) {
      issues.push(`${clusterName} is not set; it must be, because ${hostName} is`);
    } else if (!clusterRef || !secretRef) {
      const [missing, set] = clusterRef ? [secretName, clusterName] : [clusterName, secretName];
      if (hasFallback) incomplete.push({ missing, set });
      else issues.push(`${missing} is not set; it must be, because ${set} is: a cluster needs both`);
    } else if (suffix === "") {
      fallback = { clusterRef, secretRef, ...address };
    } else {
      ofRegion[suffix.slice(1)] = { clusterRef, secretRef, ...address };
    }
  }
  return { ofRegion, fallback, incomplete };
}

/** @returns nothing if the variable is not set. Adds to `issues`. */
function readHost(name: string, values: EnvVariables, issues: string[]): Pick<ClusterRefs, "address"> {
  const text = values[name];
  if (text === undefined) return {};
  const [, host, port = POSTGRES_PORT] = HOST.exec(text) ?? [];
  if (host !== undefined) return { address: { host, port: Number(port) } };
  issues.push(`${name} must be a host, or host:port`);
  return {};
}

/** Who e-mail is from. */
export interface Mailbox {
  name: string | undefined;
  address: string;
}

function readMailbox(value: string | undefined): Mailbox | undefined {
  const [, name, address] = MAILBOX.exec(value ?? "") ?? [];
  if (address === undefined) return undefined;
  return { name: name?.trim().replace(/^"(.*)"$/, "$1") || undefined, address };
}
