/** `npm run storage:cors`, which writes a bucket's CORS and lifecycle rules. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { storageCors } from "../../app/commands/storage-cors";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { runHere, runProcess } from "../support/app/run-command";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { rulesOf } from "../support/files/bucket-rules";

const stack = inject("stack");

const ABORT = {
  ID: "platform-embed-abort-uploads",
  Status: "Enabled",
  Filter: { Prefix: "" },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
};

let database: string;
let bucket: TestBucket;
beforeAll(async () => {
  [database, bucket] = await Promise.all([makeDatabase(stack), makeBucket(stack)]);
  await addClient(database, [bucket.name], [ORIGIN]);
});

describe("npm run storage:cors", () => {
  const setCors = (name: string, changes: Record<string, string> = {}, ...words: string[]) =>
    runHere("storage:cors", storageCors, ["--bucket", name, ...words], {
      ...deploymentEnv(stack, database),
      ...changes,
    });

  it("writes the rules as a separate process", async () => {
    const env = deploymentEnv(stack, database);
    const { code, stdout, stderr } = await runProcess("storage-cors", ["--bucket", bucket.name], env);
    const said = (kind: string) => `${bucket.name}: ${kind} rules written; other rules kept: 0.\n`;
    expect([code, stderr]).toEqual([0, said("CORS") + said("lifecycle")]);
    expect(JSON.parse(stdout)).toEqual({
      cors: { CORSRules: [expect.objectContaining({ AllowedOrigins: [stack.platformBaseUrl, ORIGIN] })] },
      lifecycle: { Rules: [ABORT] },
    });
    const rules = rulesOf(stack.objectStore, bucket.name);
    expect(await rules.read()).toEqual({
      cors: [
        expect.objectContaining({ ID: "platform-embed", AllowedOrigins: [stack.platformBaseUrl, ORIGIN] }),
      ],
      lifecycle: [ABORT],
    });
    rules.close();
  });

  it.each([
    [
      "a wrong secret key",
      { CLOUD_SECRET_ACCESS_KEY: "wrong-secret" },
      /SignatureDoesNotMatch[\s\S]*CLOUD_SECRET_ACCESS_KEY/,
    ],
    [
      "an unknown access key",
      { CLOUD_ACCESS_KEY_ID: "UNKNOWN-KEY" },
      /InvalidAccessKeyId[\s\S]*CLOUD_ACCESS_KEY_ID/,
    ],
    [
      "a wrong region",
      { CLOUD_REGION: "us-east-2" },
      /region is wrong: the store says ca-central-1[\s\S]*CLOUD_REGION/,
    ],
    ["no store", { CLOUD_S3_ENDPOINT: "http://127.0.0.1:9" }, /ECONNREFUSED[\s\S]*CLOUD_S3_ENDPOINT/],
  ])("says of %s what it is, and which variable", async (_, changes, message) => {
    const { code, stderr } = await setCors(bucket.name, changes);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).not.toContain("wrong-secret");
  });

  it("names a bucket that is missing", async () => {
    const { code, stderr } = await setCors("no-such-bucket");
    expect([code, stderr]).toEqual([1, expect.stringContaining("no bucket no-such-bucket (NoSuchBucket)")]);
    // Reported once, not for each kind of rule.
    expect(stderr.match(/NoSuchBucket/g)).toHaveLength(1);
  });
});
