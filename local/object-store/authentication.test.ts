import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BUCKET,
  CREDENTIALS,
  type RawRequest,
  sendRaw,
  signRaw,
  startStoreForTests,
} from "../../tests/support/files/object-store";

const log: string[] = [];
let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  const key = { secretAccessKey: "session-secret", sessionToken: "session-token" };
  const temporaryKeys = new Map([
    ["ASIAVALID", { ...key, expiresAt: Date.now() + 3_600_000 }],
    ["ASIAENDED", { ...key, expiresAt: Date.now() - 1 }],
  ]);
  store = await startStoreForTests({ log: (line) => log.push(line), temporaryKeys });
  await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a key", Body: "content" }));
});
afterAll(() => store?.close());

const minutes = (count: number) => new Date(Date.now() + count * 60_000);

describe("a request signed in its headers", () => {
  const path = `/${BUCKET}/a%20key`;

  it("is answered", async () => {
    const answer = await sendRaw(store.endpoint, await signRaw(store.endpoint, { path }));
    expect(answer).toMatchObject({ status: 200, body: "content" });
    expect(answer.headers["x-amz-request-id"]).toMatch(/^[0-9A-F]{16}$/);
  });

  it.each([-14, 14])("is answered with a clock %i minutes off", async (off) => {
    const request = await signRaw(store.endpoint, { path }, { signingDate: minutes(off) });
    expect((await sendRaw(store.endpoint, request)).status).toBe(200);
  });

  it.each([-16, 16])("is refused with a clock %i minutes off", async (off) => {
    const request = await signRaw(store.endpoint, { path }, { signingDate: minutes(off) });
    expect(await sendRaw(store.endpoint, request)).toMatchObject({
      status: 403,
      code: "RequestTimeTooSkewed",
    });
  });

  it.each([
    ["an unknown access key", { accessKeyId: "nobody" }, 403, "InvalidAccessKeyId"],
    ["a wrong secret", { secretAccessKey: "wrong" }, 403, "SignatureDoesNotMatch"],
    ["another region", { region: "eu-west-1" }, 400, "AuthorizationHeaderMalformed"],
  ])("is refused with %s", async (_what, credentials, status, code) => {
    const request = await signRaw(store.endpoint, { path }, credentials);
    expect(await sendRaw(store.endpoint, request)).toMatchObject({ status, code });
  });

  it.each([
    ["is answered with the token of a session", { accessKeyId: "ASIAVALID" }, 200, ""],
    [
      "is refused with another token",
      { accessKeyId: "ASIAVALID", sessionToken: "other" },
      400,
      "InvalidToken",
    ],
    ["is refused when the session is over", { accessKeyId: "ASIAENDED" }, 400, "ExpiredToken"],
  ])("%s", async (_what, key, status, code) => {
    const session = { secretAccessKey: "session-secret", sessionToken: "session-token", ...key };
    const request = await signRaw(store.endpoint, { path }, session);
    expect(await sendRaw(store.endpoint, request)).toMatchObject({ status, code });
  });

  const withHeaders = (request: RawRequest, headers: Record<string, string>) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  });
  const without = ({ headers, ...request }: RawRequest, name: string) => ({
    ...request,
    headers: Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name)),
  });

  it.each<[string, (request: RawRequest) => RawRequest, number, string]>([
    ["another method", (request) => ({ ...request, method: "DELETE" }), 403, "SignatureDoesNotMatch"],
    ["another path", (request) => ({ ...request, path: `/${BUCKET}/other` }), 403, "SignatureDoesNotMatch"],
    [
      "another query",
      (request) => ({ ...request, path: `${path}?versionId=1` }),
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "a signed header changed",
      (request) => withHeaders(request, { range: "bytes=0-1" }),
      403,
      "SignatureDoesNotMatch",
    ],
    ["a signed header left out", (request) => without(request, "range"), 403, "SignatureDoesNotMatch"],
    [
      "an x-amz header added",
      (request) => withHeaders(request, { "x-amz-acl": "private" }),
      403,
      "AccessDenied",
    ],
    ["no payload hash", (request) => without(request, "x-amz-content-sha256"), 400, "InvalidRequest"],
    ["no date", (request) => without(request, "x-amz-date"), 403, "AccessDenied"],
    ["no signature", (request) => without(request, "authorization"), 403, "AccessDenied"],
    [
      "an older kind of signature",
      (request) => withHeaders(request, { authorization: "AWS key:sig" }),
      400,
      "AuthorizationHeaderMalformed",
    ],
    [
      "two signatures",
      (request) => ({ ...request, path: `${path}?X-Amz-Signature=0` }),
      400,
      "InvalidArgument",
    ],
  ])("is refused with %s", async (_what, tamper, status, code) => {
    const request = await signRaw(store.endpoint, { path, headers: { range: "bytes=0-3" } });
    expect((await sendRaw(store.endpoint, request)).status).toBe(206);
    expect(await sendRaw(store.endpoint, tamper(request))).toMatchObject({ status, code });
  });
});

describe("a presigned request", () => {
  const presign = async (options: { expiresIn?: number; signingDate?: Date } = {}) => {
    const command = new GetObjectCommand({ Bucket: BUCKET, Key: "a key" });
    const url = new URL(await getSignedUrl(store.client, command, options));
    return { method: "GET", path: url.pathname + url.search, headers: {} };
  };
  const edited = (request: RawRequest, edit: (query: URLSearchParams) => void): RawRequest => {
    const url = new URL(request.path, store.endpoint);
    edit(url.searchParams);
    return { ...request, path: url.pathname + url.search };
  };

  it("is answered until it expires", async () => {
    expect((await sendRaw(store.endpoint, await presign())).status).toBe(200);
    const old = await presign({ expiresIn: 3600, signingDate: minutes(-59) });
    expect((await sendRaw(store.endpoint, old)).status).toBe(200);
  });

  it("is refused afterwards, and before its time", async () => {
    const expired = await sendRaw(store.endpoint, await presign({ expiresIn: 60, signingDate: minutes(-2) }));
    expect(expired).toMatchObject({ status: 403, code: "AccessDenied" });
    expect(expired.body).toContain("Request has expired");
    const early = await sendRaw(store.endpoint, await presign({ signingDate: minutes(20) }));
    expect(early).toMatchObject({ status: 403, code: "AccessDenied" });
  });

  it.each<[string, (query: URLSearchParams) => void, number, string]>([
    ["a longer life", (query) => query.set("X-Amz-Expires", "901"), 403, "SignatureDoesNotMatch"],
    [
      "a life over a week",
      (query) => query.set("X-Amz-Expires", "604801"),
      400,
      "AuthorizationQueryParametersError",
    ],
    [
      "a life that is not a number",
      (query) => query.set("X-Amz-Expires", "1e3"),
      400,
      "AuthorizationQueryParametersError",
    ],
    ["another date", (query) => query.set("X-Amz-Date", "20200101T000000Z"), 403, "AccessDenied"],
    [
      "two dates",
      (query) => query.append("X-Amz-Date", "20990101T000000Z"),
      400,
      "AuthorizationQueryParametersError",
    ],
    [
      "another algorithm",
      (query) => query.set("X-Amz-Algorithm", "none"),
      400,
      "AuthorizationQueryParametersError",
    ],
    ["the host not signed", (query) => query.set("X-Amz-SignedHeaders", "range"), 403, "AccessDenied"],
    [
      "a header signed that is not sent",
      (query) => query.set("X-Amz-SignedHeaders", "host;range"),
      403,
      "SignatureDoesNotMatch",
    ],
    ["no signature", (query) => query.delete("X-Amz-Signature"), 400, "AuthorizationQueryParametersError"],
    ["a cut signature", (query) => query.set("X-Amz-Signature", "00"), 403, "SignatureDoesNotMatch"],
    [
      "a parameter added",
      (query) => query.set("response-content-type", "text/html"),
      403,
      "SignatureDoesNotMatch",
    ],
    ["a session token", (query) => query.set("X-Amz-Security-Token", "t"), 403, "SignatureDoesNotMatch"],
  ])("is refused with %s", async (_what, edit, status, code) => {
    const request = edited(await presign({ expiresIn: 900 }), edit);
    expect(await sendRaw(store.endpoint, request)).toMatchObject({ status, code });
  });
});

it("no log line holds a signature, a key or a query", async () => {
  expect(log.length).toBeGreaterThan(10);
  for (const line of log) {
    expect(line).not.toMatch(/signature|x-amz|[?]/i);
    expect(line).not.toContain(CREDENTIALS.accessKeyId);
    expect(line).not.toContain(CREDENTIALS.secretAccessKey);
  }
});
