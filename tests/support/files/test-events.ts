import { Events } from "../../../app/events/events.server";
import { ObjectClaims } from "../../../app/providers/object-claims.server";

/** A database that accepts everything and holds nothing. */
export const emptyDatabase = { $driverQuery: async () => [], $queryInTurn: async () => [] };

/** A record of events whose database accepts everything. */
export const testEvents = (): Events => new Events(emptyDatabase);

/** For tests that change no object. */
export const testClaims = (): ObjectClaims => new ObjectClaims(emptyDatabase);

/** No bucket has a catalogue. */
export const noCatalogues = { find: async () => undefined };

/** There are no quotas. */
export const noQuotas = {
  reserve: async () => [],
  end: async () => {},
  isHeld: async () => false,
  measure: async () => undefined,
};
