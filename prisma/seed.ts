/**
 * The demo integration in the database: a company, and an embed client whose key the demo integrator holds. Run again
 * it adds only what is missing, and leaves what was edited since.
 */
import { Client } from "pg";
import { hashApiKey } from "../app/embed/api-key.server";
import { fileActions } from "../app/services/files/actions";

export const demoClient = { id: "demo-client", companyId: "demo-company" };

export interface DemoSeed {
  /** raw; only its hash is stored */
  apiKey: string;
  /** origin of the demo integrator's pages */
  origin: string;
  bucket: string;
}

/** Needs the migrated database. */
export async function seedDatabase(postgresUrl: string, demo: DemoSeed): Promise<void> {
  const client = new Client({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO companies (id, name) VALUES ($1, 'Northwind Traders') ON CONFLICT (id) DO NOTHING`,
      [demoClient.companyId],
    );
    // Started on other ports, the demo has another origin; on a new key file, another key; with DEMO_BUCKET, another bucket.
    await client.query(
      `INSERT INTO embed_clients
         (id, "companyId", name, api_key_hash, allowed_services, allowed_origins, allowed_scopes)
       VALUES ($1, $2, 'Northwind customer portal', $3, '{files}', ARRAY[$4], $5)
       ON CONFLICT (id) DO UPDATE SET
         api_key_hash = EXCLUDED.api_key_hash,
         allowed_origins = CASE WHEN $4 = ANY (embed_clients.allowed_origins)
           THEN embed_clients.allowed_origins ELSE embed_clients.allowed_origins || $4 END,
         allowed_scopes = CASE
           WHEN jsonb_typeof(embed_clients.allowed_scopes #> '{files,buckets}') = 'array'
             AND NOT (embed_clients.allowed_scopes #> '{files,buckets}') ? $6
           THEN jsonb_insert(embed_clients.allowed_scopes, '{files,buckets,-1}', to_jsonb($6::text), true)
           ELSE embed_clients.allowed_scopes END`,
      [
        demoClient.id,
        demoClient.companyId,
        hashApiKey(demo.apiKey),
        demo.origin,
        JSON.stringify({ files: { buckets: [demo.bucket], actions: fileActions } }),
        demo.bucket,
      ],
    );
    // Made before there were actions, it names none; what the demo asks for would be refused.
    await client.query(
      `UPDATE embed_clients SET allowed_scopes = jsonb_set(allowed_scopes, '{files,actions}', $2)
       WHERE id = $1 AND jsonb_typeof(allowed_scopes -> 'files') = 'object' AND NOT allowed_scopes -> 'files' ? 'actions'`,
      [demoClient.id, JSON.stringify(fileActions)],
    );
  } finally {
    await client.end();
  }
}
