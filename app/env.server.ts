import { z } from "zod";

/**
 * The configuration: one schema, read once at start and handed down. No other file of the app reads `process.env`.
 * README, "Environment variables", says the same for people.
 */

const flag = z.enum(["true", "false"]).default("false").describe("true or false");
const text = z.string().trim().min(1);
const httpUrl = z.url({ protocol: /^https?$/ });
const baseUrl = httpUrl
  .refine((value) => URL.canParse(value) && `${new URL(value).origin}/` === new URL(value).href)
  .transform((value) => new URL(value).origin)
  .describe("an http(s) origin without path or query, like https://embed.example.com");

/** A whole number; `fallback` when it is not set. */
const wholeNumber = (from: number, to: number, fallback: number) =>
  z.coerce
    .number()
    .int()
    .min(from)
    .max(to)
    .default(fallback)
    .describe(`a whole number from ${from} to ${to}`);

const MIN_SECRET_BYTES = 32;
/** characters; whoever can guess it reads how the service is used */
const MIN_METRICS_TOKEN = 16;
const MIN_BEARER_TOKEN_LENGTH = 32;
/** A hundred years; far more would leave the range of PostgreSQL's timestamps. */
const MAX_KEEP_DAYS = 36_500;
/** What an Authorization header can carry: RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;
/** `ada@example.com` or `Ada <ada@example.com>`; ASCII, for SES takes no other. */
const MAILBOX = /^(?:([^<>@]*)<\s*)?([!-;=?A-~]+@[a-z0-9.-]+)(?:\s*>)?$/i;

/** Each variable; its description ends the sentence "it must be …". */
const schema = z.object({
  NODE_ENV: z
    .enum(["production", "development", "test"])
    .default("production")
    .describe("production, development or test"),
  API_BASE_URL: baseUrl,
  PLATFORM_BASE_URL: baseUrl,
  TRUST_PROXY: flag,
  WEB_CONCURRENCY: wholeNumber(1, 64, 1),
  SHUTDOWN_SECONDS: wholeNumber(1, 600, 10),
  RATE_LIMIT_PER_KEY: wholeNumber(0, 1_000_000_000, 6_000),
  RATE_LIMIT_PER_TOKEN: wholeNumber(0, 1_000_000_000, 6_000),
  RATE_LIMIT_PER_ADDRESS: wholeNumber(0, 1_000_000_000, 300),
  RATE_LIMIT_STORE: z.enum(["memory", "postgres"]).default("memory").describe("memory or postgres"),
  METRICS_TOKEN: text
    .min(MIN_METRICS_TOKEN)
    .regex(BEARER_TOKEN)
    .optional()
    .describe(`a random token of at least ${MIN_METRICS_TOKEN} letters, digits and -._~+/=`),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().describe("the http(s) URL of an OpenTelemetry collector"),
  POSTGRES_URL: text
    .regex(/^postgres(ql)?:\/\//)
    .describe("a URL like postgresql://user:password@host:5432/database"),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1000, 10),
  EMBED_SIGNING_SECRET: text.describe("a random secret of at least 32 bytes"),
  EMBED_SIGNING_SECRET_PREVIOUS: text.optional().describe("the secret in use before"),
  API_BEARER_TOKEN: text
    .transform((list) => list.split(",").map((token) => token.trim()))
    .refine((tokens) => tokens.every((token) => BEARER_TOKEN.test(token)))
    .optional()
    .describe("a token, or several separated by commas, each of letters, digits and -._~+/="),
  API_ALLOW_ANONYMOUS: flag,
  CLOUD_REGION: text.describe("the object store's region, like ca-central-1"),
  CLOUD_ACCESS_KEY_ID: text.describe("the id of the access key that signs for the object store"),
  CLOUD_SECRET_ACCESS_KEY: text.describe("the secret of the access key that signs for the object store"),
  CLOUD_S3_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like https://s3.example.com"),
  CLOUD_S3_FORCE_PATH_STYLE: flag,
  CLOUD_S3_TIMEOUT_SECONDS: wholeNumber(1, 300, 10),
  CLOUD_RDS_DATA_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like http://127.0.0.1:8006"),
  CLOUD_RDS_DATA_TIMEOUT_SECONDS: wholeNumber(1, 300, 50),
  CLOUD_CLOUDWATCH_ENDPOINT: httpUrl
    .optional()
    .describe("an http(s) URL; unset, it is Amazon CloudWatch in each cluster's region"),
  CLUSTER_DEFAULT_DATABASE: text
    .default("postgres")
    .describe("the database of a cluster in which CREATE DATABASE is run"),
  CLOUD_SES_ENDPOINT: httpUrl.optional().describe("an http(s) URL; unset, it is Amazon SES in CLOUD_REGION"),
  EMAIL_FROM: text
    .regex(MAILBOX)
    .optional()
    .describe("an address like no-reply@example.com or Example <no-reply@example.com>"),
  UNSUBSCRIBE_URL: text
    .regex(/^(https?:\/\/|\{siteUrl\}).*\{token\}/)
    .default("{siteUrl}/unsubscribe?token={token}")
    .describe("an http(s) URL with {token} in it, like https://example.com/unsubscribe?token={token}"),
  EMAIL_DELIVERIES_KEEP_DAYS: wholeNumber(1, MAX_KEEP_DAYS, 400),
  QUEUE_VERIFY: flag,
  QUEUE_CURRENT_SIGNING_KEY: text.optional().describe("the key that the queue signs with"),
  QUEUE_NEXT_SIGNING_KEY: text
    .optional()
    .describe("the key that the queue will sign with after the next change"),
  QUEUE_URL: httpUrl.default("https://qstash.upstash.io").describe("the http(s) URL of the queue"),
  QUEUE_TOKEN: text.describe("the token that may publish to the queue"),
});

/** Only commands publish; how many processes there are is for what starts them. */
const serverSchema = schema.omit({ QUEUE_URL: true, QUEUE_TOKEN: true, WEB_CONCURRENCY: true });

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
  objectStore: {
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
    /** of an S3-compatible store; undefined means Amazon S3 */
    endpoint: string | undefined;
    forcePathStyle: boolean;
    timeoutSeconds: number;
  };
  dataApi: {
    accessKeyId: string;
    secretAccessKey: string;
    /** of another Data API than Amazon's */
    endpoint: string | undefined;
    /** The Data API itself gives up on a statement after 45 seconds; this is a little longer unless told. */
    timeoutSeconds: number;
  };
  /** where clusters' capacity is measured */
  capacity: {
    credentials: { accessKeyId: string; secretAccessKey: string };
    /** undefined means Amazon CloudWatch */
    endpoint: string | undefined;
    /** false where the clusters are not Amazon's */
    isMeasured: boolean;
  };
  clusters: ClusterSettings;
  /** Amazon SES, or what speaks its API at `endpoint` */
  mail: { region: string; accessKeyId: string; secretAccessKey: string; endpoint: string | undefined };
  /** who e-mail is from; undefined means that none can be sent */
  sender: { name: string | undefined; address: string } | undefined;
  /** template of the unsubscribe address, with `{siteUrl}` and `{token}` */
  unsubscribeUrl: string;
  /** The keys that queue messages are signed with, current and next; undefined means that signatures are not checked. */
  queueSigningKeys: [string, string] | undefined;
}

/** Requests a minute; 0 sets no limit. */
export interface RateLimitSettings {
  /** of one API key or bearer token */
  perKey: number;
  /** of one embed token */
  perToken: number;
  /** of one caller's address, counted where a request has no valid credential */
  perAddress: number;
  /** `memory` counts in each process, `postgres` over all of them */
  store: "memory" | "postgres";
}

/** A database cluster and the secret that its user's password is kept in; both are ARNs on Amazon. */
export interface ClusterRefs {
  clusterRef: string;
  secretRef: string;
}

export interface ClusterSettings {
  /** by region suffix, like `CA_CENTRAL_1` */
  ofRegion: Record<string, ClusterRefs>;
  /** for every other region */
  fallback: ClusterRefs | undefined;
  /** the database in which statements about databases are run */
  defaultDatabase: string;
}

/** What publishing to the queue takes. */
export interface PublishEnv {
  apiBaseUrl: string;
  queueUrl: string;
  queueToken: string;
}

/** Thrown by `parseEnv`; the message lists every fault, a line each, and names no value. */
export class EnvError extends Error {
  override readonly name = "EnvError";

  /** @param faults a sentence each, which begins with the name of the variable */
  constructor(readonly faults: readonly string[]) {
    const lines = faults.map((fault) => `  ${fault}`).join("\n");
    super(`The environment is not right:\n${lines}\nSee README.md, section “Environment variables”.`);
  }
}

type Source = Record<string, string | undefined>;

/**
 * Reads the configuration from `source` (usually `process.env`). Pure.
 * @throws EnvError naming each variable that is missing or wrong, what it should be and where that is documented
 */
export function parseEnv(source: Source): Env {
  const values = withoutBlanks(source);
  const faults: string[] = [];
  if (values.PLATFORM_EMBED_SIGNING_SECRET !== undefined) {
    values.EMBED_SIGNING_SECRET ??= values.PLATFORM_EMBED_SIGNING_SECRET;
    if (values.EMBED_SIGNING_SECRET !== values.PLATFORM_EMBED_SIGNING_SECRET) {
      faults.push(
        "PLATFORM_EMBED_SIGNING_SECRET is not EMBED_SIGNING_SECRET; they must be equal, or only one set",
      );
    }
  }
  if (values.NODE_ENV === "development" || values.NODE_ENV === "test") {
    values.API_BASE_URL ??= "http://127.0.0.1:3000";
    values.PLATFORM_BASE_URL ??= "http://localhost:3000";
  }
  if (values.NODE_ENV === undefined || values.NODE_ENV === "production") {
    for (const name of ["EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS"]) {
      const secret = values[name];
      if (secret !== undefined && Buffer.byteLength(secret.trim()) < MIN_SECRET_BYTES) {
        faults.push(`${name} is too short; in production it must be at least ${MIN_SECRET_BYTES} bytes long`);
      }
    }
    if (values.API_BEARER_TOKEN?.split(",").some((token) => isGuessable(token.trim()))) {
      faults.push(
        `API_BEARER_TOKEN is too easy to guess; it guards sending e-mail and making databases, so in production each token must be random and at least ${MIN_BEARER_TOKEN_LENGTH} characters long`,
      );
    }
    if (values.API_BEARER_TOKEN === undefined && values.API_ALLOW_ANONYMOUS !== "true") {
      faults.push(
        "API_BEARER_TOKEN is not set; in production it must be, unless API_ALLOW_ANONYMOUS=true says that something in front of the API guards it",
      );
    }
  }
  const clusters = readClusters(values, faults);
  const verifiesQueue = values.QUEUE_VERIFY === "true";
  for (const name of verifiesQueue ? ["QUEUE_CURRENT_SIGNING_KEY", "QUEUE_NEXT_SIGNING_KEY"] : []) {
    if (values[name] === undefined) faults.push(`${name} is not set; with QUEUE_VERIFY=true it must be`);
  }
  const env = check(serverSchema, values, faults);
  const cloud = {
    region: env.CLOUD_REGION,
    accessKeyId: env.CLOUD_ACCESS_KEY_ID,
    secretAccessKey: env.CLOUD_SECRET_ACCESS_KEY,
  };
  return {
    production: env.NODE_ENV === "production",
    apiBaseUrl: env.API_BASE_URL,
    platformBaseUrl: env.PLATFORM_BASE_URL,
    trustProxy: env.TRUST_PROXY === "true",
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
      ...cloud,
      endpoint: env.CLOUD_S3_ENDPOINT,
      forcePathStyle: env.CLOUD_S3_FORCE_PATH_STYLE === "true",
      timeoutSeconds: env.CLOUD_S3_TIMEOUT_SECONDS,
    },
    dataApi: {
      accessKeyId: cloud.accessKeyId,
      secretAccessKey: cloud.secretAccessKey,
      endpoint: env.CLOUD_RDS_DATA_ENDPOINT,
      timeoutSeconds: env.CLOUD_RDS_DATA_TIMEOUT_SECONDS,
    },
    capacity: {
      credentials: { accessKeyId: env.CLOUD_ACCESS_KEY_ID, secretAccessKey: env.CLOUD_SECRET_ACCESS_KEY },
      endpoint: env.CLOUD_CLOUDWATCH_ENDPOINT,
      // Behind another Data API there is no cluster that Amazon could know.
      isMeasured: env.CLOUD_CLOUDWATCH_ENDPOINT !== undefined || env.CLOUD_RDS_DATA_ENDPOINT === undefined,
    },
    clusters: { ...clusters, defaultDatabase: env.CLUSTER_DEFAULT_DATABASE },
    mail: { ...cloud, endpoint: env.CLOUD_SES_ENDPOINT },
    sender: readMailbox(env.EMAIL_FROM),
    unsubscribeUrl: env.UNSUBSCRIBE_URL,
    queueSigningKeys: verifiesQueue
      ? [env.QUEUE_CURRENT_SIGNING_KEY ?? "", env.QUEUE_NEXT_SIGNING_KEY ?? ""]
      : undefined,
  };
}

/** Too short, or one character over and over. */
function isGuessable(token: string): boolean {
  return token.length < MIN_BEARER_TOKEN_LENGTH || new Set(token).size === 1;
}

/** The pairs CLUSTER_REF_<REGION> and SECRET_REF_<REGION>, and the pair without a region; half a pair is a fault. */
function readClusters(values: Source, faults: string[]): Pick<ClusterSettings, "ofRegion" | "fallback"> {
  const ofRegion: ClusterSettings["ofRegion"] = {};
  let fallback: ClusterRefs | undefined;
  const names = Object.keys(values).flatMap((name) => /^(?:CLUSTER|SECRET)_REF($|_.*)/.exec(name)?.[1] ?? []);
  for (const suffix of new Set(names)) {
    const [clusterName, secretName] = [`CLUSTER_REF${suffix}`, `SECRET_REF${suffix}`];
    const clusterRef = values[clusterName]?.trim();
    const secretRef = values[secretName]?.trim();
    if (!/^(_[A-Z0-9]+)*$/.test(suffix)) {
      const right = `CLUSTER_REF${suffix.toUpperCase().replaceAll("-", "_")}`;
      faults.push(`${clusterName} names no region; for a region like ca-central-1 write ${right}`);
    } else if (!clusterRef || !secretRef) {
      const [missing, set] = clusterRef ? [secretName, clusterName] : [clusterName, secretName];
      faults.push(`${missing} is not set; it must be, because ${set} is: a cluster needs both`);
    } else if (suffix === "") {
      fallback = { clusterRef, secretRef };
    } else {
      ofRegion[suffix.slice(1)] = { clusterRef, secretRef };
    }
  }
  return { ofRegion, fallback };
}

function readMailbox(value: string | undefined): Env["sender"] {
  const [, name, address] = MAILBOX.exec(value ?? "") ?? [];
  if (address === undefined) return undefined;
  return { name: name?.trim().replace(/^"(.*)"$/, "$1") || undefined, address };
}

/** What may well be a mistake in production, a sentence each; for every start. Decisions, section 10. */
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

/** The part that commands need which only use the database. @throws EnvError as `parseEnv` */
export function parsePostgresEnv(source: Source): Env["postgres"] {
  const env = check(schema.pick({ POSTGRES_URL: true, POSTGRES_POOL_SIZE: true }), withoutBlanks(source), []);
  return { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE };
}

/** The part that starting the server needs. @throws EnvError as `parseEnv` */
export function parseStartEnv(source: Source): {
  processes: number;
  shutdownSeconds: number;
  hasMetrics: boolean;
} {
  const variables = schema.pick({ WEB_CONCURRENCY: true, SHUTDOWN_SECONDS: true, METRICS_TOKEN: true });
  const env = check(variables, withoutBlanks(source), []);
  return {
    processes: env.WEB_CONCURRENCY,
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    hasMetrics: env.METRICS_TOKEN !== undefined,
  };
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

/** What `npm run cleanup` needs. @throws EnvError as `parseEnv` */
export function parseCleanupEnv(source: Source): { emailDeliveriesKeepDays: number } {
  const env = check(schema.pick({ EMAIL_DELIVERIES_KEEP_DAYS: true }), withoutBlanks(source), []);
  return { emailDeliveriesKeepDays: env.EMAIL_DELIVERIES_KEEP_DAYS };
}

/** The part that publishing to the queue needs. @throws EnvError as `parseEnv` */
export function parsePublishEnv(source: Source): PublishEnv {
  const variables = schema.pick({ API_BASE_URL: true, QUEUE_URL: true, QUEUE_TOKEN: true });
  const env = check(variables, withoutBlanks(source), []);
  return { apiBaseUrl: env.API_BASE_URL, queueUrl: env.QUEUE_URL, queueToken: env.QUEUE_TOKEN };
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

/** Blanks count as unset: that is how most deployment tools leave a variable empty. */
function withoutBlanks(source: Source): Source {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value?.trim()));
}

function check<Shape extends Record<string, z.ZodType>>(
  variables: z.ZodObject<Shape>,
  values: Source,
  faults: string[],
): z.output<z.ZodObject<Shape>> {
  const parsed = variables.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const state = values[name] === undefined ? "is not set" : "is not right";
    const fault = `${name} ${state}; it must be ${variables.shape[name]?.description}`;
    if (!faults.includes(fault)) faults.push(fault);
  }
  if (faults.length > 0 || !parsed.success) {
    throw new EnvError(faults);
  }
  return parsed.data;
}
