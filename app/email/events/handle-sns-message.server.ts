import { z } from "zod";
import type { Database } from "../../providers/database.server";
import type { Sns } from "../../providers/sns.server";
import { AppError } from "../../shared/app-error";
import { logWarning } from "../../shared/log.server";
import type { RequestContext } from "../../shared/request-context.server";
import { countEmailEvent } from "../../telemetry/metrics.server";
import { addSuppressions } from "../suppressions.server";
import { readEvent } from "./ses-event.server";
import { amazonUrl, type SnsMessage } from "./sns-message.server";

export const handledMessageSchema = z.object({
  success: z.literal(true),
  suppressed: z.number().int().describe("number of addresses that were added to the suppression list"),
});

interface Settings {
  database: Database;
  sns: Sns;
  request: RequestContext;
}

/**
 * Handles a verified message from Amazon SNS. Handling the same message again changes nothing.
 * @returns how many addresses were added to the suppression list
 * @throws AppError `unavailable`; Amazon then delivers the message again
 */
export async function handleSnsMessage(message: SnsMessage, settings: Settings): Promise<number> {
  const { database, request } = settings;
  const { requestId } = request;
  if (message.Type === "SubscriptionConfirmation") {
    await confirm(message, settings);
    return 0;
  }
  if (message.Type === "UnsubscribeConfirmation") {
    logWarning("The subscription to Amazon SNS was ended: bounces and complaints no longer arrive.", {
      requestId,
    });
    return 0;
  }
  const event = readEvent(message.Message);
  countEmailEvent(event.kind);
  if (event.unreadable > 0)
    logWarning(`A ${event.kind} has ${event.unreadable} addresses that could not be read.`, { requestId });
  return event.reason === null ? 0 : addSuppressions(database, event.addresses, { reason: event.reason });
}

async function confirm(
  { SubscribeURL, TopicArn }: Extract<SnsMessage, { SubscribeURL: string }>,
  { sns, request }: Settings,
): Promise<void> {
  const url = amazonUrl(SubscribeURL, TopicArn);
  if (url === null) {
    throw new AppError("invalid_request", "SubscribeURL is not an address of Amazon SNS.", {
      issues: [{ path: "SubscribeURL", message: "must be an address of Amazon SNS in the topic's region" }],
    });
  }
  await sns.confirm(url.href, request);
}
