import { verify, type X509Certificate } from "node:crypto";
import { AppError } from "../../app-error";
import type { Sns } from "../../providers/sns.server";
import type { RequestContext } from "../../request-context.server";
import { type SnsMessage, signedText } from "./sns-message.server";

/** Amazon SNS delivers again for an hour, and a topic may be told to for longer; seconds. What is older has been kept by somebody. */
const OLDEST = 24 * 3600;
/** seconds that Amazon's clock may be ahead of ours */
const CLOCK_TOLERANCE = 15 * 60;

/** By `SignatureVersion`. */
const digests = new Map([
  ["1", "RSA-SHA1"],
  ["2", "RSA-SHA256"],
]);

const TOPIC = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):\d{12}:[\w-]+$/;
const CERTIFICATE_PATH = /^\/[\w-]{1,128}\.pem$/;
/** In most regions `sns.amazonaws.com`; in some with the region's name in it. */
const SUBJECT = /^CN=sns([.-][a-z0-9.-]+)?\.amazonaws\.com(\.cn)?$/m;

/** Whose messages are taken, and by what clock. */
export interface SnsSettings {
  /** ARNs; anybody who has an account with Amazon could send messages of a topic of their own, with signatures that are right */
  topics: readonly string[];
  /** unix seconds */
  nowSeconds: number;
  sns: Sns;
  request: Pick<RequestContext, "deadline">;
}

/**
 * Judges a message of Amazon SNS: its topic, its age and its signature, by a certificate that Amazon serves for the topic's region.
 * @throws AppError `invalid_signature`, the same for whatever is wrong, so that nobody learns our topics by guessing; the log says what.
 *   `unavailable` when the certificate could not be read, for then the message may be right
 */
export async function verifySnsMessage(message: SnsMessage, settings: SnsSettings): Promise<void> {
  const { topics, nowSeconds, sns, request } = settings;
  if (!topics.includes(message.TopicArn)) throw refused("its topic is not in EMAIL_EVENTS_TOPICS");
  const digest = digests.get(message.SignatureVersion);
  if (digest === undefined) throw refused("its signature is of a version that is not known");
  const age = nowSeconds - Date.parse(message.Timestamp) / 1000;
  if (!(age < OLDEST && age > -CLOCK_TOLERANCE)) throw refused("its time is too long ago, or to come");
  const url = amazonUrl(message.SigningCertURL, message.TopicArn);
  if (url === null || url.search !== "" || !CERTIFICATE_PATH.test(url.pathname))
    throw refused("its certificate is not at Amazon's address for certificates");
  const certificate = await sns.certificate(url.href, request);
  if (certificate === null || !isAmazons(certificate, nowSeconds))
    throw refused("there is no valid certificate of Amazon SNS at its address");
  const signature = Buffer.from(message.Signature, "base64");
  if (!verify(digest, Buffer.from(signedText(message)), certificate.publicKey, signature))
    throw refused("its signature does not fit");
}

/** `text` as an address of Amazon SNS in the region of a topic; null for any other, however much it looks like one. */
export function amazonUrl(text: string, topicArn: string): URL | null {
  const [, partition, region] = TOPIC.exec(topicArn) ?? [];
  if (region === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  const host = `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
  const isTheirs = url.protocol === "https:" && url.host === host && url.hash === "";
  return isTheirs && url.username === "" && url.password === "" ? url : null;
}

function isAmazons({ subject, validFrom, validTo, publicKey }: X509Certificate, nowSeconds: number): boolean {
  const now = nowSeconds * 1000;
  return (
    SUBJECT.test(subject) &&
    publicKey.asymmetricKeyType === "rsa" &&
    Date.parse(validFrom) <= now &&
    now <= Date.parse(validTo)
  );
}

function refused(logDetail: string): AppError {
  return new AppError("invalid_signature", "The signature of this message is missing or not valid.", {
    logDetail: `A message of Amazon SNS: ${logDetail}`,
  });
}
