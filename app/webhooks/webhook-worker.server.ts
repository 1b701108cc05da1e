import { reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import { hideSource, isInReach } from "../events/event-reach.server";
import { type StoredEvent, toEvent } from "../events/stored-event.server";
import type { Database } from "../providers/database.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { logError, logWarning } from "../shared/log.server";
import { randomBetween } from "../shared/retry";
import { countWebhookAttempt } from "../telemetry/metrics.server";
import { type SendResult, type SendSettings, sendWebhook } from "./send-webhook.server";
import type { WebhookSettings } from "./webhook-endpoints.server";
import { openWebhookSecrets, resealWebhookSecrets } from "./webhook-secret.server";
import {
  CLAIM_SECONDS,
  claimDeliveries,
  type Delivery,
  deleteClaimed,
  endAttempt,
  endFailedAttempt,
  endSuccessfulAttempt,
} from "./webhooks.sql.server";

/** Seconds between the end of an attempt and the next one. After the last attempt, a delivery has failed. */
export const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const HTTP_GONE = 410;
/** The end of a delivery that can never be sent. */
const NOT_SENT = { status: "failed", lastStatus: null, retrySeconds: null } as const;
/** While EMBED_SIGNING_SECRET changes, processes with the old one may still write secrets. */
const RESEAL_MS = 3_600_000;
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
    const byKey = countBy(running, ({ key }) => key.id);
    const byCompany = countBy(running, ({ companyId }) => companyId);
    const counts = { byEndpoint, byKey, byCompany };
    const { deliveries, unreadable } = await claimDeliveries(this.database, counts, free);
    for (const { reason, ...claim } of unreadable) {
      logError(`The event ${claim.eventId} cannot be sent to the webhook ${claim.endpointId}. ${reason}`);
      const end = { ...NOT_SENT, error: "The event or its webhook cannot be read." };
      await endAttempt(this.database, claim, end).catch((thrown: unknown) =>
        logError(this.messages.unrecorded, { thrown }),
      );
    }
    return deliveries;
  }

  protected override async attempt(delivery: Delivery): Promise<void> {
    const { companyId, endpointId, event, attempts } = delivery;
    if (event === null) {
      await endAttempt(this.database, delivery, { ...NOT_SENT, error: "The event was deleted." });
      return;
    }
    const payload = toEvent(event);
    // The policy is that of this moment: somebody may have changed it since the event was recorded.
    const reach = reachOfKey(delivery.key, this.settings.services);
    if (!isInReach(payload, reach)) {
      await deleteClaimed(this.database, delivery);
      return;
    }
    const { status: lastStatus, error } = await this.#send(delivery, hideSource(payload, reach));
    const seconds = RETRY_SECONDS[attempts];
    countWebhookAttempt(error === null ? "delivered" : seconds === undefined ? "given_up" : "failed");
    if (error === null) {
      const end = { status: "delivered", lastStatus, error, retrySeconds: null } as const;
      await endSuccessfulAttempt(this.database, delivery, end);
      return;
    }
    const status = seconds === undefined ? "failed" : "pending";
    // A tenth more or less, so that what failed together does not return together.
    const retrySeconds = seconds === undefined ? null : randomBetween(0.9 * seconds, 1.1 * seconds);
    const end = { status, lastStatus, error, retrySeconds } as const;
    const disabledReason = await endFailedAttempt(this.database, delivery, end, lastStatus === HTTP_GONE);
    if (disabledReason !== undefined)
      logWarning(`The webhook ${endpointId} of the company ${companyId} was switched off. ${disabledReason}`);
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
