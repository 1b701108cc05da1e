import { ok, runCheck, type Verdict, warning } from "../../embed-element/doctor/report";
import { causeOf, codeOf } from "../shared/error-text";
import type { CheckGroup } from "./context";

/** Whether the collector of traces accepts them. */
export const checkTelemetry: CheckGroup = async ({ env, limits }) => {
  const { traceEndpoint } = env;
  if (traceEndpoint === undefined) return [];
  const remedy = "Check OTEL_EXPORTER_OTLP_ENDPOINT, and that the collector runs. Requests work without it.";
  return runCheck(
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
