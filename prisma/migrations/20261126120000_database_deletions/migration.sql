-- Deleted databases that can be restored, or are being dropped. Their names are reserved.
CREATE TABLE IF NOT EXISTS "database_deletions" (
    "resource_id" TEXT NOT NULL,
    "cluster_ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status_before" TEXT NOT NULL,
    "drop_after" TIMESTAMP(3) NOT NULL,
    "drop_started_at" TIMESTAMP(3),

    CONSTRAINT "database_deletions_pkey" PRIMARY KEY ("resource_id")
);
CREATE UNIQUE INDEX IF NOT EXISTS "database_deletions_cluster_ref_name_key" ON "database_deletions" ("cluster_ref", "name");
CREATE INDEX IF NOT EXISTS "database_deletions_drop_after_idx" ON "database_deletions" ("drop_after");
