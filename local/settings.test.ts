import { describe, expect, it } from "vitest";
import { resolvePorts } from "./addresses";
import { resolveSettings } from "./settings";

const secrets = {
  postgresPassword: "p",
  embedSigningSecret: "s".repeat(64),
  accessKeyId: "LOCAL",
  secretAccessKey: "secret",
  demoApiKey: "pek_demo",
  queueToken: "token",
  queueCurrentSigningKey: "current",
  queueNextSigningKey: "next",
};

const resolveWith = (env: Record<string, string> = {}, offset = 0) =>
  resolveSettings(resolvePorts(offset, env.PORT), secrets, env, "dev");

describe("ports", () => {
  it("are those of the documentation", () => {
    expect(resolvePorts(0)).toMatchObject({
      app: 3000,
      demo: 4000,
      mailbox: 8005,
      dataApi: 8006,
      queue: 8007,
      appRebuild: 8008,
      objectStore: 9000,
      postgres: 54320,
    });
  });

  it("all move by the offset; PORT moves the app alone", () => {
    expect(resolvePorts(100)).toMatchObject({ app: 3100, demo: 4100, postgres: 54420 });
    expect(resolvePorts(0, "8080")).toMatchObject({ app: 8080, demo: 4000 });
    expect(resolvePorts(0, " ")).toMatchObject({ app: 3000 });
  });

  it("never meet, even where PORT is the next one", () => {
    const ports = Object.values(resolvePorts(0, "8008"));
    expect(new Set(ports).size).toBe(ports.length);
  });

  it("leave free those of an integrator's app", () => {
    const ports = Object.values(resolvePorts(0));
    expect([3001, 3100, 4173, 4200, 4321, 5000, 5173].filter((port) => ports.includes(port))).toEqual([]);
  });

  it.each([
    [-1, undefined, /LOCAL_PORT_OFFSET must be a whole number from 0 to/],
    [Number.NaN, undefined, /LOCAL_PORT_OFFSET/],
    [11_216, undefined, /LOCAL_PORT_OFFSET/],
    [0, "http", /PORT must be/],
    [3000, undefined, /Browsers refuse port 6000/],
  ])("refuse offset %s with PORT %s", (offset, port, message) => {
    expect(() => resolvePorts(offset, port)).toThrow(message);
  });
});

describe("settings", () => {
  it("give the app two hosts, and a cluster in one region only", () => {
    const { appEnv, external, demoOrigin } = resolveWith();
    expect(appEnv).toMatchObject({
      API_BASE_URL: "http://127.0.0.1:3000",
      PLATFORM_BASE_URL: "http://localhost:3000",
      CLOUD_S3_ENDPOINT: "http://127.0.0.1:9000",
      CLOUD_S3_FORCE_PATH_STYLE: "true",
      QUEUE_VERIFY: "true",
      CLUSTER_REF_CA_CENTRAL_1: expect.stringContaining("ca-central-1"),
      NODE_ENV: "development",
    });
    expect(appEnv).not.toHaveProperty("CLUSTER_REF");
    expect(demoOrigin).toBe("http://127.0.0.1:4000");
    expect(external.size).toBe(0);
  });

  it.each([
    [{ POSTGRES_URL: "postgresql://db.example.com/app" }, "postgres"],
    [{ CLOUD_S3_ENDPOINT: "https://s3.example.com" }, "objectStore"],
    [{ CLOUD_REGION: "eu-west-1", CLOUD_ACCESS_KEY_ID: "A", CLOUD_SECRET_ACCESS_KEY: "b" }, "objectStore"],
    [{ CLOUD_CREDENTIALS: "default" }, "objectStore"],
    [{ CLOUD_SES_ENDPOINT: "https://email.example.com" }, "mailbox"],
    [{ CLOUD_RDS_DATA_ENDPOINT: "https://rds.example.com" }, "dataApi"],
    [{ QUEUE_URL: "https://queue.example.com" }, "queue"],
  ])("leave a part out for %o", (env, part) => {
    const { appEnv, external } = resolveWith(env as Record<string, string>);
    expect([...external]).toEqual([part]);
    expect(appEnv).toMatchObject(env);
  });

  it("leave Amazon's own S3 without an endpoint", () => {
    const real = { CLOUD_REGION: "eu-west-1", CLOUD_ACCESS_KEY_ID: "A", CLOUD_SECRET_ACCESS_KEY: "b" };
    expect(resolveWith(real).appEnv).not.toHaveProperty("CLOUD_S3_ENDPOINT");
  });

  it("take a blank for unset", () => {
    const { appEnv, external } = resolveWith({ POSTGRES_URL: " ", EMBED_SIGNING_SECRET: "" });
    expect(external.size).toBe(0);
    expect(appEnv.EMBED_SIGNING_SECRET).toBe(secrets.embedSigningSecret);
  });

  it("hand on whatever else was set, to the app alone", () => {
    const { appEnv, fullEnv } = resolveWith({ POSTGRES_POOL_SIZE: "3", SHELL_SECRET: "x" });
    expect(fullEnv).toMatchObject({ ...appEnv, POSTGRES_POOL_SIZE: "3", SHELL_SECRET: "x" });
    expect(appEnv).not.toHaveProperty("SHELL_SECRET");
  });

  it("refuse what the app would refuse", () => {
    expect(() => resolveWith({ API_BASE_URL: "not a URL" })).toThrow(/API_BASE_URL/);
  });
});
