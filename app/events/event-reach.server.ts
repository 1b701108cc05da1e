import { prefixOf } from "platform-embed-element/client";
import type { StoredEvent } from "./stored-event.server";

/** A folder of some buckets. */
export interface EventFolder {
  buckets: readonly string[];
  /** what the keys begin with; empty for the whole buckets */
  prefix: string;
  /** only the events of this embed client; of everybody without it */
  clientId?: string | undefined;
}

/** Which events of its company an API key may read: all, or those of some folders. docs/contract.md#what-an-api-key-reads */
export type EventReach =
  | "company"
  | {
      folders: readonly EventFolder[];
      /** also the events that are in no folder, of e-mails and databases */
      others: boolean;
    };

/** Whether an event may be read. That of a move or copy is where the file is now. That of a quota is in all of its folders and buckets. */
export function isInReach({ type, subject, clientId, data }: StoredEvent, reach: EventReach): boolean {
  if (reach === "company") return true;
  if (!("key" in subject)) return reach.others;
  const { bucket, key } = subject;
  const isOfQuota = type === "usage.threshold";
  const keys = isOfQuota ? [key, ...data.paths.map(prefixOf)] : [key];
  const buckets = isOfQuota ? [bucket, ...(data.buckets ?? [])] : [bucket];
  return keys.every((one) =>
    buckets.every((name) =>
      reach.folders.some(
        (folder) =>
          folder.buckets.includes(name) &&
          one.startsWith(folder.prefix) &&
          (folder.clientId === undefined || folder.clientId === clientId),
      ),
    ),
  );
}

/** An event that may be read, without the key of its source if that may not be read. */
export function hideSource(event: StoredEvent, reach: EventReach): StoredEvent {
  if (!("key" in event.subject)) return event;
  const { from, ...data } = event.data as { from?: string };
  const { bucket } = event.subject;
  if (from === undefined || isInReach({ ...event, subject: { bucket, key: from } } as StoredEvent, reach))
    return event;
  return { ...event, data } as StoredEvent;
}
