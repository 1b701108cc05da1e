/** Invalid origins in the database, written by hand; `client create` refuses them. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { corsRuleForBucket } from "../../app/services/files/bucket-settings.server";
import {
  databaseOf,
  issueEmbedUrl,
  makeEmbedClient,
  type TestEmbedClient,
} from "../support/app/embed-client";

const stack = inject("stack");
const GOOD = "https://portal.example.com";
const ODD = [
  "https://*",
  "*",
  "https://x;sandbox",
  "https://x https://evil.example",
  "https://user@evil.example",
  "https://x,https://evil.example",
  "",
];

let client: TestEmbedClient;
beforeAll(async () => {
  client = await makeEmbedClient(stack, { bucket: "odd-origins" });
  await databaseOf(stack).embedClient.update({
    where: { id: client.id },
    data: { allowedOrigins: [...ODD, "HTTPS://Portal.example.com:443/"] },
  });
});

describe("an invalid origin", () => {
  it("is not in a token", async () => {
    const { token } = await issueEmbedUrl(stack, client);
    const payload = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    expect(payload.origins).toEqual([GOOD]);
  });

  it("is not in the Content-Security-Policy, and allows nobody to embed", async () => {
    const { url } = await issueEmbedUrl(stack, client);
    const page = await fetch(url, { headers: { Referer: `${GOOD}/` } });
    expect(page.status).toBe(200);
    const directives = (page.headers.get("Content-Security-Policy") ?? "").split("; ");
    expect(directives).toContain(`frame-ancestors ${GOOD}`);
    expect(directives.filter((directive) => directive.startsWith("sandbox"))).toEqual([]);
    for (const referrer of ["https://evil.example/", "https://x/", "https://anything/"]) {
      expect((await fetch(url, { headers: { Referer: referrer } })).status).toBe(403);
    }
  });

  it("is not in a bucket's CORS rules", async () => {
    const rule = await corsRuleForBucket(databaseOf(stack), client.bucket, stack.platformBaseUrl);
    expect(rule.AllowedOrigins).toEqual([stack.platformBaseUrl, GOOD]);
  });
});
