/** An object store that refuses whatever the policy of `npm run doctor -- --policy` does not grant. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { catalogue } from "../../app/commands/catalogue";
import { cleanup } from "../../app/commands/cleanup";
import { storage } from "../../app/commands/storage";
import { storageCors } from "../../app/commands/storage-cors";
import type { PolicyDocument } from "../../app/providers/least-rights";
import { scopeActions } from "../../app/services/files/place/actions";
import type { Intercept } from "../../local/object-store";
import { addClient, deploymentEnv, makeDatabase, ORIGIN } from "../support/app/deployment";
import { doctorHere, runDoctor } from "../support/app/doctor";
import { runHere } from "../support/app/run-command";
import { openChanges } from "../support/files/change-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { multipartCalls, someBytes } from "../support/files/multipart-calls";

const stack = inject("stack");
let faulty: FaultyStore;
beforeAll(async () => {
  faulty = await startFaultyStore(stack);
});
afterAll(() => faulty?.close());

interface StoreRequest {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: Record<string, unknown>;
}

/** The subresources of a bucket, and what reading and writing them needs. Service Authorization Reference, "Amazon S3". */
const SUBRESOURCES: Record<string, string> = {
  versioning: "BucketVersioning",
  cors: "BucketCORS",
  lifecycle: "LifecycleConfiguration",
  notification: "BucketNotification",
  publicAccessBlock: "BucketPublicAccessBlock",
  policyStatus: "BucketPolicyStatus",
};

/** What IAM asks of a request. */
function actionsOf({ method, key, query, headers }: StoreRequest): string[] {
  const version = query.has("versionId") ? "Version" : "";
  if (key === "") {
    const verb = method === "GET" ? "Get" : "Put";
    for (const [name, setting] of Object.entries(SUBRESOURCES))
      if (query.has(name)) return [`s3:${verb}${setting}`];
    if (query.has("uploads")) return ["s3:ListBucketMultipartUploads"];
    return [query.has("versions") ? "s3:ListBucketVersions" : "s3:ListBucket"];
  }
  if (query.has("tagging")) return [`s3:GetObject${version}Tagging`];
  if (method === "POST")
    return ["s3:PutObject", ...(headers["x-amz-tagging"] ? ["s3:PutObjectTagging"] : [])];
  if (query.has("uploadId")) {
    if (method === "GET") return ["s3:ListMultipartUploadParts"];
    if (method === "DELETE") return ["s3:AbortMultipartUpload"];
  }
  if (method === "DELETE") return [`s3:DeleteObject${version}`];
  if (method !== "PUT") return [`s3:GetObject${version}`];
  const source = headers["x-amz-copy-source"];
  if (source === undefined) return ["s3:PutObject"];
  const ofSource = String(source).includes("?versionId=") ? "Version" : "";
  const isPart = query.has("partNumber");
  return [
    "s3:PutObject",
    `s3:GetObject${ofSource}`,
    ...(isPart ? [] : [`s3:GetObject${ofSource}Tagging`, "s3:PutObjectTagging"]),
  ];
}

it("all that the service, its commands and its doctor do is granted, and hardly more", async () => {
  const { stack: own } = await faulty.startApp();
  const calls = await openChanges(own);
  const { bucket, token } = calls;
  await bucket.keepVersions();
  await bucket.put("a.txt", "a");
  await bucket.put("folder/b.txt", "b");
  await bucket.tag("a.txt", { kept: "yes" });
  await bucket.put("a.txt", "newer");
  await bucket.tag("a.txt", { kept: "yes" });
  const database = await makeDatabase(stack);
  await addClient(database, [bucket.name], [ORIGIN], { actions: scopeActions });
  const topic = "arn:aws:sns:ca-central-1:000000000000:storage-events";
  const env = { ...deploymentEnv(own, database), STORAGE_EVENTS_TOPICS: topic };
  const printed = await doctorHere(["--policy"], env);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  const { Statement }: PolicyDocument = JSON.parse(printed.stdout);
  const resource = `arn:aws:s3:::${bucket.name}`;
  const grants = (action: string, on: string) =>
    Statement.some(({ Action, Resource }) => Action.includes(action) && [Resource].flat().includes(on));

  const used = new Set<string>();
  const denied: string[] = [];
  const refuseUngranted: Intercept = ({ method, bucket: name, key, query, headers }) => {
    // Preflights are not signed, and listing all buckets is never granted.
    if (method === "OPTIONS" || (method === "HEAD" && key === "")) return undefined;
    if (name === "") return { error: { status: 403, code: "AccessDenied" } };
    const actions = actionsOf({ method, key, query, headers });
    for (const action of actions) used.add(action);
    const missing = actions.filter((action) => !grants(action, key === "" ? resource : `${resource}/*`));
    denied.push(...missing);
    // Only then is the bucket's policy asked for.
    if (query.has("publicAccessBlock"))
      return { error: { status: 404, code: "NoSuchPublicAccessBlockConfiguration" } };
    return missing.length === 0 ? undefined : { error: { status: 403, code: "AccessDenied" } };
  };
  faulty.intercept = refuseUngranted;

  const ask = async (what: string, body: object) => {
    const response = await fetch(`${own.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name, ...body }),
    });
    const received = await response.json();
    expect([what, response.status, received]).toEqual([what, 200, expect.anything()]);
    return received;
  };
  await ask("list", { folderPath: "/" });
  await ask("create-folder", { folderPath: "/", name: "made" });
  const put = await ask("presign-upload", { folderPath: "/", fileName: "up.txt", contentType: "text/plain" });
  expect((await fetch(put.url, { method: "PUT", headers: put.headers, body: "hi" })).status).toBe(200);
  const { versions } = await ask("versions", { key: "a.txt" });
  for (const more of [{}, { versionId: versions[1].versionId }]) {
    const get = await ask("presign-download", { key: "a.txt", disposition: "inline", ...more });
    expect((await fetch(get.url)).status).toBe(200);
  }
  const parts = multipartCalls(own.platformBaseUrl, { bucket, token });
  const { body: created } = await parts.create();
  expect(await parts.send(created, someBytes(), [1, 2, 3])).toEqual([200, 200, 200]);
  expect((await parts.ask("complete", { upload: created.upload })).status).toBe(200);
  const { body: second } = await parts.create({ fileName: "second.bin" });
  expect((await parts.ask("abort", { upload: second.upload })).status).toBe(200);
  const untouched = { failed: [], conflicts: [] };
  const to = { to: "/made", onConflict: "fail" };
  expect(await calls.change("copy", { items: [{ key: "a.txt" }], ...to })).toMatchObject(untouched);
  expect(await calls.change("move", { items: [{ key: "folder/b.txt" }], ...to })).toMatchObject(untouched);
  const { undo } = await calls.change("delete", { items: [{ key: "a.txt" }, { key: "up.txt" }] });
  await ask("restore", { undo: undo[0] });
  await ask("restore", {
    items: [{ key: "a.txt", versionId: versions[1].versionId }],
    onConflict: "replace",
  });

  faulty.intercept = null;
  await bucket.stopKeepingVersions();
  faulty.intercept = refuseUngranted;
  for (const [name, command, words] of [
    ["storage:cors", storageCors, ["--bucket", bucket.name]],
    ["storage", storage, ["versioning", "--bucket", bucket.name]],
    ["storage", storage, ["events", "--bucket", bucket.name]],
    ["storage", storage, ["check", "--bucket", bucket.name]],
    ["catalogue", catalogue, ["add", bucket.name]],
    ["cleanup", cleanup, []],
  ] as const) {
    const { code, stderr } = await runHere(name, command, [...words], env);
    expect([words[0], code, stderr]).toEqual([words[0], 0, expect.anything()]);
  }
  await runDoctor(own, database, {}, ["--only", "store"]);
  expect(denied).toEqual([]);
  const unused = Statement.flatMap(({ Action }) => Action).filter(
    (action) => action.startsWith("s3:") && !used.has(action),
  );
  expect(unused).toEqual([]);
});
