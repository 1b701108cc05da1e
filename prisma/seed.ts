/**
 * The records of the demo: a company, and an embed client with the key of the demo portal. Running it again adds what is
 * missing, and keeps what was edited.
 */
import { Client } from "pg";
import { hashApiKey } from "../app/embed/api-key.server";
import { scopeActions } from "../app/services/files/place/actions";

export const demoClient = { id: "demo-client", companyId: "demo-company" };

export interface DemoSeed {
  /** only its hash is stored */
  apiKey: string;
  /** of the demo portal's pages */
  origins: string[];
  bucket: string;
}

/** The database must be migrated. */
export async function seedDatabase(postgresUrl: string, demo: DemoSeed): Promise<void> {
  const client = new Client({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 });
  // A connection that breaks also rejects the query.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(
      `INSERT INTO companies (id, name) VALUES ($1, 'Northwind Traders') ON CONFLICT (id) DO NOTHING`,
      [demoClient.companyId],
    );
    // The origins change with the ports, the key with a new secrets.json, and the bucket with DEMO_BUCKET.
    await client.query(
      `INSERT INTO embed_clients
         (id, "companyId", name, api_key_hash, allowed_services, allowed_origins, allowed_scopes)
       VALUES ($1, $2, 'Northwind customer portal', $3, '{files,activity}', $4::text[], $5)
       ON CONFLICT (id) DO UPDATE SET
         api_key_hash = EXCLUDED.api_key_hash,
         allowed_origins = embed_clients.allowed_origins || ARRAY(
           SELECT origin FROM unnest($4::text[]) AS origin
           WHERE NOT origin = ANY (embed_clients.allowed_origins)),
         allowed_scopes = CASE
           WHEN jsonb_typeof(embed_clients.allowed_scopes #> '{files,buckets}') = 'array'
             AND NOT (embed_clients.allowed_scopes #> '{files,buckets}') ? $6
           THEN jsonb_insert(embed_clients.allowed_scopes, '{files,buckets,-1}', to_jsonb($6::text), true)
           ELSE embed_clients.allowed_scopes END`,
      [
        demoClient.id,
        demoClient.companyId,
        hashApiKey(demo.apiKey),
        demo.origins,
        JSON.stringify({ files: { buckets: [demo.bucket], actions: scopeActions }, activity: {} }),
        demo.bucket,
      ],
    );
  } finally {
    await client.end();
  }
}
