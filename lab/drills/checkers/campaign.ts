import type { History, Verdict } from "../drill";
import { exactlyOnce, failure, unless } from "./failure";

export type CampaignOperation =
  /** what the mail provider did with an e-mail */
  | { what: "accepted" | "refused for the rate" | "failed"; to: string }
  /** what the queue's log says */
  | { what: "delivered again" | "given up"; line: string };

export interface CampaignFound {
  recipients: string[];
  published: { code: number | null; stderr: string; seconds: number };
  /** e-mails that `npm run campaign -- status` calls sent */
  sent: number | undefined;
  seconds: number;
}

/** Although the provider fails and throttles, every e-mail arrives once, the queue gives up none, and the status knows all of them. */
export function checkCampaign({ operations, found }: History<CampaignOperation, CampaignFound>): Verdict {
  const { recipients, published, sent, seconds } = found;
  const count = (what: CampaignOperation["what"]) =>
    operations.filter((operation) => operation.what === what).length;
  const accepted = operations.flatMap((operation) => (operation.what === "accepted" ? [operation.to] : []));
  const givenUp = operations.flatMap((operation) => (operation.what === "given up" ? [operation.line] : []));
  const arrived = new Set(accepted).size;
  return {
    figures:
      `published in ${published.seconds.toFixed(1)} s, all in ${seconds.toFixed(0)} s; ` +
      `${arrived} arrived, ${accepted.length - arrived} twice, ${givenUp.length} given up; ${count("failed")} failures, ` +
      `${count("refused for the rate")} refused for the rate, ${count("delivered again")} delivered again`,
    failures: [
      ...unless(count("failed") > 0, "the provider never failed"),
      ...unless(count("refused for the rate") > 0, "the provider never refused for the rate"),
      ...unless(published.code === 0, `publishing ended with ${published.code}: ${published.stderr}`),
      ...exactlyOnce(recipients, accepted, {
        missing: "did not arrive",
        extra: "went to others",
        repeated: "arrived more than once",
      }),
      ...failure(givenUp, "were given up by the queue"),
      ...unless(sent === recipients.length, `status says that ${sent} were sent`),
    ],
  };
}
