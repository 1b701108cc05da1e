import { describe, expect, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl } from "../support/app/embed-client";
import { startTestStack } from "../support/app/stack";
import { startSes } from "../support/email/ses";
import { sendRaw } from "../support/network/raw-http";

describe("the server's log", () => {
  it("has a line for each request, without tokens, keys, signatures or secrets", async () => {
    const stack = await startTestStack();
    try {
      const { info } = stack;
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

      const output = stack.output();
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
      await stack.close();
    }
  });

  it("names no recipient of a failed e-mail, although the provider's error does", async () => {
    const stack = await startTestStack({ app: "none" });
    const ses = await startSes();
    const app = await startBuiltApp(stack.info, { CLOUD_SES_ENDPOINT: ses.endpoint, QUEUE_VERIFY: "false" });
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
      await stack.close();
    }
  });
});
