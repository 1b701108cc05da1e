-- Databases that are created in the background, because their callers did not want to wait.
CREATE TABLE IF NOT EXISTS "database_creations" (
    "resource_id" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMP(3),
    "error" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "database_creations_pkey" PRIMARY KEY ("resource_id")
);
CREATE INDEX IF NOT EXISTS "database_creations_next_attempt_at_idx" ON "database_creations" ("next_attempt_at");
CREATE INDEX IF NOT EXISTS "database_creations_created_at_idx" ON "database_creations" ("created_at");
