import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import {
  databaseOf,
  issueEmbedUrl,
  makeEmbedClient,
  type TestEmbedClient,
} from "../support/app/embed-client";
import { askBackend, own } from "../support/backends/ask-backend";
import { type Backend, findLanguages, OTHER_ORIGIN } from "../support/backends/languages";
import { type Answer, type RecordingPlatform, startRecordingPlatform } from "../support/backends/platform";
import recorded from "../support/backends/recorded-webhook.json" with { type: "json" };
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { notInstalled } from "../support/machine/installed";

/**
 * Tests the token endpoints of docs/examples/backends, the receivers of docs/examples/webhooks and the package's own handlers, with one table of
 * responses for all languages.
 */

const stack = inject("stack");
const languages = findLanguages();

interface Place {
  client: TestEmbedClient;
  platform: RecordingPlatform;
  backend: Backend;
}
let bucket: TestBucket;
/** Started in parallel, because some have to be compiled. */
const places = new Map<string, Promise<Place>>();

beforeAll(async () => {
  bucket = await makeBucket(stack);
  await bucket.put("ada/hello.txt", "hello");
  for (const { name, start } of languages) if (start) places.set(name, open(start));
  // The first URL and the first page take longest. Loading them here keeps that time out of the tests' time limits.
  const { url } = await issueEmbedUrl(stack, await makeEmbedClient(stack, { bucket: bucket.name }));
  await fetch(url, { headers: { Origin: stack.demoClient.origin } });
  await Promise.allSettled(places.values());
});
afterAll(async () => {
  for (const place of await Promise.allSettled(places.values())) {
    if (place.status === "rejected") continue;
    await place.value.backend.close();
    await place.value.platform.close();
  }
});

async function open(start: NonNullable<(typeof languages)[number]["start"]>): Promise<Place> {
  const client = await makeEmbedClient(stack, { bucket: bucket.name });
  const platform = await startRecordingPlatform(stack.apiBaseUrl);
  const settings = {
    ...{ apiBaseUrl: `${platform.url}/`, apiKey: client.apiKey, bucket: bucket.name },
    webhookSecret: recorded.secret,
  };
  return { client, platform, backend: await start(settings) };
}

/** The recorded message at the time when it was sent, and changes of it: whether a receiver accepts them. */
const sign = (at: number, secret = recorded.secret) =>
  new Webhook(secret).sign(recorded.headers["webhook-id"], new Date(at * 1000), recorded.body);
const { sentAt } = recorded;
const stranger = sign(sentAt, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
const right = recorded.headers["webhook-signature"];
const signature = (text: string) => ({ "webhook-signature": text });
const timestamp = (text: string) => ({ "webhook-timestamp": text });
/** What anybody can sign who knows that a receiver's secret is empty. */
const signedWithNothing = (at: number) => {
  const text = `${recorded.headers["webhook-id"]}.${at}.${recorded.body}`;
  return signature(`v1,${createHmac("sha256", "").update(text).digest("base64")}`);
};
interface ChangedMessage {
  headers?: Record<string, string>;
  body?: string;
  now?: number;
  secret?: string;
}
const messages: [string, boolean, ChangedMessage][] = [
  ["as it was sent", true, {}],
  ["with a second signature that is right", true, { headers: signature(`${stranger} ${right}`) }],
  ["with signatures of other versions beside it", true, { headers: signature(`v1a,AAAA v2 ${right}`) }],
  ["five minutes old", true, { now: sentAt + 300 }],
  ["older than five minutes", false, { now: sentAt + 301 }],
  ["from more than five minutes ahead", false, { now: sentAt - 301 }],
  ["with another body", false, { body: recorded.body.replace("48213", "48214") }],
  ["with another id", false, { headers: { "webhook-id": "01a20f15-bc6d-70f5-870c-6b96db046285" } }],
  ["with another timestamp", false, { headers: timestamp(String(sentAt + 1)) }],
  ["with the signature of another secret", false, { headers: signature(stranger) }],
  ["with half a signature", false, { headers: signature(right.slice(0, 24)) }],
  ["with its signature of another version", false, { headers: signature(right.replace("v1", "v2")) }],
  ["with an empty signature", false, { headers: signature("v1,") }],
  ["with a signature that is not ASCII", false, { headers: signature("v1,\u00e9\u00ff") }],
  ["without a signature", false, { headers: signature("") }],
  ["with a timestamp that is no number", false, { headers: timestamp("yesterday") }],
  ["with a timestamp out of all bounds", false, { headers: timestamp("9".repeat(40)) }],
  ["without a timestamp", false, { headers: timestamp("") }],
  ["with an empty secret", false, { headers: signedWithNothing(sentAt), secret: "" }],
  ["with a secret that is only whsec_", false, { headers: signedWithNothing(sentAt), secret: "whsec_" }],
  ["with a secret of nothing but padding", false, { headers: signedWithNothing(sentAt), secret: "whsec_==" }],
  ["with a secret without whsec_", false, { secret: recorded.secret.replace("whsec_", "") }],
];

const issues = [{ path: "scope.bucket", message: "must be a bucket's name" }];
const refused = (status: number, code: unknown): Answer => ({
  status,
  body: { error: "Words for the log.", code, issues },
});
const page = "<!doctype html><h1>Welcome</h1>";
const issued = { url: "https://embed.example/embed/files?t=a.b", expiresAt: 1_800_000_000, service: "files" };

const fromPlatform: [string, number, string, Exclude<RecordingPlatform["says"], undefined>][] = [
  ["400", 502, "invalid_request", refused(400, "invalid_request")],
  ["401", 502, "invalid_api_key", refused(401, "invalid_api_key")],
  ["403", 502, "scope_not_allowed", refused(403, "scope_not_allowed")],
  ["422 with an unknown code", 502, "of_tomorrow", refused(422, "of_tomorrow")],
  ["403 of something else", 502, "platform_invalid", refused(403, 1020)],
  ["404 from a web site", 502, "platform_invalid", { status: 404, body: page }],
  ["200 from a web site", 502, "platform_invalid", { status: 200, body: page }],
  ["200 without a service", 502, "platform_invalid", { status: 200, body: { ...issued, service: null } }],
  ["200 with a list", 502, "platform_invalid", { status: 200, body: [issued] }],
  ["200 with nothing", 502, "platform_invalid", { status: 200 }],
  ["408", 503, "platform_unavailable", refused(408, undefined)],
  ["429", 503, "platform_unavailable", refused(429, "rate_limited")],
  ["500", 503, "platform_unavailable", refused(500, "internal")],
  ["503 from a proxy", 503, "platform_unavailable", { status: 503, body: page }],
  ["half of a response", 503, "platform_unreachable", "broken"],
];

it("every backend gives up on a platform that does not respond", async () => {
  const asked = [...places].map(async ([name, opened]) => {
    const place = await opened;
    place.platform.says = "silent";
    const answer = await askBackend(place);
    expect(answer, name).toMatchObject({ status: 503 });
    expect(answer.body.code, name).toMatch(/^platform_(unreachable|timeout)$/);
    await answer.logged(answer.body.code);
  });
  await Promise.all(asked);
});

describe.each(languages)("$name", ({ name, start, packages }) => {
  if (start === null) {
    it("is not installed", notInstalled(packages));
    return;
  }
  let place: Place;
  let client: TestEmbedClient;
  let platform: RecordingPlatform;
  let backend: Backend;
  beforeAll(async () => {
    const opened = await places.get(name);
    if (opened === undefined) throw new Error(`${name} was not started.`);
    place = opened;
    ({ client, platform, backend } = place);
  });
  beforeEach(() => {
    platform.says = undefined;
    platform.received = [];
  });

  const ask = (headers?: Record<string, string>) => askBackend(place, headers);

  it("gets a URL from the platform that the frame accepts", async () => {
    const { status, body } = await ask();
    expect({ status, keys: Object.keys(body).sort() }).toEqual({
      status: 200,
      keys: ["expiresAt", "service", "url"],
    });
    expect(platform.received).toEqual([
      {
        method: "POST",
        path: "/api/embed/url",
        headers: expect.objectContaining({
          "x-api-key": client.apiKey,
          "content-type": expect.stringMatching(/^application\/json/),
        }),
        body: { service: "files", scope: { bucket: bucket.name, path: "/ada" }, visitor: { id: "ada" } },
      },
    ]);
    const frame = await fetch(body.url, { headers: { Origin: stack.demoClient.origin } });
    expect(frame.status).toBe(200);
    const token = new URL(body.url).searchParams.get("t");
    const listed = await fetch(`${stack.platformBaseUrl}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name }),
    });
    expect(await listed.json()).toMatchObject({ files: [{ name: "hello.txt", key: "ada/hello.txt" }] });
  });

  it("leaves the visitor out if the backend does not name them", async () => {
    expect(await ask({ ...own, "X-Test-Unnamed": "1" })).toMatchObject({ status: 200 });
    expect(platform.received.map(({ body }) => body)).toEqual([
      { service: "files", scope: { bucket: bucket.name, path: "/ada" } },
    ]);
  });

  it("responds with 401 to visitors who are not signed in, without a request to the platform", async () => {
    const { "X-Test-User": _, ...nobody } = own;
    expect(await ask(nobody)).toMatchObject({ status: 401, body: { code: "not_signed_in" } });
    expect(platform.received).toEqual([]);
  });

  it("serves only its own pages", async () => {
    const { origin } = new URL(backend.url);
    const others: Record<string, string>[] = [
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "same-site", Origin: "https://evil.portal.example" },
      { "Sec-Fetch-Site": "cross-site", Origin: origin },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: `${origin}.evil.example` },
    ];
    for (const headers of others) {
      const answer = await ask({ "X-Test-User": "ada", ...headers });
      expect(answer, JSON.stringify(headers)).toMatchObject({ status: 403, body: { code: "cross_site" } });
    }
    expect(platform.received).toEqual([]);
    const ours: Record<string, string>[] = [
      { Origin: origin },
      { Origin: origin.replace("http:", "https:") },
      { Origin: OTHER_ORIGIN, "Sec-Fetch-Site": "cross-site" },
      { Origin: "https://portal.example", "X-Forwarded-Host": "portal.example, inner.example" },
      {},
    ];
    for (const headers of ours) {
      expect(await ask({ "X-Test-User": "ada", ...headers }), JSON.stringify(headers)).toMatchObject({
        status: 200,
      });
    }
  });

  it("issues no URL for a service that the page chooses", async () => {
    for (const service of ["tasks", 1, ["files"]])
      expect(await askBackend(place, own, JSON.stringify({ service }))).toMatchObject({
        status: 403,
        body: { code: "service_not_allowed" },
      });
    expect(platform.received).toEqual([]);
    for (const asked of ["", "no JSON", "[]", "null", '{"service":null}'])
      expect(await askBackend(place, own, asked), asked).toMatchObject({ status: 200 });
  });

  it.each(["GET", "PUT"])("refuses %s", async (method) => {
    const { status, headers } = await fetch(backend.url, { method, headers: own });
    expect({ status, allow: headers.get("Allow") }).toEqual({
      status: 405,
      allow: expect.stringMatching(/\bPOST\b/),
    });
    expect(platform.received).toEqual([]);
  });

  it.each(fromPlatform)("answers the platform's %s with %i %s", async (_, status, code, says) => {
    platform.says = says;
    const answer = await ask();
    expect(answer).toMatchObject({ status, body: { code, error: expect.any(String) } });
    if (typeof says === "string") return answer.logged(code);
    expect(answer.body.requestId).toBe("request-1");
    // A busy platform's response has no issues.
    const named =
      says.body && Object.hasOwn(Object(says.body), "issues") && status === 502 ? ["scope.bucket"] : [];
    await answer.logged(code, "request-1", String(says.status), ...named);
  });

  it("passes on Retry-After", async () => {
    platform.says = { ...refused(429, "rate_limited"), headers: { "Retry-After": "7" } };
    expect((await ask()).headers.get("Retry-After")).toBe("7");
  });

  it.each([302, 307])("follows no redirect (%i), which would take the key elsewhere", async (status) => {
    platform.says = { status, headers: { Location: `${platform.url}/elsewhere` } };
    const answer = await ask();
    expect(answer.status).toBeGreaterThan(500);
    expect(answer.body.code).toMatch(/^platform_(invalid|unreachable)$/);
    expect(platform.received).toHaveLength(1);
  });

  it("logs what the platform found wrong with the scope", async () => {
    const answer = await ask({ ...own, "X-Test-User": ".." });
    expect(answer).toMatchObject({ status: 502, body: { code: "invalid_request" } });
    await answer.logged("invalid_request", "400", "scope.path", answer.body.requestId);
  });

  // The package takes no other time than now; webhook-handler.test.ts tests it.
  it.skipIf(name === "Node").each(messages)("accepts a webhook %s: %s", async (_, isAccepted, changed) => {
    const { headers, body = recorded.body, now = sentAt, secret = recorded.secret } = changed;
    const response = await fetch(backend.checkWebhookUrl ?? "", {
      method: "POST",
      headers: { ...recorded.headers, ...headers, "X-Now": String(now), "X-Secret": secret },
      body,
    });
    const answer = [response.status, await response.text()];
    // Some raise an error if the secret is invalid.
    if (secret === recorded.secret) expect(answer).toEqual([200, String(isAccepted)]);
    else expect(answer).not.toEqual([200, "true"]);
  });

  it("receives webhooks that are signed, and refuses others", async () => {
    const now = Math.floor(Date.now() / 1000);
    const send = async (headers: Record<string, string>) =>
      (
        await fetch(backend.webhooksUrl, {
          method: "POST",
          headers: { ...recorded.headers, ...timestamp(String(now)), ...headers },
          body: recorded.body,
        })
      ).status;
    expect(await send(signature(sign(now)))).toBe(204);
    expect(await send(signature(right))).toBe(400);
    expect(await send({})).toBe(400);
  });

  it("says what is wrong with an empty secret for webhooks, and accepts none", async () => {
    const settings = { apiBaseUrl: platform.url, apiKey: client.apiKey, bucket: bucket.name };
    const started = await start({ ...settings, webhookSecret: "whsec_" }).catch((ended: Error) => ended);
    // Python and Ruby end instead.
    if (started instanceof Error) return expect(started.message).toContain("is not the whsec_… of a webhook");
    try {
      const now = Math.floor(Date.now() / 1000);
      const { status } = await fetch(started.webhooksUrl, {
        method: "POST",
        headers: { ...recorded.headers, ...timestamp(String(now)), ...signedWithNothing(now) },
        body: recorded.body,
      });
      expect(status).toBeGreaterThanOrEqual(400);
      await expect.poll(() => started.output()).toContain("is not the whsec_… of a webhook");
    } finally {
      await started.close();
    }
  });

  it("does not report a revoked key as an expired session of the visitor", async () => {
    await databaseOf(stack).embedClient.update({ where: { id: client.id }, data: { revokedAt: new Date() } });
    // The platform remembers a key for 5 seconds.
    await expect.poll(async () => (await ask()).status, { timeout: 10_000, interval: 200 }).toBe(502);
    const answer = await ask();
    expect(answer).toMatchObject({ status: 502, body: { code: "invalid_api_key" } });
    expect(answer.body.error).toMatch(/does not know (EMBED_API_KEY|this server's API key): it is mistyped/);
    await answer.logged("invalid_api_key", "401", answer.body.requestId);
  });

  it("reports an unreachable platform as temporary, and logs no key", async () => {
    await platform.close();
    const answer = await ask();
    expect(answer).toMatchObject({ status: 503, body: { code: "platform_unreachable" } });
    await answer.logged("platform_unreachable");
    expect(backend.output()).not.toContain(client.apiKey);
  });
});

describe("C#", () => {
  // Debian has no .NET, so docs/examples/backends/EmbedUrl.cs was only reviewed. Its comment says so.
  it("is not tested", (context) => context.skip());
});
