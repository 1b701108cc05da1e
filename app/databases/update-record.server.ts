import type { databaseEventTypes } from "../events/event";
import { insertDeliveriesOf } from "../events/event-statements.server";
import { newEventId } from "../events/events.server";
import { type Database, NOW } from "../providers/database.server";

interface RecordUpdate {
  type: (typeof databaseEventTypes)[number];
  /** SQL of common table expressions, of which `updated` returns the record if the event is to be written. `$1` is the record's id. */
  update: string;
  /** `$4` and so on */
  values?: readonly unknown[];
}

/** Updates a record of `client_resources` and writes the event in one statement, so that neither exists without the other. */
export async function updateWithEvent(
  database: Database,
  id: string,
  { type, update, values = [] }: RecordUpdate,
  requestId: string | undefined,
): Promise<void> {
  const statement = `
    WITH ${update}, written AS (
      INSERT INTO events (id, type, occurred_at, "companyId", request_id, database_id, data, source)
      SELECT $2, '${type}', ${NOW}, "companyId", $3, id,
        jsonb_build_object('name', name, 'region', region), 'service'
      FROM updated RETURNING *
    ) ${insertDeliveriesOf("written")}`;
  await database.$driverQuery(statement, [id, newEventId(), requestId ?? null, ...values]);
}
