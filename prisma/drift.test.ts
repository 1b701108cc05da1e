/**
 * The migrations and schema.prisma are two descriptions of one database. Here both are built for real and compared,
 * catalogue against catalogue; what only SQL can say is listed.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { query, startTestPostgres, type TestPostgres } from "../tests/support/databases/postgres";
import { readSchema, withSchemaEngine } from "../tests/support/databases/schema-engine";
import { migrate } from "./migrate";

/** Partial indexes and checks, which a Prisma schema cannot express. */
const ONLY_IN_SQL = [
  "client_resources_status_check",
  "email_deliveries_status_check",
  "email_suppressions_address_check",
  "email_suppressions_reason_check",
  "stopped_campaigns_state_check",
  "webhook_deliveries_status_check",
  "events_changes_idx",
  "events_from_idx",
  "events_recipient_idx",
  "events_message_id_idx",
  "events_campaign_id_idx",
  "pending_events_changes_idx",
  "webhook_deliveries_pending_idx",
  "webhook_deliveries_failed_idx",
  "client_resources_cluster_database_in_cluster_key",
  "client_resources_cluster_database_of_company_key",
  "client_resources_id_is_not_empty",
  "embed_clients_id_is_not_empty",
  "embed_clients_allowed_services_have_no_null",
  "embed_clients_allowed_origins_have_no_null",
  "embed_clients_times_are_finite",
];

// Prisma has no lists that may be null, but makes their columns so. Its schema cannot say which further columns an index carries.
const CATALOGUE = `
  SELECT 'column ' || table_name || '.' || column_name AS name,
         concat_ws(' ', udt_name, datetime_precision, CASE WHEN data_type <> 'ARRAY' THEN is_nullable END, column_default) AS definition
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
  UNION ALL
  SELECT 'constraint ' || conname, conrelid::regclass || ' ' || regexp_replace(pg_get_constraintdef(oid), ' INCLUDE \\(.*\\)', '')
    FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conrelid <> '_prisma_migrations'::regclass
  UNION ALL
  SELECT 'index ' || indexname, regexp_replace(indexdef, ' INCLUDE \\(.*\\)', '')
    FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`;

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

afterAll(() => postgres?.stop());

async function describeDatabase(url: string): Promise<Map<string, string>> {
  const rows = await query<{ name: string; definition: string }>(url, CATALOGUE);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

it("the migrations make the database that schema.prisma describes", async () => {
  const migrated = await postgres.createDatabase();
  await migrate(migrated);

  const described = await postgres.createDatabase();
  const files = [await readSchema()];
  const { stdout: script } = await withSchemaEngine(described, (engine) =>
    engine.diff({
      from: { tag: "empty" },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  await query(described, script ?? "");
  // The catalogue leaves Prisma's own table out by name, so it has to be there to be left out.
  await query(described, "CREATE TABLE _prisma_migrations ()");

  const actual = await describeDatabase(migrated);
  const onlyInSql = [...actual.keys()].filter((key) => ONLY_IN_SQL.some((name) => key.endsWith(` ${name}`)));
  expect(onlyInSql).toHaveLength(ONLY_IN_SQL.length);
  for (const key of onlyInSql) actual.delete(key);
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(await describeDatabase(described)));
});
