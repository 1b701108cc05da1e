-- Where companies get their events, and which events are on their way. No other table is touched: there are no foreign keys.
CREATE TABLE IF NOT EXISTS "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "companyId" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "types" TEXT[],
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMP(3),
    "failing_since" TIMESTAMP(3),
    "disabled_at" TIMESTAMP(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);
CREATE INDEX IF NOT EXISTS "webhook_endpoints_companyId_idx" ON "webhook_endpoints" ("companyId");

CREATE TABLE IF NOT EXISTS "webhook_deliveries" (
    "endpoint_id" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "subject" UUID NOT NULL,
    "source_subject" UUID,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_status" INTEGER,
    "error" TEXT,
    "next_attempt_at" TIMESTAMP(3),
    "delivered_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("endpoint_id", "event_id"),
    CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('pending', 'delivered', 'failed'))
);
-- In the order in which a claim takes them. Events that are recorded together are due at the same time.
CREATE INDEX IF NOT EXISTS "webhook_deliveries_endpoint_id_next_attempt_at_event_id_idx" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at", "event_id");
-- Of what is still to be sent only: a claim looks for earlier events of a subject, which may have had very many.
CREATE INDEX IF NOT EXISTS "webhook_deliveries_pending_idx" ON "webhook_deliveries" ("endpoint_id", "subject", "event_id") WHERE "status" = 'pending';
CREATE INDEX IF NOT EXISTS "webhook_deliveries_created_at_idx" ON "webhook_deliveries" ("created_at");
