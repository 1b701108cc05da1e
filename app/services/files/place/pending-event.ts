import type { EventData, FileEventType } from "../../../events/event";
import type { Events } from "../../../events/events.server";
import type { Database } from "../../../providers/database.server";
import type { ObjectClaims } from "../../../providers/object-claims.server";
import type { ObjectStore } from "../../../providers/object-store.server";

/** An upload may start until its URL expires, and may take long. After this time it counts as abandoned. */
export const ABANDONED_AFTER_HOURS = 24;

/** A row of `pending_events`, to be resolved. */
export interface PendingEvent {
  id: string;
  type: FileEventType;
  /** unix seconds */
  pendingSince: number;
  companyId: string;
  bucket: string;
  key: string;
  data: EventData;
  /** Of an upload: its event is written. Its URL may be used again. */
  isRecorded: boolean;
}

export interface ResolveTools {
  database: Database;
  events: Events;
  claims: ObjectClaims;
  objectStore: ObjectStore;
}

export const isAbandoned = ({ pendingSince }: PendingEvent): boolean =>
  Date.now() / 1000 - pendingSince > ABANDONED_AFTER_HOURS * 3600;
