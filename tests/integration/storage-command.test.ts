/** `npm run storage`, which writes the settings of a bucket one by one. */
import { GetBucketVersioningCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { storage } from "../../app/commands/storage";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { makeBucket } from "../support/files/bucket";
import { rulesOf } from "../support/files/bucket-rules";

const stack = inject("stack");
const database = await makeDatabase(stack);
let name: string;
let rules: ReturnType<typeof rulesOf>;
beforeEach(async () => {
  rules?.close();
  ({ name } = await makeBucket(stack));
  rules = rulesOf(stack.objectStore, name);
  await addClient(database, [name], [ORIGIN]);
});

const run = (...words: string[]) =>
  runHere("storage", storage, [...words, "--bucket", name], deploymentEnv(stack, database));

async function versioning(): Promise<string | undefined> {
  const { endpoint, region, accessKeyId, secretAccessKey } = stack.objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: name }));
  client.destroy();
  return Status;
}

const theirs = {
  ID: "logs",
  Status: "Enabled" as const,
  Filter: { Prefix: "logs/" },
  Expiration: { Days: 30 },
};
const uploads = expect.objectContaining({ ID: "platform-embed-abort-uploads" });
const versions = (NoncurrentDays: number) => ({
  ID: "platform-embed-old-versions",
  Status: "Enabled",
  Filter: { Prefix: "" },
  Expiration: { ExpiredObjectDeleteMarker: true },
  NoncurrentVersionExpiration: { NoncurrentDays },
});

describe("storage versioning", () => {
  it("keeps versions for 90 days, changes the days, and keeps other rules", async () => {
    await rules.set({ lifecycle: [theirs] });
    const { code, stdout, stderr } = await run("versioning");
    expect([code, stderr]).toEqual([
      0,
      `${name}: lifecycle rules written; other rules kept: 1.\n${name}: versioning written.\n`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ versioning: { Status: "Enabled" } });
    expect((await rules.read()).lifecycle).toEqual([theirs, uploads, versions(90)]);
    expect(await versioning()).toBe("Enabled");
    await run("versioning", "--keep-days", "30");
    expect((await rules.read()).lifecycle).toEqual([theirs, uploads, versions(30)]);
    expect((await run("versioning", "--keep-days", "30")).stderr).toMatch(/up to date[\s\S]*up to date/);
    expect((await rules.read()).cors).toBeNull();
  });

  it("writes nothing with --dry-run, and refuses days that are none", async () => {
    const { code, stderr } = await run("versioning", "--dry-run");
    expect([code, stderr]).toEqual([0, expect.stringContaining("versioning not written")]);
    expect([await versioning(), (await rules.read()).lifecycle]).toEqual([undefined, null]);
    for (const days of ["0", "-1", "1.5", "soon"])
      expect((await run("versioning", `--keep-days=${days}`)).stderr).toContain("a whole number of days");
  });
});

it("storage cors and storage lifecycle write one setting each", async () => {
  expect((await run("cors")).code).toBe(0);
  expect(await rules.read()).toEqual({
    cors: [expect.objectContaining({ AllowedOrigins: [stack.platformBaseUrl, ORIGIN] })],
    lifecycle: null,
  });
  await run("versioning");
  expect((await run("lifecycle")).stderr).toContain("up to date; other rules kept: 1.");
  expect((await rules.read()).lifecycle).toEqual([uploads, versions(90)]);
});

it("storage says what to do about a bucket that is missing, once", async () => {
  name = "no-such-bucket";
  const { code, stderr } = await run("versioning");
  expect([code, stderr.match(/NoSuchBucket/g)]).toEqual([1, ["NoSuchBucket"]]);
});
