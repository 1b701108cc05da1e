/** A catalogue where deployments differ from the local stack: the bucket is on a real Ceph RADOS Gateway, and the database behind PgBouncer. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { catalogue } from "../../app/commands/catalogue";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere } from "../support/app/run-command";
import { hasPgBouncer, startPgBouncer, type TestPgBouncer } from "../support/databases/pgbouncer";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { CEPH_PACKAGES, hasCeph, startCeph, type TestCeph } from "../support/files/ceph";
import { notInstalled } from "../support/machine/installed";

const stack = inject("stack");

/** In the order in which a store lists them: by bytes. That of UTF-16 is another one for the last two. */
const keys = [
  "a//b.txt",
  "a/&<>.txt",
  "a/Été.txt",
  ...Array.from({ length: 1_200 }, (_, index) => `many/report-${String(index).padStart(4, "0")}.pdf`),
  "\uff21.txt",
  "😀.txt",
];

describe("a catalogue of a bucket on Ceph, in a database behind PgBouncer", () => {
  if (!hasCeph() || !hasPgBouncer()) {
    it("is not installed", notInstalled(`${CEPH_PACKAGES} pgbouncer`));
    return;
  }
  let ceph: TestCeph;
  let bouncer: TestPgBouncer;
  let app: RouteApp;
  let bucket: TestBucket;
  let env: ReturnType<typeof deploymentEnv>;

  beforeAll(async () => {
    [ceph, bouncer] = await Promise.all([
      startCeph("s3.localhost"),
      makeDatabase(stack).then((url) => startPgBouncer(url)),
    ]);
    const elsewhere = {
      ...stack,
      postgresUrl: bouncer.url,
      objectStore: { ...stack.objectStore, ...ceph.objectStore },
    };
    bucket = await makeBucket(elsewhere);
    for (let index = 0; index < keys.length; index += 50)
      await Promise.all(keys.slice(index, index + 50).map((key) => bucket.put(key, "four")));
    env = deploymentEnv(elsewhere, bouncer.url);
    app = createRouteApp(elsewhere, { CATALOGUE_MAX_LAG_SECONDS: "3600" });
  });
  afterAll(async () => {
    app?.changeReader.close();
    await app?.close();
    await bouncer?.stop();
    await ceph?.stop();
  });

  const run = (...words: string[]) => runHere("catalogue", catalogue, words, env);

  async function ask(what: string, body: object) {
    const now = Math.floor(Date.now() / 1000);
    const origins = [stack.demoClient.origin];
    const claims = { cid: "c", companyId: "c", svc: "files", origins, iat: now, exp: now + 900 };
    const scope = { bucket: bucket.name, actions: ["download", "delete"] };
    const token = signEmbedToken({ ...claims, scope }, stack.embedSigningSecret);
    const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name, ...body }),
    });
    return response.json();
  }
  const keysOf = ({ files }: { files: { key: string }[] }) => files.map(({ key }) => key);

  it("is made by the command, and equal to the bucket", async () => {
    expect(await run("add", bucket.name)).toMatchObject({ code: 0 });
    expect(await run("check", bucket.name)).toMatchObject({ code: 0 });
  });

  it("finds names, and knows sizes and orders", async () => {
    const found = await ask("search", { query: "report-0007" });
    expect([found.source, keysOf(found)]).toEqual(["catalogue", ["many/report-0007.pdf"]]);
    expect(keysOf(await ask("search", { query: "ete" }))).toEqual(["a/Été.txt"]);
    const { source, sizes } = await ask("sizes", { folderPaths: ["/many", "/a"] });
    expect([source, sizes]).toEqual([
      "catalogue",
      [
        { files: 1_200, bytes: 4_800 },
        { files: 3, bytes: 12 },
      ],
    ]);
    const newest = await ask("list", { folderPath: "/many", order: "newest", pageSize: 5 });
    expect([newest.source, newest.files.length]).toEqual(["catalogue", 5]);
  });

  it("tells at once what the service itself changes, and after a scan what others have", async () => {
    await ask("delete", { items: [{ key: "many/report-0007.pdf" }] });
    await expect.poll(async () => keysOf(await ask("search", { query: "report-0007" }))).toEqual([]);
    await bucket.put("many/by others.pdf", "x");
    await bucket.remove("many/report-0008.pdf");
    const differing = await run("check", bucket.name, "--json");
    expect(differing.code).toBe(1);
    expect(differing.stdout).toContain("many/by others.pdf");
    expect(differing.stdout).toContain("many/report-0008.pdf");
    expect(await run("scan", bucket.name)).toMatchObject({ code: 0 });
    expect(await run("check", bucket.name)).toMatchObject({ code: 0 });
    expect(keysOf(await ask("search", { query: "by others" }))).toEqual(["many/by others.pdf"]);
  });
});
