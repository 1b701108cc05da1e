import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { renderMarkdown } from "../email/markdown.server";
import { Events } from "../events/events.server";
import type { Database } from "../providers/database.server";
import { MailError, type MailErrorKind, type Mailer } from "../providers/mail.server";
import { AppError, type AppErrorCode, invalidRequest } from "../shared/app-error";
import { standardError } from "../shared/log.server";
import { currentMetrics, startMetrics } from "../telemetry/metrics.server";
import { campaignJobSchema } from "./campaign-job.server";
import { markSent } from "./campaigns.sql.server";
import {
  campaignEmailResultSchema,
  claimJob,
  errorForQueue,
  releaseClaim,
  sendCampaignEmail,
} from "./send-campaign-email.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
  startMetrics({
    poolState: () => ({ total: 0, idle: 0, waiting: 0 }),
    webhooksOverdueSeconds: async () => 0,
  });
});
afterAll(() => own?.stop());
beforeEach(async () => {
  await query(own.url, "TRUNCATE email_deliveries, events");
  currentMetrics()?.emails.reset();
});
afterEach(() => vi.restoreAllMocks());

const rows = () => query(own.url, "SELECT * FROM email_deliveries ORDER BY recipient");
const setClaimAge = (seconds: number) =>
  query(
    own.url,
    `UPDATE email_deliveries SET claimed_at = now() AT TIME ZONE 'UTC' - interval '${seconds} seconds'`,
  );
const ada = { campaignId: "spring", recipient: "ada@example.com" };

describe("claiming a job", () => {
  const claim = (key = ada) => claimJob(own.database, key);
  const claimed = { state: "claimed", claimId: expect.stringMatching(/^[0-9a-f-]{36}$/) };

  it("succeeds once; the next attempt learns when the claim ends", async () => {
    expect(await claim()).toEqual(claimed);
    expect(await claim()).toEqual({ state: "claimedByAnother", retryAfterSeconds: 60 });
    await setClaimAge(49.5);
    expect(await claim()).toEqual({ state: "claimedByAnother", retryAfterSeconds: 11 });
    expect(await claim({ ...ada, recipient: "b@example.com" })).toEqual(claimed);
    expect(await claim({ ...ada, campaignId: "summer" })).toEqual(claimed);
  });

  it("claims a job again after the end of a claim", async () => {
    const first = await claim();
    await setClaimAge(61);
    const second = await claim();
    expect(second).toEqual(claimed);
    expect(second).not.toEqual(first);
    expect(await rows()).toMatchObject([{ attempts: 2, status: "claimed" }]);
    expect(await claim()).toEqual({ state: "claimedByAnother", retryAfterSeconds: 60 });
  });

  it("returns the message id of a job that was sent, however long ago", async () => {
    const { claimId } = (await claim()) as { claimId: string };
    await claim({ ...ada, recipient: "b@example.com" });
    await markSent(own.database, ada, claimId, "message-1");
    await setClaimAge(3_600);
    expect(await claim()).toEqual({ state: "sent", messageId: "message-1" });
    expect(await rows()).toMatchObject([
      { status: "sent", message_id: "message-1", sent_at: expect.any(Date) },
      { status: "claimed", message_id: null, sent_at: null },
    ]);
  });

  it("can be retried after a second if the claim was released or ended between the two statements", async () => {
    for (const found of [[], [{ status: "claimed", messageId: null, secondsLeft: -3 }]]) {
      const $driverQuery = vi.fn().mockResolvedValueOnce([]).mockResolvedValueOnce(found);
      const database = { $driverQuery } as Pick<Database, "$driverQuery">;
      expect(await claimJob(database, ada)).toEqual({ state: "claimedByAnother", retryAfterSeconds: 1 });
    }
  });
});

describe("only the owner of a claim", () => {
  it("records that the job was sent", async () => {
    await claimJob(own.database, ada);
    await markSent(own.database, ada, "another-claim", "message-1");
    expect(await rows()).toMatchObject([{ status: "claimed", message_id: null }]);
  });

  it("releases it, unless the job was sent", async () => {
    const { claimId } = (await claimJob(own.database, ada)) as { claimId: string };
    await claimJob(own.database, { ...ada, recipient: "b@example.com" });
    await releaseClaim(own.database, ada, "another-claim");
    expect(await rows()).toHaveLength(2);
    await releaseClaim(own.database, ada, claimId);
    expect(await rows()).toMatchObject([{ recipient: "b@example.com" }]);

    const sent = (await claimJob(own.database, ada)) as { claimId: string };
    await markSent(own.database, ada, sent.claimId, "message-1");
    await releaseClaim(own.database, ada, sent.claimId);
    expect(await rows()).toHaveLength(2);
  });
});

describe("delivering a campaign e-mail", () => {
  const job = campaignJobSchema.parse({
    recipient: { email: "Ada@example.com", name: "Ada", unsubscribeToken: "t" },
    campaignId: "spring",
    companyId: "acme",
    site: { subject: "Spring" },
    branding: { siteName: "Northwind" },
  });
  const context = { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
  const send = vi.fn<Mailer["send"]>();
  beforeEach(() => {
    send.mockReset().mockResolvedValue({ messageId: "message-1" });
  });
  const deliver = (changes: Partial<Parameters<typeof sendCampaignEmail>[1]> = {}, other: object = {}) =>
    sendCampaignEmail(campaignJobSchema.parse({ ...job, ...other }), {
      database: own.database,
      events: new Events(own.database),
      mailer: { send },
      markdown: { render: async (task) => renderMarkdown(task), close: async () => {} },
      env: {
        sender: { name: "Platform", address: "no-reply@platform.example" },
        unsubscribing: { template: "https://u.example/{token}", hosted: undefined },
      },
      context,
      ...changes,
    });
  const counted = async () =>
    (await currentMetrics()?.emails.get())?.values.map(({ labels: { kind, outcome }, value }) => [
      kind,
      outcome,
      value,
    ]);

  it("sends the e-mail once, in the site's name, however often its job is delivered", async () => {
    expect(await deliver()).toEqual({ success: true, messageId: "message-1", duplicate: false });
    expect(await deliver()).toEqual({ success: true, messageId: "message-1", duplicate: true });
    expect(send.mock.calls).toEqual([
      [
        {
          from: "Northwind <no-reply@platform.example>",
          to: "Ada <Ada@example.com>",
          subject: "Spring",
          html: expect.stringContaining("Hello Ada,"),
          text: expect.stringContaining("Hello Ada,"),
          headers: [
            { name: "List-Unsubscribe", value: "<https://u.example/t>" },
            { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
          ],
          tags: { campaign: "spring", "platform-embed-event": expect.any(String) },
        },
        context,
      ],
    ]);
    expect(await rows()).toMatchObject([
      { campaign_id: "spring", recipient: "ada@example.com", status: "sent" },
    ]);
    expect(await counted()).toEqual([["campaign", "sent", 1]]);
    expect(await query(own.url, "SELECT * FROM events")).toMatchObject([
      {
        id: send.mock.calls[0]?.[0].tags?.["platform-embed-event"],
        type: "email.sent",
        companyId: "acme",
        campaign_id: "spring",
        recipient: "ada@example.com",
        request_id: "r",
        data: { messageId: "message-1" },
        source: "service",
      },
    ]);
    expect(
      campaignEmailResultSchema.safeParse({ success: true, messageId: null, duplicate: true }).success,
    ).toBe(true);
    expect(campaignEmailResultSchema.safeParse({ success: false }).error?.issues).toHaveLength(3);
  });

  it("is retried later while another delivery is sending it", async () => {
    await claimJob(own.database, ada);
    await expect(deliver()).rejects.toMatchObject({
      code: "unavailable",
      message: "Another attempt of this job is under way. Try again later.",
      retryAfterSeconds: 60,
    });
    expect(send).not.toHaveBeenCalled();
  });

  it("claims nothing if the deployment cannot send", async () => {
    await expect(
      deliver({ env: { sender: undefined, unsubscribing: { template: "", hosted: undefined } } }),
    ).rejects.toMatchObject({ code: "unavailable" });
    expect(await rows()).toEqual([]);
  });

  it.each<[MailErrorKind, string]>([
    ["throttled", "unavailable"],
    ["refused", "email_refused"],
    ["failed", "provider_failed"],
  ])("releases the claim if it is known that the provider sent nothing: %s", async (kind, code) => {
    send.mockRejectedValue(new MailError(kind, new Error("from the provider")));
    await expect(deliver()).rejects.toMatchObject({ code });
    expect(await rows()).toEqual([]);
    expect(await counted()).toEqual([["campaign", kind, 1]]);
  });

  it("releases the claim if too little time is left", async () => {
    const late = { ...context, deadline: performance.now() + 4_900 };
    await expect(deliver({ context: late })).rejects.toMatchObject({ code: "unavailable" });
    expect(send, "an attempt that might be cut off is not begun").not.toHaveBeenCalled();
    expect(await rows()).toEqual([]);
  });

  it.each([
    ["Spring_2027-b", /^Spring_2027-b$/],
    ["Spring 2027 / b", /^Spring-2027-b-[\w-]{8}$/],
    ["春の", /^--[\w-]{8}$/],
    ["x".repeat(200), /^x{200}$/],
    ["é x".repeat(66), /^[\w-]{1,256}$/],
  ])("tags the message with the campaign: %s", async (campaignId, tag) => {
    await deliver({}, { campaignId });
    expect(send.mock.calls[0]?.[0].tags).toMatchObject({ campaign: expect.stringMatching(tag) });
  });

  it("gives each campaign its own tag", async () => {
    for (const campaignId of ["a b", "a-b", "a/b", "a b "]) await deliver({}, { campaignId });
    const tags = send.mock.calls.map(([{ tags }]) => tags?.campaign);
    expect(new Set(tags).size).toBe(3);
  });

  it("releases the claim after an unexpected error", async () => {
    send.mockRejectedValue(new TypeError("a defect"));
    await expect(deliver()).rejects.toThrow(TypeError);
    expect(await rows()).toEqual([]);
    expect(await counted()).toEqual([["campaign", "error", 1]]);
  });

  it("keeps the claim if the message may have been sent", async () => {
    const unknown = new MailError("unknown", new Error("the connection broke"));
    send.mockRejectedValue(unknown);
    await expect(deliver()).rejects.toMatchObject({
      code: "unavailable",
      message: unknown.message,
      logDetail: expect.stringContaining("the connection broke"),
      retryAfterSeconds: 60,
      cause: unknown,
    });
    expect(await rows()).toMatchObject([{ status: "claimed" }]);
    expect(await counted()).toEqual([["campaign", "unknown", 1]]);
  });

  it("succeeds if only recording fails, and logs that", async () => {
    const log = vi.spyOn(standardError, "write").mockImplementation(() => {});
    const $driverQuery: Database["$driverQuery"] = (statement, row) =>
      statement.text.includes("UPDATE email_deliveries SET status = 'sent'")
        ? Promise.reject(new Error("the database is gone"))
        : own.database.$driverQuery(statement, row);
    const database = new Proxy(own.database, {
      get: (target, name) => (name === "$driverQuery" ? $driverQuery : Reflect.get(target, name)),
    });
    expect(await deliver({ database })).toEqual({ success: true, messageId: "message-1", duplicate: false });
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      {
        requestId: "r",
        message: "A sent campaign e-mail could not be recorded (message message-1).",
        detail: expect.stringContaining("the database is gone"),
      },
    ]);
  });
});

describe("stopping the queue's retries", () => {
  it.each<AppErrorCode>(["invalid_request", "body_too_large", "email_refused"])(
    "is requested for %s, with the same message",
    (code) => {
      const error = new AppError(code, "Why it failed.", { logDetail: "for the log" });
      expect(errorForQueue(error)).toMatchObject({
        code: "job_refused",
        message: "Why it failed.",
        logDetail: "for the log",
        headers: { "Upstash-NonRetryable-Error": "true" },
        cause: error,
      });
    },
  );

  it("keeps the issues", () => {
    const issues = [{ path: "campaignId", message: "is missing" }];
    expect(errorForQueue(invalidRequest(issues))).toMatchObject({ code: "job_refused", issues });
  });

  it.each<AppErrorCode>(["unavailable", "provider_failed", "invalid_signature", "internal"])(
    "is not requested for %s",
    (code) => {
      const error = new AppError(code, "Why it failed.");
      expect(errorForQueue(error)).toBe(error);
    },
  );
});
