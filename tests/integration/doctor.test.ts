/** Runs the doctor on complete deployments and compares each fault with a healthy deployment. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { startPostgres } from "../../local/postgres";
import { addClient, deploymentEnv, makeDatabase, makeDeployment, ORIGIN } from "../support/app/deployment";
import { doctorHere, expectFinding, expectNoSecrets, runDoctor } from "../support/app/doctor";
import { runProcess } from "../support/app/run-command";
import { freshName } from "../support/databases/cluster-databases";
import { allowMaintenance, startTestDataApi } from "../support/databases/data-api";
import { makeTestFolder, query } from "../support/databases/postgres";
import type { TestBucket } from "../support/files/bucket";
import { findFreePort } from "../support/machine/free-port";

const stack = inject("stack");

let database: string;
let bucket: TestBucket;
beforeAll(async () => {
  ({ database, bucket } = await makeDeployment(stack));
});
const doctor = (changes?: Record<string, string | undefined>, ...words: string[]) =>
  runDoctor(stack, database, changes, words);
const only = (group: string) => ["--only", group];

describe("the doctor on a healthy deployment", () => {
  it("finds nothing wrong, leaves nothing behind and exits with 0", async () => {
    const report = await doctor();
    expect(report.findings.filter(({ status }) => status === "error")).toEqual([]);
    expect(report.code).toBe(0);
    const right = report.findings
      // Other tests make databases in the same cluster, and their number decides about its locks.
      .filter(({ status, check }) => status === "ok" && check !== "clusters.locks")
      .map(({ check }) => check);
    expect(right).toEqual([
      "environment",
      "database.reachable",
      "database.clock",
      "database.schema",
      "database.migrated",
      "database.clients",
      "credentials.source",
      "store.reachable",
      "store.clock",
      "store.bucket",
      ...Array(4).fill("store.round_trip"),
      "store.integrity",
      "store.cors",
      "store.versioning",
      "store.events",
      "store.unsigned_headers",
      "clusters.statement",
      "queue.keys",
      "queue.publishing",
      "webhooks",
      "catalogues",
      "addresses.ready",
      "addresses.ready",
      "addresses.hosts",
      "addresses.script",
      "telemetry.metrics",
      "telemetry.traces",
    ]);
    expect(await bucket.list()).toEqual([]);
    // Features that the local test doubles lack are warnings, not errors.
    expectFinding(report, "mail.identity", "warning", /Could not check/);
    expectFinding(report, "store.lifecycle", "warning", /no lifecycle rule/);
  });

  it("prints a readable report, without colour in a pipe, and accepts --only", async () => {
    const env = deploymentEnv(stack, database);
    const { code, stdout, stderr } = await runProcess("doctor", ["--only", "queue,environment"], env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      [
        "environment",
        "  ✓ Every variable is in order.",
        "queue",
        "  ✓ Signatures are checked, with two different keys.",
        "  ✓ QUEUE_TOKEN is not set: no campaigns are published from here.",
        "",
        "3 ok, 0 errors, 0 warnings.",
        "",
      ].join("\n"),
    );
    const wrong = await doctorHere(["--only", "queue"], { ...env, QUEUE_NEXT_SIGNING_KEY: "" });
    expect(wrong.stdout).toContain(
      "queue\n  ! Not checked, because QUEUE_NEXT_SIGNING_KEY cannot be used.\n      → ",
    );
  });

  it("prints nothing else while all checks run, and something below every heading", async () => {
    const {
      CLUSTER_REF_CA_CENTRAL_1: cluster,
      SECRET_REF_CA_CENTRAL_1: secret,
      ...env
    } = deploymentEnv(stack, database);
    const regions = Array.from({ length: 12 }, (_, index) => [
      [`CLUSTER_REF_EU_WEST_${index}`, cluster],
      [`SECRET_REF_EU_WEST_${index}`, secret],
    ]);
    const { stdout, stderr } = await runProcess("doctor", [], {
      ...env,
      ...Object.fromEntries(regions.flat()),
      METRICS_TOKEN: "t".repeat(32),
    });
    expect(stderr).toBe("");
    expect(stdout).not.toMatch(/^[a-z]+\n(?! {2})/m);
    expect(stdout).toContain("telemetry\n  ✓ METRICS_TOKEN is set");
  });

  it("prints its usage and refuses an unknown group", async () => {
    const env = deploymentEnv(stack, database);
    const help = await doctorHere(["--help"], env);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--only")]);
    const unknown = await doctorHere(["--only", "weather"], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Unknown: weather")]);
  });
});

describe("the doctor finds in the environment", () => {
  it("every invalid variable at once, and still runs independent checks", async () => {
    const report = await doctor(
      { EMBED_SIGNING_SECRET: "not-32-bytes-long", API_BASE_URL: "nonsense", API_ALLOW_ANONYMOUS: undefined },
      ...only("environment,addresses,queue"),
    );
    expect(report.code).toBe(1);
    expectFinding(
      report,
      "environment",
      "error",
      /EMBED_SIGNING_SECRET is too short/,
      /EMBED_SIGNING_SECRET/,
    );
    expectFinding(report, "environment", "error", /API_BASE_URL is invalid/, /Set API_BASE_URL/);
    expectFinding(report, "environment", "error", /API_BEARER_TOKEN is not set/, /Set API_BEARER_TOKEN/);
    expectFinding(report, "addresses", "warning", /Not checked, because API_BASE_URL cannot be used/);
    expectFinding(report, "queue.keys", "ok", /two different keys/);
  });

  it("that nothing is set", async () => {
    const { code, stdout } = await doctorHere(["--json"], { POSTGRES_URL: "x" });
    expect(code).toBe(1);
    expect(stdout).toContain("EMBED_SIGNING_SECRET is not set");
  });

  it("equal queue keys", async () => {
    const key = stack.queue.currentSigningKey;
    const report = await doctor({ QUEUE_NEXT_SIGNING_KEY: key }, ...only("queue"));
    expect(report.code).toBe(1);
    expectFinding(report, "queue.keys", "error", /equal/, /QUEUE_NEXT_SIGNING_KEY/);
  });

  it("deliveries that nobody verifies: an error, or a warning where that is wanted", async () => {
    const forbidden = await doctor({ QUEUE_VERIFY: "false" }, ...only("environment,queue"));
    expect(forbidden.code).toBe(1);
    expectFinding(forbidden, "environment", "error", /QUEUE_VERIFY is not true/, /Set QUEUE_VERIFY/);
    expectFinding(forbidden, "queue", "warning", /Not checked, because QUEUE_VERIFY cannot be used/);
    const settings = { QUEUE_VERIFY: "false", QUEUE_ALLOW_UNVERIFIED: "true" };
    const allowed = await doctor(settings, ...only("environment,queue"));
    expect(allowed.code).toBe(0);
    expectFinding(
      allowed,
      "environment",
      "warning",
      /anybody can make this service send/,
      /Set QUEUE_VERIFY/,
    );
    expectFinding(allowed, "queue.keys", "warning", /QUEUE_VERIFY is not true/, /Set QUEUE_VERIFY=true/);
  });

  it("a sender that is missing", async () => {
    const report = await doctor({ EMAIL_FROM: undefined }, ...only("mail,environment"));
    expect(report.code).toBe(0);
    expectFinding(report, "mail.sender", "warning", /EMAIL_FROM is not set/, /Set EMAIL_FROM/);
    expectFinding(report, "environment", "warning", /EMAIL_FROM is not set/, /Set EMAIL_FROM/);
  });

  it("webhooks that may reach private addresses", async () => {
    const report = await doctor({ WEBHOOK_ALLOW_PRIVATE: "true" }, ...only("environment"));
    expect(report.code).toBe(0);
    expectFinding(
      report,
      "environment",
      "warning",
      /WEBHOOK_ALLOW_PRIVATE is true/,
      /Unset WEBHOOK_ALLOW_PRIVATE/,
    );
  });
});

describe("the doctor finds of the database", () => {
  it("that it cannot be reached, and which checks depend on it", async () => {
    const POSTGRES_URL = `postgresql://somebody:hunter2hunter2@127.0.0.1:${await findFreePort()}/x`;
    const report = await doctor({ POSTGRES_URL }, ...only("database,store"));
    expect(report.code).toBe(1);
    expectFinding(report, "database.reachable", "error", /ECONNREFUSED/, /POSTGRES_URL/);
    expectFinding(report, "store.reachable", "ok", /credentials/);
    expectFinding(report, "store.buckets", "warning", /Could not list the buckets/, /POSTGRES_URL/);
  });

  it.each([
    ["a wrong password", { password: "wrong-password" }, /password \(28P01\)/, /password in POSTGRES_URL/],
    ["a wrong name", { pathname: "/nowhere" }, /3D000/, /POSTGRES_URL/],
  ])("%s", async (_, parts, message, remedy) => {
    const POSTGRES_URL = Object.assign(new URL(database), parts).href;
    const report = await doctor({ POSTGRES_URL }, ...only("database"));
    expect(report.code).toBe(1);
    expectFinding(report, "database.reachable", "error", message, remedy);
  });

  it("in one verdict that it answers only some queries", async () => {
    const url = await makeDatabase(stack);
    const locked = new pg.Client(url);
    await locked.connect();
    try {
      // Every query of the clients waits for this transaction, until the statement's time is over.
      await locked.query("BEGIN; LOCK TABLE embed_clients");
      for (const checkMs of [20_000, 1_500]) {
        const report = await runDoctor(stack, url, {}, only("database,store"), checkMs);
        const verdicts = report.findings.filter(({ check }) => check === "database.reachable");
        expect(verdicts).toEqual([
          expect.objectContaining({
            status: "error",
            message: expect.stringMatching(/^The database answers only some queries \(/),
            remedy: expect.stringContaining("locks"),
          }),
        ]);
        expect(report.code).toBe(1);
        expect(JSON.stringify(report.findings)).not.toMatch(/database (answers:|cannot be reached)/);
        expectFinding(report, "database.migrated", "ok", /have been applied/);
      }
    } finally {
      await locked.end();
    }
  });

  it("missing, incomplete and failed migrations", async () => {
    const empty = await makeDatabase(stack, { migrated: false });
    const before = await runDoctor(stack, empty, {}, only("database"));
    expect(before.code).toBe(1);
    expectFinding(before, "database.migrated", "error", /_init/, /npm run migrate/);

    const partly = await makeDatabase(stack);
    const latest = "SELECT migration_name FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 1";
    await query(
      partly,
      `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = (${latest})`,
    );
    const failed = await runDoctor(stack, partly, {}, only("database"));
    expectFinding(failed, "database.migrated", "error", /failed half way/, /npm run migrate -- --retry \d+_/);
    await query(partly, `DELETE FROM _prisma_migrations WHERE migration_name = (${latest})`);
    const missing = await runDoctor(stack, partly, {}, only("database"));
    expectFinding(missing, "database.migrated", "error", /1 of \d+ migrations have not/, /npm run migrate/);
  });

  it("mistakes in the services and policies of a client, edited by hand", async () => {
    const url = await makeDatabase(stack);
    const id = await addClient(url, ["some-bucket"], [ORIGIN]);
    await query(
      url,
      `UPDATE embed_clients SET allowed_services = '{files,Files}', allowed_scopes = '{"files":{"buckets":["some-bucket"],"path":["/a"]}}'`,
    );
    const report = await runDoctor(stack, url, {}, only("database"));
    expect(report.code).toBe(0);
    const messages = report.findings.map(({ message }) => message).join("\n");
    for (const mistake of [
      "allowedServices[1] is not a known service: Files.",
      "allowedScopes.files.path is not a member of the policy.",
    ])
      expect(messages).toContain(`A setting of the embed client ${id} is wrong: ${mistake}`);
  });

  it("clients with invalid origins, edited by hand", async () => {
    const url = await makeDatabase(stack);
    const id = await addClient(url, ["some-bucket"], [ORIGIN]);
    await query(url, "UPDATE embed_clients SET allowed_origins = ARRAY['https://*', 'https://a.example']");
    const report = await runDoctor(stack, url, {}, only("database"));
    expect(report.code).toBe(0);
    expectFinding(
      report,
      "database.clients",
      "warning",
      new RegExp(`${id} has 1 invalid origins? among its 2`),
      /allowed_origins/,
    );
  });

  it("keys that expire soon or have expired", async () => {
    const url = await makeDatabase(stack);
    const id = await addClient(url, ["some-bucket"], [ORIGIN]);
    const judged = async (interval: string) => {
      await query(
        url,
        `UPDATE embed_clients SET expires_at = now() AT TIME ZONE 'UTC' + interval '${interval}'`,
      );
      return runDoctor(stack, url, {}, only("database"));
    };
    expectFinding(await judged("15 days"), "database.clients", "ok", /: 1/);
    const soon = await judged("13 days");
    expect(soon.code).toBe(0);
    expectFinding(
      soon,
      "database.clients",
      "warning",
      new RegExp(`${id} expires at 20`),
      /change .* --expires 90d/,
    );
    expectFinding(await judged("-1 hour"), "database.clients", "warning", /expired at 20/, /revoke it/);
  });
});

describe("the doctor finds of a cluster", () => {
  const refs = { CLUSTER_REF_CA_CENTRAL_1: "arn:aws:rds:ca-central-1:000000000000:cluster:other" };
  it.each([
    ["a wrong ARN", refs, /does not know the cluster/, /Set CLUSTER_REF_CA_CENTRAL_1/],
    [
      "a wrong secret",
      { SECRET_REF_CA_CENTRAL_1: "arn:other" },
      /cannot use the secret/,
      /Set SECRET_REF_CA_/,
    ],
    ["a wrong database", { CLUSTER_DEFAULT_DATABASE: "nowhere" }, /no database/, /CLUSTER_DEFAULT_DATABASE/],
    [
      "wrong credentials",
      { CLOUD_SECRET_ACCESS_KEY: "wrong-secret" },
      /credentials/,
      /CLOUD_SECRET_ACCESS_KEY/,
    ],
  ])("%s", async (_, changes, message, remedy) => {
    const report = await doctor(changes, ...only("clusters"));
    expect(report.code).toBe(1);
    expectFinding(report, "clusters.statement", "error", message, remedy);
  });

  it.each([
    ["databases", "NOCREATEDB", "error", /may not create databases/, /CREATEDB.*SECRET_REF_CA_CENTRAL_1/],
    ["roles", "CREATEDB", "warning", /but not roles/, /CREATEROLE.*SECRET_REF_CA_CENTRAL_1/],
  ] as const)("a user who may not create %s", async (_, right, status, message, remedy) => {
    const role = `reader_${randomBytes(6).toString("hex")}`;
    await query(stack.postgresUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'reader' ${right}`);
    await allowMaintenance(stack, role);
    const url = Object.assign(new URL(stack.postgresUrl), { username: role, password: "reader" });
    const dataApi = await startTestDataApi({ ...stack, postgresUrl: url.href });
    const report = await doctor(dataApi.env, ...only("clusters"));
    await dataApi.stopDataApi();
    await allowMaintenance(stack, role, false);
    await query(stack.postgresUrl, `DROP ROLE ${role}`);
    expectFinding(report, "clusters.statement", status, message, remedy);
  });

  it("a user who is a superuser, and a default database that every login may connect to", async () => {
    const name = freshName();
    await query(stack.postgresUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
    const dataApi = await startTestDataApi(stack);
    const report = await doctor({ ...dataApi.env, CLUSTER_DEFAULT_DATABASE: name }, ...only("clusters"));
    await dataApi.stopDataApi();
    await query(stack.postgresUrl, `DROP DATABASE ${name}`);
    const warns = (message: RegExp, remedy: RegExp) =>
      expectFinding(report, "clusters.statement", "warning", message, remedy);
    warns(/is a superuser/, /CREATEROLE alone.*SECRET_REF_CA_CENTRAL_1/);
    warns(new RegExp(`every login.*connect to the database ${name}`), /secure --default-database/);
  });

  it("how many locks it has, whether they are few for its databases, that transactions can be prepared, and that one was never cleaned up", async () => {
    const options = { dataDir: await makeTestFolder(), port: await findFreePort(), password: "test" };
    let cluster = await startPostgres({ ...options, throwaway: true });
    const dataApi = await startTestDataApi({ ...stack, postgresUrl: cluster.clusterUrl });
    const findings = async () => {
      const report = await doctor(dataApi.env, ...only("clusters"));
      return report.findings.filter(({ check }) => /^clusters\.(locks|transactions)$/.test(check));
    };
    // 64 for each of 200 connections. The databases are postgres and platform.
    const usual = "ca-central-1: the cluster has room for 12800 locks, which its 2 databases share.";
    expect(await findings()).toEqual([expect.objectContaining({ status: "ok", message: usual })]);

    for (const setting of ["max_prepared_transactions = 3", "max_locks_per_transaction = 10"])
      await query(cluster.urlOf("postgres"), `ALTER SYSTEM SET ${setting}`);
    const [{ next = 0 } = {}] = await query<{ next: number }>(
      cluster.urlOf("postgres"),
      "SELECT pg_current_xact_id()::text::int AS next",
    );
    for (let n = 0; n < 19; n++) await query(cluster.urlOf("postgres"), `CREATE DATABASE many_${n}`);
    // As if a session had kept its transaction for this long. The counter has 32 bits.
    await query(
      cluster.urlOf("postgres"),
      "UPDATE pg_database SET datfrozenxid = $1::text::xid WHERE datname = 'many_0'",
      [String(2 ** 32 + next - 1_200_000_000)],
    );
    await cluster.stop();
    cluster = await startPostgres({ ...options, throwaway: true });
    const warning = (message: RegExp, remedy: RegExp, check = "clusters.locks") => ({
      check,
      status: "warning",
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    });
    expect(await findings()).toEqual([
      warning(/room for 2030 locks, which its 21 databases share/, /Raise max_locks_per_transaction/),
      warning(/allows prepared transactions/, /max_prepared_transactions to 0/),
      warning(/12000000\d\d transactions/, /pg_stat_activity/, "clusters.transactions"),
    ]);
    await dataApi.stopDataApi();
    await cluster.stop();
    await rm(options.dataDir, { recursive: true, force: true });
  }, 60_000);

  it("that its Data API cannot be reached", async () => {
    const CLOUD_RDS_DATA_ENDPOINT = `http://127.0.0.1:${await findFreePort()}`;
    const report = await doctor({ CLOUD_RDS_DATA_ENDPOINT }, ...only("clusters"));
    expectFinding(report, "clusters.statement", "error", /ECONNREFUSED/, /CLOUD_RDS_DATA_ENDPOINT/);
  });
});

it("no line of a report has a secret in it", async () => {
  const secret = randomBytes(24).toString("base64url");
  const env = {
    ...deploymentEnv(stack, database),
    EMBED_SIGNING_SECRET: secret.slice(0, 20),
    CLOUD_SECRET_ACCESS_KEY: secret,
    QUEUE_TOKEN: secret,
    QUEUE_URL: stack.demoUrl,
  };
  const { stdout, stderr } = await runProcess("doctor", [], env);
  expect(stdout).toContain("✗");
  expectNoSecrets(stdout + stderr, env);
});

describe("a variable with a misspelt name", () => {
  it("is a warning that names the right one, also if another variable is invalid", async () => {
    for (const PORT of ["3000", "none"]) {
      const report = await doctor({ RATE_LIMIT_STROE: "postgres", PORT }, ...only("environment"));
      expectFinding(report, "environment", "warning", /RATE_LIMIT_STROE is not a variable.*/);
      const [finding] = report.findings.filter(({ message }) => message.includes("STROE"));
      expect(finding?.remedy).toBe("Did you mean RATE_LIMIT_STORE?");
    }
  });

  it("is not suspected of names of other programs", async () => {
    const { findings } = await doctor(
      { HOSTNAME: "a", LOG_LEVEL: "info", API_KEY: "x" },
      ...only("environment"),
    );
    expect(findings.map(({ message }) => message).join()).not.toMatch(/is not a variable/);
  });
});

describe("the collector of traces", () => {
  it.each([
    ["accepts them", 200, "ok", /accepts traces/],
    ["refuses them", 404, "warning", /does not accept traces \(status 404\)/],
  ] as const)("is asked, and %s", async (_, status, verdict, message) => {
    const collector = createServer((request, response) => {
      response.statusCode = request.method === "POST" && request.url === "/v1/traces" ? status : 500;
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo;
    const report = await doctor(
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
      ...only("telemetry"),
    );
    expectFinding(report, "telemetry.traces", verdict, message);
    collector.close();
  });

  it("is a warning if it cannot be reached", async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await findFreePort()}`;
    const report = await doctor({ OTEL_EXPORTER_OTLP_ENDPOINT }, ...only("telemetry"));
    expectFinding(report, "telemetry.traces", "warning", /cannot be reached \(ECONNREFUSED\)/);
  });
});

describe("webhooks", () => {
  const now = "now() AT TIME ZONE 'UTC'";

  it("are wrong if nobody sends them, and a warning if they fail or are switched off", async () => {
    const url = await makeDatabase(stack);
    const report = (changes?: Record<string, string>) => runDoctor(stack, url, changes, only("webhooks"));
    expectFinding(await report(), "webhooks", "ok", /There are no webhooks/);

    await query(url, "INSERT INTO companies (id, name) VALUES ('acme', 'Acme')");
    await query(
      url,
      `INSERT INTO embed_clients (id, "companyId", name, api_key_hash, allowed_services, allowed_origins, "updatedAt")
        VALUES ('client', 'acme', 'Portal', 'hash', '{}', '{}', now())`,
    );
    const endpoint = `INSERT INTO webhook_endpoints (id, "companyId", client_id, url, types, secret) VALUES ($1, 'acme', 'client', 'https://acme.example/', '{*}', 'sealed')`;
    await query(url, endpoint, ["working"]);
    await query(
      url,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, next_attempt_at)
        VALUES ('working', gen_random_uuid(), gen_random_uuid(), ${now} - interval '1 minute')`,
    );
    expectFinding(await report(), "webhooks", "ok", /Webhooks: 1\. None fails/);

    await query(url, `UPDATE webhook_deliveries SET next_attempt_at = ${now} - interval '12 minutes'`);
    expectFinding(await report(), "webhooks", "error", /waiting for 12 minutes/, /whether the app runs/);
    expectFinding(await report({ WORKER: "separate" }), "webhooks", "error", /12 minutes/, /npm run worker/);

    await query(url, endpoint, ["failing"]);
    await query(url, endpoint, ["off"]);
    await query(url, `UPDATE webhook_endpoints SET failing_since = ${now} WHERE id = 'failing'`);
    await query(
      url,
      `UPDATE webhook_endpoints SET disabled_at = ${now}, disabled_reason = 'It responded with 410 Gone.' WHERE id = 'off'`,
    );
    const found = await report();
    expectFinding(
      found,
      "webhooks",
      "warning",
      /that fail: 1\. The first is failing, since/,
      /deliveries failing/,
    );
    expectFinding(found, "webhooks", "warning", /switched off: 1\. The first is off: .*410/, /enable off/);
  });
});

describe("catalogues", () => {
  it("are a warning if nobody uses them or the first scan has not ended, and wrong if they are too old", async () => {
    const url = await makeDatabase(stack);
    const report = (seconds?: string) => {
      const changes = seconds === undefined ? {} : { CATALOGUE_MAX_LAG_SECONDS: seconds };
      return runDoctor(stack, url, changes, only("catalogues"));
    };
    expectFinding(await report(), "catalogues", "ok", /No bucket has a catalogue/);

    await query(url, "INSERT INTO catalogues (bucket) VALUES ('photos')");
    expectFinding(await report(), "catalogues", "warning", /nobody uses: 1\. CATALOGUE_MAX_LAG_SECONDS/);
    expectFinding(await report("3600"), "catalogues", "warning", /photos is incomplete/);

    await query(
      url,
      `UPDATE catalogues SET scanned_at = now() AT TIME ZONE 'UTC' - interval '30 minutes', scan_ended_at = now() AT TIME ZONE 'UTC',
        objects = 12, differences = 3`,
    );
    const found = /photos began 30 minutes ago.* It found 12 objects, and repaired 3 rows/;
    expectFinding(await report("3600"), "catalogues", "ok", found);
    expectFinding(await report("600"), "catalogues", "error", found, /whether the app runs/);

    await query(
      url,
      `INSERT INTO catalogue_waiting_keys (catalogue_id, key, changed_at, due_at)
        SELECT id, number, now(), now() FROM catalogues, generate_series(1, 10001) AS number`,
    );
    expectFinding(await report("3600"), "catalogues", "warning", /not in the catalogues yet: 10001/);
  });
});
