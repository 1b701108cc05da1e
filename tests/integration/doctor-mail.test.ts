/** Tests what `npm run doctor` finds out about Amazon SES and the queue, with HTTP test doubles. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makeDatabase } from "../support/app/deployment";
import { expectFinding, runDoctor } from "../support/app/doctor";

const stack = inject("stack");
const ACCOUNT = {
  SendingEnabled: true,
  ProductionAccessEnabled: true,
  EnforcementStatus: "HEALTHY",
  SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 10 },
};
const DENIED = { status: 403, type: "AccessDeniedException" };

/** Maps paths of GET requests to a body or an error. Other paths are not found. */
let answers: Record<string, object>;
const server = createServer((request, response) => {
  const found = answers[decodeURIComponent(request.url ?? "")] ?? { status: 404, type: "NotFoundException" };
  const { status = 200, type } = found as { status?: number; type?: string };
  response.writeHead(status, {
    "Content-Type": "application/json",
    ...(type ? { "X-Amzn-ErrorType": type } : {}),
  });
  response.end(JSON.stringify(type ? { message: "from the test" } : found));
});

let url: string;
let database: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  database = await makeDatabase(stack);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  answers = { "/v2/email/account": ACCOUNT };
});

const IDENTITY = "/v2/email/identities/platform.example";
const doctor = (group: string, changes: Record<string, string> = {}) =>
  runDoctor(stack, database, { CLOUD_SES_ENDPOINT: url, ...changes }, ["--only", group]);

describe("the doctor of an account of SES", () => {
  it("finds a verified domain and a healthy account right", async () => {
    answers[IDENTITY] = { VerifiedForSendingStatus: true };
    const report = await doctor("mail");
    expect(report.code).toBe(0);
    expectFinding(report, "mail.identity", "ok", /the domain in EMAIL_FROM/);
    expectFinding(report, "mail.account", "ok", /14 messages a second, 10 of 50000/);
  });

  it("finds an unknown or unverified sender", async () => {
    const unknown = await doctor("mail");
    expect(unknown.code).toBe(1);
    expectFinding(unknown, "mail.identity", "error", /does not know/, /create-email-identity.*EMAIL_FROM/);
    answers[IDENTITY] = { VerifiedForSendingStatus: false };
    expectFinding(await doctor("mail"), "mail.identity", "error", /not verified/, /DNS records/);
  });

  it("finds the sandbox, a nearly exhausted quota and a paused account", async () => {
    answers[IDENTITY] = { VerifiedForSendingStatus: true };
    const SendQuota = { ...ACCOUNT.SendQuota, SentLast24Hours: 49_000 };
    answers["/v2/email/account"] = { ...ACCOUNT, SendQuota, ProductionAccessEnabled: false };
    const limited = await doctor("mail");
    expect(limited.code).toBe(0);
    expectFinding(limited, "mail.account", "warning", /sandbox/, /Request production access/);
    expectFinding(limited, "mail.account", "warning", /49000 of 50000/, /quota/);
    answers["/v2/email/account"] = { ...ACCOUNT, SendingEnabled: false };
    const paused = await doctor("mail");
    expect(paused.code).toBe(1);
    expectFinding(paused, "mail.account", "error", /paused/, /put-account-sending-attributes/);
  });

  it("finds the configuration set, or reports that it is missing or paused", async () => {
    answers[IDENTITY] = { VerifiedForSendingStatus: true };
    const SES_CONFIGURATION_SET = "platform-events";
    const path = `/v2/email/configuration-sets/${SES_CONFIGURATION_SET}`;
    const check = "mail.configurationSet";
    const missing = await doctor("mail", { SES_CONFIGURATION_SET });
    expect(missing.code).toBe(1);
    expectFinding(missing, check, "error", /has no configuration set/, /create-configuration-set/);
    answers[path] = { ConfigurationSetName: SES_CONFIGURATION_SET };
    expectFinding(await doctor("mail", { SES_CONFIGURATION_SET }), check, "ok", /has the configuration set/);
    answers[path] = { SendingOptions: { SendingEnabled: false } };
    expectFinding(await doctor("mail", { SES_CONFIGURATION_SET }), check, "error", /paused/, /put-config/);
    answers[path] = DENIED;
    expectFinding(await doctor("mail", { SES_CONFIGURATION_SET }), check, "warning", /lacks/, /Grant ses:/);
    expect((await doctor("mail")).findings.map((finding) => finding.check)).not.toContain(check);
  });

  it("names the missing permission", async () => {
    answers = { "/v2/email/account": DENIED, "/v2/email/identities/no-reply@platform.example": DENIED };
    const report = await doctor("mail");
    expect(report.code).toBe(0);
    expectFinding(
      report,
      "mail.identity",
      "warning",
      /lacks ses:GetEmailIdentity/,
      /Grant ses:GetEmailIdentity/,
    );
    expectFinding(report, "mail.account", "warning", /lacks ses:GetAccount/, /Grant ses:GetAccount/);
  });

  it("finds credentials that SES refuses", async () => {
    answers["/v2/email/account"] = { status: 403, type: "SignatureDoesNotMatch" };
    const report = await doctor("mail");
    expectFinding(report, "mail.account", "error", /credentials/, /CLOUD_SECRET_ACCESS_KEY/);
  });

  it("reports an unreachable SES once", async () => {
    const report = await doctor("mail", { CLOUD_SES_ENDPOINT: "http://127.0.0.1:9" });
    expect(report.findings.map(({ check }) => check)).toEqual(["mail.identity", "mail.events"]);
    expectFinding(report, "mail.identity", "error", /ECONNREFUSED/, /CLOUD_SES_ENDPOINT/);
    expectFinding(report, "mail.events", "warning", /bounces and complaints/, /EMAIL_EVENTS_TOPICS/);
  });
});

describe("the doctor of the queue", () => {
  const ask = (current: string) => {
    answers["/v2/keys"] = { current, next: "sig_next" };
    return doctor("queue", { QUEUE_URL: url, QUEUE_TOKEN: "queue-token-of-the-test" });
  };

  it("accepts a valid token and the queue's keys", async () => {
    const report = await ask(stack.queue.currentSigningKey);
    expect(report.code).toBe(0);
    expectFinding(report, "queue.publishing", "ok", /accepts QUEUE_TOKEN/);
  });

  it("finds keys that are not the queue's", async () => {
    const report = await ask("sig_another_key");
    expect(report.code).toBe(1);
    expectFinding(report, "queue.keys", "error", /not configured/, /QUEUE_CURRENT_SIGNING_KEY/);
    expect(JSON.stringify(report)).not.toContain("sig_another_key");
  });

  it("finds a token that is refused", async () => {
    answers["/v2/keys"] = { status: 401, type: "Unauthorized" };
    const report = await doctor("queue", { QUEUE_URL: url, QUEUE_TOKEN: "queue-token-of-the-test" });
    expect(report.code).toBe(1);
    expectFinding(report, "queue.publishing", "error", /does not accept/, /Set QUEUE_TOKEN/);
  });
});
