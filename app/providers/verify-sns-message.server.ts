import { verify, type X509Certificate } from "node:crypto";
import { z } from "zod";
import { AppError } from "../shared/app-error";
import { logWarning } from "../shared/log.server";
import type { RequestContext } from "../shared/request-context.server";
import type { Sns } from "./sns.server";

/** A message has at most 256 KiB, and the quotation marks of the JSON in it are escaped once more. */
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

/**
 * What Amazon SNS posts to an HTTPS endpoint. Members that it may add are ignored. Amazon SNS, "HTTP/HTTPS notification JSON format",
 * "HTTP/HTTPS subscription confirmation JSON format".
 */
export const snsMessageSchema = z.discriminatedUnion("Type", [
  z.object({ Type: z.literal("Notification"), ...signed, Subject: text(1_000).nullish() }),
  z.object({ Type: z.literal("SubscriptionConfirmation"), ...confirmation }),
  z.object({ Type: z.literal("UnsubscribeConfirmation"), ...confirmation }),
]);
export type SnsMessage = z.output<typeof snsMessageSchema>;

/**
 * The text that Amazon signs: names and values in turn, each on a line of its own, in this order. Amazon SNS, "Verifying the signatures
 * of Amazon SNS messages".
 */
export function signedText(message: SnsMessage): string {
  const names =
    message.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const values = new Map<string, unknown>(Object.entries(message));
  return names
    .filter((name) => typeof values.get(name) === "string")
    .map((name) => `${name}\n${values.get(name)}\n`)
    .join("");
}

/** Amazon SNS retries for an hour, or longer if a topic is set up so. An older message is a replay. */
const MAX_AGE_SECONDS = 24 * 3600;
/** Amazon's clock may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 15 * 60;

const digestsByVersion = new Map([
  ["1", "RSA-SHA1"],
  ["2", "RSA-SHA256"],
]);

const TOPIC_ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):\d{12}:[\w-]+$/;
const CERTIFICATE_PATH = /^\/[\w-]{1,128}\.pem$/;
/** In most regions `CN=sns.amazonaws.com`; in some the region's name is in it. */
const CERTIFICATE_SUBJECT = /^CN=sns([.-][a-z0-9.-]+)?\.amazonaws\.com(\.cn)?$/m;

interface SnsSettings {
  /** ARNs of our topics. Anybody with an Amazon account can send validly signed messages of a topic of their own. */
  topics: readonly string[];
  /** the environment variable that names them */
  variable: string;
  /** unix seconds */
  nowSeconds: number;
  sns: Sns;
  context: Pick<RequestContext, "deadline">;
}

/**
 * Verifies a message's topic, age and signature. The certificate is the one that Amazon serves for the topic's region.
 * @throws AppError `invalid_signature`, with one message for every reason, so that nobody can guess our topics; the log has the reason.
 *   `unavailable` when the certificate could not be read, so that Amazon delivers the message again
 */
export async function verifySnsMessage(message: SnsMessage, settings: SnsSettings): Promise<void> {
  const { topics, variable, nowSeconds, sns, context } = settings;
  if (!topics.includes(message.TopicArn)) throw refused(`its topic is not in ${variable}`);
  const digest = digestsByVersion.get(message.SignatureVersion);
  if (digest === undefined) throw refused("its SignatureVersion is unknown");
  const age = nowSeconds - Date.parse(message.Timestamp) / 1000;
  if (!(age < MAX_AGE_SECONDS && age > -CLOCK_TOLERANCE_SECONDS))
    throw refused("its Timestamp is too old or in the future");
  const url = amazonUrl(message.SigningCertURL, message.TopicArn);
  if (url?.href !== message.SigningCertURL || url.search !== "" || !CERTIFICATE_PATH.test(url.pathname))
    throw refused("its SigningCertURL is not an address of Amazon's certificates");
  const certificate = await sns.certificate(url.href, context);
  if (certificate === null || !isFromAmazon(certificate, nowSeconds))
    throw refused("its SigningCertURL has no valid certificate of Amazon SNS");
  const signature = Buffer.from(message.Signature, "base64");
  if (!verify(digest, Buffer.from(signedText(message)), certificate.publicKey, signature))
    throw refused("its Signature does not match");
}

type SubscriptionMessage = Exclude<SnsMessage, { Type: "Notification" }>;

/**
 * Confirms a subscription, so that the topic's messages arrive; or logs that it was ended.
 * @param content what the topic's messages are about, in the plural
 * @throws AppError `invalid_request`, and those of `Sns.confirm`
 */
export async function handleSubscription(
  { Type, SubscribeURL, TopicArn }: SubscriptionMessage,
  content: string,
  { sns, context }: { sns: Sns; context: RequestContext },
): Promise<void> {
  if (Type === "UnsubscribeConfirmation") {
    logWarning(`The subscription to Amazon SNS was ended: ${content} no longer arrive.`, context);
    return;
  }
  const url = amazonUrl(SubscribeURL, TopicArn);
  if (url === null) {
    throw new AppError("invalid_request", "SubscribeURL is not an address of Amazon SNS.", {
      issues: [{ path: "SubscribeURL", message: "must be an address of Amazon SNS in the topic's region" }],
    });
  }
  await sns.confirm(url.href, context);
}

/** `text` as a URL of Amazon SNS in the topic's region; null for any other URL. */
function amazonUrl(text: string, topicArn: string): URL | null {
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? [];
  if (region === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  const host = `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
  const isSns = url.protocol === "https:" && url.host === host && url.hash === "";
  return isSns && url.username === "" && url.password === "" ? url : null;
}

function isFromAmazon(
  { subject, validFrom, validTo, publicKey }: X509Certificate,
  nowSeconds: number,
): boolean {
  const now = nowSeconds * 1000;
  return (
    CERTIFICATE_SUBJECT.test(subject) &&
    publicKey.asymmetricKeyType === "rsa" &&
    Date.parse(validFrom) <= now &&
    now <= Date.parse(validTo)
  );
}

function refused(logDetail: string): AppError {
  return new AppError("invalid_signature", "The signature of this message is missing or not valid.", {
    logDetail: `A message from Amazon SNS was refused: ${logDetail}`,
  });
}
