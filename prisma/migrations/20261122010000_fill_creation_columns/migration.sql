-- By itself, so that the table is not locked while it is read. Only what is half made has anything noted: a few rows.
UPDATE "client_resources" SET
    "creation_attempts" = coalesce(("metadata" #>> '{creation,unconfirmedAttempts}')::int, 0),
    "creation_attempted_at" = ("metadata" #>> '{creation,lastAttemptAt}')::timestamptz AT TIME ZONE 'UTC',
    "creation_announced" = coalesce(("metadata" #>> '{creation,recorded}')::boolean, "cluster_ref" IS NULL)
WHERE "resource_type" = 'cluster_database' AND "status" = 'pending';
