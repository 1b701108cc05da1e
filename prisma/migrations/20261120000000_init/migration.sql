-- `companies` is owned elsewhere: where it already stands, it stays as it is.
CREATE TABLE IF NOT EXISTS "companies" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "companies_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "embed_clients" (
    "id" TEXT NOT NULL,
    "companyId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "api_key_hash" TEXT NOT NULL,
    "allowed_services" TEXT[],
    "allowed_origins" TEXT[],
    "allowed_scopes" JSONB NOT NULL DEFAULT '{}',
    "revoked_at" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "embed_clients_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "client_resources" (
    "id" TEXT NOT NULL,
    "companyId" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "region" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "external_id" TEXT,
    "cluster_ref" TEXT,
    "max_capacity_acu" INTEGER,
    "current_usage_acu" INTEGER,
    "storage_bytes" BIGINT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "client_resources_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "client_resources_status_check" CHECK ("status" IN ('pending', 'active', 'suspended', 'deleted'))
);

CREATE UNIQUE INDEX "embed_clients_api_key_hash_key" ON "embed_clients"("api_key_hash");

CREATE INDEX "embed_clients_companyId_idx" ON "embed_clients"("companyId");

CREATE INDEX "client_resources_companyId_createdAt_idx" ON "client_resources"("companyId", "createdAt" DESC);

-- No two live records may claim one database.
CREATE UNIQUE INDEX "client_resources_cluster_database_in_cluster_key"
    ON "client_resources"("cluster_ref", "external_id")
    WHERE "resource_type" = 'cluster_database' AND "status" <> 'deleted' AND "cluster_ref" IS NOT NULL;

CREATE UNIQUE INDEX "client_resources_cluster_database_of_company_key"
    ON "client_resources"("companyId", "region", "name")
    WHERE "resource_type" = 'cluster_database' AND "status" <> 'deleted';

ALTER TABLE "embed_clients" ADD CONSTRAINT "embed_clients_companyId_fkey"
    FOREIGN KEY ("companyId") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "client_resources" ADD CONSTRAINT "client_resources_companyId_fkey"
    FOREIGN KEY ("companyId") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
