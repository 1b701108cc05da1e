import { z } from "zod";

/**
 * The configuration: one schema, read once at start and handed down. No other file of the app reads `process.env`.
 * README, "Environment variables", says the same for people.
 */

/** `""` and blanks count as unset: that is how most deployment tools leave a variable empty. */
const set = z.string().trim().min(1);
const flag = z.enum(["true", "false"], "must be true or false").default("false");
const baseUrl = z
  .url({ protocol: /^https?$/, error: "must be an absolute http(s) URL, like https://embed.example.com" })
  .refine(
    (value) => {
      const url = URL.canParse(value) ? new URL(value) : null;
      return (
        url !== null && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === ""
      );
    },
    { error: "must be an origin only, without path, query or user name" },
  )
  .transform((value) => new URL(value).origin);
const seconds = (value: number) => z.coerce.number().int().positive().default(value);

const schema = z.object({
  NODE_ENV: z.enum(["production", "development", "test"]).default("production"),
  API_BASE_URL: baseUrl,
  PLATFORM_BASE_URL: baseUrl,
  TRUST_PROXY: flag,
  POSTGRES_URL: set.regex(/^postgres(ql)?:\/\//, "must be a postgresql:// URL"),
  POSTGRES_POOL_SIZE: z.coerce.number().int().min(1).max(1000).default(10),
  EMBED_SIGNING_SECRET: set,
  EMBED_SIGNING_SECRET_PREVIOUS: set.optional(),
  CLOUD_REGION: set,
  CLOUD_ACCESS_KEY_ID: set,
  CLOUD_SECRET_ACCESS_KEY: set,
  CLOUD_S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an absolute http(s) URL, like https://s3.example.com" })
    .optional(),
  CLOUD_S3_FORCE_PATH_STYLE: flag,
  CLOUD_S3_TIMEOUT_SECONDS: seconds(10),
});

export interface Env {
  production: boolean;
  /** an origin, like `https://api.example.com` */
  apiBaseUrl: string;
  /** an origin, like `https://embed.example.com` */
  platformBaseUrl: string;
  trustProxy: boolean;
  postgres: { url: string; poolSize: number };
  /** The first signs and verifies; the others only verify, so that a secret can be changed. */
  embedSigningSecrets: [string, ...string[]];
  objectStore: {
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
    /** of an S3-compatible store; undefined means Amazon S3 */
    endpoint: string | undefined;
    forcePathStyle: boolean;
    timeoutSeconds: number;
  };
}

/** Thrown by `parseEnv`; the message lists every fault, a line each, and names no value. */
export class EnvError extends Error {
  override readonly name = "EnvError";
}

const README = "README.md, section “Environment variables”";
const minimumSecretBytes = 32;

/**
 * Reads the configuration from `source` (usually `process.env`). Pure.
 * @throws EnvError naming each variable that is missing or wrong, what it should be and where that is documented
 */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const values = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const faults: string[] = [];
  if (values.PLATFORM_EMBED_SIGNING_SECRET !== undefined) {
    values.EMBED_SIGNING_SECRET ??= values.PLATFORM_EMBED_SIGNING_SECRET;
    if (values.EMBED_SIGNING_SECRET !== values.PLATFORM_EMBED_SIGNING_SECRET) {
      faults.push("PLATFORM_EMBED_SIGNING_SECRET: must equal EMBED_SIGNING_SECRET; set only one of them");
    }
  }
  if (values.NODE_ENV === "development" || values.NODE_ENV === "test") {
    values.API_BASE_URL ??= "http://127.0.0.1:3000";
    values.PLATFORM_BASE_URL ??= "http://localhost:3000";
  }

  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0]);
      faults.push(`${name}: ${values[name] === undefined ? "is not set, and must be" : issue.message}`);
    }
  }
  if (parsed.success && parsed.data.NODE_ENV === "production") {
    for (const name of ["EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS"] as const) {
      if (Buffer.byteLength(parsed.data[name] ?? "x".repeat(minimumSecretBytes)) < minimumSecretBytes) {
        faults.push(`${name}: must be at least ${minimumSecretBytes} bytes long in production`);
      }
    }
  }
  if (faults.length > 0 || !parsed.success) {
    throw new EnvError(
      `The environment is not right:\n${faults.map((fault) => `  ${fault}`).join("\n")}\nSee ${README}.`,
    );
  }

  const env = parsed.data;
  return {
    production: env.NODE_ENV === "production",
    apiBaseUrl: env.API_BASE_URL,
    platformBaseUrl: env.PLATFORM_BASE_URL,
    trustProxy: env.TRUST_PROXY === "true",
    postgres: { url: env.POSTGRES_URL, poolSize: env.POSTGRES_POOL_SIZE },
    embedSigningSecrets: env.EMBED_SIGNING_SECRET_PREVIOUS
      ? [env.EMBED_SIGNING_SECRET, env.EMBED_SIGNING_SECRET_PREVIOUS]
      : [env.EMBED_SIGNING_SECRET],
    objectStore: {
      region: env.CLOUD_REGION,
      accessKeyId: env.CLOUD_ACCESS_KEY_ID,
      secretAccessKey: env.CLOUD_SECRET_ACCESS_KEY,
      endpoint: env.CLOUD_S3_ENDPOINT,
      forcePathStyle: env.CLOUD_S3_FORCE_PATH_STYLE === "true",
      timeoutSeconds: env.CLOUD_S3_TIMEOUT_SECONDS,
    },
  };
}

/** `parseEnv(process.env)`, for a process that cannot go on without it: prints what is wrong and exits with 1. */
export function readEnvOrExit(): Env {
  try {
    return parseEnv(process.env);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
