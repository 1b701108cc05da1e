import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CORSRule, ListBucketsCommand, PutBucketCorsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createObjectStore } from "../../app/providers/object-store.server";
import { ensureBucket, startObjectStore } from "../../local/object-store";
import { signedWith } from "../support/files/object-store";
import type { Endpoint } from "./endpoint";
import { openBucketForCors, openOwnBucket, readCorsRules } from "./own-bucket";

const BUCKET = "lent";
const RULES: CORSRule[] = [{ AllowedOrigins: ["https://someone.example.com"], AllowedMethods: ["GET"] }];
let mayCreate = false;
let folder: string;
let endpoint: Endpoint;

/** A store of someone else, who lends a bucket that has CORS rules. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "contract-lent-"));
  const credentials = { region: "eu-central-1", accessKeyId: "key", secretAccessKey: "secret" };
  ensureBucket(folder, BUCKET);
  const store = await startObjectStore({
    port: 0,
    dataDir: folder,
    ...credentials,
    intercept: ({ method, key, query }) =>
      mayCreate || method !== "PUT" || key !== "" || query.has("cors")
        ? undefined
        : { error: { status: 403, code: "AccessDenied" } },
  });
  const settings = { ...credentials, endpoint: store.endpoint, bucket: BUCKET, forcePathStyle: true };
  const client = new S3Client({ ...settings, credentials });
  const product = createObjectStore({ ...settings, ...signedWith(settings), timeoutSeconds: 30 });
  endpoint = {
    settings,
    client,
    product,
    bucket: BUCKET,
    prefix: "contract/",
    foreign: true,
    close: () => store.close(),
  };
  await client.send(new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules: RULES } }));
});
afterAll(async () => {
  endpoint?.client.destroy();
  await endpoint?.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  mayCreate = false;
  vi.stubEnv("CONTRACT_S3_MAY_CHANGE_CORS", undefined);
  // Where the rules are kept: a folder of this test's own.
  vi.stubEnv("TMPDIR", folder);
});

const rules = () => readCorsRules(endpoint.client, BUCKET);

describe("the settings of a borrowed bucket", () => {
  it("are not changed if a bucket can be created, which is removed afterwards", async () => {
    mayCreate = true;
    const own = await openBucketForCors(endpoint);
    expect(own.name).not.toBe(BUCKET);
    await own.close();
    const { Buckets = [] } = await endpoint.client.send(new ListBucketsCommand({}));
    expect(Buckets.map(({ Name }) => Name)).toEqual([BUCKET]);
    expect(await rules()).toEqual(RULES);
  });

  it("are not changed if no bucket can be created, and the reason is given", async () => {
    for (const open of [openOwnBucket, openBucketForCors]) {
      const own = await open(endpoint);
      expect(own.reasonToSkip).toContain("AccessDenied");
      await own.close();
    }
    expect(await rules()).toEqual(RULES);
  });

  it("are changed if that is permitted, and restored, even after a run that was killed", async () => {
    vi.stubEnv("CONTRACT_S3_MAY_CHANGE_CORS", "true");
    const said = vi.spyOn(console, "info").mockImplementation(() => undefined);
    const killed = await openBucketForCors(endpoint);
    expect(killed).toMatchObject({ name: BUCKET });
    expect(killed.reasonToSkip).toBeUndefined();
    await endpoint.client.send(
      new PutBucketCorsCommand({
        Bucket: BUCKET,
        CORSConfiguration: { CORSRules: [{ AllowedOrigins: ["*"], AllowedMethods: ["PUT"] }] },
      }),
    );
    // No close: the next run finds the first one's file.
    const next = await openBucketForCors(endpoint);
    await next.close();
    expect(await rules()).toEqual(RULES);
    expect(said.mock.calls.flat().join()).toContain(folder);
    said.mockRestore();
  });
});
