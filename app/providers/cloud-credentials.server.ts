import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { fromNodeProviderChain, fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import type { CloudCredentials } from "../env/env.server";
import { messageOf } from "../shared/error-text";
import { logWarning, redactAlso } from "../shared/log.server";
import { randomBetween, retry } from "../shared/retry";
import { withinLimit } from "../shared/within-limit";
import { CredentialsError } from "./connection-errors";
import { sessionPolicy } from "./least-rights";

/** What signs a request. Without `expiration` it never ends. */
export interface SigningCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  expiration?: Date | undefined;
}

/** Credentials are renewed this long before their end, and up to a minute later, so that not all replicas renew at once. */
const RENEW_BEFORE_MS = 10 * 60_000;
/** A call waits for a renewal if the old credentials end before a URL that is signed now: it may live for five minutes. */
const WAIT_BEFORE_MS = 5 * 60_000;
/** How long a call waits for a renewal, with all its attempts. */
const RENEWAL_TIMEOUT_MS = 4_000;
/** How long the provider chain waits for one response of an endpoint. */
const ENDPOINT_TIMEOUT_MS = 1_000;
/** The longest pause between two renewals: after a failed one, and while the provider hands out credentials that soon end. */
const MAX_PAUSE_MS = 60_000;
const FIRST_PAUSE_AFTER_FAILURE_MS = 1_000;
const MAX_PAUSE_AFTER_FAILURE_MS = 15_000;

type Provider = () => Promise<SigningCredentials>;

/**
 * Keeps credentials, and renews them before they end. Concurrent calls share one renewal. If it fails, the old ones are used until their
 * end.
 * @param fetch gets new credentials; called anew for each attempt
 * @param timeoutMs how long a call waits for a renewal
 * @returns a function that throws CredentialsError while there are no valid ones
 */
export function renewed(fetch: Provider, timeoutMs = RENEWAL_TIMEOUT_MS): Provider {
  let current: SigningCredentials | undefined;
  let renewal: Promise<void> | undefined;
  let failure: unknown;
  let failures = 0;
  /** unix milliseconds: no renewal begins before */
  let renewAt = 0;

  /** An endpoint may hand out what it has kept for too long, or a date that is none. What is at hand must not give way to that. */
  async function fetchValid(): Promise<SigningCredentials> {
    const fetched = await fetch();
    if (lifeOf(fetched) > 0) return fetched;
    throw new Error("the provider handed out credentials that have ended, or whose end is not a time");
  }

  async function renew(): Promise<void> {
    // The longest attempt ends as late as the renewal. Quick failures are tried again before that.
    const deadline = performance.now() + timeoutMs / 2;
    const options = { firstPauseMs: 200, maxPauseMs: 1_000, retries: 2, deadline, shouldRetry: () => true };
    const late = () => new Error(`no response within ${timeoutMs} ms`);
    try {
      current = await withinLimit(timeoutMs, retry(fetchValid, options), late);
      redactAlso([current.secretAccessKey, current.sessionToken ?? ""]);
      failures = 0;
      const life = lifeOf(current);
      const shortPauseMs = Math.min(life / 2, MAX_PAUSE_MS);
      renewAt =
        life > RENEW_BEFORE_MS
          ? Date.now() + life - RENEW_BEFORE_MS + randomBetween(0, MAX_PAUSE_MS)
          : Date.now() + randomBetween(shortPauseMs / 2, shortPauseMs);
    } catch (error) {
      failure = error;
      failures++;
      const pauseMs = Math.min(
        FIRST_PAUSE_AFTER_FAILURE_MS * 2 ** (failures - 1),
        MAX_PAUSE_AFTER_FAILURE_MS,
      );
      const life = lifeOf(current);
      // Those at hand must not end during the first pause: calls would be refused, although another attempt may succeed.
      const longestMs = failures === 1 && current !== undefined ? Math.max(life, 0) / 2 : pauseMs;
      renewAt = Date.now() + Math.min(randomBetween(pauseMs / 2, pauseMs), longestMs);
      const left = Math.floor(life / 1000);
      logWarning(
        `The credentials of the cloud could not be renewed: ${messageOf(error)}. ` +
          `${left > 0 ? `Those at hand end in ${left} seconds.` : "There are none now."} Run npm run doctor -- --only credentials.`,
      );
    }
  }

  async function renewIfDue(): Promise<void> {
    if (Date.now() >= renewAt)
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
    if (lifeOf(current) <= WAIT_BEFORE_MS) await renewal;
  }

  return async () => {
    await renewIfDue();
    // They ended while the provider was silent. After its first failure, another renewal is due at once.
    if (current !== undefined && lifeOf(current) <= 0) await renewIfDue();
    if (current !== undefined && lifeOf(current) > 0) return current;
    throw new CredentialsError(failure);
  };
}

/** Milliseconds until they end. */
function lifeOf(credentials: SigningCredentials | undefined): number {
  if (credentials === undefined) return 0;
  return (credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
}

/** Whole seconds until they end; Infinity if they never do. */
export const secondsOf = (credentials: SigningCredentials) => Math.floor(lifeOf(credentials) / 1000);

/** Its warnings go into the log. */
const chainLogger = {
  debug() {},
  info() {},
  warn: (...content: unknown[]) => logWarning(content.map(String).join(" ")),
  error: (...content: unknown[]) => logWarning(content.map(String).join(" ")),
};

/**
 * The AWS SDK's own chain, with time limits. It is made anew for each renewal, because it remembers a request that hangs, and would wait for
 * it for ever.
 */
function fetchFrom({ accessKey, assumeRoleArn, region }: CloudCredentials): Provider {
  const clientConfig = {
    region,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: ENDPOINT_TIMEOUT_MS,
      requestTimeout: 2 * ENDPOINT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  };
  const base = () =>
    accessKey
      ? async () => accessKey
      : fromNodeProviderChain({
          timeout: ENDPOINT_TIMEOUT_MS,
          // `renewed` repeats all of it, with random pauses.
          maxRetries: 0,
          clientConfig,
          logger: chainLogger,
        });
  if (assumeRoleArn === undefined) return () => base()();
  const params = { RoleArn: assumeRoleArn, RoleSessionName: "platform-embed", Policy: sessionPolicy() };
  return () => fromTemporaryCredentials({ masterCredentials: base(), params, clientConfig })();
}

/** The object store, e-mail and clusters have the same settings, and renew together. */
const providers = new WeakMap<CloudCredentials, Provider>();

/**
 * What the SDK's clients take as `credentials`. It throws CredentialsError if there are none, within a few seconds.
 * @param settings of the environment; the same object always has the same provider
 */
export function credentialsFor(settings: CloudCredentials): Provider {
  const known = providers.get(settings);
  if (known !== undefined) return known;
  const { accessKey, assumeRoleArn } = settings;
  const isConstant = accessKey !== undefined && assumeRoleArn === undefined;
  const provider = isConstant ? async () => accessKey : renewed(fetchFrom(settings));
  providers.set(settings, provider);
  return provider;
}

/**
 * Asks Amazon STS whose the credentials are.
 * @returns an ARN, of a role without the name of its session, which may be a person's e-mail address. Throws what the SDK throws.
 */
export async function whoseCredentials(
  settings: CloudCredentials,
  abortSignal: AbortSignal,
): Promise<string> {
  const client = new STSClient({
    region: settings.region,
    credentials: credentialsFor(settings),
    maxAttempts: 1,
  });
  try {
    const { Arn = "" } = await client.send(new GetCallerIdentityCommand({}), { abortSignal });
    return Arn.replace(/^(arn:[^:]*:sts::[^:]*:assumed-role\/[^/]*)\/.*$/, "$1");
  } finally {
    client.destroy();
  }
}
