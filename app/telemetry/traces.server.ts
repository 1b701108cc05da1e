import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, Span, Tracer } from "@opentelemetry/api";

/**
 * Traces by OpenTelemetry: a span for each request, and inside it one for each call of a provider. Nothing is loaded before
 * `startTraces`. The library itself reads the usual `OTEL_…` variables (service name, headers, sampling).
 */
interface Tracing {
  api: typeof import("@opentelemetry/api");
  tracer: Tracer;
  /** the span of the current request */
  requestSpan: AsyncLocalStorage<Span>;
  flush(): Promise<void>;
}

let tracing: Tracing | undefined;

export function areTracesOn(): boolean {
  return tracing !== undefined;
}

export async function startTraces(): Promise<void> {
  const [api, sdk, exporter, resources] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .resourceFromAttributes({ "service.name": "platform-embed" })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  tracing = {
    api,
    tracer: provider.getTracer("platform-embed"),
    requestSpan: new AsyncLocalStorage(),
    flush: () => provider.shutdown(),
  };
}

/** Sends the spans that have not been sent yet. */
export async function stopTraces(): Promise<void> {
  await tracing?.flush();
}

interface RequestTrace {
  /** Runs `work`; its calls of providers become part of the trace. */
  run(work: () => void): void;
  end(status: number): void;
}

/** Starts the span of a request; undefined while traces are off. */
export function traceRequest(request: {
  requestId: string;
  method: string;
  route: string;
  headers: Record<string, string | string[] | undefined>;
}): RequestTrace | undefined {
  if (tracing === undefined) return undefined;
  const { api, tracer, requestSpan } = tracing;
  const parent = api.propagation.extract(api.ROOT_CONTEXT, request.headers);
  const span = tracer.startSpan(
    `${request.method} ${request.route}`,
    {
      kind: api.SpanKind.SERVER,
      attributes: {
        "http.request.method": request.method,
        "http.route": request.route,
        "request.id": request.requestId,
      },
    },
    parent,
  );
  return {
    run: (work) => requestSpan.run(span, work),
    end(status) {
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Starts the span of a provider call, inside the request's span. Returns a function that ends it. */
export function traceCall(provider: string, operation: string): ((outcome: string) => void) | undefined {
  if (tracing === undefined) return undefined;
  const { api, tracer, requestSpan } = tracing;
  const outer = requestSpan.getStore();
  // Whatever a process does by itself, such as looking for due webhooks every second, would be a trace of its own.
  if (outer === undefined) return undefined;
  const parent: Context = api.trace.setSpan(api.ROOT_CONTEXT, outer);
  const span = tracer.startSpan(`${provider} ${operation}`, { kind: api.SpanKind.CLIENT }, parent);
  return (outcome) => {
    span.setAttribute("outcome", outcome);
    if (outcome !== "ok") span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
  };
}
