-- What an Idempotency-Key of a simple e-mail has come to (docs/decisions/0093-a-simple-email-is-sent-once-for-its-key.md).
CREATE TABLE "idempotency_keys" (
    "key_hash" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "claim_id" TEXT,
    "claimed_at" TIMESTAMP(3) NOT NULL,
    "outcomes" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("key_hash")
);

-- For `npm run cleanup`.
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");
