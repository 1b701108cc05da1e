import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { type ObjectStoreOptions, startObjectStore } from "../../../local/object-store/index";

export const CREDENTIALS = {
  region: "ca-central-1",
  accessKeyId: "test-access-key",
  secretAccessKey: "test-secret-key",
};
export const BUCKET = "tested";

/** What providers take of the environment in place of a key. */
export const signedWith = ({ region, accessKeyId, secretAccessKey }: typeof CREDENTIALS) => ({
  region,
  credentials: { accessKey: { accessKeyId, secretAccessKey }, region },
});

/** A store of its own for one test file, on a free port, with one empty bucket. */
export async function startStoreForTests(options: Partial<ObjectStoreOptions> = {}) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "object-store-")));
  const store = await startObjectStore({ port: 0, dataDir, ...CREDENTIALS, ...options });
  const client = clientFor(store.endpoint);
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    endpoint: store.endpoint,
    setTimes: store.setTimes,
    dataDir,
    client,
    async close() {
      client.destroy();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function clientFor(endpoint: string): S3Client {
  const { region, ...credentials } = CREDENTIALS;
  const requestChecksumCalculation = "WHEN_REQUIRED";
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true, requestChecksumCalculation });
}

export interface RawRequest {
  method: string;
  /** as it goes over the wire */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface RawResponse {
  status: number;
  /** of the error, empty when there is none */
  code: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends exactly this; `fetch` would tidy the path and refuse some headers. */
export function sendRaw(endpoint: string, { method, path, headers, body }: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      text(response).then((answer) => {
        const code = /<Code>(.*?)<\/Code>/.exec(answer)?.[1] ?? "";
        resolve({ status: response.statusCode ?? 0, code, headers: response.headers, body: answer });
      }, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The request with a valid `Authorization` over its method, path, query, headers and body. */
export async function signRaw(
  endpoint: string,
  request: Partial<RawRequest> & { path: string },
  {
    signingDate,
    sessionToken,
    ...credentials
  }: Partial<typeof CREDENTIALS> & { signingDate?: Date; sessionToken?: string } = {},
): Promise<RawRequest> {
  const { method = "GET", path, headers = {}, body = "" } = request;
  const { region, accessKeyId, secretAccessKey } = { ...CREDENTIALS, ...credentials };
  const signer = new SignatureV4({
    service: "s3",
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: false,
  });
  const url = new URL(endpoint);
  const [pathname = "", query] = path.split("?");
  const signed = await signer.sign(
    {
      method,
      protocol: "http:",
      hostname: url.hostname,
      path: pathname,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: {
        host: url.host,
        "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
        ...(method === "PUT" && { "content-length": String(Buffer.byteLength(body)) }),
        ...headers,
      },
    },
    { signingDate },
  );
  return { method, path, headers: signed.headers, body };
}
