/** Which parts of the stack are ours, which are somebody's real ones, and what the app is told of them. */
import type { Part, Ports } from "./addresses";
import type { Secrets } from "./secrets";

/** The only region with a cluster, so that a database in any other stays `pending`. */
export const CLUSTER_REGION = "ca-central-1";
export const CLUSTER_ARN = `arn:aws:rds:${CLUSTER_REGION}:000000000000:cluster:local`;
export const SECRET_ARN = `arn:aws:secretsmanager:${CLUSTER_REGION}:000000000000:secret:local`;
const CLUSTER_DATABASE = "postgres";
const DEMO_BUCKET = "demo-files";

export interface Settings {
  /** the environment of the app, less what it inherits from whoever started the stack */
  appEnv: Record<string, string>;
  demoOrigin: string;
  bucket: string;
  /** parts that step aside because a setting names a real one */
  stepAside: Set<Part>;
}

/** `env` is what the person who started the stack set; a blank counts as unset. */
export function settle(ports: Ports, secrets: Secrets, env: Record<string, string | undefined>): Settings {
  const given = (name: string) => env[name]?.trim() || undefined;
  const local = (part: Part) => `http://127.0.0.1:${ports[part]}`;

  const hasKeys = Boolean(given("CLOUD_ACCESS_KEY_ID") && given("CLOUD_SECRET_ACCESS_KEY"));
  const realStore = Boolean(given("CLOUD_S3_ENDPOINT")) || (hasKeys && Boolean(given("CLOUD_REGION")));
  const stepAside = new Set<Part>();
  if (given("POSTGRES_URL")) stepAside.add("postgres");
  if (realStore) stepAside.add("objectStore");
  if (given("CLOUD_SES_ENDPOINT")) stepAside.add("mailbox");
  if (given("CLOUD_RDS_DATA_ENDPOINT")) stepAside.add("dataApi");

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
    QUEUE_VERIFY: "true",
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
  const appEnv = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, given(name) ?? value]),
  );
  return {
    appEnv: { ...appEnv, PORT: String(ports.app) },
    demoOrigin: local("demo"),
    bucket: given("DEMO_BUCKET") ?? DEMO_BUCKET,
    stepAside,
  };
}
