import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  PutBucketLifecycleConfigurationCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Endpoint, isLacking, openEndpoint } from "./endpoint";
import { type BucketToChange, openOwnBucket } from "./own-bucket";

let endpoint: Endpoint;
let own: BucketToChange;

beforeAll(async () => {
  endpoint = await openEndpoint();
  own = await openOwnBucket(endpoint);
});
afterAll(async () => {
  await own?.close();
  await endpoint?.close();
});

describe("a bucket", () => {
  it("says whether versioning is enabled", async () => {
    const command = new GetBucketVersioningCommand({ Bucket: endpoint.bucket });
    const { Status } = await endpoint.client.send(command);
    expect([undefined, ...(endpoint.foreign ? ["Enabled", "Suspended"] : [])]).toContain(Status);
  });
});

describe("a bucket of our own (a store without these settings responds with 501)", () => {
  it("keeps the rule that aborts unfinished uploads", async (context) => {
    if (own.reasonToSkip !== undefined) return context.skip(own.reasonToSkip);
    const Bucket = own.name;
    const read = new GetBucketLifecycleConfigurationCommand({ Bucket });
    const Rules = [
      {
        ID: "abort & forget",
        Status: "Enabled" as const,
        Filter: { Prefix: "" },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
    ];
    const missing = await endpoint.client.send(read).catch((error: unknown) => error);
    if (isLacking(endpoint, missing)) return context.skip("This endpoint has no lifecycle rules.");
    expect(missing).toMatchObject({ name: "NoSuchLifecycleConfiguration" });
    const LifecycleConfiguration = { Rules };
    await endpoint.client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }),
    );
    expect((await endpoint.client.send(read)).Rules).toMatchObject([
      { ID: "abort & forget", Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
    ]);
    await endpoint.client.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await expect(endpoint.client.send(read)).rejects.toMatchObject({ name: "NoSuchLifecycleConfiguration" });
  });
});
