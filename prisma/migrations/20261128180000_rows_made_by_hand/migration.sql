-- People insert and edit these rows in Prisma Studio, which writes what they typed and leaves the rest to the defaults of the database.
-- Behind a long transaction it gives up rather than hold back everybody who comes after it; it may be run again after any end.
SET lock_timeout = '3s';
UPDATE "embed_clients" SET
    "allowed_services" = ARRAY(SELECT one FROM unnest("allowed_services") AS one WHERE one IS NOT NULL),
    "allowed_origins" = ARRAY(SELECT one FROM unnest("allowed_origins") AS one WHERE one IS NOT NULL)
WHERE "allowed_services" IS NULL OR "allowed_origins" IS NULL
    OR array_ndims("allowed_services") > 1 OR array_ndims("allowed_origins") > 1
    OR EXISTS (SELECT FROM unnest("allowed_services" || "allowed_origins") AS one WHERE one IS NULL);
ALTER TABLE "embed_clients"
    ALTER COLUMN "id" SET DEFAULT 'c' || left(md5(gen_random_uuid()::text), 24),
    ALTER COLUMN "name" SET DEFAULT '',
    -- of a key that nobody has: `npm run client -- rotate` gives the row one
    ALTER COLUMN "api_key_hash" SET DEFAULT md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text),
    ALTER COLUMN "allowed_services" SET DEFAULT ARRAY[]::text[],
    ALTER COLUMN "allowed_services" SET NOT NULL,
    ALTER COLUMN "allowed_origins" SET DEFAULT ARRAY[]::text[],
    ALTER COLUMN "allowed_origins" SET NOT NULL,
    ADD CONSTRAINT "embed_clients_allowed_services_have_no_null" CHECK (array_position("allowed_services", NULL) IS NULL),
    ADD CONSTRAINT "embed_clients_allowed_origins_have_no_null" CHECK (array_position("allowed_origins", NULL) IS NULL),
    -- An older row may have none, and keeps working.
    ADD CONSTRAINT "embed_clients_id_is_not_empty" CHECK ("id" <> '') NOT VALID;
ALTER TABLE "client_resources"
    ALTER COLUMN "id" SET DEFAULT 'c' || left(md5(gen_random_uuid()::text), 24),
    ALTER COLUMN "resource_type" SET DEFAULT 'cluster_database',
    ALTER COLUMN "status" SET DEFAULT 'pending',
    ADD CONSTRAINT "client_resources_id_is_not_empty" CHECK ("id" <> '') NOT VALID;
RESET lock_timeout;
