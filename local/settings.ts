/** The settings of the app in the local stack, and the services that are external because a setting names a real one. */
import { EnvError, parseEnv } from "../app/env/env.server";
import { type AppMode, type Ports, type Service, StackError } from "./addresses";
import type { Secrets } from "./state-folder";

/** The only region with a cluster: a database in any other region stays `pending`. */
export const CLUSTER_REGION = "ca-central-1";
export const CLUSTER_ARN = `arn:aws:rds:${CLUSTER_REGION}:000000000000:cluster:local`;
export const SECRET_ARN = `arn:aws:secretsmanager:${CLUSTER_REGION}:000000000000:secret:local`;
const CLUSTER_DATABASE = "postgres";
const DEMO_BUCKET = "demo-files";

export interface Settings {
  /** the settings for which the stack has defaults */
  appEnv: Record<string, string>;
  /** `appEnv`, and all other variables that were set: the environment of the app */
  fullEnv: Record<string, string>;
  demoOrigin: string;
  bucket: string;
  /** services that are not started, because a setting names a real one */
  external: Set<Service>;
}

/**
 * @param env the environment of the person who started the stack; blank means unset
 * @throws StackError naming each variable that the app would refuse
 */
export function resolveSettings(
  ports: Ports,
  secrets: Secrets,
  env: Record<string, string | undefined>,
  app: AppMode,
): Settings {
  const given = (name: string) => env[name]?.trim() || undefined;
  const local = (service: Service) => `http://127.0.0.1:${ports[service]}`;

  const isRole = Boolean(given("CLOUD_CREDENTIALS"));
  const hasKeys = Boolean(given("CLOUD_ACCESS_KEY_ID") && given("CLOUD_SECRET_ACCESS_KEY"));
  // The local store knows no roles.
  const realStore =
    isRole || Boolean(given("CLOUD_S3_ENDPOINT")) || (hasKeys && Boolean(given("CLOUD_REGION")));
  const external = new Set<Service>();
  if (given("POSTGRES_URL")) external.add("postgres");
  if (realStore) external.add("objectStore");
  if (given("CLOUD_SES_ENDPOINT")) external.add("mailbox");
  if (given("CLOUD_RDS_DATA_ENDPOINT")) external.add("dataApi");
  if (given("QUEUE_URL")) external.add("queue");

  const defaults: Record<string, string> = {
    API_BASE_URL: local("app"),
    PLATFORM_BASE_URL: `http://localhost:${ports.app}`,
    // Not reachable from outside this machine, and `localhost` works too.
    HOST: "127.0.0.1",
    POSTGRES_URL: `postgresql://postgres:${secrets.postgresPassword}@127.0.0.1:${ports.postgres}/platform`,
    EMBED_SIGNING_SECRET: secrets.embedSigningSecret,
    // Not reachable from outside this machine. If API_BEARER_TOKEN is set, it is required all the same.
    API_ALLOW_ANONYMOUS: "true",
    CLOUD_REGION: CLUSTER_REGION,
    ...(!isRole && {
      CLOUD_ACCESS_KEY_ID: secrets.accessKeyId,
      CLOUD_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    }),
    CLOUD_SES_ENDPOINT: local("mailbox"),
    CLOUD_RDS_DATA_ENDPOINT: local("dataApi"),
    EMAIL_FROM: "no-reply@platform.example",
    // Does not exist: Amazon delivers nothing to this machine, and nobody else can sign for its topics.
    EMAIL_EVENTS_TOPICS: `arn:aws:sns:${CLUSTER_REGION}:000000000000:local`,
    STORAGE_EVENTS_TOPICS: `arn:aws:sns:${CLUSTER_REGION}:000000000000:local`,
    QUEUE_VERIFY: "true",
    QUEUE_URL: local("queue"),
    QUEUE_TOKEN: secrets.queueToken,
    QUEUE_CURRENT_SIGNING_KEY: secrets.queueCurrentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: secrets.queueNextSigningKey,
    CLUSTER_REF_CA_CENTRAL_1: CLUSTER_ARN,
    SECRET_REF_CA_CENTRAL_1: SECRET_ARN,
    CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${ports.postgres}`,
    CLUSTER_DEFAULT_DATABASE: CLUSTER_DATABASE,
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  if (!realStore) {
    defaults.CLOUD_S3_ENDPOINT = local("objectStore");
    defaults.CLOUD_S3_FORCE_PATH_STYLE = "true";
  }
  const names = [
    ...Object.keys(defaults),
    "CATALOGUE_MAX_LAG_SECONDS",
    "CLOUD_S3_ENDPOINT",
    "CLOUD_S3_FORCE_PATH_STYLE",
    "CLOUD_CREDENTIALS",
    "CLOUD_ASSUME_ROLE_ARN",
    "CLOUD_SESSION_TOKEN",
  ];
  const appEnv: Record<string, string> = {};
  for (const name of names) {
    const value = given(name) ?? defaults[name];
    if (value !== undefined) appEnv[name] = value;
  }
  appEnv.PORT = String(ports.app);
  appEnv.NODE_ENV = app === "built" ? (given("NODE_ENV") ?? "production") : "development";

  const set = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value]] : []));
  const fullEnv: Record<string, string> = { ...Object.fromEntries(set), ...appEnv };
  checkSettings(fullEnv);

  return {
    appEnv,
    fullEnv,
    demoOrigin: local("demo"),
    bucket: given("DEMO_BUCKET") ?? DEMO_BUCKET,
    external,
  };
}

/** The app would refuse them as well, but only after a build, and in the middle of its output. */
function checkSettings(env: Record<string, string>): void {
  try {
    parseEnv(env);
  } catch (error) {
    if (error instanceof EnvError) throw new StackError(error.message);
    throw error;
  }
}
