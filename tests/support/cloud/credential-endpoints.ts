/**
 * Test doubles of the endpoints where the AWS SDK's default chain gets credentials: a container's, an instance's (IMDSv2) and Amazon STS for
 * web identity and assumed roles.
 */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../../local/listen";
import type { TemporaryKey } from "../../../local/sigv4";
import { makeTestFolder } from "../databases/postgres";

export const ROLE_ARN = "arn:aws:iam::123456789012:role/platform-embed";
/** An assumed role's session may be named after a person. */
const SESSION_NAME = "ada@example.com";
const CONTAINER_TOKEN = "container-authorization";
/** The app waits for a second. */
const SLOW_MS = 800;
const METADATA_TOKEN = "metadata-token";
const METADATA = "/latest/meta-data/iam/security-credentials/";

/**
 * - `refuse`: a 500
 * - `silence`: no response
 * - `garbage`: a 200 with a page of HTML
 * - `ended`: credentials that have ended a minute ago
 * - `slow`: the right response, just before the app gives up
 */
export type CredentialFault = "refuse" | "silence" | "garbage" | "ended" | "slow";

/** Where the chain finds credentials. */
export type CredentialSource = "container" | "instance" | "web identity";

export interface CredentialEndpoints {
  /** the keys that have been handed out, by id; for the object store's and the Data API's doubles */
  keys: Map<string, TemporaryKey>;
  /** what the AWS SDK reads of the process's environment to find this source */
  environment: Record<CredentialSource, Record<string, string>>;
  /** the session policies that roles were assumed with */
  policies: string[];
  /** how long keys live, milliseconds */
  lifeMs: number;
  /** of every request from now on */
  fault: CredentialFault | undefined;
  /** of the next requests, one each */
  nextFaults: CredentialFault[];
  /** number of requests, including failed ones */
  requests: number;
  close(): Promise<void>;
}

export async function startCredentialEndpoints(): Promise<CredentialEndpoints> {
  const tokenFile = join(await makeTestFolder(), "web-identity-token");
  await writeFile(tokenFile, "a.web.identity");

  function issue(lifeMs: number) {
    const accessKeyId = `ASIA${randomBytes(8).toString("hex").toUpperCase()}`;
    const key = {
      secretAccessKey: randomBytes(30).toString("base64"),
      // Like Amazon's: longer pieces of base64 between slashes.
      sessionToken: `IQoJ${randomBytes(18).toString("base64url")}/${randomBytes(300).toString("base64")}`,
      expiresAt: Date.now() + lifeMs,
    };
    endpoints.keys.set(accessKeyId, key);
    return { accessKeyId, ...key, expiration: new Date(key.expiresAt).toISOString() };
  }

  function asJson(lifeMs: number) {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue(lifeMs);
    return JSON.stringify({
      Code: "Success",
      Type: "AWS-HMAC",
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: expiration,
    });
  }

  /** The response of STS; undefined refuses the request. */
  function assume(parameters: URLSearchParams, lifeMs: number): string | undefined {
    const action = parameters.get("Action");
    const arn = `arn:aws:sts::123456789012:assumed-role/platform-embed/${SESSION_NAME}`;
    if (action === "GetCallerIdentity")
      return result(action, `<Arn>${arn}</Arn><UserId>AROA</UserId><Account>123456789012</Account>`);
    if (action !== "AssumeRole" && action !== "AssumeRoleWithWebIdentity") return undefined;
    if (parameters.get("RoleArn") !== ROLE_ARN) return undefined;
    if (action === "AssumeRole") endpoints.policies.push(parameters.get("Policy") ?? "");
    else if (parameters.get("WebIdentityToken") !== "a.web.identity") return undefined;
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = issue(lifeMs);
    return result(
      action,
      `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
        `<SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
        `<AssumedRoleUser><Arn>${arn}</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser>`,
    );
  }

  async function respond(request: IncomingMessage, lifeMs: number): Promise<string | undefined> {
    const { method, url = "", headers } = request;
    if (url === "/container") return headers.authorization === CONTAINER_TOKEN ? asJson(lifeMs) : undefined;
    if (url === "/latest/api/token")
      return method === "PUT" && headers["x-aws-ec2-metadata-token-ttl-seconds"] ? METADATA_TOKEN : undefined;
    if (url.startsWith(METADATA)) {
      // IMDSv2 alone.
      if (headers["x-aws-ec2-metadata-token"] !== METADATA_TOKEN) return undefined;
      return url === METADATA ? "platform-embed" : asJson(lifeMs);
    }
    return method === "POST" ? assume(new URLSearchParams(await text(request)), lifeMs) : undefined;
  }

  const server = createServer(async (request, response) => {
    endpoints.requests++;
    const fault = endpoints.nextFaults.shift() ?? endpoints.fault;
    if (fault === "silence") return;
    if (fault === "refuse") return void response.writeHead(500).end();
    if (fault === "garbage") return void response.end("<!doctype html><title>Sign in</title>");
    if (fault === "slow") await sleep(SLOW_MS);
    const body = await respond(request, fault === "ended" ? -60_000 : endpoints.lifeMs);
    response.writeHead(body === undefined ? 403 : 200).end(body ?? "");
  });
  const { endpoint, close } = await listen(server, 0);
  const endpoints: CredentialEndpoints = {
    keys: new Map(),
    environment: {
      container: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${endpoint}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
        AWS_ENDPOINT_URL_STS: endpoint,
      },
      instance: { AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint, AWS_ENDPOINT_URL_STS: endpoint },
      "web identity": {
        AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
        AWS_ROLE_ARN: ROLE_ARN,
        AWS_ENDPOINT_URL_STS: endpoint,
      },
    },
    policies: [],
    lifeMs: 120_000,
    fault: undefined,
    nextFaults: [],
    requests: 0,
    close,
  };
  return endpoints;
}

const result = (action: string, content: string) =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>${content}</${action}Result>` +
  `<ResponseMetadata><RequestId>test</RequestId></ResponseMetadata></${action}Response>`;
