/** `npm run storage:cors` on buckets with existing rules and on stores with missing features. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { storageCors } from "../../app/commands/storage-cors";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { makeBucket } from "../support/files/bucket";
import { rulesOf } from "../support/files/bucket-rules";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
const THEIR_CORS = { ID: "website", AllowedMethods: ["GET", "POST"], AllowedOrigins: ["*"] };
const THEIR_LIFECYCLE = {
  ID: "logs & more",
  Status: "Enabled" as const,
  Filter: { And: { Prefix: "logs/", Tags: [{ Key: "a", Value: "b" }] } },
  Expiration: { Days: 30 },
};
const OUR_CORS = {
  ID: "platform-embed",
  AllowedMethods: ["GET", "PUT", "HEAD"],
  AllowedHeaders: ["*"],
  ExposeHeaders: ["ETag", "x-amz-request-id"],
  MaxAgeSeconds: 3000,
  AllowedOrigins: [stack.platformBaseUrl, ORIGIN],
};
const OUR_LIFECYCLE = expect.objectContaining({
  ID: "platform-embed-abort-uploads",
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
});

let faulty: FaultyStore;
let database: string;
let bucket: string;
let rules: ReturnType<typeof rulesOf>;

beforeAll(async () => {
  [faulty, database] = await Promise.all([startFaultyStore(stack), makeDatabase(stack)]);
});
afterAll(() => faulty?.close());
beforeEach(async () => {
  faulty.intercept = null;
  rules?.close();
  bucket = (await makeBucket(faulty.stack)).name;
  rules = rulesOf(faulty.stack.objectStore, bucket);
  await addClient(database, [bucket], [ORIGIN]);
});

const run = (...words: string[]) =>
  runHere("storage:cors", storageCors, ["--bucket", bucket, ...words], deploymentEnv(faulty.stack, database));
const written = () => faulty.requests.filter((request) => request === `PUT ${bucket}`).length;
/** Returns an error for one bucket operation, chosen by its query parameter. */
const refuse = (name: string, status: number, code: string, methods = ["GET", "PUT"]) => {
  faulty.intercept = ({ method, query }) =>
    query.has(name) && methods.includes(method) ? { error: { status, code } } : undefined;
};

describe("storage:cors keeps other rules", () => {
  it("and adds its rules", async () => {
    await rules.set({ cors: [THEIR_CORS], lifecycle: [THEIR_LIFECYCLE] });
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([0, expect.stringContaining("CORS rules written; other rules kept: 1.")]);
    expect(await rules.read()).toEqual({
      cors: [THEIR_CORS, OUR_CORS],
      lifecycle: [THEIR_LIFECYCLE, OUR_LIFECYCLE],
    });
  });

  it("and replaces its earlier rules, with or without an ID (the first version wrote none)", async () => {
    const { ID, ...firstVersion } = {
      ...OUR_CORS,
      AllowedOrigins: [stack.platformBaseUrl, "https://gone.example"],
    };
    await rules.set({ cors: [firstVersion, THEIR_CORS] });
    await run("--no-lifecycle");
    expect(await rules.read()).toEqual({ cors: [OUR_CORS, THEIR_CORS], lifecycle: null });
    await addClient(database, [bucket], ["https://second.example"]);
    await run("--no-lifecycle");
    const { cors } = await rules.read();
    expect(cors?.map(({ AllowedOrigins }) => AllowedOrigins)).toEqual([
      [stack.platformBaseUrl, ORIGIN, "https://second.example"],
      ["*"],
    ]);
  });

  it("and writes nothing if all rules are correct", async () => {
    await run();
    const before = await rules.read();
    const count = written();
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([
      0,
      `${bucket}: CORS rules up to date; other rules kept: 0.\n${bucket}: lifecycle rules up to date; other rules kept: 0.\n`,
    ]);
    expect(written()).toBe(count);
    expect(await rules.read()).toEqual(before);
  });

  it("when it runs several times at once", async () => {
    await rules.set({ cors: [THEIR_CORS], lifecycle: [THEIR_LIFECYCLE] });
    const ended = await Promise.all(Array.from({ length: 4 }, () => run()));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await rules.read()).toEqual({
      cors: [THEIR_CORS, OUR_CORS],
      lifecycle: [THEIR_LIFECYCLE, OUR_LIFECYCLE],
    });
  });

  it("and writes lifecycle rules in the older form if the bucket has such rules", async () => {
    const older = { ID: "old", Status: "Enabled" as const, Prefix: "old/", Expiration: { Days: 1 } };
    await rules.set({ lifecycle: [older] });
    expect((await run()).code).toBe(0);
    expect((await rules.read()).lifecycle).toEqual([older, expect.objectContaining({ Prefix: "" })]);
  });
});

describe("storage:cors --dry-run", () => {
  it("prints the resulting rules and writes nothing", async () => {
    await rules.set({ cors: [THEIR_CORS], lifecycle: [THEIR_LIFECYCLE] });
    const count = written();
    const { code, stdout, stderr } = await run("--dry-run");
    expect([code, stderr]).toEqual([
      0,
      `${bucket}: CORS rules not written; other rules kept: 1.\n${bucket}: lifecycle rules not written; other rules kept: 1.\n`,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      cors: { CORSRules: [THEIR_CORS, OUR_CORS] },
      lifecycle: { Rules: [THEIR_LIFECYCLE, OUR_LIFECYCLE] },
    });
    expect(written()).toBe(count);
    expect(await rules.read()).toEqual({ cors: [THEIR_CORS], lifecycle: [THEIR_LIFECYCLE] });
  });

  it("prints its own rules if the store does not return the existing ones", async () => {
    refuse("cors", 501, "NotImplemented");
    const { code, stdout, stderr } = await run("--dry-run", "--no-lifecycle");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/CORS rules not read.*Enter the CORS rules above/),
    ]);
    expect(JSON.parse(stdout)).toEqual({ cors: { CORSRules: [OUR_CORS] } });
  });
});

describe("storage:cors, if the store", () => {
  it.each([
    [501, "NotImplemented"],
    [400, "NotImplemented"],
    [405, "MethodNotAllowed"],
  ])("does not know lifecycle rules (%j %s), writes the CORS rules and says so", async (status, code) => {
    refuse("lifecycle", status, code);
    const ended = await run();
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(
        /CORS rules written[\s\S]*lifecycle rules not written.*does not offer.*--no-lifecycle/,
      ),
    ]);
    expect((await rules.read().catch(() => null)) ?? { cors: [OUR_CORS] }).toMatchObject({
      cors: [OUR_CORS],
    });
    faulty.intercept = null;
    expect(await rules.read()).toEqual({ cors: [OUR_CORS], lifecycle: null });
    refuse("lifecycle", status, code);
    expect((await run("--no-lifecycle")).code).toBe(0);
  });

  it("does not support CORS rules, still writes the lifecycle rule", async () => {
    refuse("cors", 501, "NotImplemented");
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/lifecycle rules written[\s\S]*CORS rules not written/),
    ]);
    faulty.intercept = null;
    expect(await rules.read()).toEqual({ cors: null, lifecycle: [OUR_LIFECYCLE] });
  });

  it.each([
    ["cors", "GET", "s3:GetBucketCORS"],
    ["cors", "PUT", "s3:PutBucketCORS"],
    ["lifecycle", "GET", "s3:GetLifecycleConfiguration"],
    ["lifecycle", "PUT", "s3:PutLifecycleConfiguration"],
  ])("does not permit %s by %s, names the permission and drops nothing", async (name, method, permission) => {
    await rules.set({ cors: [THEIR_CORS], lifecycle: [THEIR_LIFECYCLE] });
    refuse(name, 403, "AccessDenied", [method]);
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Grant ${permission} on the bucket ${bucket}`),
    ]);
    faulty.intercept = null;
    const { cors, lifecycle } = await rules.read();
    expect([cors?.length, lifecycle?.length]).toEqual(name === "cors" ? [1, 2] : [2, 1]);
  });

  it("refuses the rules for another reason, prints its message", async () => {
    faulty.intercept = ({ method, query }) =>
      method === "PUT" && query.has("lifecycle")
        ? { error: { status: 400, code: "InvalidRequest", message: "Found overlapping prefixes" } }
        : undefined;
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([1, expect.stringContaining("Found overlapping prefixes")]);
  });
});
