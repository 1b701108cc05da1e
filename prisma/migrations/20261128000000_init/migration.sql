-- `companies` is owned elsewhere: where it already stands, it stays as it is.
CREATE TABLE IF NOT EXISTS "companies" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "companies_pkey" PRIMARY KEY ("id")
);

-- People insert and edit rows of the next two tables in Prisma Studio, which writes what they typed and leaves the rest to these defaults.
CREATE TABLE "embed_clients" (
    "id" TEXT NOT NULL DEFAULT 'c' || left(md5(gen_random_uuid()::text), 24),
    "companyId" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    -- of a key that nobody has: `npm run client -- rotate` gives the row one
    "api_key_hash" TEXT NOT NULL DEFAULT md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text),
    "allowed_services" TEXT[] NOT NULL DEFAULT ARRAY[]::text[],
    "allowed_origins" TEXT[] NOT NULL DEFAULT ARRAY[]::text[],
    "allowed_scopes" JSONB NOT NULL DEFAULT '{}',
    "revoked_at" TIMESTAMP(3),
    "expires_at" TIMESTAMP(3),
    "key_replaced_at" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "embed_clients_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "embed_clients_id_is_not_empty" CHECK ("id" <> ''),
    CONSTRAINT "embed_clients_allowed_services_have_no_null" CHECK (array_position("allowed_services", NULL) IS NULL),
    CONSTRAINT "embed_clients_allowed_origins_have_no_null" CHECK (array_position("allowed_origins", NULL) IS NULL),
    CONSTRAINT "embed_clients_times_are_finite" CHECK (isfinite("revoked_at") AND isfinite("expires_at")),
    CONSTRAINT "embed_clients_companyId_fkey"
        FOREIGN KEY ("companyId") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "embed_clients_api_key_hash_key" ON "embed_clients"("api_key_hash");
CREATE INDEX "embed_clients_companyId_idx" ON "embed_clients"("companyId");

CREATE TABLE "client_resources" (
    "id" TEXT NOT NULL DEFAULT 'c' || left(md5(gen_random_uuid()::text), 24),
    "companyId" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL DEFAULT 'cluster_database',
    "name" TEXT NOT NULL,
    "region" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "external_id" TEXT,
    "cluster_ref" TEXT,
    "max_capacity_acu" INTEGER,
    "current_usage_acu" INTEGER,
    "storage_bytes" BIGINT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "creation_attempts" INTEGER NOT NULL DEFAULT 0,
    "creation_attempted_at" TIMESTAMP(3),
    "creation_announced" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "client_resources_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "client_resources_id_is_not_empty" CHECK ("id" <> ''),
    CONSTRAINT "client_resources_status_check" CHECK ("status" IN ('pending', 'active', 'suspended', 'deleted')),
    CONSTRAINT "client_resources_companyId_fkey"
        FOREIGN KEY ("companyId") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "client_resources_companyId_createdAt_idx" ON "client_resources"("companyId", "createdAt" DESC);
-- No two live records may claim one database.
CREATE UNIQUE INDEX "client_resources_cluster_database_in_cluster_key"
    ON "client_resources"("cluster_ref", "external_id")
    WHERE "resource_type" = 'cluster_database' AND "status" <> 'deleted' AND "cluster_ref" IS NOT NULL;
CREATE UNIQUE INDEX "client_resources_cluster_database_of_company_key"
    ON "client_resources"("companyId", "region", "name")
    WHERE "resource_type" = 'cluster_database' AND "status" <> 'deleted';

-- Databases that are created in the background, because their callers did not want to wait.
CREATE TABLE "database_creations" (
    "resource_id" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMP(3),
    "error" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "database_creations_pkey" PRIMARY KEY ("resource_id")
);
CREATE INDEX "database_creations_next_attempt_at_idx" ON "database_creations" ("next_attempt_at");
CREATE INDEX "database_creations_created_at_idx" ON "database_creations" ("created_at");

-- Deleted databases that can be restored, or are being dropped. Their names are reserved.
CREATE TABLE "database_deletions" (
    "resource_id" TEXT NOT NULL,
    "cluster_ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status_before" TEXT NOT NULL,
    "drop_after" TIMESTAMP(3) NOT NULL,
    "drop_started_at" TIMESTAMP(3),

    CONSTRAINT "database_deletions_pkey" PRIMARY KEY ("resource_id")
);
CREATE UNIQUE INDEX "database_deletions_cluster_ref_name_key" ON "database_deletions" ("cluster_ref", "name");
CREATE INDEX "database_deletions_drop_after_idx" ON "database_deletions" ("drop_after");

-- Logins of cluster databases, without their passwords.
CREATE TABLE "database_credentials" (
    "user_name" TEXT NOT NULL,
    "resource_id" TEXT NOT NULL,
    "name" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMP(3),

    CONSTRAINT "database_credentials_pkey" PRIMARY KEY ("user_name")
);
CREATE INDEX "database_credentials_resource_id_idx" ON "database_credentials" ("resource_id");
CREATE INDEX "database_credentials_expires_at_idx" ON "database_credentials" ("expires_at");

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
    CONSTRAINT "email_deliveries_status_check" CHECK ("status" IN ('claimed', 'sent', 'suppressed'))
);
-- For `npm run cleanup` (prisma/README.md).
CREATE INDEX "email_deliveries_claimed_at_idx" ON "email_deliveries"("claimed_at");

-- Campaigns whose jobs are not sent for now (`paused`), or not at all (`cancelled`).
CREATE TABLE "stopped_campaigns" (
    "campaign_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "stopped_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stopped_campaigns_pkey" PRIMARY KEY ("campaign_id"),
    CONSTRAINT "stopped_campaigns_state_check" CHECK ("state" IN ('paused', 'cancelled'))
);
CREATE INDEX "stopped_campaigns_stopped_at_idx" ON "stopped_campaigns" ("stopped_at");

-- Who gets no e-mail any more, and why: one row for each fact. "site" is empty where it holds for every e-mail.
CREATE TABLE "email_suppressions" (
    "address" TEXT NOT NULL,
    "site" TEXT NOT NULL DEFAULT '',
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "email_suppressions_pkey" PRIMARY KEY ("address", "site", "reason"),
    CONSTRAINT "email_suppressions_address_check" CHECK ("address" = lower("address")),
    CONSTRAINT "email_suppressions_reason_check" CHECK ("reason" IN ('bounce', 'complaint', 'unsubscribe', 'manual'))
);

-- What an Idempotency-Key of a simple e-mail (docs/decisions/0093-a-simple-email-is-sent-once-for-its-key.md), or of a database's credential, has come to.
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

-- Embed tokens that were revoked before they expired: one row for each visitor of a client, and one with an empty "visitor" for all of them.
CREATE TABLE "token_revocations" (
    "client_id" TEXT NOT NULL,
    "visitor" TEXT NOT NULL DEFAULT '',
    "revoked_before" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "token_revocations_pkey" PRIMARY KEY ("client_id", "visitor")
);
-- For the next revocation, which counts the newer rows of a client and deletes its older ones.
CREATE INDEX "token_revocations_client_id_revoked_before_idx" ON "token_revocations" ("client_id", "revoked_before");
CREATE INDEX "token_revocations_revoked_before_idx" ON "token_revocations" ("revoked_before");

-- What happened, one row for each event. Keys are compared by their bytes, as stores order them; so an index finds those that begin with a
-- prefix.
CREATE TABLE "events" (
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
CREATE INDEX "events_occurred_at_id_idx" ON "events" ("occurred_at", "id");
CREATE INDEX "events_companyId_occurred_at_id_idx" ON "events" ("companyId", "occurred_at", "id");
CREATE INDEX "events_companyId_type_occurred_at_id_idx" ON "events" ("companyId", "type", "occurred_at", "id");
CREATE INDEX "events_type_occurred_at_id_idx" ON "events" ("type", "occurred_at", "id");
CREATE INDEX "events_visitor_id_companyId_occurred_at_id_idx" ON "events" ("visitor_id", "companyId", "occurred_at", "id");
-- For API keys that read only their own events.
CREATE INDEX "events_client_id_occurred_at_id_idx" ON "events" ("client_id", "occurred_at", "id");
CREATE INDEX "events_bucket_occurred_at_id_idx" ON "events" ("bucket", "occurred_at", "id");
CREATE INDEX "events_key_bucket_occurred_at_idx" ON "events" ("key", "bucket", "occurred_at");
-- For what looks for the changes of one file: anybody may sign any number of URLs for it.
CREATE INDEX "events_changes_idx" ON "events" ("bucket", "key", "occurred_at") WHERE "type" <> 'file.download_signed';
CREATE INDEX "events_from_idx" ON "events" ("bucket", ("data" ->> 'from'), "occurred_at") WHERE "type" IN ('file.copied', 'file.moved', 'file.restored');
-- Only events of e-mails have a recipient, a message id and a campaign: for `npm run events -- erase --recipient`,
-- `GET /api/emails/{messageId}` and `npm run campaign -- status`.
CREATE INDEX "events_recipient_idx" ON "events" ("recipient") WHERE "recipient" IS NOT NULL;
CREATE INDEX "events_message_id_idx" ON "events" (("data" ->> 'messageId')) WHERE "data" ? 'messageId';
CREATE INDEX "events_campaign_id_idx" ON "events" ("campaign_id", "recipient", "type") WHERE "campaign_id" IS NOT NULL;

-- What has begun and is not known to have ended.
CREATE TABLE "pending_events" (
    "id" UUID NOT NULL,
    "change" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "pending_since" TIMESTAMP(3) NOT NULL,
    "companyId" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "visitor_id" TEXT,
    "visitor_name" TEXT,
    "request_id" TEXT NOT NULL,
    "bucket" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "pending_events_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "pending_events_change_key" ON "pending_events" ("change");
CREATE INDEX "pending_events_pending_since_idx" ON "pending_events" ("pending_since");
-- For the uploads of one visitor, newest last: others may have begun very many of the same file.
CREATE INDEX "pending_events_bucket_key_idx" ON "pending_events" ("bucket", "key", "client_id", "visitor_id", "id");
-- Of what is no upload, which is little: a notification looks at all of it in its bucket, and rows of uploads stay for a day.
CREATE INDEX "pending_events_changes_idx" ON "pending_events" ("bucket", "key") WHERE "type" <> 'file.uploaded';

-- Where companies get their events, and which events are on their way.
CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "companyId" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "types" TEXT[],
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMP(3),
    "failing_since" TIMESTAMP(3),
    "last_failed_at" TIMESTAMP(3),
    "disabled_at" TIMESTAMP(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_endpoints_companyId_idx" ON "webhook_endpoints" ("companyId");

CREATE TABLE "webhook_deliveries" (
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
CREATE INDEX "webhook_deliveries_endpoint_id_next_attempt_at_event_id_idx" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at", "event_id");
-- Of what is still to be sent only: a claim looks for earlier events of a subject, which may have had very many.
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" ("endpoint_id", "subject", "event_id") WHERE "status" = 'pending';
-- For the list of failed deliveries, which are few among very many. Delivered ones have no error.
CREATE INDEX "webhook_deliveries_failed_idx" ON "webhook_deliveries" ("endpoint_id", "event_id") WHERE "error" IS NOT NULL;
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" ("created_at");

-- Multipart uploads that are neither complete nor aborted.
CREATE TABLE "unfinished_uploads" (
    "owner_hash" TEXT NOT NULL,
    "handle" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "unfinished_uploads_pkey" PRIMARY KEY ("owner_hash")
);
CREATE INDEX "unfinished_uploads_created_at_idx" ON "unfinished_uploads" ("created_at");

-- Files and folders that a request is changing now, and names that one has chosen. A row is useless once it has expired, and so are all rows
-- after a crash of the server: without a log, writing them waits for no disk.
CREATE UNLOGGED TABLE "object_claims" (
    -- In the order of bytes, what is inside a folder follows the folder.
    "name" TEXT COLLATE "C" NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "object_claims_pkey" PRIMARY KEY ("name")
);
CREATE INDEX "object_claims_holder_idx" ON "object_claims" ("holder");
CREATE INDEX "object_claims_expires_at_idx" ON "object_claims" ("expires_at");

-- Buckets whose objects are all known. They are few.
CREATE TABLE "catalogues" (
    "id" SERIAL NOT NULL,
    "bucket" TEXT NOT NULL,
    "added_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "is_being_removed" BOOLEAN NOT NULL DEFAULT false,
    "scan_started_at" TIMESTAMP(3),
    "scanned_at" TIMESTAMP(3),
    "scan_ended_at" TIMESTAMP(3),
    "objects" BIGINT,
    "differences" BIGINT,

    CONSTRAINT "catalogues_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "catalogues_bucket_key" ON "catalogues" ("bucket");

-- How far the scans that are under way have come.
CREATE TABLE "catalogue_ranges" (
    "id" BIGSERIAL NOT NULL,
    "catalogue_id" INTEGER NOT NULL,
    "after_key" TEXT COLLATE "C" NOT NULL,
    "until_key" TEXT COLLATE "C",
    "is_listed" BOOLEAN NOT NULL DEFAULT false,
    "taken_until" TIMESTAMP(3) NOT NULL,
    "objects" BIGINT NOT NULL DEFAULT 0,
    "differences" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "catalogue_ranges_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "catalogue_ranges_catalogue_id_idx" ON "catalogue_ranges" ("catalogue_id");

-- The objects of these buckets. There may be many millions, so the columns are in an order that leaves no gaps, and keys are compared by their
-- bytes, as stores order them. The primary key carries what totals and orders of a folder need, so that these read no rows.
CREATE TABLE "catalogue_objects" (
    "as_of" TIMESTAMP(6) NOT NULL,
    "last_modified" TIMESTAMP(3) NOT NULL,
    "size" BIGINT NOT NULL,
    "catalogue_id" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL DEFAULT false,
    "key" TEXT COLLATE "C" NOT NULL,
    "folded_name" TEXT COLLATE "C" NOT NULL,
    "etag" TEXT NOT NULL,
    "storage_class" TEXT,

    CONSTRAINT "catalogue_objects_pkey" PRIMARY KEY ("catalogue_id", "key") INCLUDE ("is_deleted", "size", "last_modified")
);

-- Which of these rows were written lately.
CREATE TABLE "catalogue_changes" (
    "id" BIGSERIAL NOT NULL,
    "written_at" TIMESTAMP(3) NOT NULL,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "catalogue_id" INTEGER NOT NULL,
    "key" TEXT COLLATE "C",

    CONSTRAINT "catalogue_changes_pkey" PRIMARY KEY ("written_at", "id")
);
CREATE INDEX "catalogue_changes_catalogue_id_xid_idx" ON "catalogue_changes" ("catalogue_id", "xid");

-- Keys about which the store is still to be asked. A catalogue that is removed takes its own with it.
CREATE TABLE "catalogue_waiting_keys" (
    "catalogue_id" INTEGER NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "changed_at" TIMESTAMP(6) NOT NULL,
    "due_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "catalogue_waiting_keys_pkey" PRIMARY KEY ("catalogue_id", "key"),
    CONSTRAINT "catalogue_waiting_keys_catalogue_id_fkey" FOREIGN KEY ("catalogue_id") REFERENCES "catalogues" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "catalogue_waiting_keys_catalogue_id_due_at_idx" ON "catalogue_waiting_keys" ("catalogue_id", "due_at");

-- What quotas have given to uploads that may still arrive.
CREATE TABLE "quota_reservations" (
    "id" BIGSERIAL NOT NULL,
    "bytes" BIGINT NOT NULL,
    "made_at" TIMESTAMP(6) NOT NULL,
    "held_until" TIMESTAMP(6) NOT NULL,
    "catalogue_id" INTEGER NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "upload_id" TEXT NOT NULL,

    CONSTRAINT "quota_reservations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "quota_reservations_catalogue_id_key_idx" ON "quota_reservations" ("catalogue_id", "key");
CREATE INDEX "quota_reservations_upload_id_idx" ON "quota_reservations" ("upload_id");
CREATE INDEX "quota_reservations_held_until_idx" ON "quota_reservations" ("held_until");

-- What folders with a quota hold.
CREATE TABLE "quota_totals" (
    "area_hash" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "expected_bytes" BIGINT NOT NULL,
    "last_reservation" BIGINT NOT NULL,
    "computed_at" TIMESTAMP(6) NOT NULL,

    CONSTRAINT "quota_totals_pkey" PRIMARY KEY ("area_hash")
);
CREATE INDEX "quota_totals_computed_at_idx" ON "quota_totals" ("computed_at");

-- What a folder of a bucket with a catalogue held on each day.
CREATE TABLE "usage_days" (
    "bucket" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "objects" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "version_bytes" BIGINT,
    "unfinished_bytes" BIGINT,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("bucket", "path", "day")
);
CREATE INDEX "usage_days_day_idx" ON "usage_days" ("day");

-- Counts of requests, for RATE_LIMIT_STORE=postgres; in the columns that rate-limiter-flexible asks for. A crash may lose them: that is a
-- minute's counts, and not writing them to the log makes each of them cheaper.
CREATE UNLOGGED TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);
