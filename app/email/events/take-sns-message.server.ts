import { z } from "zod";
import { AppError } from "../../app-error";
import { logWarning } from "../../log.server";
import type { Database } from "../../providers/database.server";
import type { Sns } from "../../providers/sns.server";
import type { RequestContext } from "../../request-context.server";
import { countEmailEvent } from "../../telemetry/metrics.server";
import { addSuppressions } from "../suppressions/suppressions.server";
import { readEvent } from "./ses-event.server";
import type { SnsMessage } from "./sns-message.server";
import { amazonUrl } from "./verify-sns-message.server";

export const takenMessageSchema = z.object({
  success: z.literal(true),
  suppressed: z.number().int().describe("addresses that get no e-mail from now on, and did before"),
});

interface Settings {
  database: Database;
  sns: Sns;
  request: RequestContext;
}

/**
 * Does what a message of Amazon SNS is about, whose signature is right. Told the same again, it does no more.
 * @returns how many addresses are suppressed that were not before
 * @throws AppError `unavailable`, after which Amazon delivers it again
 */
export async function takeSnsMessage(message: SnsMessage, settings: Settings): Promise<number> {
  const { database, request } = settings;
  const { requestId } = request;
  if (message.Type === "SubscriptionConfirmation") {
    await confirm(message, settings);
    return 0;
  }
  if (message.Type === "UnsubscribeConfirmation") {
    logWarning("Amazon SNS delivers no more bounces and complaints: the subscription was ended.", {
      requestId,
    });
    return 0;
  }
  const event = readEvent(message.Message);
  countEmailEvent(event.kind);
  if (event.unreadable > 0)
    logWarning(`${event.unreadable} addresses of a ${event.kind} could not be read.`, { requestId });
  return event.reason === null ? 0 : addSuppressions(database, event.addresses, { reason: event.reason });
}

async function confirm(
  { SubscribeURL, TopicArn }: Extract<SnsMessage, { SubscribeURL: string }>,
  { sns, request }: Settings,
): Promise<void> {
  const url = amazonUrl(SubscribeURL, TopicArn);
  if (url === null) {
    throw new AppError("invalid_request", "The subscription is not confirmed at an address of Amazon SNS.", {
      issues: [{ path: "SubscribeURL", message: "must be an address of Amazon SNS in the topic's region" }],
    });
  }
  await sns.confirm(url.href, request);
}
