import { ok, runCheck, toFindings, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import type { Env } from "../env/env.server";
import { credentialsFor, secondsOf, whoseCredentials } from "../providers/cloud-credentials.server";
import { CredentialsError } from "../providers/connection-errors";
import { messageOf } from "../shared/error-text";
import type { CheckGroup } from "./context";

/** A presigned URL lives as long, if the credentials do. */
const MIN_SECONDS = 5 * 60;

/** Where the credentials come from, whose they are and when they end. They are never printed. */
export const checkCredentials: CheckGroup = async ({ env, limits }) => {
  const { credentials, endpoint } = env.objectStore;
  const source = await runCheck(
    {
      name: "credentials.source",
      run: () => judgeSource(credentials),
      explain: (error) => explainMissing(credentials, error),
    },
    limits,
  );
  // Other stores have keys of their own, and no STS.
  const isAmazon =
    endpoint === undefined || credentials.accessKey === undefined || credentials.assumeRoleArn !== undefined;
  if (source.some(({ status }) => status === "error") || !isAmazon) return source;
  const owner = await runCheck(
    {
      name: "credentials.owner",
      run: async (signal) => ok(`They are those of ${await whoseCredentials(credentials, signal)}.`),
      explain: (error) =>
        warning(
          `Whose they are could not be asked: ${limits.redact?.(messageOf(error)) ?? ""}`,
          "Let this machine reach Amazon STS in CLOUD_REGION. The service itself needs it for CLOUD_ASSUME_ROLE_ARN and for web identity alone.",
        ),
    },
    limits,
  );
  return [...source, ...owner];
};

type Credentials = Env["objectStore"]["credentials"];

async function judgeSource(settings: Credentials): Promise<Verdict[]> {
  const { accessKey, assumeRoleArn } = settings;
  const credentials = await credentialsFor(settings)();
  const base = accessKey ? "the key in CLOUD_ACCESS_KEY_ID" : "the default chain of the AWS SDK";
  const from =
    assumeRoleArn === undefined ? base : `the role in CLOUD_ASSUME_ROLE_ARN, which is assumed with ${base}`;
  const { expiration } = credentials;
  if (expiration === undefined)
    return [
      accessKey?.sessionToken
        ? warning(
            `The credentials come from ${from}. CLOUD_SESSION_TOKEN ends, and nothing renews it.`,
            "On AWS, give the server a role and set CLOUD_CREDENTIALS=default. Otherwise use a key without a session.",
          )
        : ok(`The credentials come from ${from}. They have no end.`),
    ];
  const seconds = secondsOf(credentials);
  const verdict = `The credentials come from ${from}. They end at ${expiration.toISOString()}, and are renewed before.`;
  if (seconds >= MIN_SECONDS) return [ok(verdict)];
  return toFindings(
    "credentials.life",
    warning(
      `${verdict} That is in ${seconds} s, and presigned URLs end with them.`,
      "Let the provider hand out credentials that live for 15 minutes or longer.",
    ),
  );
}

function explainMissing({ accessKey, assumeRoleArn }: Credentials, error: unknown): Verdict {
  const cause = error instanceof CredentialsError ? error.cause : error;
  const message = `There are no credentials: ${messageOf(cause)}`;
  if (assumeRoleArn !== undefined)
    return wrong(
      message,
      "Let the role in CLOUD_ASSUME_ROLE_ARN trust whoever assumes it, and grant that sts:AssumeRole on the role.",
    );
  return wrong(
    message,
    accessKey
      ? "Set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY to a key that is active."
      : "Give the server a role: of its instance, its container or its service account (docs/guide/production.md). Where there are none, set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY in place of CLOUD_CREDENTIALS.",
  );
}
