import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  AMAZON,
  makeSigner,
  type Signer,
  type SnsAtTheWire,
  startSns,
  TOPIC,
} from "../../tests/support/email/sns";
import { createSns } from "./sns.server";
import { signedText, snsMessageSchema, verifySnsMessage } from "./verify-sns-message.server";

let amazon: SnsAtTheWire;
let stranger: Signer;
beforeAll(async () => {
  [amazon, stranger] = await Promise.all([startSns(), makeSigner("/CN=evil.example")]);
});
afterAll(() => amazon?.close());
beforeEach(() => void amazon.asked.splice(0));

const now = () => Date.now() / 1000;
const judge = (
  message: string,
  { sns = createSns(), nowSeconds = now(), topics = [TOPIC], limitMs = 60_000 } = {},
) =>
  verifySnsMessage(snsMessageSchema.parse(JSON.parse(message)), {
    topics,
    variable: "EMAIL_EVENTS_TOPICS",
    nowSeconds,
    sns,
    context: { deadline: performance.now() + limitMs },
  });
const refused = { code: "invalid_signature" };
const at = (SigningCertURL: string) => ({ SigningCertURL });

describe("a message of Amazon SNS is accepted", () => {
  it.each(["1", "2"])("with a signature of version %s, whatever its text", async (SignatureVersion) => {
    await judge(amazon.message({ SignatureVersion, Message: 'a\n"b" ü 🎉', Subject: "About" }));
    await judge(amazon.message({ SignatureVersion, Subject: null }));
    const subscription = { Token: "t", SubscribeURL: `${AMAZON}/?Action=ConfirmSubscription` };
    await judge(amazon.message({ SignatureVersion, Type: "SubscriptionConfirmation", ...subscription }));
    await judge(amazon.message({ SignatureVersion, Type: "UnsubscribeConfirmation", ...subscription }));
  });

  it("if the signed text is built as Amazon documents", () => {
    const message = snsMessageSchema.parse(
      JSON.parse(
        amazon.message({ Message: "M", MessageId: "I", Subject: "S", Timestamp: "2026-01-01T00:00:00.000Z" }),
      ),
    );
    expect(signedText(message)).toBe(
      `Message\nM\nMessageId\nI\nSubject\nS\nTimestamp\n2026-01-01T00:00:00.000Z\nTopicArn\n${TOPIC}\nType\nNotification\n`,
    );
    const confirmation = { Type: "SubscriptionConfirmation", Token: "T", SubscribeURL: "U" };
    const text = signedText({ ...message, ...confirmation } as typeof message);
    expect(text.split("\n").filter((_, index) => index % 2 === 0 && index < 14)).toEqual([
      "Message",
      "MessageId",
      "SubscribeURL",
      "Timestamp",
      "Token",
      "TopicArn",
      "Type",
    ]);
  });

  it("from China and GovCloud, with their own hosts", async () => {
    const TopicArn = "arn:aws-cn:sns:cn-north-1:123456789012:events";
    const certificate = "/SimpleNotificationService-1.pem";
    const topics = [TopicArn];
    await judge(
      amazon.message({ TopicArn, ...at(`https://sns.cn-north-1.amazonaws.com.cn${certificate}`) }),
      { topics },
    );
    const chinas = amazon.message({ TopicArn, ...at(`https://sns.cn-north-1.amazonaws.com${certificate}`) });
    await expect(judge(chinas, { topics })).rejects.toMatchObject(refused);
  });

  it("an hour late, but neither a day late nor from the future", async () => {
    const sentAgo = (seconds: number) =>
      judge(amazon.message({ Timestamp: new Date(Date.now() - seconds * 1000).toISOString() }));
    for (const seconds of [3_600, 23.9 * 3_600, -600]) await sentAgo(seconds);
    for (const seconds of [24.1 * 3_600, -1_000])
      await expect(sentAgo(seconds)).rejects.toMatchObject(refused);
  });

  it("with one download of the certificate for many messages at once", async () => {
    const sns = createSns();
    await Promise.all([1, 2, 3].map(() => judge(amazon.message(), { sns })));
    await judge(amazon.message(), { sns });
    expect(amazon.asked).toHaveLength(1);
  });
});

describe("a forged message is refused", () => {
  it.each<[string, object]>([
    ["another text", { Message: "forged" }],
    ["another id", { MessageId: "forged" }],
    ["another time", { Timestamp: new Date(Date.now() - 1).toISOString() }],
    ["a subject that was not signed", { Subject: "forged" }],
    ["another version of signature", { SignatureVersion: "2" }],
    ["a version that there is none of", { SignatureVersion: "3" }],
    ["a version by an inherited name", { SignatureVersion: "toString" }],
    ["no signature", { Signature: "" }],
    ["a signature of nothing", { Signature: "AAAA" }],
  ])("with %s", async (_, after) => {
    await expect(judge(amazon.message({}, after))).rejects.toMatchObject(refused);
  });

  it("if somebody else has signed it, even if it names Amazon's certificate", async () => {
    await expect(judge(amazon.message({}, {}, stranger))).rejects.toMatchObject(refused);
  });

  it("if it is of another topic, before anything is downloaded", async () => {
    for (const TopicArn of [`${TOPIC}x`, TOPIC.replace("123", "999"), "", TOPIC.toUpperCase()])
      await expect(judge(amazon.message({ TopicArn }))).rejects.toMatchObject(refused);
    expect(amazon.asked).toEqual([]);
  });

  it.each([
    "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.com/SimpleNotificationService-1.pem",
    "https://evil.com/sns.eu-west-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.com/SimpleNotificationService-1.pem",
    "https://me:me@sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-1.pem",
    "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://evilsns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com./SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem?x=1",
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem#x",
    "https://sns.eu-west-1.amazonaws.com/bucket/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&x=.pem",
    "https://sns.eu-west-1.amazonaws.com/bucket/../SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com:443/SimpleNotificationService-1.pem",
    " HTTPS://sns.eu-west-1.amazonaws.com/Simple\nNotificationService-1.pem",
    "https:\\\\sns.eu-west-1.amazonaws.com\\SimpleNotificationService-1.pem",
    "https://s3.amazonaws.com/bucket/a.pem",
    "file:///etc/ssl/a.pem",
    "//sns.eu-west-1.amazonaws.com/a.pem",
    "",
  ])("without a request if its certificate is at %s", async (url) => {
    await expect(judge(amazon.message(at(url)))).rejects.toMatchObject(refused);
    expect(amazon.asked).toEqual([]);
  });

  it.each<[string, () => Parameters<SnsAtTheWire["serve"]>[1]]>([
    ["is somebody else's", () => stranger.certificate],
    ["is none", () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"],
    ["is a page", () => "<html>"],
    ["does not exist", () => (response) => response.writeHead(403).end()],
    [
      "is elsewhere",
      () => (response) =>
        response.writeHead(302, { Location: `${AMAZON}/SimpleNotificationService-1.pem` }).end(),
    ],
    ["has no end", () => (response) => void response.write(Buffer.alloc(64 * 1024))],
  ])("if its certificate %s", async (_, answer) => {
    amazon.serve("/other.pem", answer());
    const message = amazon.message(at(`${AMAZON}/other.pem`), {}, stranger);
    await expect(judge(message)).rejects.toMatchObject(refused);
  });

  it("if its certificate has expired or is not valid yet", async () => {
    for (const days of [91, -1]) {
      const Timestamp = new Date(Date.now() + days * 86_400_000).toISOString();
      const nowSeconds = now() + days * 86_400;
      await expect(judge(amazon.message({ Timestamp }), { nowSeconds })).rejects.toMatchObject(refused);
    }
  });
});

describe("while Amazon does not respond", () => {
  it.each<[string, Parameters<SnsAtTheWire["serve"]>[1]]>([
    ["is silent", () => {}],
    ["is slow to end", (response) => void response.write("-----BEGIN")],
    ["fails", (response) => response.writeHead(503).end()],
    ["breaks off", (response) => response.destroy()],
  ])("a message gets a 503, so that Amazon repeats it: the download %s", async (_, answer) => {
    const sns = createSns();
    const message = amazon.message(at(`${AMAZON}/late.pem`));
    amazon.serve("/late.pem", answer);
    await expect(judge(message, { sns, limitMs: 200 })).rejects.toMatchObject({
      code: "unavailable",
      retryAfterSeconds: 20,
      // The log names the cause, not only that there was one.
      logDetail: expect.not.stringContaining("fetch failed"),
    });
    amazon.serve("/late.pem", amazon.signer.certificate);
    await judge(message, { sns });
  });

  it("downloads at most as many certificates at a time as it keeps", async () => {
    const sns = createSns();
    const waiting: (() => void)[] = [];
    for (let n = 0; n < 17; n++)
      amazon.serve(`/many-${n}.pem`, (response) =>
        waiting.push(() => response.end(amazon.signer.certificate)),
      );
    const judged = Array.from({ length: 17 }, (_, n) =>
      judge(amazon.message(at(`${AMAZON}/many-${n}.pem`)), { sns }).then(
        () => "taken",
        (error) => error.code,
      ),
    );
    await expect.poll(() => waiting.length).toBe(16);
    for (const answer of waiting) answer();
    expect((await Promise.all(judged)).sort()).toEqual([...Array(16).fill("taken"), "unavailable"]);
    amazon.asked.splice(0);
    for (let time = 0; time < 2; time++) await judge(amazon.message(), { sns });
    expect(amazon.asked).toEqual(["/SimpleNotificationService-1.pem"]);
  });
});
