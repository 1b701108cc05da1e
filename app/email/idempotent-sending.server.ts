import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "../app-error";
import { logError } from "../log.server";
import type { Database } from "../providers/database.server";

const RULE = "must be 1 to 255 visible ASCII characters, without spaces; send it once";

/** The header `Idempotency-Key`. Sent twice, its values come with a comma and a space between them. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, { error: RULE });

/** hours in which a key stands for one request */
const KEEP_HOURS = 24;
/** seconds. A request sends for less than half of that (REQUEST_BUDGET_MS): one that has not ended by then has died. */
const CLAIM_SECONDS = 30;
/** seconds: how soon it may be asked again what a running request has come to */
const LATEST_RETRY = 5;

/** Whose request it is, and what it says. Of none of it anything but a hash is kept. */
export interface KeyedRequest {
  /** the caller's token */
  caller: string;
  key: string;
  /** the body as it came */
  body: unknown;
}

/** The provider's id of a message; null: it was handed over, and nobody knows what came of it. */
type Outcome = string | null;

interface Row {
  body_hash: string;
  outcomes: Record<string, Outcome>;
  /** 0 or less: nobody is sending it */
  seconds_left: number;
}

/**
 * What a request with an `Idempotency-Key` has come to, by the places of its recipients. What certainly was not sent is forgotten, so that a
 * repeated request sends it; what was, or may have been, is not sent again. docs/decisions/0093.
 */
export class IdempotentSending {
  private constructor(
    private readonly database: Database,
    private readonly keyHash: string,
    /** null where every recipient has an outcome: there is nothing to send */
    private readonly claimId: string | null,
    private readonly earlier: Record<string, Outcome>,
  ) {}

  /**
   * Claims the key for this request. One statement decides, by the database's clock, so it holds among any number of replicas.
   * @param recipients how many the request has
   * @throws AppError `idempotency_mismatch`, `idempotency_in_progress`
   */
  static async begin(
    database: Database,
    { caller, key, body }: KeyedRequest,
    recipients: number,
  ): Promise<IdempotentSending> {
    const keyHash = hash("sha256", JSON.stringify([caller, key]));
    const bodyHash = hash("sha256", keyHash + canonical(body));
    const claimId = randomUUID();
    const [claimed] = await database.$driverQuery<Pick<Row, "outcomes">>(CLAIM, [
      keyHash,
      bodyHash,
      claimId,
      recipients,
    ]);
    if (claimed) return new IdempotentSending(database, keyHash, claimId, claimed.outcomes);

    const [found] = await database.$driverQuery<Row>(FIND, [keyHash]);
    if (found && found.body_hash !== bodyHash) {
      const message = "This Idempotency-Key has been used with another body. Use a new key for a new e-mail.";
      throw new AppError("idempotency_mismatch", message);
    }
    const isDone = found && found.seconds_left <= 0 && Object.keys(found.outcomes).length >= recipients;
    if (isDone) return new IdempotentSending(database, keyHash, null, found.outcomes);
    // Where it was ended or deleted between the two statements, it is free at once.
    const secondsLeft = Math.max(1, found?.seconds_left ?? 1);
    throw new AppError(
      "idempotency_in_progress",
      "A request with this Idempotency-Key is being answered. Send the same again in a moment.",
      { retryAfterSeconds: Math.min(LATEST_RETRY, secondsLeft) },
    );
  }

  /** What an earlier request has come to for a recipient; undefined: certainly nothing was sent. */
  outcomeOf(place: number): Outcome | undefined {
    return this.earlier[place];
  }

  /** Writes down that a message is about to be handed over. @throws AppError `unavailable` when it must not be */
  async handingOver(place: number): Promise<void> {
    const isOurs = await this.#update("outcomes || jsonb_build_object($3::text, NULL)", place);
    if (isOurs) return;
    throw new AppError("unavailable", "Another request with this Idempotency-Key has taken over.", {
      retryAfterSeconds: LATEST_RETRY,
    });
  }

  /** Never rejects: what cannot be written down stays a message of which nobody knows. */
  async sent(place: number, messageId: string): Promise<void> {
    await this.#update("outcomes || jsonb_build_object($3::text, $4::text)", place, messageId).catch(report);
  }

  /** Certainly. Never rejects, as `sent`. */
  async notSent(place: number): Promise<void> {
    await this.#update("outcomes - $3::text", place).catch(report);
  }

  /** Lets go of the key. Never rejects: a claim that stays lapses. */
  async end(): Promise<void> {
    const release = "UPDATE idempotency_keys SET claim_id = NULL WHERE key_hash = $1 AND claim_id = $2";
    if (this.claimId !== null)
      await this.database.$driverQuery(release, [this.keyHash, this.claimId]).catch(report);
  }

  /** @returns whether the claim is still ours */
  async #update(outcomes: string, place: number, ...values: string[]): Promise<boolean> {
    const rows = await this.database.$driverQuery(
      `UPDATE idempotency_keys SET outcomes = ${outcomes} WHERE key_hash = $1 AND claim_id = $2 RETURNING 1`,
      [this.keyHash, this.claimId, String(place), ...values],
    );
    return rows.length === 1;
  }
}

function report(thrown: unknown): void {
  logError("What became of a message could not be written down for its Idempotency-Key.", { thrown });
}

/** JSON in one spelling: members by their names, so that it does not matter in which order a sender has them. */
function canonical(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const NOW = "now() AT TIME ZONE 'utc'";
const IS_FREE = `(known.claim_id IS NULL OR known.claimed_at <= ${NOW} - interval '${CLAIM_SECONDS} seconds')`;
const IS_OVER = `known.created_at <= ${NOW} - interval '${KEEP_HOURS} hours'`;

/** `$1` key, `$2` body, `$3` claim, `$4` the number of recipients. */
const CLAIM = `
  INSERT INTO idempotency_keys AS known (key_hash, body_hash, created_at, claim_id, claimed_at)
  VALUES ($1, $2, ${NOW}, $3, ${NOW})
  ON CONFLICT (key_hash) DO UPDATE SET
    body_hash = EXCLUDED.body_hash,
    created_at = CASE WHEN ${IS_OVER} THEN EXCLUDED.created_at ELSE known.created_at END,
    claim_id = EXCLUDED.claim_id,
    claimed_at = EXCLUDED.claimed_at,
    outcomes = CASE WHEN ${IS_OVER} THEN '{}' ELSE known.outcomes END
  WHERE ${IS_FREE} AND (${IS_OVER} OR (known.body_hash = EXCLUDED.body_hash
    AND (SELECT count(*) FROM jsonb_object_keys(known.outcomes)) < $4::int))
  RETURNING outcomes`;

const FIND = `
  SELECT body_hash, outcomes,
         CASE WHEN claim_id IS NULL THEN 0
              ELSE ceil(${CLAIM_SECONDS} - extract(epoch FROM ${NOW} - claimed_at))::int END AS seconds_left
    FROM idempotency_keys WHERE key_hash = $1`;
