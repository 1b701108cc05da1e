-- Files and folders that a request is changing now, and names that one has chosen. A row is useless once it has expired, and so are all rows
-- after a crash of the server: without a log, writing them waits for no disk.
CREATE UNLOGGED TABLE IF NOT EXISTS "object_claims" (
    -- In the order of bytes, what is inside a folder follows the folder.
    "name" TEXT COLLATE "C" NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "object_claims_pkey" PRIMARY KEY ("name")
);
CREATE INDEX IF NOT EXISTS "object_claims_holder_idx" ON "object_claims" ("holder");
CREATE INDEX IF NOT EXISTS "object_claims_expires_at_idx" ON "object_claims" ("expires_at");
