-- What is noted of a database while it is being made, until now in "metadata" -> 'creation'. Constant defaults: no row is
-- rewritten, however many there are.
-- Behind a long transaction it gives up rather than hold back everybody who comes after it; it may be run again after any end.
SET lock_timeout = '3s';
ALTER TABLE "client_resources"
    ADD COLUMN IF NOT EXISTS "creation_attempts" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS "creation_attempted_at" TIMESTAMP(3),
    ADD COLUMN IF NOT EXISTS "creation_announced" BOOLEAN NOT NULL DEFAULT false;

-- Processes of the version before go on reading and writing 'creation' while a deployment is under way, at the same records:
-- each version has to see the attempts of the other, or it takes a database that is ours for somebody else's. To be dropped,
-- with the member in "metadata", by a migration of a later version.
CREATE OR REPLACE FUNCTION "client_resources_mirror_creation"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    written jsonb := NEW."metadata" -> 'creation';
BEGIN
    -- Metadata that somebody made anything but an object, and records whose creation is over, are left as they are.
    IF jsonb_typeof(NEW."metadata") IS DISTINCT FROM 'object' OR (TG_OP = 'UPDATE' AND OLD."status" <> 'pending') THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF written IS NULL THEN
            NEW."creation_announced" := NEW."creation_announced" OR NEW."cluster_ref" IS NULL;
            RETURN NEW;
        END IF;
    ELSIF written IS NOT DISTINCT FROM OLD."metadata" -> 'creation' THEN
        -- This version wrote, or something else of the record changed.
        IF NEW."cluster_ref" IS NULL OR NEW."status" <> 'pending' THEN
            NEW."metadata" := NEW."metadata" - 'creation';
        ELSE
            NEW."metadata" := NEW."metadata" || jsonb_build_object('creation', jsonb_strip_nulls(jsonb_build_object(
                'unconfirmedAttempts', NEW."creation_attempts",
                'recorded', NEW."creation_announced",
                'lastAttemptAt', to_char(NEW."creation_attempted_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
        END IF;
        RETURN NEW;
    END IF;
    -- The version before wrote.
    NEW."creation_attempts" := coalesce((written ->> 'unconfirmedAttempts')::int, 0);
    NEW."creation_attempted_at" := (written ->> 'lastAttemptAt')::timestamptz AT TIME ZONE 'UTC';
    NEW."creation_announced" := coalesce((written ->> 'recorded')::boolean, NEW."cluster_ref" IS NULL);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "client_resources_mirror_creation" BEFORE INSERT OR UPDATE ON "client_resources"
    FOR EACH ROW WHEN (NEW."resource_type" = 'cluster_database')
    EXECUTE FUNCTION "client_resources_mirror_creation"();

RESET lock_timeout;
