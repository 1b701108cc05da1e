import { AppError } from "../shared/app-error";
import { currentMetrics } from "./metrics.server";
import { traceCall } from "./traces.server";

type ProviderName = "database" | "object_store" | "mail" | "sns" | "data_api";

/**
 * Runs one call of a provider and records it in metrics and traces: how long it took, and its outcome (`ok`, or that of the
 * error). With both switched off it is a plain call.
 */
export function observeCall<Result>(
  provider: ProviderName,
  operation: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const metrics = currentMetrics();
  const endSpan = traceCall(provider, operation);
  if (metrics === undefined && endSpan === undefined) return call();
  const started = performance.now();
  const end = (outcome: string) => {
    const seconds = (performance.now() - started) / 1000;
    metrics?.providerSeconds.observe({ provider, operation, outcome }, seconds);
    endSpan?.(outcome);
  };
  return call().then(
    (result) => {
      end("ok");
      return result;
    },
    (error: unknown) => {
      end(error instanceof AppError ? error.outcome : "error");
      throw error;
    },
  );
}
