import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl } from "../support/app/embed-client";

const stack = inject("stack");
const token = "a-token-for-the-metrics";

it("GET /metrics counts requests, provider calls and connections, and requires METRICS_TOKEN", async () => {
  const app = await startBuiltApp(stack, {
    METRICS_TOKEN: token,
    CLOUD_S3_FORCE_PATH_STYLE: "true",
  });
  try {
    const read = (authorization?: string) =>
      fetch(`${app.apiBaseUrl}/metrics`, authorization ? { headers: { Authorization: authorization } } : {});
    const refused = await read();
    expect([refused.status, (await refused.json()).error]).toEqual([
      401,
      expect.stringContaining("Send one of METRICS_TOKEN"),
    ]);
    expect((await read("Bearer another")).status).toBe(401);

    const client = await makeEmbedClient(stack);
    const embed = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
    for (const path of ["list", "presign-upload"]) {
      const upload = { folderPath: "/", fileName: "a.txt", contentType: "text/plain" };
      const response = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          token: embed.token,
          bucket: client.bucket,
          ...(path === "list" ? {} : upload),
        }),
      });
      expect(response.status).toBe(200);
    }
    await fetch(`${app.apiBaseUrl}/nowhere/${embed.token.slice(0, 30)}`);

    const response = await read(`Bearer ${token}`);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/plain; version=/);
    const text = await response.text();
    for (const line of [
      'platform_embed_http_requests_total{route="/api/embed/url",method="POST",status="200"} 1',
      'platform_embed_http_requests_total{route="/api/embed/storage/list",method="POST",status="200"} 1',
      'platform_embed_http_requests_total{route="(unknown)",method="GET",status="404"} 1',
      'platform_embed_http_request_duration_seconds_count{route="/api/embed/url"} 1',
      'platform_embed_provider_request_duration_seconds_count{provider="database",operation="query",outcome="ok"} 3',
      'platform_embed_provider_request_duration_seconds_count{provider="object_store",operation="list",outcome="ok"} 1',
      'platform_embed_uploads_presigned_total{kind="single"} 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/^platform_embed_database_connections [1-9]/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(text).not.toContain(embed.token.slice(0, 30));
  } finally {
    await app.close();
  }
});

it("/metrics does not exist without METRICS_TOKEN", async () => {
  expect((await fetch(`${stack.apiBaseUrl}/metrics`)).status).toBe(404);
});

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

/** Starts an app that exports its spans, and passes them to the test. */
async function withSpans(
  env: Record<string, string>,
  run: (app: Awaited<ReturnType<typeof startBuiltApp>>, spans: OtlpSpan[]) => Promise<void>,
): Promise<void> {
  const spans: OtlpSpan[] = [];
  const collector = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    for (const { scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader("Content-Type", "application/json").end("{}");
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const app = await startBuiltApp(stack, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    ...env,
  });
  try {
    await run(app, spans);
  } finally {
    await app.close();
    collector.close();
  }
}

it("spans of a request and its provider calls are exported to OTEL_EXPORTER_OTLP_ENDPOINT within the caller's trace", () =>
  withSpans({}, async (app, spans) => {
    const client = await makeEmbedClient(stack);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await fetch(`${app.apiBaseUrl}/api/embed/url`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Api-Key": client.apiKey,
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify({ service: "files", scope: { bucket: client.bucket } }),
    });
    await expect
      .poll(() => spans.filter((span) => span.traceId === traceId).length, { timeout: 10_000 })
      .toBe(2);
    const own = spans.filter((span) => span.traceId === traceId);
    const request = own.find(({ name }) => name === "POST /api/embed/url");
    const call = own.find(({ name }) => name === "database query");
    expect(request?.parentSpanId).toBe("b7ad6b7169203331");
    expect(call?.parentSpanId).toBe(request?.spanId);
    expect(JSON.stringify(spans)).not.toContain(client.apiKey);
  }));

it.each([
  ["is left out of traces", {}, 0],
  ["is traced with OTEL_TRACES_SAMPLER=always_on", { OTEL_TRACES_SAMPLER: "always_on" }, 1],
])("a request whose caller keeps no trace %s", (_, env, count) =>
  withSpans(env, async (app, spans) => {
    const traceId = "0af7651916cd43dd8448eb211c80319d";
    const send = (headers: Record<string, string>) => fetch(`${app.apiBaseUrl}/openapi.json`, { headers });
    await send({ traceparent: `00-${traceId}-b7ad6b7169203331-00` });
    // Spans are exported in the order in which they end.
    await send({});
    await expect.poll(() => spans.filter((span) => span.traceId !== traceId).length).toBeGreaterThan(0);
    expect(spans.filter((span) => span.traceId === traceId)).toHaveLength(count);
  }),
);

it("requests without a credential are counted, and a refused postEmbedUrl has its own status", async () => {
  const app = await startBuiltApp(stack, { METRICS_TOKEN: token });
  try {
    await postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, null, {});
    const text = await (
      await fetch(`${app.apiBaseUrl}/metrics`, { headers: { Authorization: `Bearer ${token}` } })
    ).text();
    expect(text).toContain(
      'platform_embed_http_requests_total{route="/api/embed/url",method="POST",status="401"} 1',
    );
  } finally {
    await app.close();
  }
});
