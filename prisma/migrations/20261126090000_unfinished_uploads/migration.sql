-- Multipart uploads that are neither complete nor aborted.
CREATE TABLE IF NOT EXISTS "unfinished_uploads" (
    "owner_hash" TEXT NOT NULL,
    "handle" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "unfinished_uploads_pkey" PRIMARY KEY ("owner_hash")
);
CREATE INDEX IF NOT EXISTS "unfinished_uploads_created_at_idx" ON "unfinished_uploads" ("created_at");
