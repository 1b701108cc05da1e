import { describe, expect, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl } from "../support/embed-client";
import { startTestStack } from "../support/stack";

describe("the server's log", () => {
  it("has a line for each request, and no token, key, signature or secret in any of them", async () => {
    const stack = await startTestStack();
    try {
      const { info } = stack;
      const client = await makeEmbedClient(info);
      const { url, token } = await issueEmbedUrl(info, client);
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

      const output = stack.output();
      for (const what of ["presign-upload", "presign-download", "list"]) {
        expect(output).toContain(`asked-${what}`);
      }
      const signatureOf = (presigned: { url: string }) =>
        String(new URL(presigned.url).searchParams.get("X-Amz-Signature"));
      const [payload = "", mac = ""] = token.split(".");
      const secrets = {
        payload,
        mac,
        apiKey: client.apiKey,
        uploadSignature: signatureOf(upload),
        downloadSignature: signatureOf(download),
        signingSecret: info.embedSigningSecret,
        storeSecret: info.objectStore.secretAccessKey,
        databasePassword: new URL(info.postgresUrl).password,
      };
      for (const [name, secret] of Object.entries(secrets)) {
        expect(secret.length, name).toBeGreaterThan(8);
        expect(output.includes(secret), `${name} is in the log`).toBe(false);
      }
    } finally {
      await stack.close();
    }
  });
});
