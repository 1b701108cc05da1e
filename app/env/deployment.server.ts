import { z } from "zod";
import { BEARER_TOKEN, flag, httpUrl, list, type Source, text, wholeNumber } from "./parse.server";

/** The deployment itself: its addresses, its database, and what guards it. */

const baseUrl = httpUrl
  .refine((value) => URL.canParse(value) && `${new URL(value).origin}/` === new URL(value).href)
  .transform((value) => new URL(value).origin)
  .describe("an http(s) origin without path or query, like https://embed.example.com");

const MIN_SECRET_BYTES = 32;
/** characters; whoever can guess it reads how the service is used */
const MIN_METRICS_TOKEN = 16;
const MIN_BEARER_TOKEN_LENGTH = 32;

export const deploymentVariables = {
  NODE_ENV: z
    .enum(["production", "development", "test"])
    .default("production")
    .describe("production, development or test"),
  API_BASE_URL: baseUrl,
  PLATFORM_BASE_URL: baseUrl,
  TRUST_PROXY: flag,
  WEB_CONCURRENCY: wholeNumber(1, 64, 1),
  SHUTDOWN_SECONDS: wholeNumber(1, 600, 10),
  POSTGRES_URL: text
    .regex(/^postgres(ql)?:\/\//)
    .describe("a URL like postgresql://user:password@host:5432/database"),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1000, 10),
  EMBED_SIGNING_SECRET: text.describe("a random secret of at least 32 bytes"),
  EMBED_SIGNING_SECRET_PREVIOUS: text.optional().describe("the secret in use before"),
  API_BEARER_TOKEN: list
    .refine((tokens) => tokens.every((token) => BEARER_TOKEN.test(token)))
    .optional()
    .describe("a token, or several separated by commas, each of letters, digits and -._~+/="),
  API_ALLOW_ANONYMOUS: flag,
  METRICS_TOKEN: text
    .min(MIN_METRICS_TOKEN)
    .regex(BEARER_TOKEN)
    .optional()
    .describe(`a random token of at least ${MIN_METRICS_TOKEN} letters, digits and -._~+/=`),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().describe("the http(s) URL of an OpenTelemetry collector"),
};

/** What a variable's other name, or a developer's machine, says in place of it. Adds to `issues`. */
export function withOtherNames(source: Source, issues: string[]): Source {
  const values = { ...source };
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

/** What is allowed on a developer's machine only. */
export function issuesInProduction(values: Source): string[] {
  const issues: string[] = [];
  if (values.NODE_ENV !== undefined && values.NODE_ENV !== "production") return issues;
  for (const name of ["EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS", "UNSUBSCRIBE_SECRET"]) {
    const secret = values[name];
    if (secret !== undefined && Buffer.byteLength(secret.trim()) < MIN_SECRET_BYTES) {
      issues.push(`${name} is too short; in production it must be at least ${MIN_SECRET_BYTES} bytes long`);
    }
  }
  if (values.API_BEARER_TOKEN?.split(",").some((token) => isGuessable(token.trim()))) {
    issues.push(
      `API_BEARER_TOKEN is too easy to guess; it guards sending e-mail and making databases, so in production each token must be random and at least ${MIN_BEARER_TOKEN_LENGTH} characters long`,
    );
  }
  if (values.API_BEARER_TOKEN === undefined && values.API_ALLOW_ANONYMOUS !== "true") {
    issues.push(
      "API_BEARER_TOKEN is not set; in production it must be, unless API_ALLOW_ANONYMOUS=true says that something in front of the API guards it",
    );
  }
  return issues;
}

/** Too short, or one character over and over. */
function isGuessable(token: string): boolean {
  return token.length < MIN_BEARER_TOKEN_LENGTH || new Set(token).size === 1;
}
