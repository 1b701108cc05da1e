/** Faults while sending: of the provider, of the process, and several deliveries of one job. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { query } from "../support/databases/postgres";
import { deliverJob } from "../support/email/queue-delivery";
import { type Ses, startSes } from "../support/email/ses";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
const signingKey = stack.queue.currentSigningKey;
let ses: Ses;
let wire: Wire;
let app: BuiltApp;
let replica: BuiltApp;

beforeAll(async () => {
  ses = await startSes();
  wire = await Wire.to(ses.endpoint);
  const env = {
    CLOUD_SES_ENDPOINT: wire.over(ses.endpoint),
    SES_CONFIGURATION_SET: "platform-events",
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: signingKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  };
  [app, replica] = await Promise.all([startBuiltApp(stack, env), startBuiltApp(stack, env)]);
});
afterEach(() => {
  ses.setFault(undefined);
  ses.onAccept(undefined);
});
afterAll(async () => {
  await Promise.all([app?.close(), replica?.close()]);
  await wire?.cut();
  await ses?.close();
});

const someJob = () => ({
  recipient: { email: `${crypto.randomUUID()}@example.com` },
  campaignId: "spring",
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
});
const deliver = (job: object, to: BuiltApp = app) =>
  deliverJob({ apiBaseUrl: to.apiBaseUrl, signingKey }, job);
const sentTo = ({ recipient }: ReturnType<typeof someJob>) =>
  ses.accepted.filter(({ Destination }) => Destination.ToAddresses[0] === recipient.email).length;
/** Backdates the claim of the job by a minute. */
const aMinuteLater = ({ recipient }: ReturnType<typeof someJob>) =>
  query(
    stack.postgresUrl,
    "UPDATE email_deliveries SET claimed_at = claimed_at - interval '60 seconds' WHERE recipient = $1",
    [recipient.email],
  );
const rowOf = async ({ recipient }: ReturnType<typeof someJob>) =>
  (
    await query<{ status: string; attempts: number; message_id: string | null }>(
      stack.postgresUrl,
      "SELECT status, attempts, message_id FROM email_deliveries WHERE recipient = $1",
      [recipient.email],
    )
  )[0];

describe("a campaign job", () => {
  it.each([
    ["throttles", { status: 429, type: "TooManyRequestsException" }],
    ["says that the daily quota is used up", { status: 400, type: "LimitExceededException" }],
    ["fails", { status: 500, type: "InternalServiceErrorException" }],
    ["is unavailable", { status: 503, type: "ServiceUnavailable" }],
  ])("is asked for again when SES %s, and then sent once", async (_, error) => {
    const job = someJob();
    ses.setFault(() => ({ error }));
    const refused = await deliver(job);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({ error: expect.any(String), code: "unavailable" });
    expect(sentTo(job)).toBe(0);

    ses.setFault(undefined);
    const sent = await deliver(job);
    expect(sent.status).toBe(200);
    expect(ses.accepted.at(-1)).toMatchObject({
      ConfigurationSetName: "platform-events",
      EmailTags: [{ Name: "campaign", Value: "spring" }, { Name: "platform-embed-event" }],
    });
    expect(await sent.json()).toMatchObject({ duplicate: false });
    expect(await (await deliver(job)).json()).toMatchObject({ duplicate: true });
    expect(sentTo(job)).toBe(1);
  });

  it("is redelivered if SES is down", async () => {
    const job = someJob();
    await wire.cut();
    expect((await deliver(job)).status).toBe(503);
    await wire.restore();
    expect((await deliver(job)).status).toBe(200);
  });

  it("is not redelivered if SES rejects it permanently", async () => {
    const job = someJob();
    ses.setFault(() => ({ error: { status: 400, type: "MessageRejected", message: "secret detail" } }));
    const answer = await deliver(job);
    expect(answer.status).toBe(489);
    expect(answer.headers.get("Upstash-NonRetryable-Error")).toBe("true");
    expect(JSON.stringify(await answer.json())).not.toContain("secret detail");
    expect(await rowOf(job)).toBeUndefined();
  });

  it("is redelivered if SES has not verified the sender, or the recipient in the sandbox", async () => {
    const job = someJob();
    const message =
      "Email address is not verified. The following identities failed the check in region US-EAST-1: a@b.example";
    ses.setFault(() => ({ error: { status: 400, type: "MessageRejected", message } }));
    const refused = await deliver(job);
    expect([refused.status, (await refused.json()).code]).toEqual([502, "provider_failed"]);
    expect(refused.headers.has("Upstash-NonRetryable-Error")).toBe(false);
    ses.setFault(undefined);
    expect((await deliver(job)).status).toBe(200);
    expect(sentTo(job)).toBe(1);
  });

  it("is held back for a minute if it is unknown whether it was sent", async () => {
    const job = someJob();
    ses.setFault(() => ({ reset: true }));
    const broken = await deliver(job);
    expect(broken.status).toBe(503);
    expect(broken.headers.get("Retry-After")).toBe("60");
    ses.setFault(undefined);
    expect((await deliver(job)).status).toBe(503);
    expect(sentTo(job)).toBe(0);
    await aMinuteLater(job);
    expect((await deliver(job)).status).toBe(200);
    expect(sentTo(job)).toBe(1);
  });

  it("is sent once if two replicas receive it ten times at once", async () => {
    const job = someJob();
    let answerSes: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      answerSes = resolve;
    });
    ses.onAccept(() => held);
    const deliveries = Array.from({ length: 10 }, (_, index) => deliver(job, index % 2 ? app : replica));
    // One of them waits for SES; the nine others get a response meanwhile.
    const early: number[] = [];
    await new Promise<void>((resolve) => {
      for (const delivery of deliveries) {
        delivery.then((answer) => {
          early.push(answer.status);
          if (early.length === 9) resolve();
        });
      }
    });
    expect(early).toEqual(Array(9).fill(503));
    answerSes();
    const answers = await Promise.all(deliveries);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(503)]);
    const held503 = answers.find(({ status }) => status === 503);
    expect(Number(held503?.headers.get("Retry-After"))).toBeGreaterThan(50);
    expect(sentTo(job)).toBe(1);
    expect(await rowOf(job)).toMatchObject({ status: "sent", attempts: 1 });
  });

  it("survives a kill before it is sent: another replica takes it over after a minute", async () => {
    const job = someJob();
    let arrived: () => void = () => {};
    const atSes = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    ses.setFault(() => {
      arrived();
      return { hang: true };
    });
    const lost = deliver(job).catch(() => "connection lost");
    await atSes;
    app.kill();
    expect(await lost).toBe("connection lost");
    ses.setFault(undefined);

    const early = await deliver(job, replica);
    expect(early.status).toBe(503);
    expect(Number(early.headers.get("Retry-After"))).toBeGreaterThan(50);
    await aMinuteLater(job);
    expect(await (await deliver(job, replica)).json()).toMatchObject({ duplicate: false });
    expect(sentTo(job)).toBe(1);
    expect(await rowOf(job)).toMatchObject({ status: "sent", attempts: 2 });
    await app.start();
  });

  it("survives a kill between sending and recording: it is not lost, but may be sent twice in this case only", async () => {
    const job = someJob();
    ses.onAccept(() => app.kill());
    expect(await deliver(job).catch(() => "connection lost")).toBe("connection lost");
    ses.onAccept(undefined);
    await app.start();
    expect(await rowOf(job)).toMatchObject({ status: "claimed", message_id: null });
    expect((await deliver(job)).status).toBe(503);
    expect(sentTo(job)).toBe(1);
    await aMinuteLater(job);
    expect((await deliver(job)).status).toBe(200);
    expect(await (await deliver(job)).json()).toMatchObject({ duplicate: true });
    expect(sentTo(job)).toBe(2);
  });

  it("is left alone by a slow first sender after another attempt has claimed it", async () => {
    const job = someJob();
    let answerSes: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      answerSes = resolve;
    });
    let arrived: () => void = () => {};
    const atSes = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    ses.onAccept(() => {
      arrived();
      return held;
    });
    const late = deliver(job);
    await atSes;
    ses.onAccept(undefined);
    await aMinuteLater(job);
    const { messageId } = await (await deliver(job, replica)).json();
    answerSes();
    expect((await late).status).toBe(200);
    expect(await rowOf(job)).toMatchObject({ status: "sent", message_id: messageId });
  });
});

describe("the log", () => {
  it("contains no signature and no key", async () => {
    await deliver({ ...someJob(), campaignId: "" });
    expect(app.output()).toMatch("/api/queue/send-email");
    expect(app.output()).not.toMatch(/eyJ/);
    expect(app.output()).not.toContain(signingKey);
  });
});
