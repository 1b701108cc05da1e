-- Campaigns whose jobs are not sent for now (`paused`), or not at all (`cancelled`).
CREATE TABLE IF NOT EXISTS "stopped_campaigns" (
    "campaign_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "stopped_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stopped_campaigns_pkey" PRIMARY KEY ("campaign_id"),
    CONSTRAINT "stopped_campaigns_state_check" CHECK ("state" IN ('paused', 'cancelled'))
);
CREATE INDEX IF NOT EXISTS "stopped_campaigns_stopped_at_idx" ON "stopped_campaigns" ("stopped_at");
