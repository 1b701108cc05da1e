/** Tests that `npm run doctor` names each misconfiguration of an object store and its buckets. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { PutBucketVersioningCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { LocalServer } from "../../local/listen";
import { ceph16, ensureBucket, type Intercept, startObjectStore } from "../../local/object-store";
import { addClient, deploymentEnv, makeDatabase, makeDeployment, ORIGIN } from "../support/app/deployment";
import { expectFinding, runDoctor } from "../support/app/doctor";
import { runProcess } from "../support/app/run-command";
import { makeTestFolder } from "../support/databases/postgres";
import { makeBucket, openBucket } from "../support/files/bucket";
import { rulesOf } from "../support/files/bucket-rules";
import { findFreePort } from "../support/machine/free-port";

const stack = inject("stack");

let right: Awaited<ReturnType<typeof makeDeployment>>;
beforeAll(async () => {
  right = await makeDeployment(stack);
});
const doctor = (changes: Record<string, string>, database = right.database, checkMs?: number) =>
  runDoctor(stack, database, changes, ["--only", "store"], checkMs);

describe("the doctor finds of the store", () => {
  it.each([
    [
      "a wrong secret key",
      { CLOUD_SECRET_ACCESS_KEY: "wrong-secret" },
      /SignatureDoesNotMatch/,
      /Set CLOUD_SECRET_ACCESS_KEY/,
    ],
    [
      "an unknown access key",
      { CLOUD_ACCESS_KEY_ID: "UNKNOWN-KEY" },
      /InvalidAccessKeyId/,
      /Set CLOUD_ACCESS_KEY_ID/,
    ],
    [
      "a wrong region",
      { CLOUD_REGION: "us-east-2" },
      /region is wrong: the store says ca-central-1/,
      /Set CLOUD_REGION .*ca-central-1/,
    ],
    [
      "something that is not a store",
      { CLOUD_S3_ENDPOINT: stack.demoUrl },
      /not an S3 store/,
      /Set CLOUD_S3_ENDPOINT/,
    ],
  ])("%s", async (_, changes, message, remedy) => {
    const report = await doctor(changes);
    expect(report.code).toBe(1);
    expectFinding(report, "store.reachable", "error", message, remedy);
    // Reported once, not for each bucket.
    expect(report.findings.filter(({ status }) => status === "error")).toHaveLength(1);
  });

  it("that it cannot be reached", async () => {
    const report = await doctor({ CLOUD_S3_ENDPOINT: `http://127.0.0.1:${await findFreePort()}` });
    expect(report.code).toBe(1);
    expectFinding(report, "store.reachable", "error", /ECONNREFUSED/, /CLOUD_S3_ENDPOINT/);
  });
});

describe("the doctor finds of a bucket", () => {
  it("that it is missing", async () => {
    const database = await makeDatabase(stack);
    await addClient(database, ["no-such-bucket"], [ORIGIN]);
    const report = await doctor({}, database);
    expect(report.code).toBe(1);
    expectFinding(
      report,
      "store.bucket",
      "error",
      /no bucket no-such-bucket \(NoSuchBucket\)/,
      /Create the bucket/,
    );
  });

  it("that it has no CORS rules", async () => {
    const [database, bucket] = await Promise.all([makeDatabase(stack), makeBucket(stack)]);
    await addClient(database, [bucket.name], [ORIGIN]);
    const report = await doctor({}, database);
    expect(report.code).toBe(1);
    const command = new RegExp(`npm run storage -- cors --bucket ${bucket.name}`);
    expectFinding(report, "store.cors", "error", /no CORS rules/, command);
  });

  it("CORS rules that lack an origin or allow too many", async () => {
    const { database, bucket } = await makeDeployment(stack);
    await addClient(database, [bucket.name], ["https://second.example"]);
    const lacking = await doctor({}, database);
    expect(lacking.code).toBe(1);
    expectFinding(
      lacking,
      "store.cors",
      "error",
      /do not allow https:\/\/second\.example/,
      /npm run storage -- cors/,
    );
    await bucket.allowOrigins(["*"]);
    const wide = await doctor({}, database);
    expect(wide.code).toBe(0);
    expectFinding(wide, "store.cors", "warning", /allow origins that no .*: \*/, /npm run storage -- cors/);
  });
});

describe("the doctor finds of a bucket's lifecycle rules", () => {
  const rule = (DaysAfterInitiation: number) => ({
    ID: `ends after ${DaysAfterInitiation}`,
    Status: "Enabled" as const,
    Filter: { Prefix: "" },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation },
  });

  it("that no rule ends uploads, that a rule ends them too early, and that a rule is correct", async () => {
    const { database, bucket } = await makeDeployment(stack);
    const command = new RegExp(`npm run storage -- lifecycle --bucket ${bucket.name}`);
    expectFinding(await doctor({}, database), "store.lifecycle", "warning", /no lifecycle rule/, command);
    const rules = rulesOf(stack.objectStore, bucket.name);
    await rules.set({ lifecycle: [rule(7)] });
    expectFinding(await doctor({}, database), "store.lifecycle", "ok", /are removed/);
    await rules.set({ lifecycle: [rule(7), rule(2)] });
    expectFinding(await doctor({}, database), "store.lifecycle", "warning", /after 2 days/, /to \d+ days/);
    rules.close();
  });
});

describe("with a faulty store", () => {
  const BUCKET = "trouble";
  let store: LocalServer;
  let dataDir: string;
  let database: string;
  let intercept: Intercept | undefined;
  let offsetMs = 0;
  /** the method of every request and whether its target was an object, a part or a bucket */
  let requests: string[] = [];

  beforeAll(async () => {
    dataDir = await makeTestFolder();
    ensureBucket(join(dataDir, "store"), BUCKET);
    store = await startObjectStore({
      ...stack.objectStore,
      port: 0,
      dataDir: join(dataDir, "store"),
      intercept: (request) => {
        const target = request.query.has("partNumber") ? "part" : request.key === "" ? "bucket" : "object";
        requests.push(`${request.method} ${target}`);
        return intercept?.(request);
      },
      clockOffsetMs: () => offsetMs,
    });
    database = await makeDatabase(stack);
    await addClient(database, [BUCKET], [ORIGIN]);
  });
  afterAll(async () => {
    await store?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const examine = async (fault: Intercept | undefined, clock = 0, checkMs?: number) => {
    intercept = fault;
    offsetMs = clock;
    requests = [];
    return doctor({ CLOUD_S3_ENDPOINT: store.endpoint }, database, checkMs);
  };
  const keysLeft = () => {
    intercept = undefined;
    return openBucket({ ...stack.objectStore, endpoint: store.endpoint }, BUCKET).list();
  };

  it("finds a clock that is 20 minutes fast or slow", async () => {
    for (const minutes of [20, -20]) {
      const report = await examine(undefined, minutes * 60_000);
      expect(report.code).toBe(1);
      expectFinding(report, "store.clock", "error", /20 minutes (behind|ahead)/, /clock \(NTP/);
      expectFinding(report, "store.reachable", "error", /clock is wrong \(RequestTimeTooSkewed\)/, /NTP/);
    }
    const report = await examine(undefined, 90_000);
    expectFinding(report, "store.clock", "warning", /(89|90|91) s (behind|ahead)/, /NTP/);
    offsetMs = 0;
  });

  it("finds a hanging store and ends in time", async () => {
    const report = await examine(() => ({ hang: true }), 0, 1_000);
    expect(report.code).toBe(1);
    expectFinding(report, "store.reachable", "error", /does not respond in time/, /CLOUD_S3_ENDPOINT/);
  });

  it("accepts credentials that may not list all buckets", async () => {
    const report = await examine(({ bucket }) =>
      bucket === "" ? { error: { status: 403, code: "AccessDenied" } } : undefined,
    );
    expectFinding(report, "store.reachable", "ok", /knows the access key/);
    expectFinding(report, "store.bucket", "ok", /can be listed/);
  });

  it("finds a bucket that may not be listed, and names the permission", async () => {
    const report = await examine(() => ({ error: { status: 403, code: "AccessDenied" } }));
    expectFinding(
      report,
      "store.bucket",
      "error",
      /AccessDenied/,
      /Grant s3:ListBucket on the bucket trouble/,
    );
  });

  it("sends preflight requests if the CORS rules cannot be read", async () => {
    const report = await examine(({ query }) =>
      query.has("cors") ? { error: { status: 501, code: "NotImplemented" } } : undefined,
    );
    expectFinding(report, "store.cors", "warning", /preflight request is refused for .*portal/, /--dry-run/);
    expect(requests).toContain("OPTIONS object");
  });

  it("finds a store that obeys unsigned headers, and says what visitors can do with each", async () => {
    const obeys =
      (...names: string[]): Intercept =>
      ({ query, headers }) =>
        query.has("X-Amz-Signature") && names.some((name) => headers[name] !== undefined)
          ? { error: { status: 400, code: "InvalidArgument" } }
          : undefined;
    const copies = await examine(obeys("x-amz-copy-source"));
    expect(copies.code).toBe(1);
    const remedy = /docs\/examples\/nginx-store\.conf/;
    expectFinding(
      copies,
      "store.unsigned_headers",
      "error",
      /can copy any object that the access key may read \(x-amz-copy-source\)\.$/,
      remedy,
    );
    expectFinding(copies, "store.round_trip", "ok", /written, read and removed/);
    // A proxy that refuses only the copy source leaves the others.
    const others = await examine(obeys("x-amz-acl", "x-amz-tagging"));
    expectFinding(
      others,
      "store.unsigned_headers",
      "error",
      /public \(x-amz-acl\), set tags, .*tagging\)\.$/,
      remedy,
    );

    expectFinding(await examine(undefined), "store.unsigned_headers", "ok", /no effect/);
    const ignoring = await examine(({ query }) =>
      query.has("partNumber") ? { error: { status: 404, code: "NoSuchUpload" } } : undefined,
    );
    expectFinding(ignoring, "store.unsigned_headers", "ok", /no effect/);
    const denied = await examine(({ query }) => (query.has("partNumber") ? DENIED : undefined));
    expectFinding(
      denied,
      "store.unsigned_headers",
      "warning",
      /could not check.*AccessDenied/,
      /s3:PutObject/,
    );
    expect(await keysLeft()).toEqual([]);
  });

  it("reports what the store compares uploads with, and which conditions it keeps", async () => {
    const modern = await examine(undefined);
    expectFinding(modern, "store.integrity", "ok", /compares uploads with their checksums/);
    for (const kept of [/refuses uploads/, /refuses copies/, /refuses to delete/])
      expectFinding(modern, "store.round_trip", "ok", kept);

    const old = await examine(() => ({ ignores: ceph16 }));
    expect(old.code, "none of it is an error").toBe(modern.code);
    expectFinding(old, "store.integrity", "ok", /ignores checksums, so uploads carry Content-MD5/);
    expectFinding(old, "store.round_trip", "ok", /refuses uploads/);
    expectFinding(old, "store.round_trip", "warning", /If-None-Match on copies.*may be lost/, /versioning/);
    expectFinding(old, "store.round_trip", "warning", /If-Match on deletions/, /versioning/);
    expect(await keysLeft()).toEqual([]);

    const oldest = await examine(() => ({ ignores: { ...ceph16, putConditions: true, contentMd5: true } }));
    expectFinding(oldest, "store.integrity", "warning", /neither.*not noticed/, /Update the store/);
    expectFinding(oldest, "store.round_trip", "warning", /If-None-Match on uploads/, /versioning/);
    const denied = await examine(({ query }) =>
      query.has("uploads") ? { error: { status: 403, code: "AccessDenied" } } : undefined,
    );
    expectFinding(denied, "store.integrity", "warning", /could not determine/, /s3:AbortMultipartUpload/);
    const conditionless = await examine(({ headers }) =>
      "if-none-match" in headers ? { error: { status: 501, code: "NotImplemented" } } : undefined,
    );
    expectFinding(conditionless, "store.round_trip", "warning", /If-None-Match on uploads/, /versioning/);
    expect(await keysLeft()).toEqual([]);
  });

  it("removes its object even if reading it fails", async () => {
    const report = await examine(({ method, key }) =>
      method === "GET" && key !== "" ? { error: { status: 403, code: "AccessDenied" } } : undefined,
    );
    expect(report.code).toBe(1);
    expectFinding(
      report,
      "store.round_trip",
      "error",
      /reading by presigned URL failed.*AccessDenied/,
      /s3:GetObject/,
    );
    expect(requests).toContain("PUT object");
    expect(await keysLeft()).toEqual([]);
  });

  it("removes its object even if it is interrupted, and exits with 130", async () => {
    const env = { ...deploymentEnv(stack, database), CLOUD_S3_ENDPOINT: store.endpoint };
    requests = [];
    let stop = () => {};
    intercept = ({ method, key }) => {
      if (method !== "GET" || key === "") return undefined;
      stop();
      return { hang: true };
    };
    const { code, stdout } = await runProcess("doctor", ["--only", "store"], env, (kill) => {
      stop = () => kill("SIGINT");
    });
    expect([code, stdout]).toEqual([130, expect.stringContaining("Stopped before it had ended")]);
    expect(requests.indexOf("PUT object")).toBeGreaterThan(0);
    expect(requests.lastIndexOf("DELETE object")).toBeGreaterThan(requests.indexOf("PUT object"));
    expect(await keysLeft()).toEqual([]);
  });

  const DENIED = { error: { status: 403, code: "AccessDenied" } };
  const setVersioning = async (Status: "Enabled" | "Suspended") => {
    intercept = undefined;
    const { region, accessKeyId, secretAccessKey } = stack.objectStore;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: store.endpoint, region, credentials, forcePathStyle: true });
    const VersioningConfiguration = { Status };
    await client.send(new PutBucketVersioningCommand({ Bucket: BUCKET, VersioningConfiguration }));
    client.destroy();
  };

  describe("and visitors who may move and delete", () => {
    let changed: string;
    const look = async (fault: Intercept | undefined) => {
      intercept = fault;
      requests = [];
      return doctor({ CLOUD_S3_ENDPOINT: store.endpoint }, changed);
    };
    beforeAll(async () => {
      changed = await makeDatabase(stack);
      await addClient(changed, [BUCKET], [ORIGIN], { actions: ["organize", "delete"] });
    });

    it("reports that deleting cannot be undone, and why", async () => {
      expectFinding(
        await look(undefined),
        "store.versioning",
        "warning",
        /versioning is off, .*cannot be restored/,
        /npm run storage -- versioning --bucket trouble/,
      );
      const secret = await look(({ query }) => (query.has("versioning") ? DENIED : undefined));
      expectFinding(secret, "store.versioning", "warning", /cannot be undone/, /s3:GetBucketVersioning/);
      await setVersioning("Enabled");
      expectFinding(await look(undefined), "store.undo", "ok", /can be undone/);
      expectFinding(
        await look(undefined),
        "store.versions",
        "warning",
        /every version without end/,
        /npm run storage -- versioning --bucket trouble --keep-days 90/,
      );
      const unlisted = await look(({ query }) => (query.has("versions") ? DENIED : undefined));
      expectFinding(unlisted, "store.undo", "error", /deleting fails/, /s3:ListBucketVersions/);
      const kept = await look(({ method, query }) =>
        method === "DELETE" && query.get("versionId") === "null" ? DENIED : undefined,
      );
      expectFinding(kept, "store.undo", "error", /cannot be undone/, /s3:DeleteObjectVersion/);
      await setVersioning("Suspended");
      expectFinding(
        await look(undefined),
        "store.versioning",
        "warning",
        /versioning is suspended, .*cannot be restored/,
        /npm run storage -- versioning --bucket trouble/,
      );
      expect(await keysLeft()).toEqual([]);
    });

    it("does not advise an old store's owner to switch versioning on where it is on", async () => {
      for (const [status, remedy] of [
        ["Suspended", /Update the store, or switch versioning on/],
        ["Enabled", /Update the store\. Until then, .*the bucket keeps versions/],
      ] as const) {
        await setVersioning(status);
        const old = await look(() => ({ ignores: ceph16 }));
        expectFinding(old, "store.round_trip", "warning", /If-None-Match on copies/, remedy);
        expectFinding(old, "store.round_trip", "warning", /If-Match on deletions/, remedy);
      }
      await setVersioning("Suspended");
    });

    it("finds a key that may not delete, and skips the check if no visitor may delete", async () => {
      const report = await look(({ method }) => (method === "DELETE" ? DENIED : undefined));
      expect(report.code).toBe(1);
      expectFinding(report, "store.round_trip", "error", /moving and deleting fail/, /Grant s3:DeleteObject/);
      const { findings } = await examine(undefined);
      expect(findings.map(({ check }) => check)).not.toContain("store.undo");
    });
  });

  describe("and a key that requires a tag", () => {
    let tagged: string;
    const look = async (fault: Intercept | undefined) => {
      intercept = fault;
      return doctor({ CLOUD_S3_ENDPOINT: store.endpoint }, tagged);
    };
    beforeAll(async () => {
      tagged = await makeDatabase(stack);
      await addClient(tagged, [BUCKET], [ORIGIN], { requireTag: { key: "scan", value: "clean" } });
    });

    it("reports a bucket without versions, and each permission that is missing", async () => {
      await setVersioning("Suspended");
      expectFinding(
        await look(undefined),
        "store.tags",
        "error",
        /keeps no versions, so another upload could take the place/,
        /npm run storage -- versioning --bucket trouble/,
      );
      await setVersioning("Enabled");
      expectFinding(await look(undefined), "store.tags", "ok", /can be read/);
      const withoutTags = await look(({ query }) => (query.has("tagging") ? DENIED : undefined));
      expectFinding(withoutTags, "store.tags", "error", /cannot be read/, /s3:GetObjectTagging/);
      const withoutVersions = await look(({ query }) =>
        query.has("tagging") && query.has("versionId") ? DENIED : undefined,
      );
      expectFinding(withoutVersions, "store.tags", "error", /cannot be read/, /s3:GetObjectVersionTagging/);
      const { findings } = await examine(undefined);
      expect(findings.map(({ check }) => check)).not.toContain("store.tags");
    });
  });

  it("writes nothing that it cannot remove", async () => {
    const report = await examine(({ method }) =>
      method === "DELETE" ? { error: { status: 403, code: "AccessDenied" } } : undefined,
    );
    expectFinding(report, "store.round_trip", "warning", /was not tried/, /Grant s3:DeleteObject on trouble/);
    expect(await keysLeft()).toEqual([]);
  });
});
