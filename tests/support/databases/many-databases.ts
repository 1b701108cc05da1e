/** Fills the table of databases as long use would. */
import { query } from "./postgres";

/** Adds `count` databases of a hundred companies and three of another company. Returns the id of the latter. */
export async function fillWithDatabases(postgresUrl: string, count: number): Promise<string> {
  await query(
    postgresUrl,
    `INSERT INTO companies (id, name) SELECT 'many-' || n, 'Company ' || n FROM generate_series(0, 100) AS n`,
  );
  await query(
    postgresUrl,
    `INSERT INTO client_resources
       (id, "companyId", resource_type, name, region, status, external_id, cluster_ref, "createdAt")
     SELECT 'many-' || n, 'many-' || CASE WHEN n <= $1 THEN n % 100 ELSE 100 END, 'cluster_database', 'many_' || n,
       'ca-central-1', 'active', 'many_' || n, 'arn:many', now() - n * interval '1 minute'
     FROM generate_series(1, $1 + 3) AS n`,
    [count],
  );
  await query(postgresUrl, "ANALYZE client_resources");
  return "many-100";
}
