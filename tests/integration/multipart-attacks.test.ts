/** Attempts to get more from the multipart upload endpoints than a token and a handle allow. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { readSignedValue } from "../../app/embed/signed-value.server";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { multipartCalls } from "../support/files/multipart-calls";

const stack = inject("stack");
const MiB = 1024 ** 2;
const content = Buffer.from("the content of a file");
let app: RouteApp;
let bucket: TestBucket;
let other: TestBucket;
let calls: ReturnType<typeof multipartCalls>;
let made = 0;

beforeAll(async () => {
  app = createRouteApp(stack);
  [bucket, other] = await Promise.all([makeBucket(stack), makeBucket(stack)]);
  calls = callsOf(app);
});
afterAll(() => app?.close());

function tokenFor(scope: object, companyId = "company"): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { cid: "c", companyId, svc: "files", origins: [], iat: now, exp: now + 900 };
  return signEmbedToken({ ...payload, scope: { bucket: bucket.name, ...scope } }, stack.embedSigningSecret);
}

const callsOf = (on: RouteApp) =>
  multipartCalls(on.platformBaseUrl, { bucket, token: tokenFor({}) }, on.fetch);

async function create(changes: object = {}) {
  const file = { fileName: `file-${made++}.bin`, size: content.length, ...changes };
  const { status, body } = await calls.create(file);
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
}

/** Calls every operation on an upload with this token. */
async function tryAll(upload: string, token: string) {
  const asked = [
    calls.ask("sign", { upload, token, parts: [{ number: 1 }] }),
    calls.ask("list", { upload, token }),
    calls.ask("complete", { upload, token }),
    calls.ask("complete", { upload, token, overwrite: true }),
    calls.ask("abort", { upload, token }),
  ];
  const answers = await Promise.all(asked);
  return [...new Set(answers.map(({ status, body }) => `${status} ${body.code}`))];
}

describe("somebody else's upload", () => {
  it.each<[string, () => string]>([
    ["of another bucket", () => tokenFor({ bucket: other.name })],
    ["of another company", () => tokenFor({}, "another company")],
    ["of a folder beside it", () => tokenFor({ path: "/docs/in-2" })],
    ["of a folder below it", () => tokenFor({ path: "/docs/in/deep" })],
    ["of a folder that begins alike", () => tokenFor({ path: "/docs/i" })],
    [
      "that reads its folder and uploads to another",
      () => tokenFor({ path: "/docs", uploadFolder: "/docs/out" }),
    ],
    ["that may do everything but upload", () => tokenFor({ actions: ["download", "organize", "delete"] })],
  ])("is out of reach of a token %s", async (_, token) => {
    const { upload, key } = await create({ folderPath: "/docs/in" });
    expect(await tryAll(upload, token())).toEqual(["403 scope_not_allowed"]);
    expect(await bucket.get(key)).toBeNull();
    // Authorized tokens can still use it.
    expect((await calls.ask("list", { upload })).status).toBe(200);
  });

  it("is accessible to tokens for its folder, a parent folder and the whole bucket", async () => {
    for (const scope of [{ path: "/docs/in" }, { uploadFolder: "/docs" }, {}]) {
      const { upload } = await create({ folderPath: "/docs/in" });
      expect((await calls.ask("list", { upload, token: tokenFor(scope) })).status).toBe(200);
    }
  });
});

describe("a handle", () => {
  it("cannot be changed in any member", async () => {
    const { upload } = await create();
    const [payload = "", signature] = upload.split(".");
    const value = JSON.parse(String(Buffer.from(payload, "base64url")));
    for (const [member, changed] of Object.entries({
      companyId: "another",
      bucket: other.name,
      key: "elsewhere.bin",
      size: 5 * MiB,
      overwrite: true,
      exp: value.exp + 1,
    })) {
      const forged = Buffer.from(JSON.stringify({ ...value, [member]: changed })).toString("base64url");
      expect(await tryAll(`${forged}.${signature}`, tokenFor({}))).toEqual(["400 invalid_request"]);
    }
  });

  it.each<[string, unknown]>([
    ["empty", ""],
    ["of 8,192 characters", "a".repeat(8_192)],
    ["longer than any", "a".repeat(8_193)],
    ["a number", 1],
    ["null", null],
    ["a list", ["a.b"]],
    ["in another spelling", "YQ==.YQ=="],
  ])("that is %s is refused", async (_, upload) => {
    const { status, body } = await calls.ask("list", { upload });
    expect([status, body.issues?.[0]?.path]).toEqual([400, "upload"]);
  });

  it("stays valid across a change of the signing secret while the previous one is configured", async () => {
    const { upload } = await create();
    const next = { EMBED_SIGNING_SECRET: "the next secret, of more than 32 bytes" };
    const rotated = createRouteApp(stack, {
      ...next,
      EMBED_SIGNING_SECRET_PREVIOUS: stack.embedSigningSecret,
    });
    const forgotten = createRouteApp(stack, next);
    const token = signEmbedToken(
      readSignedValue(tokenFor({}), [stack.embedSigningSecret]) as never,
      next.EMBED_SIGNING_SECRET,
    );
    expect((await callsOf(rotated).ask("list", { upload, token })).status).toBe(200);
    const made = (await callsOf(rotated).create({ fileName: "rotated.bin", size: 5, token })).body.upload;
    expect(readSignedValue(made, [next.EMBED_SIGNING_SECRET], "files-upload")).not.toBeNull();
    const gone = await callsOf(forgotten).ask("list", { upload, token });
    expect([gone.status, gone.body.issues]).toMatchObject([400, [{ path: "upload" }]]);
    await Promise.all([rotated.close(), forgotten.close()]);
  });
});

describe("a size", () => {
  it("that was understated allows no additional or larger part", async () => {
    const created = await create({ size: 9 * MiB });
    expect(created.partCount).toBe(2);
    const beyond = await calls.ask("sign", { upload: created.upload, parts: [{ number: 2 }, { number: 3 }] });
    expect([beyond.status, beyond.body.issues[0].path]).toEqual([400, "parts[1].number"]);
    const larger = Buffer.alloc(2 * created.partSize);
    const { body } = await calls.ask("sign", { upload: created.upload, parts: [{ number: 2 }] });
    const [{ url, headers }] = body.parts;
    expect((await fetch(url, { method: "PUT", headers, body: new Uint8Array(larger) })).status).toBe(403);
  });

  it("that was overstated creates no file", async () => {
    const created = await create({ size: 9 * MiB });
    await calls.send(created, Buffer.alloc(9 * MiB), [1]);
    const early = await calls.ask("complete", { upload: created.upload });
    expect([early.status, early.body.code]).toEqual([409, "upload_incomplete"]);
    expect(await bucket.get(created.key)).toBeNull();
  });

  it.each([undefined, "5", 1.5, Number.MAX_SAFE_INTEGER, null])("of %j is refused", async (size) => {
    const { status, body } = await calls.create({ size });
    expect([status, (body as { issues?: { path: string }[] }).issues?.[0]?.path]).toEqual([400, "size"]);
  });
});

describe("a media type", () => {
  const images = () => tokenFor({ limits: { fileTypes: ["image/*"] } });

  it.each([
    // If a header lists several types, browsers use the last. Fetch Standard, "extract a MIME type".
    "image/png;,text/html",
    "image/png; a=b, text/html",
    'image/png; a="\\", text/html;"',
    "image/png, text/html",
    "image/*",
    "image/",
    " image/png",
    "image/png\n",
    "image /png",
  ])("%j is refused", async (contentType) => {
    const refused = await calls.create({ token: images(), contentType });
    expect([refused.status, (refused.body as { issues?: unknown }).issues]).toMatchObject([
      400,
      [{ path: "contentType" }],
    ]);
  });

  it.each([
    ["text/html;image/png", 403],
    ["text/html; a=image/png", 403],
    ["IMAGE/PNG", 200],
    ["image/png; charset=utf-8", 200],
    ['image/png; codecs="a, b"', 200],
    ["image/svg+xml", 200],
    ["imagex/png", 403],
  ])("%j responds with %j where images are allowed", async (contentType, status) => {
    expect((await calls.create({ token: images(), contentType, fileName: `${made++}.png` })).status).toBe(
      status,
    );
  });
});

describe("a file name", () => {
  it.each([
    "a b+c&d=e?f#g%20h%.bin",
    "'\"<>`{}|^~[]!*();:@,$.bin",
    "..a",
    "...",
    " leading and trailing ",
    "ümlaut e\u0301 \u{1f31e} \u202e \u2028 \ufeff.bin",
    "partNumber=1&uploadId=x",
    "%2e%2e",
    "\uffff",
  ])("%j is kept exactly", async (fileName) => {
    const created = await create({ folderPath: "/odd & names", fileName });
    expect(created.key).toBe(`odd & names/${fileName}`);
    expect(await calls.send(created, content, [1])).toEqual([200]);
    const { upload } = created;
    const first = await calls.ask("complete", { upload });
    expect(first).toMatchObject({ status: 200, body: { key: created.key } });
    expect(String(await bucket.get(created.key))).toBe(String(content));
    expect(await calls.ask("complete", { upload })).toEqual(first);
  });
});

describe("a request", () => {
  it.each<[string, string, object, string]>([
    ["sign", "no part", { parts: [] }, "parts"],
    ["sign", "more than a hundred", { parts: Array.from({ length: 101 }, () => ({ number: 1 })) }, "parts"],
    ["sign", "a number as text", { parts: [{ number: "1" }] }, "parts[0].number"],
    [
      "sign",
      "a checksum that is not base64",
      { parts: [{ number: 1, checksum: "a b" }] },
      "parts[0].checksum",
    ],
    ["sign", "a header of its own", { parts: [{ number: 1, headers: {} }] }, "parts[0]"],
    ["complete", "a wish that is not a boolean", { overwrite: "yes" }, "overwrite"],
    ["complete", "parts of its own", { parts: [] }, ""],
    ["complete", "another key", { key: "elsewhere" }, ""],
    ["abort", "another bucket", { bucket: "elsewhere" }, ""],
  ])("to %s with %s is refused", async (what, _, body, path) => {
    const { upload } = await create();
    const refused = await calls.ask(what, { upload, ...body });
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
  });

  it("for the same part twice returns it twice", async () => {
    const { upload } = await create();
    const { body } = await calls.ask("sign", { upload, parts: [{ number: 1 }, { number: 1 }] });
    expect(body.parts.map(({ number }: { number: number }) => number)).toEqual([1, 1]);
  });

  it("to complete, three hundred times at once, creates the file once and gives all the same response", async () => {
    const created = await create();
    await calls.send(created, content, [1]);
    /** As callers do: on a busy machine, the store may not answer all three hundred in time. */
    const complete = async () => {
      for (;;) {
        const answer = await calls.ask("complete", { upload: created.upload });
        if (answer.status !== 503) return JSON.stringify(answer);
      }
    };
    const answers = new Set(await Promise.all(Array.from({ length: 300 }, complete)));
    expect([...answers]).toEqual([expect.stringContaining('"status":200')]);
    expect(String(await bucket.get(created.key))).toBe(String(content));
  });
});
