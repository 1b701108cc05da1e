-- Who gets no e-mail any more, and why: one row for each fact. "site" is empty where it holds for every e-mail.
CREATE TABLE IF NOT EXISTS "email_suppressions" (
    "address" TEXT NOT NULL,
    "site" TEXT NOT NULL DEFAULT '',
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "email_suppressions_pkey" PRIMARY KEY ("address", "site", "reason"),
    CONSTRAINT "email_suppressions_address_check" CHECK ("address" = lower("address")),
    CONSTRAINT "email_suppressions_reason_check" CHECK ("reason" IN ('bounce', 'complaint', 'unsubscribe', 'manual'))
);
