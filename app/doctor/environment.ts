import type { Source } from "../env/parse.server";
import { type Env, EnvError, parseEnv, warningsOf } from "../env.server";
import { ok, type Verdict, warning, wrong } from "./finding";

/** What the environment says, as far as it can be understood. */
export interface ReadEnvironment {
  findings: Verdict[];
  /** with stand-ins where a variable is missing or wrong; undefined when not even that can be read */
  env: Env | undefined;
  /** names of the variables that are missing or invalid: what needs them cannot be checked */
  unusable: ReadonlySet<string>;
}

/** For variables that the schema cannot do without. Nobody is ever asked at these addresses. */
const STAND_INS: Source = {
  API_BASE_URL: "http://api.invalid",
  PLATFORM_BASE_URL: "http://platform.invalid",
  POSTGRES_URL: "postgresql://database.invalid/none",
  EMBED_SIGNING_SECRET: "stand-in",
  CLOUD_REGION: "stand-in",
  CLOUD_ACCESS_KEY_ID: "stand-in",
  CLOUD_SECRET_ACCESS_KEY: "stand-in",
};

const SEE = "(docs/reference/settings.md)";

/** Every issue of the environment at once, and the rest of it, so that one invalid variable hides nothing else. */
export function readEnvironment(source: Source): ReadEnvironment {
  try {
    const env = parseEnv(source);
    const findings = warningsOf(env).map((sentence) => warning(sentence, `Set ${nameIn(sentence)} ${SEE}.`));
    return {
      findings: findings.length > 0 ? findings : [ok("Every variable is in order.")],
      env,
      unusable: new Set(),
    };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    const unusable = new Set(error.issues.map(nameIn));
    return {
      findings: error.issues.map((issue) => wrong(`${issue}.`, `Set ${nameIn(issue)} ${SEE}.`)),
      env: parseRest(source, error.issues),
      unusable,
    };
  }
}

/** Every issue and warning begins with the name of its variable. */
function nameIn(sentence: string): string {
  return /^[\w-]+/.exec(sentence)?.[0] ?? "";
}

function parseRest(source: Source, issues: readonly string[]): Env | undefined {
  // An issue of a pair (cluster and secret, two names of one secret) names both: each without the other is one too.
  const names = issues.flatMap((issue) => issue.match(/\b[A-Z]+(?:_[A-Z0-9-]+)+\b/gi) ?? []);
  const rest: Source = { ...source, NODE_ENV: "development" };
  for (const name of names) {
    const isStillUseful = name === "EMBED_SIGNING_SECRET" || name === "API_BEARER_TOKEN";
    if (name in STAND_INS || !isStillUseful) rest[name] = STAND_INS[name];
  }
  try {
    return parseEnv(rest);
  } catch (error) {
    if (error instanceof EnvError) return undefined;
    throw error;
  }
}
