import { afterAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { type ClusterApp, startClusterApp } from "../support/cluster-app";
import { freshName, makeCompany, postDatabase } from "../support/cluster-databases";
import { startSes } from "../support/ses";
import { Wire } from "../support/wire";

const stack = inject("stack");

/** milliseconds after which no request may still be without its answer, but for creating a database */
const LATEST = 15_000;

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  const started = performance.now();
  const result = await work;
  return { result, milliseconds: performance.now() - started };
}

describe("a mail provider", async () => {
  const ses = await startSes();
  const wire = await Wire.to(ses.endpoint);
  const app: BuiltApp = await startBuiltApp(stack, { CLOUD_SES_ENDPOINT: wire.over(ses.endpoint) });
  afterAll(async () => {
    await app.close();
    await wire.cut();
    await ses.close();
  });

  const send = (count: number) =>
    fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        to: Array.from({ length: count }, (_, index) => `person-${index}@example.com`),
        title: "Hello",
        description: "Hello",
      }),
    });

  it("that hangs is waited for no longer than the request has, whatever the number of recipients", async () => {
    ses.setFault(() => ({ hang: true }));
    const { result, milliseconds } = await timed(send(15));
    ses.setFault(undefined);
    expect(milliseconds).toBeLessThan(LATEST);
    expect(result.status).toBe(502);
    const { results } = await result.json();
    expect(results).toHaveLength(15);
    // Who was on the way when the time was over may have got it; who was not even begun with certainly has not.
    const reasons = results.map(({ error }: { error: string }) => error);
    expect(new Set(reasons).size).toBe(2);
    expect((await send(2)).status).toBe(200);
  }, 30_000);

  it("whose network goes silent, or refuses, is back with its first request after it returns", async () => {
    wire.silence();
    const { result, milliseconds } = await timed(send(1));
    expect(milliseconds).toBeLessThan(LATEST);
    expect(result.status).toBe(502);
    await wire.restore();
    expect((await send(1)).status).toBe(200);
    await wire.cut();
    expect((await send(1)).status).toBe(503);
    await wire.restore();
    expect((await send(1)).status).toBe(200);
  }, 30_000);

  it("that closes connections when they are idle is never taken for one that fails", async () => {
    ses.closeAfterOne();
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) statuses.push((await send(1)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe("a Data API", async () => {
  const app: ClusterApp = await startClusterApp(stack, { CLOUD_RDS_DATA_TIMEOUT_SECONDS: "2" });
  afterAll(() => app.close());

  it("that hangs ends a creation by its own limit, holds nothing else up, and works when it is back", async () => {
    const companyId = await makeCompany(stack);
    const request = { companyId, name: freshName(), region: stack.clusterRegion };
    app.setFault((sql) => (sql.startsWith("CREATE DATABASE") ? { delayMs: 60_000 } : undefined));
    const creating = timed(postDatabase<{ code?: string }>(app.apiBaseUrl, request));
    expect((await fetch(`${app.apiBaseUrl}/readyz`)).status).toBe(200);
    const { result, milliseconds } = await creating;
    expect(result.status).toBe(503);
    expect(milliseconds).toBeLessThan(LATEST);
    app.setFault(undefined);
    expect((await postDatabase(app.apiBaseUrl, request)).status).toBe(201);
  }, 30_000);
});
