/** What a page of another site can do with the local stack: nothing. Raw requests, because `fetch` does not let anybody set `Host`. */
import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestFolder } from "../tests/support/databases/postgres";
import { findFreePort } from "../tests/support/machine/free-port";
import { startDataApi } from "./data-api";
import { startDemo } from "./demo";
import { startMailbox } from "./mailbox";
import { ensureBucket, startObjectStore } from "./object-store";
import { startLocalQueue } from "./queue";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret-example" };
const region = "ca-central-1";
const closers: (() => Promise<unknown>)[] = [];
/** the servers with pages, by name, and a request of theirs that changes something */
const pages: Record<string, { port: number; changing: string; status: number }> = {};
let store: number;
let dataApi: number;

beforeAll(async () => {
  const port = await findFreePort();
  const demo = await startDemo({
    port,
    // Nothing listens there.
    apiBaseUrl: "http://127.0.0.1:9",
    platformBaseUrl: "http://127.0.0.1:9",
    apiKey: "pek_the-key-of-the-demo",
    companyId: "demo-company",
    bearerToken: undefined,
    bucket: "demo-files",
    clusterRegion: region,
    mailboxUrl: "http://127.0.0.1:9",
    queue: { url: "http://127.0.0.1:9", token: "token" },
  });
  closers.push(demo.close);
  const mailboxPort = await findFreePort();
  closers.push((await startMailbox(mailboxPort)).close);
  const queue = await startLocalQueue({ port: 0, token: "token", signingKey: "sig_key" });
  closers.push(queue.close);
  const dataDir = await makeTestFolder();
  ensureBucket(dataDir, "files");
  const objectStore = await startObjectStore({ ...credentials, region, port: 0, dataDir });
  closers.push(objectStore.close);
  store = portOf(objectStore.endpoint);
  const data = await startDataApi({
    ...credentials,
    port: 0,
    postgresUrl: "postgresql://",
    clusters: [],
  });
  closers.push(data.close);
  dataApi = portOf(data.endpoint);
  Object.assign(pages, {
    demo: { port, changing: "/my-databases/query", status: 502 },
    "the demo's webhook": { port, changing: "/webhook", status: 503 },
    mailbox: { port: mailboxPort, changing: "/clear-store", status: 200 },
    queue: { port: portOf(queue.endpoint), changing: "/dead-letters/none/deliver", status: 303 },
  });
});
afterAll(() => Promise.all(closers.map((close) => close())));

const portOf = (endpoint: string) => Number(new URL(endpoint).port);

async function ask(port: number, method: string, path: string, headers: OutgoingHttpHeaders = {}, body = "") {
  const sent = request({ host: "127.0.0.1", port, method, path, headers });
  const [response] = (await once(sent.end(body), "response")) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const QUERY = '{"id":"00000000-0000-4000-8000-000000000000","sql":"select 1"}';

describe.each(["demo", "the demo's webhook", "mailbox", "queue"])("%s", (name) => {
  const post = (headers: OutgoingHttpHeaders) => {
    const { port, changing } = pages[name] as (typeof pages)[string];
    return ask(port, "POST", changing, { ...FORM, ...headers }, QUERY);
  };

  it("has no other name than this machine's", async () => {
    const { port, status } = pages[name] as (typeof pages)[string];
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1.evil.example",
      "localhost.evil.example",
    ]) {
      expect((await ask(port, "GET", "/", { Host: host })).status).toBe(403);
      expect((await post({ Host: host, "Sec-Fetch-Site": "same-origin" })).status).toBe(403);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LocalHost:${port}`]) {
      expect((await ask(port, "GET", "/", { Host: host })).status).toBe(200);
      expect((await post({ Host: host })).status).toBe(status);
    }
  });

  it("changes nothing for a page of another site", async () => {
    const { port, status } = pages[name] as (typeof pages)[string];
    const own = `http://localhost:${port}`;
    const Host = `localhost:${port}`;
    const other = "A page of another site";
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site", Origin: `http://localhost:${port + 1}` },
      { "Sec-Fetch-Site": "cross-site", Origin: own },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: `http://localhost:${port + 1}` },
      { Origin: `https://localhost:${port}` },
    ])
      expect(await post({ Host, ...headers })).toMatchObject({
        status: 403,
        text: expect.stringContaining(other),
      });
    for (const headers of [{ "Sec-Fetch-Site": "same-origin", Origin: own }, { Origin: own }, {}])
      expect((await post({ Host, ...headers })).status).toBe(status);
    // Links of other sites work.
    expect((await ask(port, "GET", "/", { Host, "Sec-Fetch-Site": "cross-site" })).status).toBe(200);
  });
});

describe("the object store", () => {
  const urlFor = (endpoint: string, command: PutObjectCommand | GetObjectCommand) => {
    const client = new S3Client({
      endpoint,
      region,
      credentials,
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED",
    });
    // The types of the two packages come from two versions of Smithy.
    return getSignedUrl(client as never, command as never);
  };
  const path = (url: string) => new URL(url).pathname + new URL(url).search;

  it("answers other sites with a signed URL, whose host is signed, and nobody without", async () => {
    const put = await urlFor(
      `http://127.0.0.1:${store}`,
      new PutObjectCommand({ Bucket: "files", Key: "a.txt" }),
    );
    const fromPage = { "Sec-Fetch-Site": "cross-site", Origin: "https://portal.example" };
    const own = { Host: `127.0.0.1:${store}`, ...fromPage };
    expect((await ask(store, "PUT", path(put), own, "hello")).status).toBe(200);
    const get = await urlFor(
      `http://127.0.0.1:${store}`,
      new GetObjectCommand({ Bucket: "files", Key: "a.txt" }),
    );
    expect(await ask(store, "GET", path(get), own)).toEqual({ status: 200, text: "hello" });

    const foreign = { Host: `evil.example:${store}` };
    expect(await ask(store, "GET", path(get), foreign)).toMatchObject({
      status: 403,
      text: expect.stringContaining("SignatureDoesNotMatch"),
    });
    for (const Host of [own.Host, foreign.Host])
      for (const method of ["GET", "PUT", "POST", "DELETE"])
        for (const target of ["/", "/files", "/files/a.txt", "/files?delete"])
          expect((await ask(store, method, target, { ...FORM, Host, ...fromPage })).status).toBe(403);
    expect(await ask(store, "GET", path(get), own)).toEqual({ status: 200, text: "hello" });
  });
});

describe("the Data API", () => {
  it("runs nothing that is not signed", async () => {
    for (const Host of [`127.0.0.1:${dataApi}`, "evil.example"]) {
      const refused = await ask(dataApi, "POST", "/Execute", { ...FORM, Host }, '{"sql":"select 1"}');
      expect(refused).toMatchObject({
        status: 403,
        text: expect.stringContaining("Missing Authentication Token"),
      });
    }
  });
});
