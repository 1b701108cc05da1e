/** `docs/examples/nginx-store.conf` in front of a real Ceph RADOS Gateway, which obeys headers that were not signed. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  GetObjectAclCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { storage as storageCommand } from "../../app/commands/storage";
import { createObjectStore } from "../../app/providers/object-store.server";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { expectFinding, runDoctor } from "../support/app/doctor";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere } from "../support/app/run-command";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { CEPH_PACKAGES, hasCeph, startCeph, type TestCeph } from "../support/files/ceph";
import { multipartCalls, sha256, someBytes } from "../support/files/multipart-calls";
import { sendRaw, signedWith, signRaw } from "../support/files/object-store";
import { findFreePort } from "../support/machine/free-port";
import { notInstalled } from "../support/machine/installed";
import { hasNginx, startNginx, type TestNginx } from "../support/network/nginx";
import { sendRaw as sendBytes } from "../support/network/raw-http";

const stack = inject("stack");
const HOST = "s3.localhost";
/** of another tenant: the visitor's token is for `/mine` */
const SECRET = "others/secret.txt";

/**
 * Answers HEAD as Ceph does on "/": with chunks, of which it sends the last one although a response to HEAD has no body. Here it comes as late as
 * it can: when the next request is there.
 */
async function startStoreWithLateChunk(): Promise<{ host: string; stop(): void }> {
  const server = createServer((socket) => {
    let received = "";
    let late = "";
    socket.on("error", () => {});
    socket.on("data", (data) => {
      received += data;
      for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        socket.write(late);
        late = head.startsWith("HEAD") ? "0\r\n\r\n" : "";
        if (late === "") socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine");
        else socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        if (/^connection: close$/im.test(head)) socket.end(late);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}

it("nginx takes nothing of a response to HEAD for the next response", async (context) => {
  if (!hasNginx()) return notInstalled("nginx-light")(context);
  const store = await startStoreWithLateChunk();
  const port = await findFreePort();
  const nginx = await startNginx("nginx-store.conf", port, (example) =>
    example.replace("127.0.0.1:8000", store.host).replace("worker_processes auto", "worker_processes 1"),
  );
  try {
    for (const authorization of ["", "AWS4-HMAC-SHA256 Credential=x"]) {
      const headers = { Authorization: authorization };
      for (const method of ["HEAD", "GET", "HEAD", "GET"]) {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method, headers });
        expect([response.status, await response.text()]).toEqual([200, method === "HEAD" ? "" : "mine"]);
      }
    }
  } finally {
    await nginx.stop();
    store.stop();
  }
});

describe("nginx in front of Ceph", () => {
  if (!hasCeph() || !hasNginx()) {
    it("is not installed", notInstalled(`${CEPH_PACKAGES} nginx-light`));
    return;
  }
  let ceph: TestCeph;
  let nginx: TestNginx;
  let endpoint: string;
  let app: RouteApp;
  let bucket: TestBucket;
  let client: S3Client;
  let token: string;
  let ask: (what: string, body: object) => Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>;

  beforeAll(async () => {
    ceph = await startCeph(HOST);
    const port = await findFreePort();
    endpoint = `http://127.0.0.1:${port}`;
    nginx = await startNginx("nginx-store.conf", port, (example) =>
      example.replace("127.0.0.1:8000", new URL(ceph.objectStore.endpoint).host),
    );
    bucket = await makeBucket({ objectStore: { ...ceph.objectStore, bucket: "" } });
    await bucket.put(SECRET, "secret");
    await bucket.allowOrigins([ORIGIN, stack.platformBaseUrl]);
    client = new S3Client({ ...ceph.objectStore, credentials: ceph.objectStore, forcePathStyle: true });
    const behindProxy = { ...stack, objectStore: { ...stack.objectStore, ...ceph.objectStore, endpoint } };
    app = createRouteApp(behindProxy);
    const embedClient = await makeEmbedClient(stack, {
      bucket: bucket.name,
      files: { actions: ["upload", "download", "organize", "delete"] },
    });
    ({ token } = await issueEmbedUrl(stack, embedClient, {
      scope: { path: "/mine", actions: ["upload", "download", "organize", "delete"] },
    }));
    ask = async (what, body) => {
      const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token, bucket: bucket.name, ...body }),
      });
      return { status: response.status, body: await response.json() };
    };
  });
  afterAll(async () => {
    client?.destroy();
    await app?.close();
    await nginx?.stop();
    await ceph?.stop();
  });

  const presign = async (fileName: string, more: object = {}) => {
    const file = { folderPath: "/mine", fileName, contentType: "text/plain" };
    const { status, body } = await ask("presign-upload", { ...file, ...more });
    expect(status).toBe(200);
    return body as { url: string; headers: Record<string, string>; key: string };
  };
  const send = (url: string, body: string, headers: HeadersInit) =>
    fetch(url, { method: "PUT", body, headers }).then(async (response) => {
      await response.text();
      return response.status;
    });

  /** Sends the upload to Ceph itself. The host is signed, so it names the proxy. */
  const sendDirectly = async (url: string, headers: Record<string, string>) => {
    const { host, pathname, search } = new URL(url);
    const request = { method: "PUT", path: pathname + search, body: "mine" };
    const sent = { ...headers, Host: host, "Content-Length": "4" };
    return (await sendRaw(ceph.objectStore.endpoint, { ...request, headers: sent })).status;
  };

  /** What an unsigned header can change about an object. */
  const describeObject = async (Key: string) => {
    const object = { Bucket: bucket.name, Key };
    const head = await client.send(new HeadObjectCommand(object));
    const { Grants = [] } = await client.send(new GetObjectAclCommand(object));
    const { TagSet } = await client.send(new GetObjectTaggingCommand(object));
    return {
      text: (await bucket.get(Key))?.toString(),
      metadata: Object.keys(head.Metadata ?? {}),
      redirect: head.WebsiteRedirectLocation,
      disposition: head.ContentDisposition,
      publicGrants: Grants.filter(({ Grantee }) => Grantee?.URI !== undefined).length,
      tags: TagSet,
    };
  };
  const asSigned = {
    text: "mine",
    metadata: ["platform-embed-upload"],
    redirect: undefined,
    disposition: undefined,
    publicGrants: 0,
    tags: [],
  };
  const allUsers = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"';
  const unsigned: [name: string, value: () => string, effect: object][] = [
    ["x-amz-copy-source", () => `/${bucket.name}/${SECRET}`, { text: "secret" }],
    ["x-amz-acl", () => "public-read", { publicGrants: 1 }],
    ["x-amz-grant-read", () => allUsers, { publicGrants: 1 }],
    ["x-amz-tagging", () => "scan=clean", { tags: [{ Key: "scan", Value: "clean" }] }],
    [
      "x-amz-website-redirect-location",
      () => "https://other.example/",
      { redirect: "https://other.example/" },
    ],
    ["x-amz-meta-more", () => "1", { metadata: expect.arrayContaining(["more"]) }],
    ["x-object-meta-more", () => "1", { metadata: expect.arrayContaining(["more"]) }],
    ["content-disposition", () => "inline", { disposition: "inline" }],
  ];

  describe.each([
    ["without a size", {}],
    ["with a size", { size: 4 }],
  ])("an upload %s", (label, size) => {
    it.each(unsigned)(
      "has no effect of an unsigned %s, which Ceph itself obeys",
      async (name, value, effect) => {
        const { url, headers, key } = await presign(`${label} ${name}.txt`, size);
        // Newer versions of Ceph refuse the request with 403.
        if ((await sendDirectly(url, { ...headers, [name]: value() })) === 200)
          expect(await describeObject(key)).toMatchObject(effect);

        expect(await send(url, "mine", { ...headers, [name]: value() })).toBe(200);
        expect(await describeObject(key)).toEqual(asSigned);
      },
    );

    it("is what was signed, and nothing else", async () => {
      const { url, headers, key } = await presign(`${label}.txt`, size);
      expect(await send(url, "mine", headers)).toBe(200);
      expect(await describeObject(key)).toEqual(asSigned);
      expect(await send(url, "mine", { ...headers, "Content-Type": "text/html" })).toBe(403);
      if ("size" in size) expect(await send(url, "longer", headers)).toBe(403);
      expect(await send(`${url}&x-amz-copy-source=/${bucket.name}/${SECRET}`, "mine", headers)).toBe(403);
    });
  });

  it("a visitor cannot pretend that a request is signed by its header", async () => {
    const { url, headers, key } = await presign("pretended.txt");
    const pretended = "AWS4-HMAC-SHA256 Credential=x";
    const { host, pathname, search } = new URL(url);
    for (const lines of [[pretended], [pretended, ""], ["", pretended], [""]]) {
      const bytes = [
        `PUT ${pathname}${search} HTTP/1.1`,
        `Host: ${host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        ...lines.map((value) => `Authorization: ${value}`),
        `x-amz-copy-source: /${bucket.name}/${SECRET}`,
        "Content-Length: 4",
        "\r\nmine",
      ].join("\r\n");
      const isPretended = lines.includes(pretended);
      expect((await sendBytes(endpoint, bytes)).status).toBe(isPretended ? 400 : 200);
      expect((await bucket.get(key))?.toString()).toBe(isPretended ? undefined : "mine");
    }
  });

  it("parts are uploaded, and a part with a copy source does not stop the store", async () => {
    const multipart = multipartCalls(app.platformBaseUrl, { bucket, token }, app.fetch);
    const bytes = someBytes();
    const { body: created } = await multipart.create({ folderPath: "/mine" });
    const { body: signed } = await multipart.ask("sign", { upload: created.upload, parts: [{ number: 1 }] });
    const [{ url, headers }] = signed.parts;
    const part = bytes.subarray(0, created.partSize);
    for (const source of [`/${bucket.name}/`, `/${bucket.name}/${SECRET}`]) {
      const more = { ...headers, "x-amz-copy-source": source };
      const sent = await fetch(url, { method: "PUT", body: new Uint8Array(part), headers: more });
      expect(sent.status).toBe(200);
    }
    const numbers = Array.from({ length: created.partCount }, (_, index) => index + 1);
    expect(new Set(await multipart.send(created, bytes, numbers))).toEqual(new Set([200]));
    const completed = await multipart.ask("complete", { upload: created.upload });
    expect(completed).toMatchObject({ status: 200 });
    expect(await bucket.sha256(created.key)).toBe(sha256(bytes));
  });

  it("the app lists, copies, moves and deletes, and visitors download a range", async () => {
    await bucket.put("mine/docs/ä b.txt", "0123456789");
    expect((await ask("list", { folderPath: "/mine/docs" })).body.files).toHaveLength(1);
    const item = { items: [{ key: "mine/docs/ä b.txt" }], onConflict: "fail" };
    expect((await ask("copy", { ...item, to: "/mine/copy" })).body).toMatchObject({ done: 1 });
    expect((await ask("move", { ...item, to: "/mine/moved" })).body).toMatchObject({ done: 1 });
    expect((await ask("delete", { items: [{ key: "mine/copy/ä b.txt" }] })).body).toMatchObject({ done: 1 });
    const { body } = await ask("presign-download", { key: "mine/moved/ä b.txt" });
    const range = await fetch(body.url, { headers: { Range: "bytes=2-4" } });
    expect([range.status, await range.text()]).toEqual([206, "234"]);
  });

  it("browsers of allowed origins may upload and read the response", async () => {
    const { url, headers } = await presign("from-browser.txt", { size: 4 });
    const preflight = (origin: string) =>
      fetch(url, {
        method: "OPTIONS",
        headers: {
          Origin: origin,
          "Access-Control-Request-Method": "PUT",
          "Access-Control-Request-Headers": Object.keys(headers).join(",").toLowerCase(),
        },
      });
    const allowed = await preflight(ORIGIN);
    expect([allowed.status, allowed.headers.get("Access-Control-Allow-Origin")]).toEqual([200, ORIGIN]);
    expect((await preflight("https://other.example")).headers.get("Access-Control-Allow-Origin")).toBeNull();
    const sent = await fetch(url, { method: "PUT", body: "mine", headers: { ...headers, Origin: ORIGIN } });
    expect([sent.status, sent.headers.get("Access-Control-Allow-Origin")]).toEqual([200, ORIGIN]);
    expect(sent.headers.get("Access-Control-Expose-Headers")?.toLowerCase()).toContain("etag");
  });

  it("buckets may be in the host name", async () => {
    const virtual = `http://${HOST}:${new URL(endpoint).port}`;
    const store = createObjectStore({
      ...signedWith(ceph.objectStore),
      endpoint: virtual,
      forcePathStyle: false,
      timeoutSeconds: 5,
    });
    const object = { bucket: bucket.name, key: "mine/virtual.txt" };
    const upload = {
      ...object,
      contentType: "text/plain",
      size: 4,
      ifNoneMatch: false,
      expiresInSeconds: 60,
    };
    const { url, headers } = await store.presignPut(upload);
    const { host, pathname, search } = new URL(url);
    expect(host).toBe(`${bucket.name}.${HOST}:${new URL(endpoint).port}`);
    const request = { method: "PUT", path: pathname + search, body: "mine" };
    const more = { Host: host, "Content-Length": "4", "x-amz-copy-source": `/${bucket.name}/${SECRET}` };
    expect(await sendRaw(endpoint, { ...request, headers: { ...headers, ...more } })).toMatchObject({
      status: 200,
    });
    expect((await bucket.get(object.key))?.toString()).toBe("mine");
    const signed = await signRaw(`http://${host}`, { path: `/${object.key}` }, ceph.objectStore);
    expect(await sendRaw(endpoint, signed)).toMatchObject({ status: 200, body: "mine" });
  });

  it("the doctor and the check of a bucket ask for the proxy where Ceph needs it, and are content with it", async () => {
    const database = await makeDatabase(stack);
    await addClient(database, [bucket.name], [ORIGIN]);
    const settings = (address: string) => ({
      CLOUD_S3_ENDPOINT: address,
      CLOUD_REGION: ceph.objectStore.region,
      CLOUD_ACCESS_KEY_ID: ceph.objectStore.accessKeyId,
      CLOUD_SECRET_ACCESS_KEY: ceph.objectStore.secretAccessKey,
    });
    const check = (address: string) =>
      runHere("storage", storageCommand, ["check", "--bucket", bucket.name], {
        ...deploymentEnv(stack, database),
        ...settings(address),
      });
    const every = /copy-source.*x-amz-acl.*x-amz-grant-read.*x-amz-tagging.*x-amz-storage-class/;
    const doctor = (address: string) => runDoctor(stack, database, settings(address), ["--only", "store"]);
    const { url, headers } = await presign("asked.txt");
    const copied = { ...headers, "x-amz-copy-source": `/${bucket.name}/${SECRET}` };
    if ((await sendDirectly(url, copied)) === 200) {
      const direct = await doctor(ceph.objectStore.endpoint);
      expectFinding(direct, "store.unsigned_headers", "error", every, /nginx-store\.conf/);
      expect((await check(ceph.objectStore.endpoint)).stdout).toMatch(every);
    }
    expectFinding(await doctor(endpoint), "store.unsigned_headers", "ok", /no effect/);
    expect((await check(endpoint)).stdout).toContain("headers that were not signed have no effect");
    expect((await bucket.list()).filter((key) => key.startsWith(".platform-embed-doctor/"))).toEqual([]);
  });
});
