-- Logins of cluster databases, without their passwords.
CREATE TABLE IF NOT EXISTS "database_credentials" (
    "user_name" TEXT NOT NULL,
    "resource_id" TEXT NOT NULL,
    "name" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMP(3),

    CONSTRAINT "database_credentials_pkey" PRIMARY KEY ("user_name")
);
CREATE INDEX IF NOT EXISTS "database_credentials_resource_id_idx" ON "database_credentials" ("resource_id");
CREATE INDEX IF NOT EXISTS "database_credentials_expires_at_idx" ON "database_credentials" ("expires_at");
