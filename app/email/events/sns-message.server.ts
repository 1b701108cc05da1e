import { z } from "zod";

/**
 * What Amazon SNS posts to an HTTPS endpoint. Members that it may add are ignored. Amazon SNS, "HTTP/HTTPS notification JSON format",
 * "HTTP/HTTPS subscription confirmation JSON format".
 */

/** bytes. A message has at most 256 KiB, and the quotation marks of the JSON in it are escaped once more. */
export const MAX_SNS_BYTES = 512 * 1024;

const text = (maxLength: number) => z.string().max(maxLength);
const signed = {
  MessageId: text(200),
  TopicArn: text(500),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: text(10),
  Signature: text(2_000),
  SigningCertURL: text(2_000),
};
const confirmation = { ...signed, Token: text(2_000), SubscribeURL: text(4_000) };

export const snsMessageSchema = z.discriminatedUnion("Type", [
  z.object({ Type: z.literal("Notification"), ...signed, Subject: text(1_000).nullish() }),
  z.object({ Type: z.literal("SubscriptionConfirmation"), ...confirmation }),
  z.object({ Type: z.literal("UnsubscribeConfirmation"), ...confirmation }),
]);
export type SnsMessage = z.output<typeof snsMessageSchema>;

/** The bytes that Amazon signs: names and values in turn, a line each, in this order. "Verifying the signatures of Amazon SNS messages". */
export function signedText(message: SnsMessage): string {
  const { Message, MessageId, Timestamp, TopicArn, Type } = message;
  const members: [string, string | null | undefined][] =
    message.Type === "Notification"
      ? [
          ["Message", Message],
          ["MessageId", MessageId],
          ["Subject", message.Subject],
          ["Timestamp", Timestamp],
          ["TopicArn", TopicArn],
          ["Type", Type],
        ]
      : [
          ["Message", Message],
          ["MessageId", MessageId],
          ["SubscribeURL", message.SubscribeURL],
          ["Timestamp", Timestamp],
          ["Token", message.Token],
          ["TopicArn", TopicArn],
          ["Type", Type],
        ];
  return members
    .filter(([, value]) => typeof value === "string")
    .map(([name, value]) => `${name}\n${value}\n`)
    .join("");
}
