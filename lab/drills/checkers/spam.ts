import type { History, Verdict } from "../drill";
import { unless } from "./failure";
import { judgeNotDone, type NotDone } from "./not-done";

/** SpamAssassin points. Its default threshold for spam is 5. */
const MAX_POINTS = 1;

export type SpamFound = { emails: { name: string; points: number; rules: string[] }[] } | NotDone;

/** No e-mail gets more than a point. */
export function checkSpam({ found }: History<never, SpamFound>): Verdict {
  if ("notDone" in found) return judgeNotDone(found);
  const { emails } = found;
  const most = Math.max(...emails.map(({ points }) => points));
  return {
    figures: `${emails.length} e-mails   at most ${most} points of 5`,
    failures: [
      ...unless(emails.length > 0, "no e-mail was rated"),
      ...emails
        .filter(({ points }) => !(points <= MAX_POINTS))
        .map(({ name, points, rules }) => `${name}: ${points} points, ${rules.join(", ")}`),
    ],
  };
}
