import { isIP } from "node:net";
import { z } from "zod";

/**
 * Every environment variable of the service, by topic. A description ends the sentence "it must be …", which a person reads when
 * the value is missing or invalid; docs/reference/settings.md says what each variable is for.
 */

const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true")
  .describe("true or false");
const text = z.string().min(1);
/** Several values, separated by commas. */
const list = text.transform((values) => values.split(",").map((value) => value.trim()));
const httpUrl = z.url({ protocol: /^https?$/ });

/** A token that an Authorization header can carry: RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;

const wholeNumber = (from: number, to: number, whenUnset: number) =>
  z.coerce
    .number()
    .int()
    .min(from)
    .max(to)
    .default(whenUnset)
    .describe(`a whole number from ${from} to ${to}`);

const baseUrl = httpUrl
  .refine((value) => URL.canParse(value) && `${new URL(value).origin}/` === new URL(value).href)
  .transform((value) => new URL(value).origin)
  .describe("an http(s) origin without path or query, like https://embed.example.com");

/** A database's URL, also one that names the folder of a socket in place of a host: `postgresql://user@/database?host=/run/postgresql`. */
export const withHost = (postgresUrl: string) => postgresUrl.replace("@/", "@localhost/");

/** Whoever guesses the token can read how the service is used. */
const MIN_METRICS_TOKEN_LENGTH = 16;

const deploymentVariables = {
  NODE_ENV: z
    .enum(["production", "development", "test"])
    .default("production")
    .describe("production, development or test"),
  API_BASE_URL: baseUrl,
  PLATFORM_BASE_URL: baseUrl,
  TRUST_PROXY: flag,
  PORT: wholeNumber(1, 65_535, 3000),
  HOST: text
    .transform((value) => value.replace(/^\[(.*)\]$/, "$1"))
    .refine((value) => isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value))
    .optional()
    .describe(
      "the address to listen on, like 127.0.0.1 or ::1, without a port; all of the machine's unless set",
    ),
  SHUTDOWN_SECONDS: wholeNumber(1, 600, 10),
  POSTGRES_URL: text
    .regex(/^postgres(ql)?:\/\//)
    .refine((value) => URL.canParse(withHost(value)))
    .describe(
      "a URL like postgresql://user:password@host:5432/database, with %23, %25, %2F, %3F and %40 for #, %, /, ? and @ in the password",
    ),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1000, 10),
  EMBED_SIGNING_SECRET: text.describe("a random secret of at least 32 bytes"),
  EMBED_SIGNING_SECRET_PREVIOUS: text.optional().describe("the secret in use before"),
  API_BEARER_TOKEN: list
    .refine((tokens) => tokens.every((token) => BEARER_TOKEN.test(token)))
    .optional()
    .describe("a token, or several separated by commas, each of letters, digits and -._~+/="),
  API_ALLOW_ANONYMOUS: flag,
  METRICS_TOKEN: text
    .min(MIN_METRICS_TOKEN_LENGTH)
    .regex(BEARER_TOKEN)
    .optional()
    .describe(`a random token of at least ${MIN_METRICS_TOKEN_LENGTH} letters, digits and -._~+/=`),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().describe("the http(s) URL of an OpenTelemetry collector"),
};

/** A FIFO topic delivers to no HTTPS endpoint. */
const TOPIC_ARN = /^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/;

const snsTopics = (example: string) =>
  list
    .refine((topics) => topics.every((topic) => TOPIC_ARN.test(topic)))
    .optional()
    .describe(
      `the ARN of a topic of Amazon SNS, like arn:aws:sns:eu-west-1:123456789012:${example}, or several separated by commas`,
    );

const ROLE_ARN = /^arn:aws(-[a-z]+)*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

/** The credentials, which are also for e-mail and clusters, and the object store. */
const storeVariables = {
  CLOUD_REGION: text.describe("the object store's region, like ca-central-1"),
  CLOUD_CREDENTIALS: z
    .literal("default")
    .optional()
    .describe("default, which takes those of a role on AWS, or unset if there is an access key"),
  CLOUD_ASSUME_ROLE_ARN: text
    .regex(ROLE_ARN)
    .optional()
    .describe("the ARN of a role to assume, like arn:aws:iam::123456789012:role/platform-embed"),
  CLOUD_ACCESS_KEY_ID: text.optional().describe("the id of the access key that signs for the object store"),
  CLOUD_SECRET_ACCESS_KEY: text
    .optional()
    .describe("the secret of the access key that signs for the object store"),
  CLOUD_SESSION_TOKEN: text.optional().describe("the session token of a temporary access key"),
  CLOUD_S3_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like https://s3.example.com"),
  CLOUD_S3_FORCE_PATH_STYLE: flag,
  CLOUD_S3_TIMEOUT_SECONDS: wholeNumber(1, 300, 10),
  STORAGE_EVENTS_TOPICS: snsTopics("storage-events"),
};

/** `ada@example.com` or `Ada <ada@example.com>`; ASCII, because SES accepts nothing else. */
export const MAILBOX = /^(?:([^<>@]*)<\s*)?([!-;=?A-~]+@[a-z0-9.-]+)(?:\s*>)?$/i;
/** A hundred years. PostgreSQL's timestamps have a limit, too. */
const MAX_KEEP_DAYS = 36_500;

const mailVariables = {
  CLOUD_SES_ENDPOINT: httpUrl.optional().describe("an http(s) URL; unset, it is Amazon SES in CLOUD_REGION"),
  SES_CONFIGURATION_SET: text
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe("the name of a configuration set of SES: letters, digits, _ and -, 64 at most"),
  EMAIL_FROM: text
    .regex(MAILBOX)
    .optional()
    .describe("an address like no-reply@example.com or Example <no-reply@example.com>"),
  UNSUBSCRIBE_URL: text
    .regex(/^(https?:\/\/|\{siteUrl\}).*\{token\}/)
    .default("{siteUrl}/unsubscribe?token={token}")
    .describe("an http(s) URL with {token} in it, like https://example.com/unsubscribe?token={token}"),
  UNSUBSCRIBE_SECRET: text.optional().describe("a random secret of at least 32 bytes"),
  UNSUBSCRIBE_SECRET_PREVIOUS: list
    .refine((secrets) => !secrets.includes(""))
    .optional()
    .describe("the secret in use before, or several separated by commas"),
  EMAIL_EVENTS_TOPICS: snsTopics("email-events"),
  EMAIL_DELIVERIES_KEEP_DAYS: wholeNumber(1, MAX_KEEP_DAYS, 400),
};

const eventVariables = {
  EVENTS_KEEP_DAYS: wholeNumber(1, MAX_KEEP_DAYS, 400),
  WEBHOOK_ALLOW_PRIVATE: flag,
  WORKER: z.enum(["app", "separate"]).default("app").describe("app or separate"),
};

const clusterVariables = {
  CLUSTER_DEFAULT_DATABASE: text
    .default("postgres")
    .describe("the database of a cluster in which CREATE DATABASE is run"),
  CLUSTER_REGIONS: list
    .refine((regions) => regions.every((region) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(region)))
    .optional()
    .describe("regions like ca-central-1, separated by commas"),
  CLUSTER_DATABASE_CONNECTIONS: wholeNumber(1, 100_000, 40),
  CLUSTER_DATABASE_TEMPORARY_FILE_GB: wholeNumber(1, 2_000, 10),
  DATABASE_DELETE_AFTER_DAYS: wholeNumber(0, 365, 7),
  CLOUD_RDS_DATA_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like http://127.0.0.1:8006"),
  CLOUD_RDS_DATA_TIMEOUT_SECONDS: wholeNumber(1, 300, 50),
  CLOUD_CLOUDWATCH_ENDPOINT: httpUrl
    .optional()
    .describe("an http(s) URL; unset, it is Amazon CloudWatch in each cluster's region"),
};

const queueVariables = {
  QUEUE_VERIFY: flag,
  QUEUE_ALLOW_UNVERIFIED: flag,
  QUEUE_CURRENT_SIGNING_KEY: text.optional().describe("the key that the queue signs with"),
  QUEUE_NEXT_SIGNING_KEY: text
    .optional()
    .describe("the key that the queue will sign with after the next change"),
  QUEUE_URL: httpUrl.default("https://qstash.upstash.io").describe("the http(s) URL of the queue"),
  QUEUE_TOKEN: text.describe("the token that may publish to the queue"),
};

const requestsOrEvents = (whenUnset: number) => wholeNumber(0, 1_000_000_000, whenUnset);

const limitVariables = {
  RATE_LIMIT_PER_KEY: requestsOrEvents(6_000),
  RATE_LIMIT_PER_TOKEN: requestsOrEvents(6_000),
  RATE_LIMIT_PER_ADDRESS: requestsOrEvents(300),
  RATE_LIMIT_EVENTS_PER_DAY: requestsOrEvents(1_000_000),
  RATE_LIMIT_STORE: z.enum(["memory", "postgres"]).default("memory").describe("memory or postgres"),
  HEAVY_REQUESTS_PER_COMPANY: wholeNumber(1, 1000, 8),
  HEAVY_REQUESTS_PER_PROCESS: wholeNumber(1, 1000, 16),
};

const catalogueVariables = {
  CATALOGUE_MAX_LAG_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(31_536_000)
    .optional()
    .describe("a whole number from 1 to 31536000, or unset if no bucket has a catalogue"),
};

export const topics = {
  deployment: deploymentVariables,
  "object store": storeVariables,
  catalogues: catalogueVariables,
  "e-mail": mailVariables,
  events: eventVariables,
  clusters: clusterVariables,
  queue: queueVariables,
  limits: limitVariables,
};

export const schema = z.object({
  ...deploymentVariables,
  ...storeVariables,
  ...catalogueVariables,
  ...mailVariables,
  ...eventVariables,
  ...clusterVariables,
  ...queueVariables,
  ...limitVariables,
});
