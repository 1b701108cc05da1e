import { IS_LIVE } from "../embed/embed-clients.server";
import { type KeyPolicies, reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import { hideSource, isInReach } from "../events/event-reach.server";
import { EVENT_COLUMNS, type EventRow, type StoredEvent, toEvent } from "../events/stored-event.server";
import { type Database, NOW } from "../providers/database.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { logError, logWarning } from "../shared/log.server";
import { randomBetween } from "../shared/retry";
import { countWebhookAttempt } from "../telemetry/metrics.server";
import { type SendResult, type SendSettings, sendWebhook } from "./send-webhook.server";
import type { WebhookSettings } from "./webhook-endpoints.server";
import { openWebhookSecrets, resealWebhookSecrets } from "./webhook-secret.server";

/** Seconds between the end of an attempt and the next one. After the last attempt, a delivery has failed. */
export const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** How long every attempt must have failed before an endpoint is switched off. */
const MAX_FAILING_DAYS = 9;
/** After this many days without an attempt, the count of failing days restarts at zero. Longer than any pause between two attempts. */
const MAX_QUIET_DAYS = 2;
const HTTP_GONE = 410;
/** How long a process has a delivery for itself. Longer than an attempt can take. */
const CLAIM_SECONDS = 60;
/** While EMBED_SIGNING_SECRET changes, processes with the old one may still write secrets. */
const RESEAL_MS = 3_600_000;
/** Limits of one process, together with `maxRunning`. */
const MAX_RUNNING_PER_COMPANY = 10;
export const MAX_RUNNING_PER_ENDPOINT = 5;

/**
 * After this many failures, a delivery no longer blocks later events of the same subject. The fifth attempt is made two and a half hours
 * after the first. So the order survives a shorter outage, and an event that a receiver never accepts does not block its file for longer.
 */
export const MAX_BLOCKING_FAILURES = 5;

/**
 * A condition: whether a row named `delivery` may be sent now. An event waits for earlier ones of its subject and of its source until they
 * are sent, or have failed `MAX_BLOCKING_FAILURES` times.
 */
const IS_DUE = `next_attempt_at <= ${NOW} AND NOT EXISTS (
  SELECT FROM webhook_deliveries AS earlier
  WHERE earlier.endpoint_id = delivery.endpoint_id AND earlier.subject IN (delivery.subject, delivery.source_subject)
    AND earlier.event_id < delivery.event_id AND earlier.status = 'pending' AND earlier.attempts < ${MAX_BLOCKING_FAILURES}
)`;

/** The endpoints, each with the key that created it, while that is live: nothing is sent for a key that was revoked or has expired. */
const LIVE_ENDPOINTS = `webhook_endpoints AS endpoint JOIN embed_clients AS client ON client.id = endpoint.client_id AND ${IS_LIVE}`;

/** A delivery that this process has claimed. */
interface Delivery {
  companyId: string;
  endpointId: string;
  eventId: string;
  /** null if it has been deleted since the delivery was inserted */
  event: EventRow | null;
  /** attempts that have ended */
  attempts: number;
  /** when the claim ends; it also tells this attempt from others */
  claimEnd: string;
  url: string;
  /** encrypted */
  secrets: string[];
  /** of the key that created the endpoint */
  key: KeyPolicies;
}

/**
 * Claims due deliveries, the oldest of each company first, up to a limit per endpoint and per company.
 * $1: how many attempts run, by endpoint. $2: by company. $3: how many more may run
 */
const CLAIM = `
  WITH candidates AS (
    SELECT due.*, endpoint."companyId",
      row_number() OVER (PARTITION BY endpoint."companyId" ORDER BY due.next_attempt_at, due.event_id) AS place
    FROM ${LIVE_ENDPOINTS} CROSS JOIN LATERAL (
      SELECT endpoint_id, event_id, next_attempt_at FROM webhook_deliveries AS delivery
      WHERE endpoint_id = endpoint.id AND ${IS_DUE}
      ORDER BY next_attempt_at, event_id
      LIMIT greatest(0, ${MAX_RUNNING_PER_ENDPOINT} - coalesce(($1::jsonb->>endpoint.id)::int, 0)) FOR UPDATE OF delivery SKIP LOCKED
    ) AS due
    WHERE endpoint.disabled_at IS NULL
  ), due AS (
    SELECT endpoint_id, event_id FROM candidates
    WHERE place <= ${MAX_RUNNING_PER_COMPANY} - coalesce(($2::jsonb->>"companyId")::int, 0)
    ORDER BY place, next_attempt_at, event_id LIMIT $3
  ), claimed AS (
    UPDATE webhook_deliveries AS delivery SET next_attempt_at = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE delivery.endpoint_id = due.endpoint_id AND delivery.event_id = due.event_id
    RETURNING delivery.endpoint_id, delivery.event_id, delivery.attempts, delivery.next_attempt_at
  )
  SELECT endpoint."companyId", endpoint.id AS "endpointId", event_id AS "eventId", to_jsonb(event) AS event, attempts,
    next_attempt_at::text AS "claimEnd", url,
    jsonb_build_object('id', client.id, 'allowedServices', client.allowed_services, 'allowedScopes', client.allowed_scopes) AS key,
    CASE WHEN previous_secret_until > ${NOW} THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END AS secrets
  FROM claimed JOIN webhook_endpoints AS endpoint ON endpoint.id = endpoint_id
    JOIN embed_clients AS client ON client.id = endpoint.client_id
    LEFT JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM events WHERE id = event_id) AS event ON true`;

/**
 * Records the end of an attempt, if this process still has the claim ($3).
 * $7: the seconds until the next attempt; null if there is none
 */
const END_ATTEMPT = `
  UPDATE webhook_deliveries SET status = $4, attempts = attempts + 1, last_status = $5, error = $6,
    next_attempt_at = ${NOW} + make_interval(secs => $7), delivered_at = CASE WHEN $4 = 'delivered' THEN ${NOW} END
  WHERE endpoint_id = $1 AND event_id = $2 AND next_attempt_at = $3::timestamp AND status = 'pending'`;

/** Deletes the delivery of an event that the endpoint's key may not read, if this process still has the claim ($3). */
const DROP = `
  DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND event_id = $2 AND next_attempt_at = $3::timestamp AND status = 'pending'`;

const ATTEMPT_SUCCEEDED = `
  WITH ended AS (${END_ATTEMPT})
  UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL`;

const FAILING_SINCE = `CASE WHEN last_failed_at > ${NOW} - interval '${MAX_QUIET_DAYS} days' THEN failing_since END`;
const FAILS_TOO_LONG = `${FAILING_SINCE} <= ${NOW} - interval '${MAX_FAILING_DAYS} days'`;

/** Notes since when the endpoint fails, too, and switches it off if it is gone ($8) or has failed for too long. */
const ATTEMPT_FAILED = `
  WITH ended AS (${END_ATTEMPT})
  UPDATE webhook_endpoints SET failing_since = coalesce(${FAILING_SINCE}, ${NOW}), last_failed_at = ${NOW},
    disabled_at = CASE WHEN $8 OR ${FAILS_TOO_LONG} THEN ${NOW} END,
    disabled_reason = CASE WHEN $8 THEN 'It responded with 410 Gone.'
      WHEN ${FAILS_TOO_LONG} THEN 'All attempts of ${MAX_FAILING_DAYS} days have failed.' END
  WHERE id = $1 AND disabled_at IS NULL
  RETURNING "companyId", disabled_reason AS "disabledReason"`;

/** Sends events to webhooks. docs/decisions/0114 */
export class WebhookWorker extends BackgroundWorker<Delivery> {
  protected override readonly maxRunning = 50;
  /** Every attempt ends earlier. */
  protected override readonly maxStopMs = CLAIM_SECONDS * 1_000;
  protected override readonly messages = {
    failing: "Webhooks cannot be sent. They wait for the database.",
    recovered: "Webhooks are sent again.",
    unrecorded: "The end of a webhook's attempt was not recorded.",
  };
  #resealedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Pick<Database, "$driverQuery" | "webhookEndpoint">,
    private readonly settings: SendSettings & WebhookSettings & { services: ServiceRegistry },
  ) {
    super();
  }

  protected override async claim(free: number, running: readonly Delivery[]): Promise<Delivery[]> {
    if (Date.now() - this.#resealedAt > RESEAL_MS) {
      await resealWebhookSecrets(this.database, this.settings.signingSecrets);
      this.#resealedAt = Date.now();
    }
    const byEndpoint = countBy(running, ({ endpointId }) => endpointId);
    const byCompany = countBy(running, ({ companyId }) => companyId);
    const limits = [JSON.stringify(byEndpoint), JSON.stringify(byCompany), free];
    return this.database.$driverQuery<Delivery>(CLAIM, limits);
  }

  protected override async attempt(delivery: Delivery): Promise<void> {
    const { endpointId, eventId, event, attempts, claimEnd } = delivery;
    const attempt = [endpointId, eventId, claimEnd];
    if (event === null) {
      const end = ["failed", null, "The event was deleted.", null];
      await this.database.$driverQuery(END_ATTEMPT, [...attempt, ...end]);
      return;
    }
    const payload = toEvent(event);
    // The policy is that of this moment: somebody may have changed it since the event was recorded.
    const reach = reachOfKey(delivery.key, this.settings.services);
    if (!isInReach(payload, reach)) {
      await this.database.$driverQuery(DROP, attempt);
      return;
    }
    const { status, error } = await this.#send(delivery, hideSource(payload, reach));
    const seconds = RETRY_SECONDS[attempts];
    countWebhookAttempt(error === null ? "delivered" : seconds === undefined ? "given_up" : "failed");
    if (error === null) {
      await this.database.$driverQuery(ATTEMPT_SUCCEEDED, [...attempt, "delivered", status, null, null]);
      return;
    }
    // A tenth more or less, so that what failed together does not return together.
    const end =
      seconds === undefined
        ? ["failed", status, error, null]
        : ["pending", status, error, randomBetween(0.9 * seconds, 1.1 * seconds)];
    const [failing] = await this.database.$driverQuery<{ companyId: string; disabledReason: string | null }>(
      ATTEMPT_FAILED,
      [...attempt, ...end, status === HTTP_GONE],
    );
    if (failing?.disabledReason)
      logWarning(
        `The webhook ${endpointId} of the company ${failing.companyId} was switched off. ${failing.disabledReason}`,
      );
  }

  async #send({ endpointId, url, secrets: sealed }: Delivery, payload: StoredEvent): Promise<SendResult> {
    const secrets = openWebhookSecrets(sealed, this.settings.signingSecrets);
    if (secrets === null) {
      const error = "The secret was encrypted with another EMBED_SIGNING_SECRET.";
      logError(`The webhook ${endpointId} cannot be sent. ${error}`);
      return { status: null, error };
    }
    return sendWebhook({ url, secrets, id: payload.id, payload }, this.settings);
  }
}

function countBy<Item>(items: readonly Item[], idOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of items.map(idOf)) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

const OVERDUE = `
  SELECT coalesce(max(extract(epoch FROM ${NOW} - due.next_attempt_at)), 0)::float8 AS seconds
  FROM ${LIVE_ENDPOINTS} CROSS JOIN LATERAL (
    SELECT next_attempt_at FROM webhook_deliveries AS delivery
    WHERE endpoint_id = endpoint.id AND ${IS_DUE}
    ORDER BY next_attempt_at, event_id LIMIT 1
  ) AS due
  WHERE endpoint.disabled_at IS NULL`;

/** Age of the oldest due delivery, seconds; 0 if none is due. */
export async function findOverdueSeconds(database: Pick<Database, "$driverQuery">): Promise<number> {
  const [row] = await database.$driverQuery<{ seconds: number }>(OVERDUE, []);
  return row?.seconds ?? 0;
}
