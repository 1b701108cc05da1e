-- What happened, one row for each event, and what has begun and is not known to have ended. Keys are compared by their bytes, as stores
-- order them; so an index finds those that begin with a prefix.
CREATE TABLE IF NOT EXISTS "events" (
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "occurred_at" TIMESTAMP(3) NOT NULL,
    "companyId" TEXT,
    "client_id" TEXT,
    "visitor_id" TEXT,
    "visitor_name" TEXT,
    "request_id" TEXT,
    "bucket" TEXT,
    "key" TEXT COLLATE "C",
    "database_id" TEXT,
    "campaign_id" TEXT,
    "recipient" TEXT,
    "data" JSONB NOT NULL DEFAULT '{}',
    "source" TEXT NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);
CREATE INDEX IF NOT EXISTS "events_occurred_at_id_idx" ON "events" ("occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_companyId_occurred_at_id_idx" ON "events" ("companyId", "occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_companyId_type_occurred_at_id_idx" ON "events" ("companyId", "type", "occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_type_occurred_at_id_idx" ON "events" ("type", "occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_visitor_id_companyId_occurred_at_id_idx" ON "events" ("visitor_id", "companyId", "occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_bucket_occurred_at_id_idx" ON "events" ("bucket", "occurred_at", "id");
CREATE INDEX IF NOT EXISTS "events_key_bucket_occurred_at_idx" ON "events" ("key", "bucket", "occurred_at");

CREATE TABLE IF NOT EXISTS "begun_events" (
    "id" UUID NOT NULL,
    "change" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "begun_at" TIMESTAMP(3) NOT NULL,
    "companyId" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "visitor_id" TEXT,
    "visitor_name" TEXT,
    "request_id" TEXT NOT NULL,
    "bucket" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "begun_events_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX IF NOT EXISTS "begun_events_change_key" ON "begun_events" ("change");
CREATE INDEX IF NOT EXISTS "begun_events_begun_at_idx" ON "begun_events" ("begun_at");
CREATE INDEX IF NOT EXISTS "begun_events_bucket_key_idx" ON "begun_events" ("bucket", "key");
