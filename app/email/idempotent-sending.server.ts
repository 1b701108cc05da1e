import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { claimKey, deleteOutcome, findKey, type Outcome, setOutcome } from "./idempotency-keys.sql.server";

const RULE = "must be 1 to 255 visible ASCII characters, without spaces; send it once";

/** The header `Idempotency-Key`. A header that is sent twice arrives as one value with a comma and a space in it, which is invalid. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: RULE })
  .describe("of your choice: the same request with the same key sends each e-mail once");

/** How long a caller should wait at most before it asks again about a running request. */
const MAX_RETRY_AFTER_SECONDS = 5;

/** A request with an `Idempotency-Key`. Only hashes of these values are stored. */
export interface KeyedRequest {
  /** the caller's token */
  caller: string;
  key: string;
  /** the body as the caller sent it */
  body: unknown;
}

/**
 * The outcomes of a request with an `Idempotency-Key`, by the index of each recipient. A message that is known not to have been sent has
 * no outcome, so that a repeated request sends it. A message that was sent, or may have been, is not sent again. docs/decisions/0093.
 */
export class IdempotentSending {
  private constructor(
    private readonly database: Database,
    private readonly keyHash: string,
    /** null if every recipient has an outcome, so that there is nothing to send */
    private readonly claimId: string | null,
    private readonly earlier: Record<string, Outcome>,
  ) {}

  /**
   * Claims the key for this request. One statement decides, by the database's clock, so that it works with any number of replicas.
   * @param recipients the number of recipients of the request
   * @throws AppError `idempotency_mismatch`, `idempotency_in_progress`
   */
  static async begin(
    database: Database,
    { caller, key, body }: KeyedRequest,
    recipients: number,
  ): Promise<IdempotentSending> {
    const keyHash = hash("sha256", JSON.stringify([caller, key]));
    const bodyHash = hash("sha256", keyHash + canonicalJson(body));
    const claimId = randomUUID();
    const claimed = await claimKey(database, { keyHash, bodyHash, claimId, recipients });
    if (claimed) return new IdempotentSending(database, keyHash, claimId, claimed);

    const found = await findKey(database, keyHash);
    if (found && found.bodyHash !== bodyHash) {
      const message = "This Idempotency-Key has been used with another body. Use a new key for a new e-mail.";
      throw new AppError("idempotency_mismatch", message);
    }
    const isDone = found && found.secondsLeft <= 0 && Object.keys(found.outcomes).length >= recipients;
    if (isDone) return new IdempotentSending(database, keyHash, null, found.outcomes);
    // If the claim ended or was deleted between the two statements, the key is free at once.
    const secondsLeft = Math.max(1, found?.secondsLeft ?? 1);
    throw new AppError(
      "idempotency_in_progress",
      "A request with this Idempotency-Key is still running. Repeat it in a moment.",
      { retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, secondsLeft) },
    );
  }

  /** The outcome of an earlier request for a recipient; undefined if it is known that nothing was sent. */
  outcomeOf(index: number): Outcome | undefined {
    return this.earlier[index];
  }

  /** Records that a message is about to be sent. @throws AppError `unavailable` if another request has claimed the key: do not send it */
  async sending(index: number): Promise<void> {
    if (await setOutcome(this.database, { ...this.#claim, index }, null)) return;
    throw new AppError("unavailable", "Another request with this Idempotency-Key has taken over.", {
      retryAfterSeconds: MAX_RETRY_AFTER_SECONDS,
    });
  }

  /** Never rejects: if it cannot be recorded, the outcome stays unknown. */
  async sent(index: number, messageId: string): Promise<void> {
    await setOutcome(this.database, { ...this.#claim, index }, messageId).catch(logUnrecorded);
  }

  /** Records that the message is known not to have been sent. Never rejects. */
  async notSent(index: number): Promise<void> {
    await deleteOutcome(this.database, { ...this.#claim, index }).catch(logUnrecorded);
  }

  /** Releases the key. Never rejects: a claim that stays ends by itself. */
  async end(): Promise<void> {
    const { keyHash, claimId } = this;
    if (claimId === null) return;
    const ours = { where: { keyHash, claimId }, data: { claimId: null } };
    await this.database.idempotencyKey.updateMany(ours).catch(logUnrecorded);
  }

  get #claim() {
    return { keyHash: this.keyHash, claimId: this.claimId };
  }
}

function logUnrecorded(thrown: unknown): void {
  logError("The outcome of a message could not be recorded for its Idempotency-Key.", { thrown });
}

/** JSON with the members of each object sorted by name, so that their order does not matter. */
function canonicalJson(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
