import { isNear } from "../../embed-element/doctor/is-near";
import { ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { type Env, EnvError, type EnvVariables, parseEnv, warningsOf } from "../env/env.server";
import { schema } from "../env/variables.server";

/** The environment, as far as it is valid. */
interface ReadEnvironment {
  verdicts: Verdict[];
  /** with stand-ins if a variable is missing or invalid; undefined when not even that can be read */
  env: Env | undefined;
  /** names of the variables that are missing or invalid: what needs them cannot be checked */
  unusable: ReadonlySet<string>;
}

/** For variables that the schema requires. Nothing is ever sent to these addresses. */
const STAND_INS: EnvVariables = {
  API_BASE_URL: "http://api.invalid",
  PLATFORM_BASE_URL: "http://platform.invalid",
  POSTGRES_URL: "postgresql://database.invalid/none",
  EMBED_SIGNING_SECRET: "stand-in",
  CLOUD_REGION: "stand-in",
  CLOUD_ACCESS_KEY_ID: "stand-in",
  CLOUD_SECRET_ACCESS_KEY: "stand-in",
};

/** Every issue of the environment at once, and the rest of it, so that one invalid variable does not hide other problems. */
export function readEnvironment(variables: EnvVariables): ReadEnvironment {
  const misspelt = misspeltVariables(variables);
  try {
    const env = parseEnv(variables);
    const warnings = [
      ...misspelt,
      ...warningsOf(env).map((sentence) => warning(sentence, remedyFor(sentence))),
    ];
    const verdicts = warnings.length > 0 ? warnings : [ok("Every variable is in order.")];
    return { verdicts, env, unusable: new Set() };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return {
      verdicts: [...error.issues.map((issue) => wrong(`${issue}.`, remedyFor(issue))), ...misspelt],
      env: parseRest(variables, error.issues),
      unusable: new Set(error.issues.map(variableIn)),
    };
  }
}

/** Variables that are not ours, but have almost the name of one that is and is not set. */
function misspeltVariables(variables: EnvVariables): Verdict[] {
  const unset = Object.keys(schema.shape).filter((name) => variables[name] === undefined);
  return Object.keys(variables).flatMap((name) => {
    if (name in schema.shape) return [];
    const meant = unset.find((known) => isNear(name, known));
    return meant === undefined
      ? []
      : warning(`${name} is not a variable of this service.`, `Did you mean ${meant}?`);
  });
}

const remedyFor = (sentence: string) =>
  `${/^\w+ is true:/.test(sentence) ? "Unset" : "Set"} ${variableIn(sentence)} (docs/reference/settings.md).`;

/** Every issue and warning begins with the name of its variable. */
function variableIn(sentence: string): string {
  return /^[\w-]+/.exec(sentence)?.[0] ?? "";
}

function parseRest(variables: EnvVariables, issues: readonly string[]): Env | undefined {
  // An issue of a pair (cluster and secret, two names of one secret) names both; neither is valid without the other.
  const names = issues.flatMap((issue) => issue.match(/\b[A-Z]+(?:_[A-Z0-9-]+)+\b/gi) ?? []);
  const rest: EnvVariables = { ...variables, NODE_ENV: "development" };
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
