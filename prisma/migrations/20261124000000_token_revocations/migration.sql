-- Embed tokens that were revoked before they expired: one row for each visitor of a client, and one with an empty "visitor" for all of them.
CREATE TABLE IF NOT EXISTS "token_revocations" (
    "client_id" TEXT NOT NULL,
    "visitor" TEXT NOT NULL DEFAULT '',
    "revoked_before" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "token_revocations_pkey" PRIMARY KEY ("client_id", "visitor")
);
CREATE INDEX IF NOT EXISTS "token_revocations_revoked_before_idx" ON "token_revocations" ("revoked_before");
