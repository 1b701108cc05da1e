import type { StoreTools } from "../../../embed/service";
import type { ObjectName } from "../../../providers/object-changes.server";
import { hasCode } from "../../../shared/app-error";

/** The object at that key. Null if there is none, and where the access key may write, but not read. */
export function describeIfReadable(object: ObjectName, { objectStore, context }: StoreTools) {
  return objectStore.describeObject(object, context).catch((error: unknown) => {
    if (hasCode(error, "provider_failed")) return null;
    throw error;
  });
}
