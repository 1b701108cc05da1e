import type { Database } from "../providers/database.server";

/** Whose traces are erased: a visitor's by their id, or a recipient's by their address in lower case. */
interface ErasedPerson {
  person: "visitor" | "recipient";
  value: string;
  /** only in the events of this company */
  companyId?: string | undefined;
}

type Tables = Pick<Database, "event" | "pendingEvent">;

const BATCH_ROWS = 1_000;

/** The tables that may name the person: counting their rows, and erasing the person from some of them. */
function tablesOf({ event, pendingEvent }: Tables, { person, value, companyId }: ErasedPerson) {
  if (person === "recipient") {
    const where = { recipient: value, companyId };
    const erasing = { where, data: { recipient: null }, limit: BATCH_ROWS };
    return [{ count: () => event.count({ where }), erase: () => event.updateMany(erasing) }];
  }
  const where = { visitorId: value, companyId };
  const erasing = { where, data: { visitorId: null, visitorName: null }, limit: BATCH_ROWS };
  return [
    // A change that is under way becomes an event, so it must be erased first.
    { count: () => pendingEvent.count({ where }), erase: () => pendingEvent.updateMany(erasing) },
    { count: () => event.count({ where }), erase: () => event.updateMany(erasing) },
  ];
}

/** Counts the events that have the person, and the changes under way. */
export async function countEventsOf(database: Tables, erased: ErasedPerson): Promise<number> {
  let sum = 0;
  for (const { count } of tablesOf(database, erased)) sum += await count();
  return sum;
}

/**
 * Removes a visitor's id and name, or a recipient's address, from all events, batch by batch, each in a transaction of its own. The
 * events stay.
 * @returns how many had them
 */
export async function erasePerson(
  database: Tables,
  person: ErasedPerson,
  onProgress: (erased: number) => void = () => {},
): Promise<number> {
  let sum = 0;
  for (const { count, erase } of tablesOf(database, person)) {
    for (;;) {
      const { count: erased } = await erase();
      // None of a batch is left if a cleanup has deleted all of it meanwhile.
      if (erased === 0 && (await count()) === 0) break;
      sum += erased;
      onProgress(sum);
    }
  }
  return sum;
}
