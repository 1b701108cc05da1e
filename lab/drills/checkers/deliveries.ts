import type { History, Verdict } from "../drill";
import { countEach, failure, unless } from "./failure";

export type DeliveryOperation =
  | { what: "delivered"; to: string; response: number | "connection lost" }
  | { what: "accepted by the provider"; to: string }
  | { what: "app killed" }
  /** what the database calls claimed, and not sent, after a kill */
  | { what: "claimed after a kill"; recipients: string[] };

export interface DeliveriesFound {
  recipients: string[];
  wantedKills: number;
  /** recipients whose e-mail is recorded as sent */
  sent: string[];
}

/**
 * Every recipient gets the e-mail. One gets it twice only if a kill fell between the provider's acceptance and our record of it, and as
 * often as that happened (docs/decisions/0010).
 */
export function checkDeliveries({ operations, found }: History<DeliveryOperation, DeliveriesFound>): Verdict {
  const accepted: string[] = [];
  const unrecorded: string[] = [];
  let kills = 0;
  for (const operation of operations) {
    if (operation.what === "accepted by the provider") accepted.push(operation.to);
    if (operation.what === "app killed") kills += 1;
    if (operation.what === "claimed after a kill")
      unrecorded.push(...operation.recipients.filter((recipient) => accepted.includes(recipient)));
  }
  const [arrivals, allowed] = [countEach(accepted), countEach(unrecorded)];
  const lost = found.recipients.filter((recipient) => !arrivals.has(recipient));
  const strangers = [...arrivals.keys()].filter((recipient) => !found.recipients.includes(recipient));
  const doubled = [...arrivals].flatMap(([recipient, count]) =>
    count - 1 > (allowed.get(recipient) ?? 0) ? [recipient] : [],
  );
  const sent = new Set(found.sent);
  const repeated = accepted.length - arrivals.size;
  return {
    figures: `${arrivals.size} arrived, ${lost.length} lost, ${repeated} doubled; ${unrecorded.length} accepted by the provider and, because of a kill, not recorded`,
    failures: [
      ...failure(lost, "are lost"),
      ...failure(strangers, "went to others"),
      ...failure(doubled, "arrived more often than a kill explains"),
      ...failure(
        found.recipients.filter((recipient) => !sent.has(recipient)),
        "are not recorded as sent",
      ),
      ...unless(
        kills === found.wantedKills,
        `the app was killed ${kills} times instead of ${found.wantedKills}`,
      ),
    ],
  };
}
