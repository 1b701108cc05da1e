import type { PendingChange } from "../../../events/pending-change.server";

/** After these, another attempt of the same request may have made the change. Then the pending row is left to `npm run cleanup`. */
const unclear: readonly unknown[] = ["done", "uncounted", "upload_conflict"];

/** Ends an object's event when `work` is done. If `work` fails, nobody knows what has become of the object, and the event stays pending. */
export async function endChange<Outcome>(change: PendingChange, work: Promise<Outcome>): Promise<Outcome> {
  const outcome = await work;
  if (change.isMade || !unclear.includes(outcome)) await change.end();
  return outcome;
}
