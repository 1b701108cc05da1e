import { newEventId } from "../events/events.server";
import { insertDeliveriesOf } from "../events/insert-deliveries.server";
import type { Database } from "../providers/database.server";

export interface RecordChange {
  type: "database.created" | "database.deleted" | "database.restored";
  /** SQL of common table expressions of which `changed` returns the changed rows of `client_resources`. `$1` is the record's id. */
  change: string;
  /** `$4` and so on */
  values?: unknown[];
}

/** Changes the record of a database and records the event in one statement, so that neither exists without the other. */
export async function changeWithEvent(
  database: Database,
  id: string,
  { type, change, values = [] }: RecordChange,
  requestId: string | undefined,
): Promise<void> {
  const statement = `
    WITH ${change}, written AS (
      INSERT INTO events (id, type, occurred_at, "companyId", request_id, database_id, data, source)
      SELECT $2, '${type}', now() AT TIME ZONE 'UTC', "companyId", $3, id,
        jsonb_build_object('name', name, 'region', region), 'service'
      FROM changed RETURNING *
    ) ${insertDeliveriesOf("written")}`;
  await database.$driverQuery(statement, [id, newEventId(), requestId ?? null, ...values]);
}
