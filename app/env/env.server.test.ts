import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseEnv, parseOnly, secretsOf, warningsOf } from "./env.server";
import { envExample } from "./example.server";
import { schema } from "./variables.server";

const required = {
  API_BASE_URL: "https://api.example.com",
  PLATFORM_BASE_URL: "https://embed.example.com/",
  POSTGRES_URL: "postgresql://user:password@db.example.com:5432/app",
  EMBED_SIGNING_SECRET: "0123456789abcdef0123456789abcdef",
  API_BEARER_TOKEN: "bearer-example-0123456789-abcdefgh",
  CLOUD_REGION: "ca-central-1",
  CLOUD_ACCESS_KEY_ID: "AKIAEXAMPLE",
  CLOUD_SECRET_ACCESS_KEY: "secret-example",
};
const queueKeys = { QUEUE_CURRENT_SIGNING_KEY: "sig_1", QUEUE_NEXT_SIGNING_KEY: "sig_2" };
const complete = { ...required, QUEUE_VERIFY: "true", ...queueKeys };
const issuesOf = (changes: Record<string, string | undefined>) => {
  try {
    parseEnv({ ...complete, ...changes });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe("the environment", () => {
  it("is read into one typed object", () => {
    expect(parseEnv(complete)).toMatchObject({
      production: true,
      apiBaseUrl: "https://api.example.com",
      platformBaseUrl: "https://embed.example.com",
      trustProxy: false,
      postgres: { poolSize: 10 },
      embedSigningSecrets: [complete.EMBED_SIGNING_SECRET],
      objectStore: { region: "ca-central-1", endpoint: undefined, forcePathStyle: false },
    });
  });

  it.each(Object.keys(required))("cannot do without %s, and says so by name", (name) => {
    expect(issuesOf({ [name]: undefined })).toMatch(new RegExp(`^  ${name} is not set; .*it must be`, "m"));
    expect(issuesOf({ [name]: "  " })).toMatch(`${name} is not set`);
  });

  it("takes a role in place of an access key, and neither both nor half of one", () => {
    const role = {
      CLOUD_CREDENTIALS: "default",
      CLOUD_ACCESS_KEY_ID: undefined,
      CLOUD_SECRET_ACCESS_KEY: undefined,
    };
    const { objectStore, mail, dataApi, capacity } = parseEnv({ ...complete, ...role });
    expect(objectStore.credentials.accessKey).toBeUndefined();
    // They renew together.
    for (const { credentials } of [mail, dataApi, capacity])
      expect(credentials).toBe(objectStore.credentials);
    expect(issuesOf({ CLOUD_CREDENTIALS: "default" })).toMatch(
      "CLOUD_ACCESS_KEY_ID is set, and so is CLOUD_CREDENTIALS; only one of them may be",
    );
    expect(issuesOf({ ...role, CLOUD_CREDENTIALS: undefined })).toMatch(
      "CLOUD_CREDENTIALS is not set; it must be default for a role on AWS, or else CLOUD_ACCESS_KEY_ID",
    );
    expect(issuesOf({ CLOUD_SECRET_ACCESS_KEY: undefined })).toMatch(
      "CLOUD_SECRET_ACCESS_KEY is not set; it must be, because CLOUD_ACCESS_KEY_ID is",
    );
    expect(issuesOf({ CLOUD_ASSUME_ROLE_ARN: "platform" })).toMatch("CLOUD_ASSUME_ROLE_ARN is invalid");
  });

  it("keeps the secrets of a session out of the log", () => {
    const env = parseEnv({ ...complete, CLOUD_SESSION_TOKEN: "session-token" });
    expect(secretsOf(env)).toEqual(expect.arrayContaining(["secret-example", "session-token"]));
  });

  it.each([
    ["postgresql://user:pass%20word@db/app", ["pass%20word", "pass word"]],
    // The database's driver takes such a sign as it is.
    ["postgresql://user:50%off@db/app", ["50%off"]],
    ["postgresql://user:caf%C3%A9@/app?host=/run/postgresql", ["caf%C3%A9", "café"]],
    ["postgresql:///app?host=/run/postgresql", []],
  ])("keeps the password of %s out of the log", (url, passwords) => {
    const secrets = secretsOf(parseEnv({ ...complete, POSTGRES_URL: url }));
    expect(secrets.filter((secret) => /pass|50|caf/.test(secret))).toEqual(passwords);
  });

  it.each(["pa#ss", "pa/ss", "pa?ss"])("says how %s is written in the database's URL", (password) => {
    const message = issuesOf({ POSTGRES_URL: `postgresql://user:${password}@db/app` });
    expect(message).toMatch("POSTGRES_URL is invalid");
    expect(message).toMatch("%23, %25, %2F");
  });

  it("names every issue at once, and no value", () => {
    const message = issuesOf({
      POSTGRES_URL: "mysql://root:hunter2@db",
      TRUST_PROXY: "yes",
      CLOUD_REGION: "",
    });
    expect(message).toMatch("POSTGRES_URL is invalid; it must be a URL like postgresql://");
    expect(message).toMatch("TRUST_PROXY is invalid; it must be true or false");
    expect(message).toMatch("CLOUD_REGION is not set");
    expect(message).toMatch("docs/reference/settings.md");
    expect(message).not.toMatch("hunter2");
  });

  it("takes base URLs that are origins only", () => {
    expect(issuesOf({ API_BASE_URL: "https://example.com/api" })).toMatch("API_BASE_URL is invalid");
    expect(issuesOf({ API_BASE_URL: "example.com" })).toMatch("API_BASE_URL is invalid");
    expect(issuesOf({ API_BASE_URL: "ftp://example.com" })).toMatch("API_BASE_URL is invalid");
  });

  it("knows the signing secret by either name, and refuses two that differ", () => {
    const { EMBED_SIGNING_SECRET: secret, ...rest } = complete;
    expect(parseEnv({ ...rest, PLATFORM_EMBED_SIGNING_SECRET: secret }).embedSigningSecrets).toEqual([
      secret,
    ]);
    expect(issuesOf({ PLATFORM_EMBED_SIGNING_SECRET: "another" })).toMatch("they must be equal");
  });

  it("lets a previous secret verify beside the new one", () => {
    const previous = "fedcba9876543210fedcba9876543210";
    const { embedSigningSecrets } = parseEnv({ ...complete, EMBED_SIGNING_SECRET_PREVIOUS: previous });
    expect(embedSigningSecrets).toEqual([complete.EMBED_SIGNING_SECRET, previous]);
  });

  it("refuses a short secret in production only", () => {
    expect(issuesOf({ EMBED_SIGNING_SECRET: "short" })).toMatch("EMBED_SIGNING_SECRET is too short");
    expect(issuesOf({ EMBED_SIGNING_SECRET: "short", NODE_ENV: "development" })).toBeNull();
  });

  it("takes several bearer tokens, so that one can be changed", () => {
    const [old, next] = [complete.API_BEARER_TOKEN, `${"new-token-".repeat(4)}=`];
    expect(parseEnv({ ...complete, API_BEARER_TOKEN: `${old}, ${next}` }).apiBearerTokens).toEqual([
      old,
      next,
    ]);
    for (const wrong of [",", "old,,new", "old new", "naïve"]) {
      expect(issuesOf({ API_BEARER_TOKEN: wrong })).toMatch("API_BEARER_TOKEN is invalid");
    }
  });

  it("refuses a bearer token that can be guessed, in production only, and says what it guards", () => {
    const good = complete.API_BEARER_TOKEN;
    for (const weak of ["x", "a".repeat(64), good.slice(0, 31), `${good}, x`, `x,${good}`]) {
      expect(issuesOf({ API_BEARER_TOKEN: weak })).toMatch(
        "API_BEARER_TOKEN is too easy to guess; it guards sending e-mail",
      );
      expect(issuesOf({ API_BEARER_TOKEN: weak, API_ALLOW_ANONYMOUS: "true" })).toMatch("too easy to guess");
      expect(issuesOf({ API_BEARER_TOKEN: weak, NODE_ENV: "development" })).toBeNull();
    }
    expect(issuesOf({ API_BEARER_TOKEN: good.slice(0, 32) })).toBeNull();
  });

  it("keeps records of sent e-mail for 400 days unless told, and at least one", () => {
    const keepDays = (value?: string) =>
      parseOnly({ EMAIL_DELIVERIES_KEEP_DAYS: value }, "EMAIL_DELIVERIES_KEEP_DAYS");
    expect(keepDays()).toEqual({ EMAIL_DELIVERIES_KEEP_DAYS: 400 });
    expect(keepDays("1")).toEqual({ EMAIL_DELIVERIES_KEEP_DAYS: 1 });
    for (const wrong of ["0", "-1", "1.5", "soon", "1e9"]) {
      expect(issuesOf({ EMAIL_DELIVERIES_KEEP_DAYS: wrong })).toMatch(
        "EMAIL_DELIVERIES_KEEP_DAYS is invalid",
      );
      expect(() => keepDays(wrong)).toThrow("a whole number from 1 to");
    }
  });

  it("leaves the API open in production only where that is said", () => {
    const open = { ...complete, API_BEARER_TOKEN: undefined };
    expect(issuesOf({ ...open, API_ALLOW_ANONYMOUS: "false" })).toMatch("unless API_ALLOW_ANONYMOUS=true");
    expect(parseEnv({ ...open, API_ALLOW_ANONYMOUS: "true" }).apiBearerTokens).toEqual([]);
    expect(parseEnv({ ...open, NODE_ENV: "development" }).apiBearerTokens).toEqual([]);
    expect(parseEnv({ ...complete, API_ALLOW_ANONYMOUS: "true" }).apiBearerTokens).toEqual([
      complete.API_BEARER_TOKEN,
    ]);
  });

  it("finds the cluster of each region, and one for all others", () => {
    expect(parseEnv(complete).clusters).toEqual({
      ofRegion: {},
      fallback: undefined,
      defaultDatabase: "postgres",
      limits: { connections: 40, temporaryFileGb: 10 },
    });
    const { clusters } = parseEnv({
      ...complete,
      CLUSTER_REF_CA_CENTRAL_1: "arn:ca",
      SECRET_REF_CA_CENTRAL_1: "arn:ca-secret",
      CLUSTER_REF: "arn:any",
      SECRET_REF: "arn:any-secret",
      CLUSTER_DEFAULT_DATABASE: "admin",
    });
    expect(clusters).toEqual({
      ofRegion: { CA_CENTRAL_1: { clusterRef: "arn:ca", secretRef: "arn:ca-secret" } },
      fallback: { clusterRef: "arn:any", secretRef: "arn:any-secret" },
      defaultDatabase: "admin",
      limits: { connections: 40, temporaryFileGb: 10 },
    });
  });

  it("has capacity measured by CloudWatch, unless another Data API stands in for Amazon's", () => {
    const isMeasured = (changes: object) => parseEnv({ ...complete, ...changes }).capacity.isMeasured;
    const local = { CLOUD_RDS_DATA_ENDPOINT: "http://127.0.0.1:8006" };
    expect(isMeasured({})).toBe(true);
    expect(isMeasured(local)).toBe(false);
    expect(isMeasured({ ...local, CLOUD_CLOUDWATCH_ENDPOINT: "http://127.0.0.1:8007" })).toBe(true);
  });

  it("refuses half of a pair, and a region written as its suffix is not", () => {
    expect(issuesOf({ CLUSTER_REF_US_EAST_1: "arn:us" })).toMatch(
      "SECRET_REF_US_EAST_1 is not set; it must be",
    );
    expect(issuesOf({ SECRET_REF_US_EAST_1: "arn:us" })).toMatch(
      "CLUSTER_REF_US_EAST_1 is not set; it must be",
    );
    expect(issuesOf({ CLUSTER_HOST_US_EAST_1: "db.example.com" })).toMatch(
      "CLUSTER_REF_US_EAST_1 is not set; it must be, because CLUSTER_HOST_US_EAST_1 is",
    );
    const cluster = { CLUSTER_REF: "arn:us", SECRET_REF: "arn:secret" };
    for (const host of ["https://db.example.com", "db example", "db:port"])
      expect(issuesOf({ ...cluster, CLUSTER_HOST: host })).toMatch(
        "CLUSTER_HOST must be a host, or host:port",
      );
    expect(issuesOf({ CLUSTER_REF: "arn:us", SECRET_REF: " " })).toMatch("SECRET_REF is not set");
    expect(issuesOf({ "CLUSTER_REF_us-east-1": "arn:us" })).toMatch("write CLUSTER_REF_US_EAST_1");
    expect(issuesOf({ CLUSTER_REF_: "arn:us", SECRET_REF_: "arn:secret" })).toMatch("names no region");
  });

  it("takes half of a region's pair for none if there is a pair for all others, and warns of it", () => {
    const env = parseEnv({
      ...complete,
      CLUSTER_REF_US_EAST_1: "arn:us",
      CLUSTER_REF: "arn:any",
      SECRET_REF: "arn:any-secret",
    });
    expect(env.clusters).toMatchObject({ ofRegion: {}, fallback: { clusterRef: "arn:any" } });
    expect(warningsOf(env)).toContainEqual(
      expect.stringMatching("SECRET_REF_US_EAST_1 is not set, so CLUSTER_REF_US_EAST_1 is ignored"),
    );
  });

  it("has base URLs of its own on a developer's machine", () => {
    const env = parseEnv({
      ...complete,
      NODE_ENV: "development",
      API_BASE_URL: undefined,
      PLATFORM_BASE_URL: undefined,
    });
    expect(env.apiBaseUrl).toBe("http://127.0.0.1:3000");
    expect(env.platformBaseUrl).toBe("http://localhost:3000");
  });

  it("leaves the queue's signatures unchecked in production only where that is said", () => {
    const unverified = { ...complete, QUEUE_VERIFY: undefined };
    for (const QUEUE_VERIFY of [undefined, "", "false"]) {
      expect(issuesOf({ QUEUE_VERIFY })).toMatch(
        "QUEUE_VERIFY is not true; in production it must be, unless QUEUE_ALLOW_UNVERIFIED=true says",
      );
      expect(issuesOf({ QUEUE_VERIFY, NODE_ENV: undefined })).toMatch("QUEUE_VERIFY is not true");
      expect(issuesOf({ QUEUE_VERIFY, QUEUE_ALLOW_UNVERIFIED: "true" })).toBeNull();
      expect(issuesOf({ QUEUE_VERIFY, NODE_ENV: "development" })).toBeNull();
    }
    expect(parseEnv({ ...unverified, NODE_ENV: "test" }).queueSigningKeys).toBeUndefined();
    expect(parseEnv({ ...complete, QUEUE_ALLOW_UNVERIFIED: "true" }).queueSigningKeys).toBeDefined();
  });

  it("ignores spaces around every value", () => {
    const padded = Object.fromEntries(
      Object.entries(complete).map(([name, value]) => [name, ` ${value}\t\n`]),
    );
    expect(parseEnv(padded)).toEqual(parseEnv(complete));
    const flags = {
      TRUST_PROXY: "true ",
      WORKER: " separate",
      RATE_LIMIT_STORE: "postgres\r",
      QUEUE_VERIFY: "true ",
    };
    const env = parseEnv({ ...complete, ...flags, CLOUD_S3_ENDPOINT: " https://s3.example.com " });
    expect(env).toMatchObject({
      trustProxy: true,
      runsWorkers: false,
      rateLimits: { store: "postgres" },
      objectStore: { endpoint: "https://s3.example.com" },
    });
    expect(env.queueSigningKeys).toBeDefined();
  });

  it.each(['"', "'", "`"])("is the same in the quotes %s, which Docker and kubectl keep", (quote) => {
    const all = {
      ...complete,
      EMAIL_FROM: "Support #1 <a@b.example>",
      PORT: "3001",
      HOST: "::1",
      API_BEARER_TOKEN: `${complete.API_BEARER_TOKEN}, ${complete.API_BEARER_TOKEN}2`,
      CLUSTER_REF: "arn:any",
      SECRET_REF: "arn:secret",
    };
    const quoted = Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, `${quote}${value}${quote}\r`]),
    );
    expect(parseEnv(quoted)).toEqual(parseEnv(all));
    expect(parseEnv({ ...complete, EMAIL_FROM: `${quote} ${quote}` }).sender).toBeUndefined();
    expect(issuesOf({ CLOUD_REGION: quote + quote })).toMatch("CLOUD_REGION is not set");
  });

  it("keeps quotes that are part of a value", () => {
    for (const secret of [`"${"a".repeat(40)}`, `"${"a".repeat(20)}" and "${"b".repeat(20)}"`])
      expect(parseEnv({ ...complete, EMBED_SIGNING_SECRET: secret }).embedSigningSecrets).toEqual([secret]);
  });

  it("refuses a comment behind a value, which Docker and systemd keep", () => {
    const message = issuesOf({
      EMBED_SIGNING_SECRET: `${"s".repeat(40)} # of July`,
      TRUST_PROXY: "true # nginx",
    });
    for (const name of ["EMBED_SIGNING_SECRET", "TRUST_PROXY"])
      expect(message).toMatch(
        `${name} has a comment behind its value; write the comment in a line of its own`,
      );
    expect(message).not.toMatch("July");
    const hash = `${"s".repeat(40)}#1`;
    expect(parseEnv({ ...complete, EMBED_SIGNING_SECRET: hash }).embedSigningSecrets).toEqual([hash]);
  });

  it.each([
    ["[::1]", "::1"],
    ["::", "::"],
    ["[::ffff:127.0.0.1]", "::ffff:127.0.0.1"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["0.0.0.0", "0.0.0.0"],
    ["localhost", "localhost"],
  ])("listens on the address %s", (written, host) => {
    expect(parseEnv({ ...complete, HOST: written }).host).toBe(host);
  });

  it.each(["127.0.0.1:3000", "[::1]:3000", "http://127.0.0.1", "*", "[", "a b"])(
    "does not listen on %s, which is no address",
    (written) => {
      expect(issuesOf({ HOST: written })).toMatch("HOST is invalid; it must be the address to listen on");
    },
  );

  it("needs both of the queue's keys where signatures are checked, and warns where they are not", () => {
    const verified = parseEnv({ ...complete, EMAIL_FROM: "a@b.example" });
    expect(verified.queueSigningKeys).toEqual(["sig_1", "sig_2"]);
    expect(warningsOf(verified)).toEqual([]);
    expect(issuesOf({ QUEUE_NEXT_SIGNING_KEY: undefined })).toMatch(
      "QUEUE_NEXT_SIGNING_KEY is not set; with QUEUE_VERIFY=true it must be",
    );
    const unverified = { QUEUE_VERIFY: "false", QUEUE_ALLOW_UNVERIFIED: "true" };
    const open = parseEnv({ ...complete, ...unverified, EMAIL_FROM: "a@b.example" });
    expect(open.queueSigningKeys).toBeUndefined();
    expect(warningsOf(open)).toEqual([expect.stringMatching("QUEUE_VERIFY is not true")]);
    expect(warningsOf({ ...open, production: false })).toEqual([]);
  });

  it("warns of webhooks that may reach private addresses, except on a developer's machine", () => {
    const env = parseEnv({ ...complete, WEBHOOK_ALLOW_PRIVATE: "true" });
    const warning = expect.stringMatching("WEBHOOK_ALLOW_PRIVATE is true");
    expect(warningsOf(env)).toContainEqual(warning);
    expect(warningsOf({ ...env, production: false })).toEqual([]);
    expect(warningsOf(parseEnv(complete))).not.toContainEqual(warning);
  });

  it.each([
    ["no-reply@example.com", { name: undefined, address: "no-reply@example.com" }],
    ["Example <no-reply@example.com>", { name: "Example", address: "no-reply@example.com" }],
    ['"Example, Inc." <no-reply@example.com>', { name: "Example, Inc.", address: "no-reply@example.com" }],
    ["<no-reply@example.com>", { name: undefined, address: "no-reply@example.com" }],
  ])("knows who e-mail is from: %s", (value, sender) => {
    expect(parseEnv({ ...complete, EMAIL_FROM: value }).sender).toEqual(sender);
  });

  it("takes a secret to unsubscribe by, and those before it", () => {
    const secret = "u".repeat(32);
    expect(parseEnv(complete).unsubscribing.hosted).toBeUndefined();
    const set = { ...complete, UNSUBSCRIBE_SECRET: secret, UNSUBSCRIBE_SECRET_PREVIOUS: "a, b" };
    expect(parseEnv(set).unsubscribing.hosted?.secrets).toEqual([secret, "a", "b"]);
    expect(issuesOf({ UNSUBSCRIBE_SECRET: "short" })).toMatch("UNSUBSCRIBE_SECRET is too short");
    expect(issuesOf({ UNSUBSCRIBE_SECRET_PREVIOUS: "a,," })).toMatch(
      "UNSUBSCRIBE_SECRET_PREVIOUS is invalid",
    );
  });

  it("takes topics of Amazon SNS, and refuses what is none", () => {
    const arn = "arn:aws:sns:eu-west-1:123456789012:events";
    expect(issuesOf({ EMAIL_EVENTS_TOPICS: `${arn}, ${arn}-2` })).toBeNull();
    for (const wrong of [`${arn}.fifo`, "events", `${arn},`, arn.replace("sns", "sqs")])
      expect(issuesOf({ EMAIL_EVENTS_TOPICS: wrong })).toMatch(
        "EMAIL_EVENTS_TOPICS is invalid; it must be the ARN",
      );
  });

  it("refuses a sender or an unsubscribe address that cannot work", () => {
    expect(issuesOf({ EMAIL_FROM: "nobody" })).toMatch("EMAIL_FROM is invalid");
    expect(issuesOf({ EMAIL_FROM: "a@b.example, c@d.example" })).toMatch("EMAIL_FROM is invalid");
    expect(issuesOf({ UNSUBSCRIBE_URL: "https://example.com/unsubscribe" })).toMatch("{token}");
    expect(warningsOf(parseEnv(complete))).toContainEqual(expect.stringMatching("EMAIL_FROM is not set"));
  });
});

describe("what is written about the environment", () => {
  it("is in .env.example, as the schema has it", async () => {
    // Written anew by: npm run test:unit -- -u app/env/env.server.test.ts
    await expect(envExample()).toMatchFileSnapshot("../../.env.example");
    const lines = envExample().split("\n");
    expect(lines).toContain("POSTGRES_URL=");
    expect(lines).toContain("# POSTGRES_POOL_SIZE=10");
  });

  it("is documented, for every variable", async () => {
    const settings = await readFile(new URL("../../docs/reference/settings.md", import.meta.url), "utf8");
    for (const name of Object.keys(schema.shape)) expect(settings).toContain(`\`${name}\``);
  });
});
