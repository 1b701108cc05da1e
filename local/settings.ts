/** Which parts of the stack are ours, which are external, and what the app is told of them. */
import { EnvError, parseEnv } from "../app/env.server";
import { type AppMode, type Part, type Ports, StackError } from "./addresses";
import type { Secrets } from "./secrets";

/** The only region with a cluster, so that a database in any other stays `pending`. */
export const CLUSTER_REGION = "ca-central-1";
export const CLUSTER_ARN = `arn:aws:rds:${CLUSTER_REGION}:000000000000:cluster:local`;
export const SECRET_ARN = `arn:aws:secretsmanager:${CLUSTER_REGION}:000000000000:secret:local`;
const CLUSTER_DATABASE = "postgres";
const DEMO_BUCKET = "demo-files";

export interface Settings {
  /** the settings that the stack has an opinion on: what was given, or else its own */
  appEnv: Record<string, string>;
  /** those, and whatever else was set: the environment of the app */
  fullEnv: Record<string, string>;
  demoOrigin: string;
  bucket: string;
  /** parts that are not started, because a setting names a real one */
  external: Set<Part>;
}

/**
 * @param env what the person who started the stack set; a blank counts as unset
 * @throws StackError naming each variable that the app would refuse
 */
export function resolveSettings(
  ports: Ports,
  secrets: Secrets,
  env: Record<string, string | undefined>,
  app: AppMode,
): Settings {
  const given = (name: string) => env[name]?.trim() || undefined;
  const local = (part: Part) => `http://127.0.0.1:${ports[part]}`;

  const hasKeys = Boolean(given("CLOUD_ACCESS_KEY_ID") && given("CLOUD_SECRET_ACCESS_KEY"));
  const realStore = Boolean(given("CLOUD_S3_ENDPOINT")) || (hasKeys && Boolean(given("CLOUD_REGION")));
  const external = new Set<Part>();
  if (given("POSTGRES_URL")) external.add("postgres");
  if (realStore) external.add("objectStore");
  if (given("CLOUD_SES_ENDPOINT")) external.add("mailbox");
  if (given("CLOUD_RDS_DATA_ENDPOINT")) external.add("dataApi");
  if (given("QUEUE_URL")) external.add("queue");

  const defaults: Record<string, string> = {
    API_BASE_URL: local("app"),
    PLATFORM_BASE_URL: `http://localhost:${ports.app}`,
    // Nothing outside this machine can reach it, and `localhost` finds it too.
    HOST: "127.0.0.1",
    POSTGRES_URL: `postgresql://postgres:${secrets.postgresPassword}@127.0.0.1:${ports.postgres}/platform`,
    EMBED_SIGNING_SECRET: secrets.embedSigningSecret,
    // Nothing outside this machine can reach it; set API_BEARER_TOKEN, and it is asked for all the same.
    API_ALLOW_ANONYMOUS: "true",
    CLOUD_REGION: CLUSTER_REGION,
    CLOUD_ACCESS_KEY_ID: secrets.accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    CLOUD_SES_ENDPOINT: local("mailbox"),
    CLOUD_RDS_DATA_ENDPOINT: local("dataApi"),
    EMAIL_FROM: "no-reply@platform.example",
    // Nobody's: Amazon delivers nothing to this machine, and nothing else has a signature of its topics.
    EMAIL_EVENTS_TOPICS: `arn:aws:sns:${CLUSTER_REGION}:000000000000:local`,
    QUEUE_VERIFY: "true",
    QUEUE_URL: local("queue"),
    QUEUE_TOKEN: secrets.queueToken,
    QUEUE_CURRENT_SIGNING_KEY: secrets.queueCurrentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: secrets.queueNextSigningKey,
    CLUSTER_REF_CA_CENTRAL_1: CLUSTER_ARN,
    SECRET_REF_CA_CENTRAL_1: SECRET_ARN,
    CLUSTER_DEFAULT_DATABASE: CLUSTER_DATABASE,
  };
  if (!realStore) {
    defaults.CLOUD_S3_ENDPOINT = local("objectStore");
    defaults.CLOUD_S3_FORCE_PATH_STYLE = "true";
  }
  const names = [...Object.keys(defaults), "CLOUD_S3_ENDPOINT", "CLOUD_S3_FORCE_PATH_STYLE"];
  const appEnv: Record<string, string> = {};
  for (const name of names) {
    const value = given(name) ?? defaults[name];
    if (value !== undefined) appEnv[name] = value;
  }
  appEnv.PORT = String(ports.app);
  appEnv.NODE_ENV = app === "built" ? (given("NODE_ENV") ?? "production") : "development";

  const set = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value]] : []));
  const fullEnv: Record<string, string> = { ...Object.fromEntries(set), ...appEnv };
  refuseWrongSettings(fullEnv);

  return {
    appEnv,
    fullEnv,
    demoOrigin: local("demo"),
    bucket: given("DEMO_BUCKET") ?? DEMO_BUCKET,
    external,
  };
}

/** The app would stop at these as well, but only after a build, and in the middle of its output. */
function refuseWrongSettings(env: Record<string, string>): void {
  try {
    parseEnv(env);
  } catch (error) {
    if (error instanceof EnvError) throw new StackError(error.message);
    throw error;
  }
}
