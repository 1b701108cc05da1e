CREATE TABLE "email_deliveries" (
    "campaign_id" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "claim_id" TEXT NOT NULL,
    "claimed_at" TIMESTAMP(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 1,
    "message_id" TEXT,
    "sent_at" TIMESTAMP(3),

    CONSTRAINT "email_deliveries_pkey" PRIMARY KEY ("campaign_id", "recipient"),
    CONSTRAINT "email_deliveries_status_check" CHECK ("status" IN ('claimed', 'sent'))
);
