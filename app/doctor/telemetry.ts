import { ok, runCheck, type Verdict, warning } from "../../embed-element/doctor/report";
import { causeOf, codeOf } from "../shared/error-text";
import type { CheckGroup } from "./context";

/** Whether there are metrics, and whether the collector of traces accepts them. */
export const checkTelemetry: CheckGroup = async ({ env, limits }) => {
  const { traceEndpoint, metricsToken } = env;
  const metrics = {
    ...ok(
      metricsToken === undefined
        ? "METRICS_TOKEN is not set: there are no metrics."
        : "METRICS_TOKEN is set: each replica has GET /metrics.",
    ),
    check: "telemetry.metrics",
  };
  if (traceEndpoint === undefined) {
    const none = ok("OTEL_EXPORTER_OTLP_ENDPOINT is not set: no traces are sent.");
    return [metrics, { ...none, check: "telemetry.traces" }];
  }
  const remedy = "Check OTEL_EXPORTER_OTLP_ENDPOINT, and that the collector runs. Requests work without it.";
  const traces = await runCheck(
    {
      name: "telemetry.traces",
      run: (signal) => sendNothing(traceEndpoint, signal),
      explain: (error) =>
        warning(
          `The collector of traces cannot be reached (${codeOf(causeOf(error)) || "no response in time"}).`,
          remedy,
        ),
    },
    limits,
  );
  return [metrics, ...traces];

  /** An export request without spans is valid, and adds nothing. See OTLP/HTTP at opentelemetry.io. */
  async function sendNothing(endpoint: string, signal: AbortSignal): Promise<Verdict> {
    const { ok: isAccepted, status } = await fetch(`${endpoint.replace(/\/+$/, "")}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
      redirect: "manual",
      signal,
    });
    return isAccepted
      ? ok("The collector accepts traces.")
      : warning(`The collector does not accept traces (status ${status}).`, remedy);
  }
};
