import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { eventTypes } from "../../app/events/event";
import { scopeActions } from "../../app/services/files/place/actions";
import { standardError, standardOutput } from "../../app/shared/log.server";
import { startMetrics } from "../../app/telemetry/metrics.server";
import { signDelivery } from "../../local/queue/signature";
import { startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl } from "../support/app/embed-client";
import { createRouteApp } from "../support/app/route-app";
import { freshName } from "../support/databases/cluster-databases";
import { query } from "../support/databases/postgres";
import { jobFor } from "../support/email/campaign";
import { startSes } from "../support/email/ses";
import { startSns, TOPIC } from "../support/email/sns";
import { makeBucket } from "../support/files/bucket";
import { sendRaw } from "../support/network/raw-http";
import { Wire } from "../support/network/wire";

const shared = inject("stack");
/** The stack, with a database of the test's own. */
const ownStack = async () => ({ ...shared, postgresUrl: await makeDatabase(shared) });

describe("the server's log", () => {
  it("has a line for each request, without tokens, keys, signatures or secrets", async () => {
    const stack = await ownStack();
    const app = await startBuiltApp(stack, {});
    try {
      const { apiBaseUrl, env } = app;
      const info = { ...stack, apiBaseUrl, platformBaseUrl: String(env.PLATFORM_BASE_URL) };
      const client = await makeEmbedClient(info);
      const { url, token } = await issueEmbedUrl(info, client);
      const [payload = "", mac = ""] = token.split(".");
      const post = async (what: string, body: object) => {
        const answer = await fetch(`${info.platformBaseUrl}/api/embed/storage/${what}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Request-Id": `asked-${what}` },
          body: JSON.stringify({ token, bucket: client.bucket, ...body }),
        });
        return answer.json();
      };
      const upload = await post("presign-upload", {
        folderPath: "/",
        fileName: "a.txt",
        contentType: "text/plain",
      });
      const download = await post("presign-download", { key: "a.txt" });
      await post("list", { folderPath: "/../refused" });
      await fetch(url, { headers: { Referer: `${info.demoClient.origin}/` } });
      await fetch(url, { headers: { Referer: "https://evil.example/" } });
      await fetch(url.replace("/embed/files", `/embed/${token}`));
      await fetch(`${info.platformBaseUrl}/${token}?t=${token}`);
      await fetch(url.replace("/embed/files", "/embed/files.data"));
      await fetch(url, { method: "POST" });
      await postEmbedUrl(info, `${client.apiKey}x`, { service: "files", [client.apiKey]: client.apiKey });
      await postEmbedUrl(info, client.apiKey, { service: 1 });

      // Unusual requests of attackers, scanners and careless clients.
      const { host } = new URL(info.platformBaseUrl);
      const raw = (lines: string[]) => sendRaw(info.platformBaseUrl, `${[...lines, "", ""].join("\r\n")}`);
      const target = `/embed/files?t=${token}`;
      await raw([`GET ${target} HTTP/1.1`, "Host: ["]);
      await raw([`GET ${target} HTTP/1.1`, `Host: a@${host}`]);
      await raw([`GET ${target} HTTP/1.1`]);
      await raw([`GET http://${host}${target} HTTP/1.1`, `Host: ${host}`]);
      await raw([`TRACE ${target} HTTP/1.1`, `Host: ${host}`, `X-Api-Key: ${client.apiKey}`]);
      await raw([`GET /embed/${token}%zz HTTP/1.1`, `Host: ${host}`]);
      await raw([`GET /embed/${token.match(/.{1,20}/g)?.join("/")} HTTP/1.1`, `Host: ${host}`]);
      await raw([`GET /api/cluster/databases/${token.slice(0, 30)} HTTP/1.1`, `Host: ${host}`]);
      await raw([`GET /healthz HTTP/1.1`, `Host: ${host}`, `X-Request-Id: ${client.apiKey}`]);
      await raw([`GET /healthz HTTP/1.1`, `Host: ${host}`, `X-Request-Id: ${token}`]);
      await raw([
        "GET /api/cluster/databases HTTP/1.1",
        `Host: ${new URL(info.apiBaseUrl).host}`,
        "Authorization: Bearer a-short-bearer-secret",
        "X-Request-Id: a-short-bearer-secret",
      ]);
      await raw([
        `POST ${target} HTTP/1.1`,
        `Host: ${host}`,
        "Origin: https://evil.example",
        "Content-Length: 0",
      ]);
      for (const id of [token.slice(0, 30), mac.slice(0, 30)]) {
        await raw([
          "POST /api/embed/storage/move HTTP/1.1",
          `Host: ${host}`,
          `Authorization: Bearer ${token}`,
          "Content-Type: application/json",
          `X-Request-Id: ${id}`,
          "Content-Length: 0",
        ]);
      }
      await raw([`GET ${target} HTTP/9.9`, `Host: ${host}`, `Cookie: ${client.apiKey}`]);

      const output = app.output();
      for (const what of ["presign-upload", "presign-download", "list"]) {
        expect(output).toContain(`asked-${what}`);
      }
      const signatureOf = (presigned: { url: string }) =>
        String(new URL(presigned.url).searchParams.get("X-Amz-Signature"));
      const secrets = {
        payload,
        mac,
        apiKey: client.apiKey,
        uploadSignature: signatureOf(upload),
        downloadSignature: signatureOf(download),
        signingSecret: info.embedSigningSecret,
        storeSecret: info.objectStore.secretAccessKey,
        databasePassword: new URL(info.postgresUrl).password,
        halfAKey: client.apiKey.slice(4, 24),
        halfAPayload: payload.slice(20, 60).slice(0, 18),
        bearer: "a-short-bearer-secret",
      };
      for (const [name, secret] of Object.entries(secrets)) {
        expect(secret.length, name).toBeGreaterThan(8);
        expect(output.includes(secret), `${name} is in the log`).toBe(false);
      }
    } finally {
      await app.close();
    }
  });

  it("names no recipient of a failed e-mail, although the provider's error does", async () => {
    const ses = await startSes();
    const app = await startBuiltApp(await ownStack(), {
      CLOUD_SES_ENDPOINT: ses.endpoint,
      QUEUE_VERIFY: "false",
      QUEUE_ALLOW_UNVERIFIED: "true",
    });
    try {
      ses.setFault(({ Destination: { ToAddresses } }) => ({
        error: {
          status: 400,
          type: "MessageRejected",
          message: `Email address is not verified. The following identities failed the check: ${ToAddresses[0]}, ada.lovelace@example.com`,
        },
      }));
      const response = await fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ to: ["ada.lovelace@example.com"], title: "Hello", description: "Hello" }),
      });
      expect(response.status).toBe(502);
      await fetch(`${app.apiBaseUrl}/api/queue/send-email`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          recipient: { email: "ada.lovelace@example.com", name: "Ada Lovelace" },
          campaignId: "spring",
          site: { subject: "Spring" },
          branding: { siteName: "Northwind" },
        }),
      });
      expect(ses.requests).toBe(2);
      expect(app.output()).toContain("Email address is not verified");
      expect(app.output()).not.toMatch(/lovelace/i);
    } finally {
      await app.close();
      await ses.close();
    }
  });
});

describe("the log, the metrics and errors", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("name no visitor and no recipient, whatever is recorded of them, and whatever fails", async () => {
    const info = await ownStack();
    const [ses, amazon, wire] = [await startSes(), await startSns(), await Wire.to(info.postgresUrl)];
    const app = createRouteApp(info, {
      POSTGRES_URL: wire.over(info.postgresUrl),
      CLOUD_SES_ENDPOINT: ses.endpoint,
      EMAIL_EVENTS_TOPICS: TOPIC,
      UNSUBSCRIBE_SECRET: "an-unsubscribe-secret-of-this-test",
      METRICS_TOKEN: "a-token-for-the-metrics",
    });
    startMetrics({
      poolState: () => ({ total: 0, idle: 0, waiting: 0 }),
      webhooksOverdueSeconds: async () => 0,
    });
    const logged = [standardOutput, standardError].map((output) =>
      vi.spyOn(output, "write").mockImplementation(() => {}),
    );
    const errors: string[] = [];
    const send = async (url: string, init: RequestInit = {}) => {
      const response = await app.fetch(url, init);
      const text = await response.text();
      // A caller gets each result beside its own `to`.
      if (response.status >= 400) errors.push(text.replace(/"to":"[^"]*"/g, ""));
      return { status: response.status, text };
    };
    const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
      const json = { "Content-Type": "application/json" };
      const { text } = await send(url, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify(body),
      });
      return JSON.parse(text);
    };
    const api = (path: string, body: object, headers?: Record<string, string>) =>
      post(`${app.apiBaseUrl}/api/${path}`, body, headers);
    const deliver = async (job: object) => {
      const url = `${app.apiBaseUrl}/api/queue/send-email`;
      const signature = await signDelivery(JSON.stringify(job), url, info.queue.currentSigningKey);
      return post(url, job, { "Upstash-Signature": signature });
    };
    try {
      const bucket = await makeBucket(info);
      await bucket.keepVersions();
      const client = await makeEmbedClient(info, {
        bucket: bucket.name,
        files: { actions: [...scopeActions] },
      });
      const visitor = { id: "visitor-lovelace-1", name: "Augusta Lovelace" };
      const scope = { bucket: bucket.name, actions: [...scopeActions] };
      const key = { "X-Api-Key": client.apiKey };
      const { url } = await api("embed/url", { service: "files", scope, visitor }, key);
      const token = new URL(url).searchParams.get("t");
      const files = (what: string, body: object) =>
        post(`${app.platformBaseUrl}/api/embed/storage/${what}`, { token, bucket: bucket.name, ...body });

      const signed = await files("presign-upload", {
        folderPath: "/",
        fileName: "a.txt",
        contentType: "text/plain",
      });
      await fetch(signed.url, { method: "PUT", headers: signed.headers, body: "hello" });
      await files("uploaded", { keys: ["a.txt"] });
      await files("presign-download", { key: "a.txt" });
      await files("create-folder", { folderPath: "/", name: "docs" });
      await files("copy", { items: [{ key: "a.txt" }], to: "/docs", onConflict: "fail" });
      await files("move", { items: [{ key: "docs/a.txt" }], to: "/moved", onConflict: "fail" });
      const { undo } = await files("delete", { items: [{ key: "a.txt" }] });
      await files("restore", { undo });
      await files("delete", { items: [{ key: "a.txt" }] });
      await files("purge", { items: [{ key: "a.txt" }] });

      const recipient = "ada.lovelace@example.com";
      const email = { to: `Ada <${recipient}>`, title: "Hello", description: "Hello" };
      await api("send-simple-email", email);
      const tags = Object.fromEntries(
        ses.accepted[0]?.EmailTags?.map(({ Name, Value }) => [Name, [Value]]) ?? [],
      );
      const recipients = [{ emailAddress: recipient }];
      const notification = (eventType: string, what: object) => {
        const happened = { timestamp: new Date().toISOString(), ...what };
        const mail = { messageId: "ses-1", destination: [recipient], tags };
        return amazon.message({
          Message: JSON.stringify({ eventType, [eventType.toLowerCase()]: happened, mail }),
        });
      };
      const notifications = [
        notification("Delivery", { recipients: [recipient] }),
        notification("Bounce", { bounceType: "Transient", bouncedRecipients: recipients }),
        notification("Open", { ipAddress: "198.51.100.7", userAgent: "Lovelace" }),
        notification("Click", { ipAddress: "198.51.100.7", link: "https://x.example/?for=lovelace" }),
        notification("Complaint", { complainedRecipients: [...recipients, { emailAddress: "lovelace" }] }),
      ];
      for (const body of notifications)
        await send(`${app.apiBaseUrl}/api/email/events`, { method: "POST", body });
      const job = jobFor("Other.Lovelace@example.com");
      await deliver({ ...job, recipient: { email: job.recipient.email, name: "Lovelace" } });
      const link = ses.accepted[1]?.Content.Simple.Headers?.find(({ Name }) => Name === "List-Unsubscribe");
      const page = String(link?.Value.slice(1, -1));
      const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
      await send(page, oneClick);
      const [{ companyId } = { companyId: "" }] = await query<{ companyId: string }>(
        info.postgresUrl,
        'SELECT "companyId" FROM embed_clients WHERE id = $1',
        [client.id],
      );
      const name = freshName();
      const created = await api("cluster/databases", { companyId, name, region: info.clusterRegion });
      const path = `cluster/databases/${created.resource.id}`;
      const json = { "Content-Type": "application/json" };
      const confirmation = { method: "DELETE", headers: json, body: JSON.stringify({ confirm: name }) };
      await send(`${app.apiBaseUrl}/api/${path}`, confirmation);
      await api(`${path}/restore`, {});
      const recorded = await query<{ type: string }>(info.postgresUrl, "SELECT DISTINCT type FROM events");
      expect(recorded.map(({ type }) => type).sort()).toEqual(
        // How full a quota is names no person.
        eventTypes.filter((type) => type !== "usage.threshold").sort(),
      );

      // Now with faults: of the caller, of the provider, of a value, of the database.
      await api("embed/url", { service: "files", scope, visitor: { ...visitor, id: "\u0000lovelace" } }, key);
      await api("embed/revoke", { visitor: "lovelace", issuedBefore: "lovelace" }, key);
      await send(`${app.apiBaseUrl}/api/events?visitor=lovelace&limit=lovelace&type=lovelace`, {
        headers: key,
      });
      await api("send-simple-email", { ...email, to: ["lovelace", "lovelace@"] });
      await deliver({ ...job, recipient: { email: "lovelace" } });
      ses.setFault(({ Destination: { ToAddresses } }) => ({
        error: { status: 400, type: "MessageRejected", message: `Not verified: ${ToAddresses[0]}` },
      }));
      await api("send-simple-email", { ...email, to: "b.lovelace@example.com" });
      await deliver(jobFor("b.lovelace@example.com"));
      ses.setFault(undefined);
      const lovelace = { companyId: null, campaignId: null, recipient, data: {} };
      await app.events.record({ ...lovelace, id: recipient, type: "email.sent" });
      ses.onAccept(() => wire.cut());
      await api("send-simple-email", { ...email, to: "c.lovelace@example.com" });
      ses.onAccept(undefined);
      await files("move", { items: [{ key: "moved/a.txt" }], to: "/docs", onConflict: "fail" });
      for (const body of notifications)
        await send(`${app.apiBaseUrl}/api/email/events`, { method: "POST", body });
      await send(page, oneClick);
      await wire.restore();
      await app.events.record({ ...lovelace, type: "email.sent" });

      const metrics = await send(`${app.apiBaseUrl}/metrics`, {
        headers: { Authorization: "Bearer a-token-for-the-metrics" },
      });
      expect(metrics.text).toContain("platform_embed_emails_total");
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      const log = logged.flatMap(({ mock }) => mock.calls).join("\n");
      for (const line of ["could not be stored", "cannot be written", "could not be read", "Not verified"])
        expect(log).toContain(line);
      expect(errors.length).toBeGreaterThan(10);
      for (const text of [log, metrics.text, ...errors]) expect(text).not.toMatch(/lovelace|augusta/i);
    } finally {
      await app.close();
      await Promise.all([wire.cut(), ses.close(), amazon.close()]);
    }
  }, 60_000);
});
